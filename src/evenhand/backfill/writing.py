"""Writing backfilled rows into the export they came from: the one place where Evenhand writes into a SOURCE.

Belongs here: one transaction, rows that are there already left alone, nothing written when any row is refused. Does
not: which rows (decisions.py).

Source: fairness contract section 11, "Backfill".
"""

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evenhand.errors import BusySourceError, SourceError
from evenhand.sources.base import label_of
from evenhand.sources.sqlite_file import BUSY_SECONDS
from evenhand.sources.sqlite_text import quoted

TABLE = "audit_events"
COLUMNS = ("id", "event_type", "actor", "target_key", "outcome", "detail", "metadata_json", "created_at")
NEEDED = ("id", "event_type", "target_key", "metadata_json", "created_at")
"""Columns without which a row says nothing; of the others those are filled that are there."""


def write_sqlite(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Add the rows that are not there yet, by id; gives how many.

    Raises SourceError when the file or its table refuses, BusySourceError when a writer has it locked; then nothing
    was written.
    """
    label = label_of(path)
    address = "file:" + quote(os.fsencode(path.absolute())) + "?mode=rw"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise _refusal(error, label) from error
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("BEGIN IMMEDIATE")
        columns = _columns(connection, label)
        listed = ", ".join(map(quoted, columns))
        marks = ", ".join("?" * len(columns))
        # A table of an export may have no unique key, so that the id itself is looked for.
        statement = (
            f"INSERT INTO main.{TABLE} ({listed}) SELECT {marks} "
            f"WHERE NOT EXISTS (SELECT 1 FROM main.{TABLE} WHERE id = ?)"
        )
        added = 0
        for row in rows:
            added += connection.execute(statement, [*(row[name] for name in columns), row["id"]]).rowcount
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise _refusal(error, label) from error
    finally:
        connection.close()
    return added


def _columns(connection: sqlite3.Connection, label: str) -> list[str]:
    """The columns of the table that a row can fill."""
    kinds = [row[2] for row in connection.execute(f"PRAGMA main.table_list({TABLE})")]
    if kinds != ["table"]:
        raise SourceError(f"{label} has no real table {TABLE}, so that nothing can be written there")
    present = {str(row[1]).lower() for row in connection.execute(f"PRAGMA main.table_info({TABLE})")}
    for name in NEEDED:
        if name not in present:
            raise SourceError(f"the table {TABLE} of {label} lacks the column {name}, which every row needs")
    return [name for name in COLUMNS if name in present]


def _refusal(error: sqlite3.Error, label: str) -> SourceError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BusySourceError(f"{label} is locked by its writer, and nothing was written: try again later")
    return SourceError(f"{label} refuses the rows ({error}), and nothing was written")
