"""A SQLite file as an export, read through a connection that cannot write.

Belongs here: opening the file safely, what it provides, and its rows as text.
Does not: joining and splitting many rows at a time (sqlite_text.py), or what a text means (lake).

Nothing is ever written in the export's folder. A database in WAL mode would have SQLite create `-wal` and `-shm`
beside it even for reading, so such a file is opened as immutable when no `-wal` holds anything, and otherwise copied
with its `-wal` to a temporary folder and read there; a left `-journal` likewise. That nothing changed meanwhile
is checked before the lake is put in place.
"""

import hashlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa

from evenhand.errors import BusySourceError, SourceError
from evenhand.lake.tables import READABLE, TABLES, Table
from evenhand.sources.base import Fingerprint, Mark, Part, RawBatch, RowNumbered, batch_without, label_of, text_columns
from evenhand.sources.sqlite_text import ChunkReader, Pending, TextColumn, quoted
from evenhand.sources.utf8 import readable_rows
from evenhand.sources.values import Unreadable, readable_text, value_text

_HEADER = b"SQLite format 3\x00"
_WRITE_AHEAD = 2
_ROWS_PER_BATCH = 16_384
_ROWS_PER_PART = 65_536
_LARGEST_PARTS = 64
_SAMPLES = 32
"""Spans of a table at whose ends a row is remembered, to know the table again."""
BUSY_SECONDS = 5.0
"""How long a lock of the writer is waited for."""
_LOWEST_ROWID = -(2**63)


