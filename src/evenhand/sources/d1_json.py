"""A D1 database as outputs of `wrangler d1 execute --json`, one file a table.

Belongs here: finding the rows in such an output without holding it whole. Does not: what stands in a row, which is read
like a line of NDJSON (ndjson_file.py), or what a text means (lake).

An output is a list of results, each an object whose `results` is a list of rows: `[{"results": [{…}, …], "success":
true, "meta": {…}}]`. D1 gives a BLOB as a list of numbers, so that a row with a list is unreadable, as it is in SQLite.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from evenhand.errors import SourceError
from evenhand.lake.tables import Table
from evenhand.sources.base import RawBatch
from evenhand.sources.folder import FolderSource, TableFile
from evenhand.sources.ndjson_file import batch_of_lines, line_members
from evenhand.sources.open_text import BLOCK, open_bytes

_ROWS_PER_BATCH = 16_384
_ROWS_FOR_COLUMNS = 1000
_LONGEST_VALUE = 64 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_STRUCTURE = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_FLAT_OBJECT = re.compile(rb'\{(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+\}', re.DOTALL)
"""A row is one: found at once, where the careful way looks at each text."""
_SCALAR = re.compile(rb"[^\s,\]}\[{\"]+")
_BLOB = re.compile(rb"[:,]\s*\[")


class D1JsonFile:
    """A `.json` file with the output of one command."""

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self.label = label

    def columns(self) -> set[str] | None:
        """The members that the first thousand rows name; None when there is no readable row."""
        named: set[str] = set()
        with open_bytes(self.path, self.label) as file:
            for row in islice(_rows(file, self.label), _ROWS_FOR_COLUMNS):
                named.update(line_members(row) or ())
        return named or None

    def batches(self, table: Table) -> Iterator[RawBatch]:
        """The rows, `_ROWS_PER_BATCH` at a time; positions are row numbers from 1."""
        with open_bytes(self.path, self.label) as file:
            numbered = enumerate(_rows(file, self.label), 1)
            while rows := list(islice(numbered, _ROWS_PER_BATCH)):
                yield batch_of_lines(table, [(number, b"[" if _has_blob(row) else row) for number, row in rows])


class D1JsonSource(FolderSource):
    """An export in a folder with one output a table."""

    kind = "d1-json"
    readers: dict[str, type[TableFile]] = {".json": D1JsonFile}  # noqa: RUF012 - a declaration, never changed

    def address(self) -> str:
        """The path, with its scheme."""
        return f"d1-json:{super().address()}"


def _has_blob(row: bytes) -> bool:
    """Whether some member is a list: seldom, so that a quick look goes before the careful one."""
    if not _BLOB.search(row):
        return False
    members = line_members(row)
    return members is not None and any(value.startswith("[") for value in members.values())


def _rows(file: BinaryIO, label: str) -> Iterator[bytes]:
    """Every row of every result, as the bytes of its JSON object."""
    reader = _Reader(file, label)
    reader.expect(b"[")
    if reader.peek() != b"]":
        while True:
            yield from _result(reader)
            if not reader.another(b"]"):
                break
    else:
        reader.expect(b"]")
    if reader.peek() != b"":
        raise reader.refusal()


def _result(reader: "_Reader") -> Iterator[bytes]:
    """The rows of one result."""
    reader.expect(b"{")
    if reader.peek() == b"}":
        raise reader.refusal()
    while True:
        name = reader.value()
        reader.expect(b":")
        if name == b'"results"':
            yield from _elements(reader)
        else:
            value = reader.value()
            if (name == b'"success"' and value != b"true") or (name == b'"error"' and value != b"null"):
                raise SourceError(f"{reader.label} holds the output of a command that failed: run it again")
        if not reader.another(b"}"):
            return


def _elements(reader: "_Reader") -> Iterator[bytes]:
    reader.expect(b"[")
    if reader.peek() == b"]":
        reader.expect(b"]")
        return
    while True:
        yield reader.value()
        if not reader.another(b"]"):
            return


class _Reader:
    """JSON values one after the other, with no more in memory than one of them and a block."""

    def __init__(self, file: BinaryIO, label: str) -> None:
        self.label = label
        self._file = file
        self._held = file.read(BLOCK).removeprefix(_BYTE_ORDER_MARK)
        self._at = 0

    def refusal(self) -> SourceError:
        """The sentence for anything that is not such an output."""
        return SourceError(f"{self.label} is no output of wrangler d1 execute --json, or is cut off: run it again")

    def peek(self) -> bytes:
        """The next byte that is no space; empty at the end."""
        while True:
            while self._at < len(self._held):
                byte = self._held[self._at : self._at + 1]
                if byte not in _SPACE:
                    return byte
                self._at += 1
            if not self._more():
                return b""

    def expect(self, byte: bytes) -> None:
        """Pass over one byte, which has to be this one."""
        if self.peek() != byte:
            raise self.refusal()
        self._at += 1

    def another(self, closer: bytes) -> bool:
        """Pass over a comma, or over what closes the container; whether it was a comma."""
        byte = self.peek()
        if byte not in (b",", closer):
            raise self.refusal()
        self._at += 1
        return byte == b","

    def value(self) -> bytes:
        """The bytes of the next value, of whatever kind; whether they are strict JSON is for the reader of rows."""
        byte = self.peek()
        if byte in (b"", b",", b":", b"]", b"}"):
            raise self.refusal()
        flat = _FLAT_OBJECT.match(self._held, self._at)
        if flat is not None:
            self._at = flat.end()
            return flat.group()
        scanned, depth = self._at, 0
        if byte not in (b"{", b"[", b'"'):
            return self._scalar()
        while True:
            match = _STRUCTURE.search(self._held, scanned)
            # A quote before the match has no partner yet: a bracket after it may stand inside a text.
            if match is None or self._held.find(b'"', scanned, match.start()) >= 0:
                passed = scanned - self._at
                if not self._more():
                    raise self.refusal()
                scanned = self._at + passed
                continue
            if not match.group().startswith(b'"'):
                depth += 1 if match.group() in b"{[" else -1
            scanned = match.end()
            if depth == 0:
                found = self._held[self._at : scanned]
                self._at = scanned
                return found

    def _scalar(self) -> bytes:
        while True:
            match = _SCALAR.match(self._held, self._at)
            if match is None:
                raise self.refusal()
            if match.end() < len(self._held) or not self._more():
                self._at = match.end()
                return match.group()

    def _more(self) -> bool:
        """Read a block more and let go of what was passed; False at the end of the file."""
        block = self._file.read(BLOCK)
        if not block:
            return False
        self._held = self._held[self._at :] + block
        self._at = 0
        if len(self._held) > _LONGEST_VALUE:
            raise SourceError(f"{self.label} has a row longer than any row of D1: run it again")
        return True
