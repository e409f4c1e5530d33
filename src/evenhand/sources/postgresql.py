"""A live PostgreSQL database as an export: one read-only snapshot for all tables.

Belongs here: what the database provides, and its rows as text, whatever types its columns have. Does not: connecting
and the words of a refusal (postgresql_address.py), or what a text means (lake).

Everything is read in one transaction, REPEATABLE READ and READ ONLY; a second process joins its snapshot. Names are
always qualified and quoted, and functions are looked for in pg_catalog alone, so that nothing that a schema brings
along is called by accident. The server makes each value a text as SQLite would hold it.
"""

import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from evenhand.errors import SourceError
from evenhand.lake.tables import READABLE, TABLES, Table
from evenhand.policy import Policy
from evenhand.sources.base import OF_NO_DAY, DayCounted, DayMark, Part, RawBatch, batch_without
from evenhand.sources.postgresql_address import LABEL, Limits, connect, refusal
from evenhand.sources.postgresql_days import certain_day_of, day_of, is_day, no_earlier
from evenhand.sources.utf8 import readable_rows

SNAPSHOT_SCHEME = "postgresql-snapshot:"
"""The address under which a second process joins the snapshot; passed through a pipe, never on a command line."""
_BLOCKS_PER_PART = 2048
_LARGEST_PARTS = 64
_RANGES_FROM_VERSION = 140000
"""From this version on PostgreSQL reads a range of ctids without reading the whole table."""
_LINES_PER_BLOCK = 1000
"""More than a block of 8 KiB can hold: block and line make one number."""
_SAMPLES = 32
"""Days of a table of each of which a row is remembered, to know the table again."""
_READABLE_KINDS = ("r", "p", "v", "m", "f")

_TABLES = """
SELECT c.oid::bigint, n.nspname, c.relname, c.relkind::text, pg_relation_size(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE lower(c.relname) = ANY ({names}) AND c.relkind::text = ANY ({kinds}) AND n.nspname = ANY ({schemas})
ORDER BY array_position({schemas}, n.nspname), c.relname = lower(c.relname) DESC, c.relname
"""
_COLUMNS = """
SELECT a.attname, coalesce(b.typname, t.typname), coalesce(b.typcategory, t.typcategory)::text,
  has_column_privilege(a.attrelid, a.attnum, 'SELECT')
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_type b ON t.typtype = 'd' AND b.oid = t.typbasetype
WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that may be read."""

    name: str
    """As the table spells it."""
    kind: str
    category: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A table of the database that a declared one is read from."""

    schema: str
    name: str
    kind: str
    size: int
    columns: dict[str, Column]
    """By lower-case name."""
    is_refused: bool
    """It has columns, and the user may read none of them."""

    @property
    def quoted(self) -> str:
        """Qualified and quoted."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"


