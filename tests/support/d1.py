"""A SQLite export as D1 gives it: an SQL dump, or one JSON output a table. For tests alone."""

import json
import sqlite3
from pathlib import Path

from evenhand.lake.tables import READABLE


def to_dump(export: Path, path: Path) -> Path:
    """As `wrangler d1 export` writes it."""
    connection = sqlite3.connect(f"file:{export}?mode=ro", uri=True)
    connection.text_factory = bytes
    with path.open("wb") as file:
        file.write(b"PRAGMA defer_foreign_keys=TRUE;\n")
        for name, sql in connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall():
            file.write(sql + b";\n")
            columns = [row[1].decode() for row in connection.execute(f'PRAGMA table_info("{name.decode()}")')]
            listed = ", ".join(f'quote("{column}")' for column in columns)
            for row in connection.execute(f'SELECT {listed} FROM "{name.decode()}" ORDER BY rowid'):
                file.write(b'INSERT INTO "' + name + b'" VALUES(' + b",".join(row) + b");\n")
        for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"):
            file.write(sql + b";\n")
    connection.close()
    return path


def to_outputs(export: Path, folder: Path) -> Path:
    """As `wrangler d1 execute --json` prints each table."""
    folder.mkdir(parents=True)
    connection = sqlite3.connect(f"file:{export}?mode=ro", uri=True)
    present = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    for name in sorted(present & READABLE.keys()):
        cursor = connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
        columns = [column[0] for column in cursor.description]
        rows = [
            {
                column: list(value) if isinstance(value, bytes) else value
                for column, value in zip(columns, row, strict=True)
            }
            for row in cursor
        ]
        output = [{"results": rows, "success": True, "meta": {"duration": 0.2, "served_by": "x"}}]
        (folder / f"{name}.json").write_text(json.dumps(output, indent=2, ensure_ascii=False), encoding="utf-8")
    connection.close()
    return folder
