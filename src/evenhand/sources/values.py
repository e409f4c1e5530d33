"""The raw text of one value, whatever kind of export holds it.

Belongs here: how a number or a text that is stored becomes the one raw text. Does not: what the text means (lake).
"""

import math


class Unreadable:
    """Stands for a TEXT value that is not UTF-8."""


def readable_text(value: bytes) -> str | Unreadable:
    """The text factory: sqlite3 calls it for TEXT values alone, so that a BLOB stays bytes."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return Unreadable()


def value_text(value: object) -> str | None:
    """The text of one value; ValueError when it is a BLOB or not UTF-8."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return real_text(value)
    raise ValueError("bytes that are no text")


def real_text(value: float) -> str:
    """A real as its shortest exact text: 12.0, 0.1, 1e+16."""
    return repr(value) if math.isfinite(value) else ("Inf" if value > 0 else "-Inf")
