"""The rows of a SQLite export as plain dictionaries, for code that is to share nothing with the pipeline."""

import sqlite3
from pathlib import Path
from typing import Any

from support.exports import COLUMNS


def read_rows(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Every table of the export; each row holds the declared columns alone."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    try:
        return {
            table: [{name: row[name] for name in columns} for row in connection.execute(f"SELECT * FROM {table}")]
            for table, columns in COLUMNS.items()
        }
    finally:
        connection.close()