class PostgresSource(DayCounted):
    """An export in a live PostgreSQL database."""

    kind = "postgresql"
    label = LABEL

    def __init__(self, address: str, policy: Policy, snapshot: str | None = None) -> None:
        """Connects and takes the snapshot, or joins one. Raises SourceError, BusySourceError."""
        settings = policy.postgresql
        self._address = address
        self._schema = settings.schema
        self._limits = Limits(settings.connect_seconds, settings.statement_seconds)
        self._connection = connect(address, self._limits)
        self._policy = policy
        self._snapshot = snapshot
        try:
            self._begin()
            self._relations = self._found()
            if not any(name in TABLES for name in self._relations):
                where = f"the schema {self._schema}" if self._schema else "the schemas of its search path"
                raise SourceError(f"the database holds none of the tables of an audit export in {where}")
            for name in self.tables():
                self._check_permitted(name)
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        self._run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if self._snapshot is not None:
            self._run(f"SET TRANSACTION SNAPSHOT {literal(self._snapshot)}")
        milliseconds = self._limits.statement_seconds * 1000
        for setting in (
            f"statement_timeout = {milliseconds}",
            # A little less, so that a lock is told apart from a slow statement.
            f"lock_timeout = {milliseconds * 9 // 10}",
            "idle_in_transaction_session_timeout = 0",
            "TimeZone = 'UTC'",
            "DateStyle = 'ISO, YMD'",
            "extra_float_digits = 1",
            "bytea_output = 'hex'",
        ):
            self._run(f"SET LOCAL {setting}")
        # A database without an encoding holds any bytes, and is asked for them: what is no UTF-8 is told row by row.
        [(encoding,)] = self._asked("SELECT current_setting('server_encoding')", "its encoding")
        self._run(f"SET LOCAL client_encoding = {'SQL_ASCII' if encoding == 'SQL_ASCII' else 'UTF8'}")

    def _found(self) -> dict[str, Relation]:
        schemas = f"ARRAY[{literal(self._schema)}]::name[]" if self._schema else "current_schemas(false)"
        names = ", ".join(map(literal, READABLE))
        kinds = ", ".join(map(literal, _READABLE_KINDS))
        query = _TABLES.format(names=f"ARRAY[{names}]", kinds=f"ARRAY[{kinds}]", schemas=schemas)
        rows = self._asked(query, "the list of its tables")
        self._run("SET LOCAL search_path = pg_catalog")
        found: dict[str, Relation] = {}
        for oid, schema, name, kind, size in rows:
            if name.lower() in found:
                continue
            columns: dict[str, Column] = {}
            listed = self._asked(_COLUMNS.format(oid=int(oid)), f"the list of columns of {name}")
            for column, type_name, category, is_permitted in listed:
                if is_permitted:
                    columns.setdefault(column.lower(), Column(column, type_name, category))
            found[name.lower()] = Relation(schema, name, kind, size, columns, bool(listed) and not columns)
        return {name: found[name] for name in READABLE if name in found}

    def _check_permitted(self, name: str) -> None:
        if self._relations[name].is_refused:
            raise SourceError(f"the user may not read the table {name}: grant SELECT on it, or name another user")

    def tables(self) -> tuple[str, ...]:
        """The declared tables that are there, in the first schema that has them."""
        return tuple(name for name in TABLES if name in self._relations)

    def has(self, table: Table) -> bool:
        """Whether it is there; SourceError when it may not be read."""
        if table.name not in self._relations:
            return False
        self._check_permitted(table.name)
        return True

    def missing_columns(self, table: Table) -> tuple[str, ...]:
        """Declared columns that are not there, or that the user may not read."""
        present = self._relations[table.name].columns
        return tuple(name for name in table.source_columns if name not in present)

    def address(self) -> str:
        """How a second process joins this snapshot; holds the credential and is never shown or stored."""
        if self._snapshot is None:
            [(self._snapshot,)] = self._asked("SELECT pg_export_snapshot()", "its snapshot")
        joined = {"address": self._address, "snapshot": self._snapshot, "settings": asdict(self._policy.postgresql)}
        return SNAPSHOT_SCHEME + json.dumps(joined)

    def size(self) -> int:
        """Bytes of the tables; 0 on a standby, whose snapshot no second process may be able to join."""
        [(is_standby,)] = self._asked("SELECT pg_is_in_recovery()", "its state")
        return 0 if is_standby else sum(relation.size for relation in self._relations.values())

    def parts(self, table: Table) -> list[Part]:
        """Spans of blocks of a plain table; the last one is open, should the table have grown."""
        relation = self._relations[table.name]
        version, block_size = self._server()
        if relation.kind != "r" or version < _RANGES_FROM_VERSION:
            return [None]
        blocks = relation.size // block_size
        count = max(1, min(blocks // _BLOCKS_PER_PART, _LARGEST_PARTS))
        bounds = [blocks * number // count for number in range(count)]
        return list(zip(bounds, [*bounds[1:], _LAST_BLOCK], strict=True))

    def batches(self, table: Table, part: Part = None) -> Iterator[RawBatch]:
        """Rows as the server sends them, a batch in memory at a time."""
        relation = self._relations[table.name]
        provided = [name for name in table.source_columns if name in relation.columns]
        read = [relation.columns[name] for name in provided]
        listed = [*map(_text_of, read), _place_of(relation), _holds_bytes(read)]
        query = f"SELECT {', '.join(listed)} FROM {relation.quoted}"
        if isinstance(part, str):
            query += f" WHERE {self._of_days(table, part)}"
        elif part is not None:
            query += f" WHERE ctid >= '({part[0]},0)'::tid"
            query += "" if part[1] == _LAST_BLOCK else f" AND ctid < '({part[1]},0)'::tid"
        first = 1
        for batch in self._streamed(query, f"the table {table.name}"):
            *texts, places, bytes_there = batch.columns
            columns, bad = readable_rows([text.cast(pa.binary()) for text in texts])
            yield _batch(table, dict(zip(provided, columns, strict=True)), bad, places, bytes_there, first)
            first += batch.num_rows

    def _server(self) -> tuple[int, int]:
        """Its version as a number, and the bytes of a block."""
        query = "SELECT current_setting('server_version_num')::int, current_setting('block_size')::int"
        [(version, block_size)] = self._asked(query, "its version")
        return version, block_size

    def mark(self, table: Table) -> DayMark | None:
        """By the UTC day of the table's own instant, for a plain table whose server can tell it."""
        relation, instant = self._relations[table.name], self._instant(table)
        if relation.kind != "r" or instant is None or self._server()[0] < _RANGES_FROM_VERSION:
            return None
        query = (
            f"SELECT {day_of(instant.name, instant.kind)}, count(*), min(ctid)::text FROM {relation.quoted} GROUP BY 1"
        )
        found = self._asked(query, f"the days of {table.name}")
        dated = sorted(row for row in found if row[0] is not None and is_day(row[0]))
        of_no_day = sum(row[1] for row in found) - sum(row[1] for row in dated)
        if not dated:
            return None
        chosen = {len(dated) * number // _SAMPLES for number in range(_SAMPLES)}
        places = {_place(dated[number][2]): dated[number][0] for number in sorted(chosen)}
        samples = self.digests(table, places)
        return DayMark({day: rows for day, rows, _ in dated}, of_no_day, samples, places)

    def _instant(self, table: Table) -> Column | None:
        """The column of the table's own instant, when its server can tell the day of it."""
        column = self._relations[table.name].columns.get(table.column(table.increments).source_name)
        return column if column is not None and day_of(column.name, column.kind) else None

    def digests(self, table: Table, keys: Collection[int]) -> dict[int, str]:
        """Of the identity and of what a row cannot be without, by the place of the row."""
        relation = self._relations[table.name]
        fixed = [relation.columns[name] for name in ("id", *table.required) if name in relation.columns]
        places = ", ".join(f"'({key // _LINES_PER_BLOCK},{key % _LINES_PER_BLOCK})'" for key in sorted(keys))
        query = f"SELECT ctid::text, {', '.join(map(_text_of, fixed))} FROM {relation.quoted} "
        found = {}
        for place, *values in self._asked(
            query + f"WHERE ctid = ANY (ARRAY[{places}]::tid[])", f"rows of {table.name}"
        ):
            found[_place(place)] = hashlib.sha256(json.dumps(values).encode("utf-8", "backslashreplace")).hexdigest()
        return found

    def parts_from_day(self, table: Table, day: str, has_undated: bool) -> list[Part]:
        """One of the days and, where there are such rows, one of no day."""
        return [day, OF_NO_DAY + day] if has_undated else [day]

    def _of_days(self, table: Table, part: str) -> str:
        """The condition of a share by days."""
        column = self._instant(table)
        assert column is not None
        date = part.removeprefix(OF_NO_DAY)
        # The first comparison is for an index: under the collation of any language digits keep their order.
        of_days = (
            f"{no_earlier(column.name, column.kind, date)} AND ({day_of(column.name, column.kind)}) >= {literal(date)}"
        )
        if part.startswith(OF_NO_DAY):
            return f"({of_days}) IS NOT TRUE AND ({certain_day_of(column.name, column.kind)}) IS NULL"
        return of_days

    def check_unchanged(self) -> None:
        """Nothing to check: all of it is one snapshot."""

    def close(self) -> None:
        """End the transaction and the connection."""
        # A connection that is cut already has nothing to end.
        with suppress(Exception):
            self._run("ROLLBACK")
        with suppress(Exception):
            self._connection.close()

    def _run(self, statement: str) -> None:
        failed: SourceError | None = None
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(statement)
            except Exception as error:
                failed = refusal(error, "the database", self._limits)
        if failed is not None:
            raise failed

    def _asked(self, query: str, what: str) -> list[tuple[Any, ...]]:
        return [row for batch in self._streamed(query, what) for row in _tuples(batch)]

    def _streamed(self, query: str, what: str) -> Iterator[pa.RecordBatch]:
        """The batches of a query; whatever goes wrong is told without a word of the driver's."""
        failed: SourceError | None = None
        with self._connection.cursor() as cursor:
            batches: Any = iter(())
            try:
                cursor.execute(query)
                batches = iter(cursor.fetch_record_batch())
            except Exception as error:
                failed = refusal(error, what, self._limits)
            while failed is None:
                try:
                    batch = next(batches, None)
                except Exception as error:
                    failed = refusal(error, what, self._limits)
                    break
                if batch is None:
                    break
                yield batch
        if failed is not None:
            raise failed


_LAST_BLOCK = 2**32 - 1


def joined(address: str) -> PostgresSource:
    """The source of an address that another process gave."""
    from dataclasses import replace

    told = json.loads(address.removeprefix(SNAPSHOT_SCHEME))
    standard = Policy()
    policy = replace(standard, postgresql=type(standard.postgresql)(**told["settings"]))
    return PostgresSource(told["address"], policy, told["snapshot"])


def quoted(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in single quotes, whatever standard_conforming_strings says."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _text_of(column: Column) -> str:
    """The expression that gives a column's value as SQLite would hold it as text."""
    name = quoted(column.name)
    if column.kind == "timestamptz":
        return _instant_text(name, f"({name} AT TIME ZONE 'UTC')")
    if column.kind == "timestamp":
        return _instant_text(name, name)
    if column.kind == "bytea":
        return "NULL::text"
    if column.kind in ("float4", "float8"):
        # A whole real is 12.0 in SQLite.
        return f"CASE WHEN {name}::text ~ '^-?[0-9]+$' THEN {name}::text || '.0' ELSE {name}::text END"
    if column.category in ("A", "C"):
        return f"to_json({name})::text"
    return f"{name}::text"


def _instant_text(name: str, moment: str) -> str:
    """ISO 8601 in UTC: milliseconds, as the gate writes them, or microseconds where there are any."""
    form = '\'YYYY-MM-DD"T"HH24:MI:SS.'
    whole = f"date_trunc('milliseconds', {moment}) = {moment}"
    text = f'CASE WHEN {whole} THEN to_char({moment}, {form}MS"Z"\') ELSE to_char({moment}, {form}US"Z"\') END'
    return f"CASE WHEN isfinite({name}) THEN {text} ELSE {name}::text END"


def _place_of(relation: Relation) -> str:
    return "ctid::text" if relation.kind == "r" else "NULL::text"


def _holds_bytes(columns: list[Column]) -> str:
    """Whether a row has a value of bytes, which makes it an unreadable one."""
    tests = [f"{quoted(column.name)} IS NOT NULL" for column in columns if column.kind == "bytea"]
    return f"({' OR '.join(tests)})" if tests else "false"


def _batch(
    table: Table,
    columns: dict[str, pa.StringArray],
    bad: list[int],
    places: pa.StringArray,
    bytes_there: pa.BooleanArray,
    first: int,
) -> RawBatch:
    rows = len(places)
    if bytes_there.true_count:
        kept = [row for row in range(rows) if row not in set(bad)]
        with_bytes = {row for row in range(rows) if bytes_there[row].as_py()}
        stays = pa.array([number for number, row in enumerate(kept) if row not in with_bytes], pa.int64())
        columns = {name: column.take(stays) for name, column in columns.items()}
        bad = sorted({*bad, *with_bytes})
    if bad:
        return batch_without(table, columns, _positions(places, first), bad)
    empty = pa.nulls(rows, pa.string())
    return RawBatch(
        [columns.get(name, empty) for name in table.source_columns], rows, lambda: _positions(places, first)
    )


def _positions(places: pa.StringArray, first: int) -> list[int]:
    """Block and line of each row as one number; without them its number from 1."""
    found = []
    for number, place in enumerate(places.to_pylist(), first):
        if place is None:
            found.append(number)
        else:
            found.append(_place(place))
    return found


def _place(ctid: str) -> int:
    block, line = ctid[1:-1].split(",")
    return int(block) * _LINES_PER_BLOCK + int(line)


def _tuples(batch: pa.RecordBatch) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in batch.columns), strict=True))
