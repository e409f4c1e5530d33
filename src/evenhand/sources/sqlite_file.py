"""A SQLite file as an export, read through a connection that cannot write.

Belongs here: opening the file safely, what it provides, and its rows as text.
Does not: reading many rows fast without an object per value (sqlite_text.py), or what a text means (lake).
"""

import math
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from evenhand.errors import BusySourceError, SourceError
from evenhand.lake.tables import TABLES, Table
from evenhand.sources.base import RawBatch, Source, label_of, text_columns

_HEADER = b"SQLite format 3\x00"
_ROWS_PER_BATCH = 16_384


class SqliteSource(Source):
    """An export in one SQLite file."""

    kind = "sqlite"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.label = label_of(path)
        _check_file(path, self.label)
        self._connection = connect(path, self.label)
        try:
            self._columns = _provided_columns(self._connection, self.label)
        except sqlite3.Error as error:
            raise source_error(error, self.label) from error
        if not self._columns:
            raise SourceError(f"{self.label} holds none of the tables of an audit export, e.g. audit_events")

    def tables(self) -> tuple[str, ...]:
        return tuple(name for name in TABLES if name in self._columns)

    def missing_columns(self, table: Table) -> tuple[str, ...]:
        return tuple(name for name in table.source_columns if name not in self._columns[table.name])

    def batches(self, table: Table) -> Iterator[RawBatch]:
        provided = [name for name in table.source_columns if name in self._columns[table.name]]
        key = row_key(self._connection, table.name)
        listed = ", ".join([key or "NULL", *(quoted(name) for name in provided)])
        try:
            cursor = self._connection.execute(f"SELECT {listed} FROM main.{quoted(table.name)}")
            first = 1
            while rows := cursor.fetchmany(_ROWS_PER_BATCH):
                yield text_batch(table, provided, rows, first)
                first += len(rows)
        except sqlite3.Error as error:
            raise source_error(error, f"{table.name} in {self.label}") from error

    def close(self) -> None:
        self._connection.close()


def connect(path: Path, label: str) -> sqlite3.Connection:
    """A connection that can only read, and runs nothing that the file brings along."""
    address = "file:" + quote(os.fsencode(os.path.abspath(path))) + "?mode=ro"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=5, isolation_level=None)
        connection.text_factory = readable_text
        connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except sqlite3.Error as error:
        raise source_error(error, label) from error
    return connection


def source_error(error: sqlite3.Error, where: str) -> SourceError:
    """The sentence for what SQLite said about an export."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BusySourceError(
            f"{where} is locked by its writer: try again when it has finished, or export a copy"
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return SourceError(f"{where} is damaged ({error}): export it again")
    return SourceError(f"{where} cannot be read ({error})")


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def row_key(connection: sqlite3.Connection, table: str) -> str | None:
    """The name under which the table gives its rowid; None when it has none or hides every name of it."""
    for _, name, _, _, without_rowid, _ in connection.execute(f"PRAGMA main.table_list({quoted(table)})"):
        if str(name).lower() == table and without_rowid:
            return None
    taken = {str(row[1]).lower() for row in connection.execute(f"PRAGMA main.table_xinfo({quoted(table)})")}
    return next((alias for alias in ("rowid", "_rowid_", "oid") if alias not in taken), None)


def _check_file(path: Path, label: str) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(100)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError as error:
        raise SourceError(f"there is no file or folder {label}: check the path") from error
    except OSError as error:
        raise SourceError(f"{label} cannot be opened: {error.strerror}") from error
    if not header.startswith(_HEADER):
        raise SourceError(
            f"{label} is not a SQLite database: give a SQLite file or a folder of exported tables"
        )
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    # The page count is only right when the two change counters agree (SQLite file format, 1.3.7).
    if header[24:28] == header[92:96] and size < pages * page_size:
        raise SourceError(
            f"{label} is cut off: {size} of {pages * page_size} bytes are there; export it again"
        )


def _provided_columns(connection: sqlite3.Connection, label: str) -> dict[str, set[str]]:
    """The columns of each declared table that the file has as a real table."""
    provided: dict[str, set[str]] = {}
    for schema, raw_name, kind, _, _, _ in connection.execute("PRAGMA main.table_list").fetchall():
        name = str(raw_name).lower()
        if schema != "main" or name not in TABLES:
            continue
        if kind != "table":
            raise SourceError(
                f"{name} in {label} is a {kind}, which runs code of the export: store its rows as a table"
            )
        rows = connection.execute(f"PRAGMA main.table_xinfo({quoted(name)})").fetchall()
        # Hidden 2 and 3 are generated columns, which hold values like any other; 1 is a virtual table's.
        provided[name] = {str(row[1]).lower() for row in rows if row[6] != 1}
    return provided


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
    columns = {
        name: pa.array(list(column), pa.string()) for name, column in zip(provided, values, strict=True)
    }
    return RawBatch(text_columns(table, columns, len(good)), pa.array(positions, pa.int64()), unreadable)


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
