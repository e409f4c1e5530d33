"""The rows of a SQLite table as Arrow text columns, without a Python object for each value.

Belongs here: letting SQLite join thousands of values into one text, and splitting that text into Arrow buffers.
Does not: opening the file, or reading the rows that this cannot take (sqlite_file.py does, one value at a time).

SQLite joins each column of a few thousand rows with `group_concat(ifnull(column, NULL_MARK), SEPARATOR)`, at 1.2
times the cost of a plain scan. What is read is proved rather than assumed: there must be exactly one separator less
than rows, and exactly as many NULL marks as NULLs, so that no value can have held either; no value may be a BLOB
(which the join would pass off as text); a column that may hold reals is searched for them (SQLite prints 15
digits); a value that is not UTF-8 is found
afterwards. Where any of this fails, the few rows around it alone take the slow way.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from evenhand.lake.text_buffers import validity_buffer

SEPARATOR = "\x1f"
NULL_MARK = "\x1e"
_SEPARATOR_BYTE = SEPARATOR.encode()
_NULL_BYTE = NULL_MARK.encode()

FIRST_CHUNK_ROWS = 256
CHUNK_ROWS = 1024
"""Rows that SQLite joins at a time; more do not fit the processor's caches and are slower (4,096 by a third)."""
CHUNK_BYTES = 4 << 20
SLOW_ROWS = 32
"""A chunk that cannot be joined is narrowed down to so many rows."""
TEXT_LIMIT = 64 << 20
"""The longest joined text: beyond it SQLite refuses, and fewer rows are tried."""
BATCH_ROWS = 65_536
BATCH_BYTES = 24 << 20
"""Joined texts are split and parsed this many rows or bytes at a time."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """One column to read: its name, and what its declaration says of its values."""

    name: str
    may_be_null: bool
    may_be_real: bool


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of a rowid range, joined by column; `joined` is None when they must be read one by one."""

    low: int
    high: int
    rows: int
    joined: tuple[bytes, ...] | None = None
    nulls: tuple[int, ...] = ()
    """How many NULLs each column has."""

    def is_sound(self) -> bool:
        """No value held a separator or a NULL mark, or the counts would differ."""
        return self.joined is not None and all(
            text.count(_SEPARATOR_BYTE) == self.rows - 1 and text.count(_NULL_BYTE) == nulls
            for text, nulls in zip(self.joined, self.nulls, strict=True)
        )


@dataclass
class Pending:
    """Joined chunks that wait to be split together."""

    rows: int = 0
    size: int = 0
    chunks: list[Chunk] = field(default_factory=list)

    def add(self, chunk: Chunk) -> None:
        """Take a joined chunk."""
        self.chunks.append(chunk)
        self.rows += chunk.rows
        self.size += sum(len(text) for text in chunk.joined or ())

    def is_full(self) -> bool:
        """Whether it is time to split."""
        return self.rows >= BATCH_ROWS or self.size >= BATCH_BYTES

    def split(self, columns: int) -> list[pa.BinaryArray] | None:
        """The columns as bytes; None when some value held a mark."""
        split = []
        for number in range(columns):
            parts = [chunk.joined[number] for chunk in self.chunks if chunk.joined is not None]
            column = split_texts(parts, self.rows, sum(chunk.nulls[number] for chunk in self.chunks))
            if column is None:
                return None
            split.append(column)
        return split


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def join_query(table: str, key: str, columns: list[TextColumn]) -> str:
    """The query for the rows above one rowid and up to another: joined columns, then the figures to check them by."""
    names = [quoted(column.name) for column in columns]
    # A column declared NOT NULL needs no marks; should it hold a NULL after all, a separator is missing.
    values = [
        f"ifnull({name}, '{NULL_MARK}')" if column.may_be_null else name
        for name, column in zip(names, columns, strict=True)
    ]
    joined = [f"group_concat({value}, '{SEPARATOR}')" for value in values]
    # A BLOB is greater than every text; OR passes over NULLs where + or max() would not.
    odd = [f"{name} >= x''" for name in names]
    odd += [f"typeof({name}) = 'real'" for name, column in zip(names, columns, strict=True) if column.may_be_real]
    counts = [f"count({name})" for name, column in zip(names, columns, strict=True) if column.may_be_null]
    figures = ["count(*)", f"count(CASE WHEN {' OR '.join(odd)} THEN 1 END)", *counts]
    return f"SELECT {', '.join([*figures, *joined])} FROM main.{quoted(table)} WHERE {key} > ? AND {key} <= ?"


