"""The DuckDB engine: opens a lake, names its tables and views, and runs the SQL that counts.

Belongs here: connections, their hardening and memory limit, typed empty tables for what an export does not provide.
Does not: any rule (metrics), or what a table means (lake/views.sql).
"""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from evenhand.duck import in_memory
from evenhand.errors import LakeError
from evenhand.lake.tables import TABLES, Kind, Table
from evenhand.policy import Policy

_BATCH_ROWS = 4096
_PARAMETER = re.compile(r"\$([a-z_]+)")

_SQL_TYPES = {
    Kind.TEXT: "VARCHAR",
    Kind.DECIMAL: "VARCHAR",
    Kind.INSTANT: "BIGINT",
    Kind.INTEGER: "BIGINT",
    Kind.DAY: "DATE",
    Kind.FLAG: "BOOLEAN",
    Kind.DOUBLE: "DOUBLE",
}


class DuckEngine:
    """Runs portable SQL over one lake; a context manager that closes its connection."""

    def __init__(self, table_files: Mapping[str, Sequence[Path]], policy: Policy, threads: int | None = None) -> None:
        """table_files: the Parquet files of each declared table; a table without files is empty."""
        self._connection = in_memory()
        self._connection.execute("SET TimeZone='UTC'")
        self._connection.execute(f"SET memory_limit='{policy.lake.memory_megabytes}MB'")
        self._connection.execute("SET preserve_insertion_order=false")
        # An engine without a file would spill into the working folder.
        self._spill: tempfile.TemporaryDirectory[str] | None = tempfile.TemporaryDirectory(prefix="evenhand-engine-")
        self._connection.execute(f"SET temp_directory={_quoted(self._spill.name)}")
        if threads:
            self._connection.execute(f"SET threads={threads}")
        with _damage():
            for table in TABLES.values():
                self._name_table(table, table_files.get(table.name, ()))
            self._name_policy(policy)
            self._connection.execute(files("evenhand.lake").joinpath("views.sql").read_text(encoding="utf-8"))

    def beside(self) -> "DuckEngine":
        """The same lake for another thread, at the same time; its temporary tables are its own. To be closed first."""
        twin = object.__new__(DuckEngine)
        twin._connection = self._connection.cursor()
        twin._spill = None
        return twin

    def __enter__(self) -> "DuckEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; temporary tables go with it."""
        self._connection.close()
        if self._spill is not None:
            self._spill.cleanup()

    def _name_table(self, table: Table, paths: Sequence[Path]) -> None:
        if paths:
            listed = ", ".join(_quoted(str(path)) for path in paths)
            columns = ", ".join(f'"{name}"' for name in table.column_names)
            self._connection.execute(
                f"CREATE VIEW {table.name} AS SELECT {columns} FROM read_parquet([{listed}], hive_partitioning=false)"
            )
        else:
            columns = ", ".join(f'"{column.name}" {_SQL_TYPES[column.kind]}' for column in table.columns)
            self._connection.execute(f"CREATE TABLE {table.name} ({columns})")

    def _name_policy(self, policy: Policy) -> None:
        self._values("allowlist", "repo", policy.repositories.allow)
        self._values("excluded_provenance", "provenance", policy.signals.excluded_provenance)
        self._values(
            "auto_actions",
            "family",
            tuple(f"agent.action.{action}" for action in policy.outcomes.auto_actions),
        )
        self._values("policy_bucket", "bucket", (policy.fleet.policy_bucket,))
        self._connection.execute("CREATE TABLE action_words (completed VARCHAR, dry_run VARCHAR)")
        self._connection.execute(
            "INSERT INTO action_words VALUES (?, ?)", [policy.outcomes.completed, policy.outcomes.dry_run]
        )

    def _values(self, name: str, column: str, values: Sequence[str]) -> None:
        self._connection.execute(f"CREATE TABLE {name} ({column} VARCHAR)")
        if values:
            self._connection.executemany(f"INSERT INTO {name} VALUES (?)", [[value] for value in values])

    def arrow(self, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
        """The rows of one query as an Arrow table; the query names its parameters as `$name`."""
        used = {name: parameters[name] for name in set(_PARAMETER.findall(_without_comments(sql)))}
        with _damage():
            return self._connection.sql(sql, params=used or None).to_arrow_table()

    def cells(self, sql: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The rows of one counting query as dictionaries: few, small, integers and names."""
        rows: list[dict[str, Any]] = self.arrow(sql, parameters).to_pylist()
        return rows

    def batches(self, sql: str) -> Iterator[dict[str, Any]]:
        """The rows of a query without parameters, a batch in memory at a time; another thread may ask meanwhile."""
        with _damage(), self._connection.cursor() as cursor:
            yield from self._rows_of(cursor, sql)

    @staticmethod
    def _rows_of(cursor: duckdb.DuckDBPyConnection, sql: str) -> Iterator[dict[str, Any]]:
        for batch in cursor.sql(sql).to_arrow_reader(_BATCH_ROWS):
            yield from batch.to_pylist()

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """A statement without rows, such as a temporary table that several queries read."""
        used = {name: parameters[name] for name in set(_PARAMETER.findall(_without_comments(sql)))}
        with _damage():
            self._connection.execute(sql, used or None)


@contextmanager
def _damage() -> Iterator[None]:
    """What DuckDB says of a file that it cannot read is about the lake; its words name paths and are not repeated."""
    try:
        yield
    except (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException) as error:
        raise LakeError("a file of the lake is damaged or gone: extract again with --full") from error


def _without_comments(sql: str) -> str:
    return re.sub(r"--[^\n]*", "", sql)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
