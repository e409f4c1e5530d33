"""Reading many records at once without looking for cycles among them.

Belongs here: that one switch. Does not: what is read (reading.py) or what is made of it (assessment.py).
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """The records of an export hold no cycles, and looking for some in a million objects takes a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
