"""An SQL dump cut into statements, in bounded memory.

Belongs here: where a statement ends, with quotes and comments respected, and its first words. Does not: what a
statement may do (d1_dump.py).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from evenhand.errors import SourceError
from evenhand.sources.open_text import BLOCK

LONGEST_STATEMENT = 64 << 20
"""Bytes; a row of D1 has at most 2 MB."""

_OPENING = re.compile(rb"""['"`\[;]|--|/\*""")
_CLOSING = {b"'": b"'", b'"': b'"', b"`": b"`", b"[": b"]", b"--": b"\n", b"/*": b"*/"}
_COMMENTS = (b"--", b"/*")
_WORDS = re.compile(r"[A-Za-z]+")
_LEADING = re.compile(r"(?:\s++|--[^\n]*+(?:\n|\Z)|/\*.*?\*/)++", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement without its semicolon."""

    start: int
    """The line in which the statement before it ends, from 1."""
    data: bytes

    @property
    def line(self) -> int:
        """The line of its first word."""
        leading = _LEADING.match(self.data[:4096].decode("utf-8", "replace"))
        return self.start + (leading.group().count("\n") if leading else 0)

    def words(self, most: int = 3) -> list[str]:
        """Its first words in upper case, comments before them left out."""
        text = self.data[:4096].decode("utf-8", "replace")
        leading = _LEADING.match(text)
        found: list[str] = []
        position = leading.end() if leading else 0
        while len(found) < most and (word := _WORDS.match(text, position)):
            found.append(word.group().upper())
            space = _LEADING.match(text, word.end())
            if space is None:
                break
            position = space.end()
        return found


def statements(file: BinaryIO, label: str) -> Iterator[Statement]:
    """The statements of a dump, a block of the file in memory at a time.

    Raises SourceError when the file ends inside a statement, or a statement is longer than any row can be.
    """
    held, scanned, line = b"", 0, 1
    waiting: bytes | None = None
    while block := file.read(BLOCK):
        held += block
        start = 0
        while True:
            if waiting is not None:
                closing = _CLOSING[waiting]
                end = held.find(closing, scanned)
                if end < 0:
                    # The first half of a closing mark may be the last byte that is there.
                    scanned = max(scanned, len(held) - len(closing) + 1)
                    break
                scanned, waiting = end + len(closing), None
                continue
            opening = _OPENING.search(held, scanned)
            if opening is None:
                scanned = max(scanned, len(held) - 1)
                break
            mark = opening.group()
            scanned = opening.end()
            if mark != b";":
                waiting = mark
                continue
            yield Statement(line, held[start : opening.start()])
            line += held.count(b"\n", start, scanned)
            start = scanned
        held, scanned = held[start:], scanned - start
        if len(held) > LONGEST_STATEMENT:
            raise SourceError(f"line {line} of {label} starts a statement longer than any row can be: export it again")
    rest = Statement(line, held)
    is_comment = waiting == b"--" or waiting is None
    if not is_comment or rest.words() or _LEADING.sub("", held[:4096].decode("utf-8", "replace")).strip():
        raise SourceError(f"{label} ends inside the statement of line {line}, so it is cut off: export it again")