class ChunkReader:
    """Walks a rowid range of one table in chunks of a bounded size."""

    def __init__(self, connection: sqlite3.Connection, table: str, key: str, columns: list[TextColumn]) -> None:
        self._connection = connection
        self._columns = columns
        self._query = join_query(table, key, columns)
        self._bound = f"SELECT {key} FROM main.{quoted(table)} WHERE {key} > ? AND {key} <= ? ORDER BY {key} LIMIT 1"
        self._rows = FIRST_CHUNK_ROWS
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, TEXT_LIMIT)

    def chunks(self, low: int, high: int) -> Iterator[Chunk]:
        """Every row with low < rowid <= high, in order."""
        is_sparse = False
        while low < high:
            bound = self._dense_bound(low, high) if not is_sparse else self._counted_bound(low, high)
            chunk = self._read(low, bound)
            if chunk is None:
                if self._rows > 1:
                    self._rows = max(1, self._rows // 8)
                    continue
                chunk = Chunk(low, bound, 1)
            # Few rows in a wide range of rowids: count them off instead of guessing.
            is_sparse = is_sparse or chunk.rows < (bound - low) // 8
            low = bound
            if chunk.rows:
                self._adapt(chunk)
                yield chunk

    def narrowed(self, chunk: Chunk) -> Iterator[Chunk]:
        """A chunk that is not sound, in eighths and their eighths, until few rows go the slow way."""
        if chunk.is_sound() or chunk.rows <= SLOW_ROWS:
            yield chunk
            return
        step = max(1, (chunk.high - chunk.low) // 8)
        for low in range(chunk.low, chunk.high, step):
            part = self._read(low, min(low + step, chunk.high))
            if part is None:
                part = Chunk(low, min(low + step, chunk.high), 1)
            if part.rows:
                yield from self.narrowed(part)

    def _dense_bound(self, low: int, high: int) -> int:
        return min(low + self._rows, high)

    def _counted_bound(self, low: int, high: int) -> int:
        found = self._connection.execute(f"{self._bound} OFFSET {self._rows - 1}", (low, high)).fetchone()
        return int(found[0]) if found else high

    def _read(self, low: int, high: int) -> Chunk | None:
        """One chunk; None when its texts are longer than the limit."""
        try:
            row = self._connection.execute(self._query, (low, high)).fetchone()
        except sqlite3.DataError:
            return None
        rows, odd = row[0], row[1]
        joined = row[len(row) - len(self._columns) :]
        if rows == 0:
            return Chunk(low, high, 0)
        counts = iter(row[2:])
        nulls = [rows - next(counts) if column.may_be_null else 0 for column in self._columns]
        return Chunk(low, high, rows, None if odd else tuple(joined), tuple(nulls))

    def _adapt(self, chunk: Chunk) -> None:
        """Aim at CHUNK_BYTES and at most CHUNK_ROWS."""
        size = sum(len(text) for text in chunk.joined) if chunk.joined else CHUNK_BYTES
        fitting = chunk.rows * CHUNK_BYTES // max(size, 1)
        self._rows = max(1, min(fitting, self._rows * 4, CHUNK_ROWS))


def split_texts(parts: list[bytes], rows: int, nulls: int) -> pa.BinaryArray | None:
    """The Arrow column of joined texts, as bytes: whether they are UTF-8 is for the caller to see.

    None when a value held a separator or a NULL mark, so that there are more of them than there should be.

    `a|~|` with | and ~ for the marks (a, NULL, the empty text) has values that end at bytes 1, 3 and 4. Without the
    marks the data is `a`, and each value ends that many marks earlier: at 1, 1 and 1.
    """
    joined = parts[0] if len(parts) == 1 else _SEPARATOR_BYTE.join(parts)
    characters = np.frombuffer(joined, dtype=np.uint8)
    separators = np.flatnonzero(characters == _SEPARATOR_BYTE[0])
    # One mark at a time: `replace` moves whole values, where `translate` looks at every byte.
    data = joined.replace(_SEPARATOR_BYTE, b"")
    if nulls or _NULL_BYTE in data:
        data = data.replace(_NULL_BYTE, b"")
    if len(separators) != rows - 1 or len(data) != len(joined) - len(separators) - nulls:
        return None
    ends = np.empty(rows + 1, dtype=np.int64)
    ends[0], ends[1:-1], ends[-1] = -1, separators, len(joined)
    offsets = ends - np.arange(-1, rows)
    validity = None
    if nulls:
        starts = ends[:-1] + 1
        # A mark is the whole value, because there are just as many marks as NULLs.
        is_null = np.zeros(rows, dtype=np.bool_)
        filled = np.flatnonzero(ends[1:] > starts)
        is_null[filled] = characters[starts[filled]] == _NULL_BYTE[0]
        offsets[1:] -= np.cumsum(is_null)
        validity = validity_buffer(~is_null)
    buffers = [validity, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), rows, buffers)
