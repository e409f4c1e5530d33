"""One table as newline-delimited JSON: an object a line.

Belongs here: lines, and the text of each member. A line that is no strict JSON object is an unreadable row; the
rest of the file is read. Does not: what a text means (lake).

A member whose value is an object or a list is taken as the JSON text that stands in the line, so that an export
which nests its metadata reads like one that stores it as text.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from evenhand.lake.strict_json import object_members, string_of
from evenhand.lake.tables import Table
from evenhand.sources.base import RawBatch, text_columns
from evenhand.sources.open_text import blocks_of_lines, open_bytes
from evenhand.sources.values import real_text

_ROWS_PER_BATCH = 16_384
_LINES_FOR_COLUMNS = 1000
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NdjsonFile:
    """A `.ndjson` or `.ndjson.gz` file."""

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self.label = label

    def columns(self) -> set[str] | None:
        """The members that the first thousand lines name; None when there is no readable line."""
        named: set[str] = set()
        with open_bytes(self.path, self.label) as file:
            for _, line in next(blocks_of_lines(file, self.path, self.label, _LINES_FOR_COLUMNS), ()):
                named.update(line_members(line) or ())
        return named or None

    def batches(self, table: Table) -> Iterator[RawBatch]:
        """The rows, `_ROWS_PER_BATCH` lines at a time; positions are line numbers."""
        with open_bytes(self.path, self.label) as file:
            for lines in blocks_of_lines(file, self.path, self.label, _ROWS_PER_BATCH):
                yield batch_of_lines(table, lines)


def line_members(line: bytes) -> dict[str, str] | None:
    """The members of one line; None when it is no strict JSON object in UTF-8."""
    try:
        return object_members(line.removeprefix(_BYTE_ORDER_MARK).decode("utf-8"))
    except UnicodeDecodeError:
        return None


def member_text(value: str | None) -> str | None:
    """The raw text of a member: what SQLite would hold as text for the same value."""
    if value is None or value == "null":
        return None
    if value[0] == '"':
        return string_of(value)
    if value[0] in "-0123456789" and any(mark in value for mark in ".eE"):
        return real_text(float(value))
    return value


def batch_of_lines(table: Table, lines: list[tuple[int, bytes]]) -> RawBatch:
    """A batch of numbered lines, each an object; one that is none is an unreadable row, a blank one no row."""
    rows: list[list[str | None]] = []
    positions: list[int] = []
    unreadable: list[int] = []
    for number, line in lines:
        if not line.strip(b" \t\r\n"):
            continue
        members = line_members(line)
        if members is None:
            unreadable.append(number)
            continue
        rows.append([member_text(members.get(name)) for name in table.source_columns])
        positions.append(number)
    values = zip(*rows, strict=True) if rows else [()] * len(table.source_columns)
    columns = {
        name: pa.array(list(column), pa.string()) for name, column in zip(table.source_columns, values, strict=True)
    }
    return RawBatch(text_columns(table, columns, len(rows)), len(rows), lambda: positions, unreadable)
