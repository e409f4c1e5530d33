"""Opening a file of an export, compressed or not.

Belongs here: the bytes of one file, and the sentence when they cannot be had. Does not: their format.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from evenhand.errors import SourceError

BLOCK = 1 << 20


@contextmanager
def open_bytes(path: Path, label: str) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked when its name ends in `.gz`; SourceError when it is cut off or not gzip."""
    try:
        if path.name.endswith(".gz"):
            if path.stat().st_size == 0:
                raise SourceError(f"{label} is empty and no gzip file, so it is cut off: export it again")
            with gzip.open(path, "rb") as packed:
                yield cast(BinaryIO, packed)
        else:
            with path.open("rb") as plain:
                yield plain
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(f"{label} is cut off or no gzip file ({error}): export it again") from error
    except OSError as error:
        raise SourceError(f"{label} cannot be read: {error.strerror}") from error
