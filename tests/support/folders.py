"""A SQLite export turned into a folder of NDJSON, CSV or Parquet files, for tests alone.

Values go as their kind of file holds them (numbers as numbers where there are any), so that reading them back proves
that every kind gives the same raw text.
"""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.lake.tables import TABLES

KINDS = ("ndjson", "ndjson.gz", "csv", "csv.gz", "parquet")

Rows = list[tuple[Any, ...]]


def to_folder(export: Path, folder: Path, kind: str) -> Path:
    """Write each declared table of a SQLite export as one file of a kind."""
    folder.mkdir(parents=True)
    connection = sqlite3.connect(f"file:{export}?mode=ro", uri=True)
    try:
        for name in TABLES:
            cursor = connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid') if _has(connection, name) else None
            if cursor is not None:
                columns = [column[0] for column in cursor.description]
                write_table(folder / f"{name}.{kind}", columns, cursor.fetchall())
    finally:
        connection.close()
    return folder


def _has(connection: sqlite3.Connection, name: str) -> bool:
    query = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?"
    return bool(connection.execute(query, (name,)).fetchone()[0])


def write_table(path: Path, columns: list[str], rows: Rows) -> None:
    """One file; its kind is its suffix."""
    if path.name.endswith(".parquet"):
        pq.write_table(_arrow(columns, rows), path)
        return
    data = (_ndjson if ".ndjson" in path.name else _csv)(columns, rows).encode()
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)


def _ndjson(columns: list[str], rows: Rows) -> str:
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)


def _csv(columns: list[str], rows: Rows) -> str:
    return "".join(",".join(map(_csv_field, row)) + "\r\n" for row in [tuple(columns), *rows])


def _csv_field(value: Any) -> str:
    """NULL is nothing at all, the empty text two quotes."""
    if value is None:
        return ""
    text = str(value)
    if text == "" or any(character in text for character in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _arrow(columns: list[str], rows: Rows) -> pa.Table:
    arrays = []
    for number in range(len(columns)):
        values = [row[number] for row in rows]
        if all(value is None or isinstance(value, int) for value in values) and any(v is not None for v in values):
            arrays.append(pa.array(values, pa.int64()))
        else:
            arrays.append(pa.array([None if value is None else str(value) for value in values], pa.string()))
    return pa.Table.from_arrays(arrays, names=columns)