class SqliteSource(RowNumbered):
    """An export in one SQLite file."""

    kind = "sqlite"

    def __init__(self, path: Path) -> None:
        self.label = label_of(path)
        header = _checked_header(path, self.label)
        beside = tuple(path.with_name(path.name + suffix) for suffix in ("-wal", "-journal"))
        self._fingerprint = Fingerprint.of((path, *beside))
        self._copy: Path | None = None
        self._path = path
        is_immutable = header[18] == _WRITE_AHEAD or header[19] == _WRITE_AHEAD
        if any(_holds_something(file) for file in beside):
            self._path = self._copied((path, *beside))
            is_immutable = False
        try:
            self._connection = connect(self._path, self.label, is_immutable, is_own=self._copy is not None)
            self._is_immutable = is_immutable
            self._columns = _provided_columns(self._connection, self.label)
            if not self._columns:
                raise SourceError(f"{self.label} holds none of the tables of an audit export, e.g. audit_events")
        except BaseException as error:
            self._drop_copy()
            if isinstance(error, sqlite3.Error):
                raise source_error(error, self.label) from error
            raise
        self._joining: sqlite3.Connection | None = None

    def _copied(self, files: tuple[Path, ...]) -> Path:
        """The database and what its writer left beside it, in a temporary folder."""
        self._copy = Path(tempfile.mkdtemp(prefix="evenhand-"))
        try:
            for file in files:
                if file.exists():
                    shutil.copyfile(file, self._copy / file.name)
            self._fingerprint.check(self.label)
        except OSError as error:
            self._drop_copy()
            raise SourceError(f"{self.label} cannot be copied for reading: {error.strerror}") from error
        except BusySourceError:
            self._drop_copy()
            raise
        return self._copy / files[0].name

    def _drop_copy(self) -> None:
        if self._copy is not None:
            shutil.rmtree(self._copy, ignore_errors=True)

    def tables(self) -> tuple[str, ...]:
        """The declared tables that are real tables of the file."""
        return tuple(name for name in TABLES if name in self._columns)

    def has(self, table: Table) -> bool:
        """Whether it is a real table of the file."""
        return table.name in self._columns

    def missing_columns(self, table: Table) -> tuple[str, ...]:
        """Declared columns that the table does not have."""
        return tuple(name for name in table.source_columns if name not in self._columns[table.name])

    def address(self) -> str:
        """The path."""
        return f"sqlite:{self._path.absolute()}"

    def size(self) -> int:
        """Bytes of the file."""
        return self._path.stat().st_size

    def check_unchanged(self) -> None:
        """By identity, size and time of change of the files."""
        self._fingerprint.check(self.label)

    def close(self) -> None:
        """Close the connections and remove the copy that was read, if there was one."""
        if self._joining is not None:
            self._joining.close()
        self._connection.close()
        self._drop_copy()

    def parts(self, table: Table) -> list[Part]:
        """Equal spans of rowids, so many that two processes end together."""
        key = row_key(self._connection, table.name)
        if key is None:
            return [None]
        ends = self._ends(table, key)
        if ends is None:
            return []
        if ends[0] == _LOWEST_ROWID:
            return [None]  # nothing lies below it to start from
        return _spans(ends[0] - 1, ends[1])

    def _ends(self, table: Table, key: str) -> tuple[int, int] | None:
        # Two queries: SQLite finds either end at once, but reads the whole table for both together.
        ends = [f"(SELECT {end}({key}) FROM main.{quoted(table.name)})" for end in ("min", "max")]
        [(lowest, highest)] = self._asked(table, "SELECT " + ", ".join(ends))
        return None if lowest is None else (lowest, highest)

    def _asked(self, table: Table, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            raise source_error(error, f"{table.name} in {self.label}") from error

    def mark(self, table: Table) -> Mark | None:
        """By rowid. A table that SQLite may number anew (VACUUM) shows it in its samples."""
        key = row_key(self._connection, table.name)
        ends = self._ends(table, key) if key else None
        if key is None or ends is None or ends[0] == _LOWEST_ROWID:
            return None
        lowest, highest = ends
        [(rows,)] = self._asked(table, f"SELECT count(*) FROM main.{quoted(table.name)}")
        nearest = f"SELECT {key} FROM main.{quoted(table.name)} WHERE {key} >= ? ORDER BY {key} LIMIT 1"
        targets = {lowest + (highest - lowest) * number // _SAMPLES for number in range(_SAMPLES + 1)}
        keys = {self._asked(table, nearest, (target,))[0][0] for target in sorted(targets)}
        return Mark(lowest, highest, rows, self.digests(table, keys))

    def digests(self, table: Table, keys: Collection[int]) -> dict[int, str]:
        """Of the identity and of what a row cannot be without."""
        key = row_key(self._connection, table.name)
        fixed = [name for name in ("id", *table.required) if name in self._columns[table.name]]
        listed = ", ".join(f"quote({quoted(name)})" for name in fixed)
        query = f"SELECT {listed} FROM main.{quoted(table.name)} WHERE {key} = ?"
        found = {}
        for number in sorted(keys):
            for row in self._asked(table, query, (number,)):
                found[number] = hashlib.sha256(repr(row).encode("utf-8", "backslashreplace")).hexdigest()
        return found

    def rows_above(self, table: Table, key: int) -> int:
        """By rowid."""
        name = row_key(self._connection, table.name)
        return int(self._asked(table, f"SELECT count(*) FROM main.{quoted(table.name)} WHERE {name} > ?", (key,))[0][0])

    def parts_above(self, table: Table, key: int) -> list[Part]:
        """Spans of rowids above one."""
        name = row_key(self._connection, table.name)
        ends = self._ends(table, name) if name else None
        return [] if ends is None or ends[1] <= key else _spans(key, ends[1])

    def parts_since(self, table: Table, key: int, day: str) -> list[Part]:
        """Spans around the rowids that the instant's index finds, or a scan where there is none.

        Every text that is an instant begins with its date, so that one at or after a date sorts at or after it.
        """
        name = row_key(self._connection, table.name)
        instant = quoted(table.column(table.increments).source_name)
        # The plus keeps SQLite from walking the whole table by rowid. What begins with no digit is no instant, and lies
        # all over a table: the colon comes after the 9.
        query = (
            f"SELECT {name} FROM main.{quoted(table.name)} WHERE {instant} >= ? AND {instant} < ':' AND +{name} <= ?"
        )
        found = np.array([row[0] for row in self._asked(table, query, (day, key))], dtype=np.int64)
        if len(found) == 0:
            return []
        found.sort()
        gaps = np.diff(found)
        # The widest gaps are passed over, and narrow ones read along: another part costs more than a thousand rows.
        widest = np.sort(gaps)[-_LARGEST_PARTS:]
        breaks = np.flatnonzero(gaps > max(1024, int(widest[0]) if len(widest) == _LARGEST_PARTS else 0))
        starts, ends = np.append(0, breaks + 1), np.append(breaks, len(found) - 1)
        parts: list[Part] = []
        for start, end in zip(found[starts].tolist(), found[ends].tolist(), strict=True):
            parts.extend(_spans(start - 1, end))
        return parts

    def batches(self, table: Table, part: Part = None) -> Iterator[RawBatch]:
        """Rows by rowid: joined by SQLite where there is a rowid, else one value at a time."""
        provided = [name for name in table.source_columns if name in self._columns[table.name]]
        try:
            if isinstance(part, tuple):
                yield from self._joined_rows(table, provided, part)
            else:
                yield from self._all_rows(table, provided, [None])
        except sqlite3.Error as error:
            raise source_error(error, f"{table.name} in {self.label}") from error

    def _all_rows(self, table: Table, provided: list[str], parts: Iterable[Part]) -> Iterator[RawBatch]:
        """The rows of some parts, one value at a time."""
        key = row_key(self._connection, table.name)
        listed = ", ".join([key or "NULL", *(quoted(name) for name in provided)])
        query = f"SELECT {listed} FROM main.{quoted(table.name)} NOT INDEXED"
        waiting: list[tuple[object, ...]] = []
        first = 1
        for part in parts:
            within = "" if part is None else f" WHERE {key} > ? AND {key} <= ? ORDER BY {key}"
            cursor = self._connection.execute(query + within, part or ())
            while rows := cursor.fetchmany(_ROWS_PER_BATCH):
                waiting.extend(rows)
                if len(waiting) >= _ROWS_PER_BATCH:
                    yield text_batch(table, provided, waiting, first)
                    first += len(waiting)
                    waiting = []
        if waiting:
            yield text_batch(table, provided, waiting, first)

    def _joined_rows(self, table: Table, provided: list[str], part: tuple[int, int]) -> Iterator[RawBatch]:
        """Rows many at a time; the few around one that cannot be joined come last, one value at a time."""
        key = row_key(self._connection, table.name)
        assert key is not None
        columns = [TextColumn(name, *self._columns[table.name][name]) for name in provided]
        reader = ChunkReader(self._joining_connection(), table.name, key, columns)
        pending = Pending()
        odd: list[Part] = []
        for chunk in reader.chunks(*part):
            for piece in [chunk] if chunk.joined is not None else reader.narrowed(chunk):
                if piece.joined is None:
                    odd.append((piece.low, piece.high))
                    continue
                pending.add(piece)
                if pending.is_full():
                    yield from self._split(table, provided, key, reader, pending)
                    pending = Pending()
        if pending.rows:
            yield from self._split(table, provided, key, reader, pending)
        yield from self._all_rows(table, provided, odd)

    def _joining_connection(self) -> sqlite3.Connection:
        """A connection of its own, because its limit on the length of a text is lower and its texts are bytes."""
        if self._joining is None:
            self._joining = connect(self._path, self.label, self._is_immutable, is_own=self._copy is not None)
            self._joining.text_factory = bytes
        return self._joining

    def _split(
        self, table: Table, provided: list[str], key: str, reader: ChunkReader, pending: Pending
    ) -> Iterator[RawBatch]:
        raw = pending.split(len(provided))
        if raw is None:
            yield from self._split_apart(table, provided, key, reader, pending)
            return
        texts, bad = readable_rows(raw)
        columns = dict(zip(provided, texts, strict=True))
        ranges = [(chunk.low, chunk.high, chunk.rows) for chunk in pending.chunks]
        if bad:
            yield batch_without(table, columns, self._rowids(table, key, ranges), bad)
            return
        yield RawBatch(
            text_columns(table, columns, pending.rows), pending.rows, lambda: self._rowids(table, key, ranges)
        )

    def _split_apart(
        self, table: Table, provided: list[str], key: str, reader: ChunkReader, pending: Pending
    ) -> Iterator[RawBatch]:
        """Some value held a mark: as many rows as possible still joined, the few around it one value at a time."""
        odd: list[Part] = []
        for chunk in pending.chunks:
            for piece in reader.narrowed(chunk):
                if piece.is_sound():
                    alone = Pending()
                    alone.add(piece)
                    yield from self._split(table, provided, key, reader, alone)
                else:
                    odd.append((piece.low, piece.high))
        yield from self._all_rows(table, provided, odd)

    def _rowids(self, table: Table, key: str, ranges: list[tuple[int, int, int]]) -> list[int]:
        query = f"SELECT {key} FROM main.{quoted(table.name)} NOT INDEXED WHERE {key} > ? AND {key} <= ? ORDER BY {key}"
        found: list[int] = []
        for low, high, rows in ranges:
            if high - low == rows:
                found.extend(range(low + 1, high + 1))
            else:
                found.extend(row[0] for row in self._connection.execute(query, (low, high)))
        return found


def _spans(low: int, high: int) -> list[Part]:
    """Equal spans of the rowids above one and up to another."""
    parts = max(1, min((high - low) // _ROWS_PER_PART, _LARGEST_PARTS))
    bounds = [low + (high - low) * number // parts for number in range(parts + 1)]
    return list(pairwise(bounds))


def connect(path: Path, label: str, is_immutable: bool = False, is_own: bool = False) -> sqlite3.Connection:
    """A connection that can only read and runs nothing that the file brings along.

    `is_own` is for a private copy, whose left-over journal SQLite has to be able to put in order.
    """
    mode = "rw" if is_own else "ro&immutable=1" if is_immutable else "ro"
    address = "file:" + quote(os.fsencode(path.absolute())) + "?mode=" + mode
    try:
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        connection.text_factory = readable_text
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA query_only=ON")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except sqlite3.Error as error:
        raise source_error(error, label) from error
    return connection


def source_error(error: sqlite3.Error, where: str) -> SourceError:
    """The sentence for what SQLite said about an export."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BusySourceError(f"{where} is locked by its writer: try again when it has finished, or export a copy")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return SourceError(f"{where} is damaged ({error}): export it again")
    return SourceError(f"{where} cannot be read ({error}): export it again")


def row_key(connection: sqlite3.Connection, table: str) -> str | None:
    """The name under which the table gives its rowid; None when it has none or hides every name of it."""
    for _, name, _, _, without_rowid, _ in connection.execute(f"PRAGMA main.table_list({quoted(table)})"):
        if str(name).lower() == table and without_rowid:
            return None
    taken = {str(row[1]).lower() for row in connection.execute(f"PRAGMA main.table_xinfo({quoted(table)})")}
    return next((alias for alias in ("rowid", "_rowid_", "oid") if alias not in taken), None)


def _checked_header(path: Path, label: str) -> bytes:
    """The first 100 bytes; SourceError when the file is not there, no database or shorter than it says."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError as error:
        raise SourceError(f"there is no file or folder {label}: check the path") from error
    except (OSError, ValueError) as error:
        raise SourceError(f"{label} cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    if len(header) < 100 or not header.startswith(_HEADER):
        raise SourceError(f"{label} is not a SQLite database: give a SQLite file or a folder of exported tables")
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    # The page count holds only when the two change counters agree (SQLite file format, 1.3.7).
    if header[24:28] == header[92:96] and size < pages * page_size:
        raise SourceError(f"{label} is cut off: {size} of {pages * page_size} bytes are there; export it again")
    return header


def _holds_something(path: Path) -> bool:
    with suppress(FileNotFoundError):
        return path.stat().st_size > 0
    return False


def _provided_columns(connection: sqlite3.Connection, label: str) -> dict[str, dict[str, tuple[bool, bool]]]:
    """The columns of each declared table that the file has as a real table: may be null, may be real."""
    provided: dict[str, dict[str, tuple[bool, bool]]] = {}
    for schema, raw_name, kind, _, _, _ in connection.execute("PRAGMA main.table_list").fetchall():
        name = str(raw_name).lower()
        if schema != "main" or name not in READABLE:
            continue
        if kind != "table":
            raise SourceError(
                f"{name} in {label} is a {kind}, which runs code of the export: store its rows as a table"
            )
        provided[name] = {}
        for row in connection.execute(f"PRAGMA main.table_xinfo({quoted(name)})").fetchall():
            if any(isinstance(value, Unreadable) for value in row):
                continue
            _, column, declared, is_not_null, _, _, hidden = row
            # Hidden 2 and 3 are generated columns, which hold values like any other; 1 is a virtual table's.
            if hidden != 1:
                provided[name][column.lower()] = (not is_not_null or hidden != 0, not _is_text(declared))
    return provided


def _is_text(declared: str) -> bool:
    """Whether a declared type makes SQLite store every real as text (affinity rules, datatype3 section 3.1)."""
    upper = declared.upper()
    return "INT" not in upper and any(word in upper for word in ("CHAR", "CLOB", "TEXT"))


def text_batch(table: Table, provided: list[str], rows: list[tuple[object, ...]], first: int) -> RawBatch:
    """A batch from fetched rows, one value at a time: slow and right, whatever the values are."""
    good: list[list[str | None]] = []
    positions: list[int] = []
    unreadable: list[int] = []
    for number, row in enumerate(rows, first):
        position = row[0] if isinstance(row[0], int) else number
        try:
            good.append([value_text(value) for value in row[1:]])
        except ValueError:
            unreadable.append(position)
        else:
            positions.append(position)
    values = zip(*good, strict=True) if good else [()] * len(provided)
    columns = {name: pa.array(list(column), pa.string()) for name, column in zip(provided, values, strict=True)}
    return RawBatch(text_columns(table, columns, len(good)), len(good), lambda: positions, unreadable)
