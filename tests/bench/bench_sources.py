"""What extractions of a SQLite file and of a live PostgreSQL database take: seconds, and memory beside its limit.

Belongs here: loading the same export into a server of its own, and the figures of both. Does not: the plain scan that a
SQLite extraction is held against (bench_extraction.py), or pass or fail.

    python -m tests.bench.bench_sources [--events 1000000] [--export FILE]
"""

import argparse
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from adbc_driver_postgresql import dbapi

from evenhand.lake.tables import READABLE
from tests.bench.bench_extraction import extraction, sample
from tests.bench.bench_increments import DAY, extract_command
from tests.support.postgres import running

LIMIT_MIB = 1536
_VARIABLE = "EVENHAND_BENCH_DATABASE"
_ROWS_PER_BATCH = 20_000


def _batches(rows: sqlite3.Cursor, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    while batch := rows.fetchmany(_ROWS_PER_BATCH):
        columns = [[None if value is None else str(value) for value in column] for column in zip(*batch, strict=True)]
        yield pa.record_batch([pa.array(column, pa.string()) for column in columns], schema=schema)


def load(export: Path, address: str) -> None:
    """The declared tables of a SQLite export into a database, by COPY and in bounded memory, indexed by time."""
    connection = sqlite3.connect(f"file:{export}?mode=ro", uri=True)
    present = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    with dbapi.connect(address, autocommit=True) as target, target.cursor() as cursor:
        for name in sorted(present & READABLE.keys()):
            rows = connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
            schema = pa.schema([(column[0], pa.string()) for column in rows.description])
            reader = pa.RecordBatchReader.from_batches(schema, _batches(rows, schema))
            cursor.adbc_ingest(name, reader, mode="create")
            cursor.execute(f'ANALYZE "{name}"')
        cursor.execute("CREATE INDEX by_time ON audit_events (created_at)")
    connection.close()


def _measured(name: str, source: str) -> None:
    load_before = os.getloadavg()[0]
    seconds, _, used, peak = extraction(source, 2)
    print(
        f"{name}: extraction {seconds:.1f} s, {used:.1f} processor seconds of its own, peak memory "
        f"{peak / 2**20:.0f} MiB summed over its processes (at most {LIMIT_MIB}), at a load of {load_before:.1f}",
        flush=True,
    )


def report_sources(name: str, export: Path) -> None:
    """Print a line for each kind of source, and one for a night of the database."""
    _measured(f"{name}, SQLite", str(export))
    with running() as server:
        address = server.address(server.new_database())
        load(export, address)
        os.environ[_VARIABLE] = address
        try:
            _measured(f"{name}, PostgreSQL", f"env:{_VARIABLE}")
            _report_night(name, address)
        finally:
            del os.environ[_VARIABLE]


def _report_night(name: str, address: str) -> None:
    """The database without its last day, extracted whole, and then with it, gone on from."""
    last = f"created_at >= '{DAY}' AND created_at < ':'"
    with (
        tempfile.TemporaryDirectory(prefix="evenhand-increments-") as folder,
        dbapi.connect(address, autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(f"CREATE TABLE held AS SELECT * FROM audit_events WHERE {last}")
        cursor.execute(f"DELETE FROM audit_events WHERE {last}")
        full, full_used = extract_command(f"env:{_VARIABLE}", Path(folder) / "lake", "--full")
        cursor.execute("INSERT INTO audit_events SELECT * FROM held")
        night, night_used = extract_command(f"env:{_VARIABLE}", Path(folder) / "lake")
    print(
        f"{name}, PostgreSQL, one more day: full {full:.2f} s ({full_used:.2f} processor seconds), night {night:.2f} s "
        f"({night_used:.2f}), ratio 1/{full / night:.1f}, at a load of {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--export", type=Path, help="measure this file instead")
    chosen = parser.parse_args()
    if chosen.export:
        report_sources(chosen.export.parent.name, chosen.export)
        return
    with tempfile.TemporaryDirectory() as folder:
        report_sources(f"{chosen.events:,} events", sample(Path(folder) / "sample", chosen.events))


if __name__ == "__main__":
    main()
