"""Writing backfilled rows into a live PostgreSQL database.

Belongs here: one transaction, rows that are there already left alone. Does not: which rows (decisions.py), or how a
SQLite file is written (writing.py).

Source: fairness contract section 11, "Backfill".
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Any

from evenhand.backfill.writing import COLUMNS, NEEDED, TABLE
from evenhand.errors import SourceError
from evenhand.policy import Policy
from evenhand.sources.postgresql import literal, quoted
from evenhand.sources.postgresql_address import Limits, connect, refusal

_ROWS_PER_STATEMENT = 1000
_FIND = """
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relname = 'audit_events' AND c.relkind::text = ANY (ARRAY['r', 'p']) AND n.nspname = ANY ({schemas})
  AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY array_position({schemas}, n.nspname), a.attnum
"""


def write_postgresql(address: str, policy: Policy, rows: Iterable[dict[str, Any]]) -> int:
    """Add the rows that are not there yet, by id; gives how many.

    Raises SourceError when the database or its table refuses, BusySourceError when it may not later; then nothing was
    written. Nothing that the driver says is repeated: it may hold the address.
    """
    settings = policy.postgresql
    limits = Limits(settings.connect_seconds, settings.statement_seconds)
    connection = connect(address, limits)
    failed: SourceError | None = None
    added = 0
    try:
        with connection.cursor() as cursor:
            # A COPY cannot insert, and that is how the driver asks otherwise.
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
            cursor.execute("BEGIN")
            cursor.execute(f"SET LOCAL statement_timeout = {limits.statement_seconds * 1000}")
            cursor.execute(f"SET LOCAL lock_timeout = {limits.statement_seconds * 1000}")
            schemas = f"ARRAY[{literal(settings.schema)}]::name[]" if settings.schema else "current_schemas(false)"
            cursor.execute(_FIND.format(schemas=schemas))
            statement, table = _statement(cursor.fetchall())
            # So that two backfills at once do not both find a row missing in a table without a key.
            cursor.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
            waiting = iter(rows)
            while chunk := list(islice(waiting, _ROWS_PER_STATEMENT)):
                cursor.execute(statement.format(rows=literal(json.dumps(chunk, ensure_ascii=False))))
                added += cursor.fetchall()[0][0]
            cursor.execute("COMMIT")
    except SourceError as error:
        failed = error
    except Exception as error:
        failed = _refused(error, limits)
    finally:
        with suppress(Exception):
            connection.close()
    if failed is not None:
        raise failed
    return added


def _refused(error: Exception, limits: Limits) -> SourceError:
    """The sentence; a refused row is told by its constraint's kind, for its values may be private."""
    state = str(getattr(error, "sqlstate", None) or "")
    if state == "42501" or "permission denied" in str(error).lower():
        return SourceError(f"the user may not write into {TABLE}, and nothing was written: grant INSERT on it")
    if state == "25006":
        return SourceError("the database is read-only, and nothing was written: name the primary")
    if state[:2] in ("22", "23", "42"):
        return SourceError(f"the table {TABLE} refuses the rows (SQLSTATE {state}), and nothing was written")
    return refusal(error, TABLE, limits)


def _statement(found: list[Any]) -> tuple[str, str]:
    """The statement that adds rows, with a place for them, and the table."""
    if not found:
        raise SourceError(f"the database has no table {TABLE}, so that nothing can be written there")
    schema, name = found[0][:2]
    types = {column.lower(): (column, kind) for place, _, column, kind in found if place == schema}
    for needed in NEEDED:
        if needed not in types:
            raise SourceError(f"the table {TABLE} lacks the column {needed}, which every row needs")
    columns = [column for column in COLUMNS if column in types]
    table = f"{quoted(schema)}.{quoted(name)}"
    listed = ", ".join(quoted(types[column][0]) for column in columns)
    # Through text, whatever the column's own type is.
    values = ", ".join(f"CAST(r.{column} AS {types[column][1]})" for column in columns)
    record = ", ".join(f"{column} text" for column in COLUMNS)
    identity = quoted(types["id"][0])
    return (
        f"WITH added AS (INSERT INTO {_escaped(table)} ({_escaped(listed)}) SELECT {_escaped(values)} "
        f"FROM json_to_recordset({{rows}}::json) AS r({record}) "
        f"WHERE NOT EXISTS (SELECT 1 FROM {_escaped(table)} AS t WHERE CAST(t.{_escaped(identity)} AS text) = r.id) "
        "ON CONFLICT DO NOTHING RETURNING 1) SELECT count(*) FROM added"
    ), table


def _escaped(text: str) -> str:
    """For a format string: a name may hold braces."""
    return text.replace("{", "{{").replace("}", "}}")
