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
LONGEST_LINE = 64 << 20
"""Bytes of the longest line that is read: whatever a file unpacks to, memory stays bounded."""
_BLOCK_OF_LINES = 64 << 20
_FREELY = 256 << 20
_TIMES = 300
"""An export packs 10 to 50 times; what unpacks to so many times its size, past what may be had freely, is no export."""


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


def refuse_unpacked(path: Path, label: str, unpacked: int) -> None:
    """SourceError when a packed file has given far more than an export packs into its size."""
    if path.name.endswith(".gz") and unpacked > max(_FREELY, _TIMES * path.stat().st_size):
        raise SourceError(f"{label} unpacks to more than {_TIMES} times its size, as no export does: export it again")


def blocks_of_lines(file: BinaryIO, path: Path, label: str, most: int) -> Iterator[list[tuple[int, bytes]]]:
    """Numbered lines, at most so many at a time and never more than a block of bytes and one line.

    Raises SourceError for a line of more than LONGEST_LINE bytes, and for a packed file that unpacks without end.
    """
    lines: list[tuple[int, bytes]] = []
    number = held = unpacked = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        held += len(line)
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            raise SourceError(
                f"{label} has a line of more than {LONGEST_LINE >> 20} MB (line {number}): export it again"
            )
        lines.append((number, line))
        if len(lines) == most or held >= _BLOCK_OF_LINES:
            unpacked += held
            refuse_unpacked(path, label, unpacked)
            yield lines
            lines, held = [], 0
    if lines:
        yield lines
