"""Writing a lake: complete or absent.

Belongs here: the path from a source's batches to sorted Parquet files, the lock, and the swap by rename.
Does not: how a value is parsed (parse.py) or ordered (ordering.py).
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evenhand.errors import LakeError, SourceError
from evenhand.lake.manifest import (
    FORMAT_VERSION,
    MANIFEST_NAME,
    LakeFile,
    LakeManifest,
    TableManifest,
    content_digest,
)
from evenhand.lake.ordering import sort_rows
from evenhand.lake.parse import parse_batch, schema_of
from evenhand.lake.quarantine import QUARANTINE_NAME, Quarantine
from evenhand.lake.tables import TABLES, Kind, Table
from evenhand.sources.base import Source

ROW_GROUP_ROWS = 65_536


def write_lake(source: Source, lake_dir: Path, *, as_of: int | None = None) -> LakeManifest:
    """Extract a whole export into a lake, replacing what was there in one rename.

    Raises SourceError when the export cannot be read, LakeError when another run is writing the same lake. Whatever
    happens before the last rename, the earlier lake stays as it was.
    """
    lake_dir.parent.mkdir(parents=True, exist_ok=True)
    with _locked(lake_dir):
        building = lake_dir.with_name(f".{lake_dir.name}.building")
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
        try:
            manifest = _build(source, building, as_of)
            _swap(building, lake_dir)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return manifest


@contextmanager
def _locked(lake_dir: Path) -> Iterator[None]:
    """Hold the lake against other writers; the lock goes with the process, however it ends."""
    lock = lake_dir.with_name(f".{lake_dir.name}.lock")
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LakeError(
                f"another run is writing the lake {lake_dir.name}: wait until it has finished"
            ) from error
        yield


def _swap(building: Path, lake_dir: Path) -> None:
    """Put the finished folder in the place of the earlier one."""
    earlier = lake_dir.with_name(f".{lake_dir.name}.earlier")
    shutil.rmtree(earlier, ignore_errors=True)
    if lake_dir.exists():
        lake_dir.rename(earlier)
    building.rename(lake_dir)
    _sync(lake_dir.parent)
    shutil.rmtree(earlier, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _build(source: Source, building: Path, as_of: int | None) -> LakeManifest:
    quarantine = Quarantine()
    provided = source.tables()
    tables = {}
    for name, table in TABLES.items():
        tables[name] = _extract(source, table, building, quarantine) if name in provided else TableManifest()
    quarantine.write(building / QUARANTINE_NAME)
    manifest = LakeManifest(FORMAT_VERSION, source.kind, source.label, as_of, tables)
    path = building / MANIFEST_NAME
    path.write_text(manifest.to_json(), encoding="utf-8")
    for file in (path, building / QUARANTINE_NAME, building):
        _sync(file)
    return manifest


def _extract(source: Source, table: Table, building: Path, quarantine: Quarantine) -> TableManifest:
    missing = source.missing_columns(table)
    for name in table.required:
        if name in missing:
            raise SourceError(
                f"the table {table.name} of {source.label} lacks the column {name}: export it too"
            )
    batches: list[pa.RecordBatch] = []
    rows_read = malformed = malformed_listed = 0
    last_position: int | None = None
    for raw in source.batches(table):
        parsed = parse_batch(table, raw)
        batches.append(parsed.rows)
        rows_read += raw.rows + len(raw.unreadable)
        malformed += parsed.malformed
        malformed_listed += parsed.malformed_listed
        quarantine.add(table.name, parsed.quarantined)
    rows = pa.Table.from_batches(batches, schema_of(table))
    files = list(_write_files(table, rows, building))
    earliest, latest = _bounds(table, rows)
    return TableManifest(
        provided=True,
        rows_read=rows_read,
        rows_kept=rows.num_rows,
        quarantined=quarantine.counts(table.name),
        examples=quarantine.examples(table.name),
        missing_columns=list(missing),
        malformed_metadata=malformed,
        malformed_metadata_listed=malformed_listed,
        earliest_us=earliest,
        latest_us=latest,
        last_position=last_position,
        files=files,
        content_sha256=content_digest(files),
    )


def own_instant(table: Table) -> str | None:
    """The instant column that says when a row happened: the first declared one."""
    return next((column.name for column in table.columns if column.kind is Kind.INSTANT), None)


def _bounds(table: Table, rows: pa.Table) -> tuple[int | None, int | None]:
    name = own_instant(table)
    if name is None:
        return None, None
    bounds = pc.min_max(rows.column(name)).as_py()
    return bounds["min"], bounds["max"]


def _write_files(table: Table, rows: pa.Table, building: Path) -> Iterator[LakeFile]:
    folder = building / table.name
    if rows.num_rows == 0:
        return
    folder.mkdir()
    if not table.by_day:
        yield write_file(table, rows, building, f"{table.name}/{table.name}.parquet", "")
    else:
        for day in pc.unique(rows.column("day")).sort().to_pylist():
            of_day = rows.filter(pc.equal(rows.column("day"), pa.scalar(day, pa.date32())))
            yield write_file(table, of_day, building, f"{table.name}/{day}.parquet", str(day))
    _sync(folder)


def write_file(table: Table, rows: pa.Table, building: Path, path: str, day: str) -> LakeFile:
    """Sort and write one Parquet file; the same rows give the same bytes."""
    target = building / path
    pq.write_table(
        sort_rows(table, rows),
        target,
        compression="zstd",
        compression_level=1,
        row_group_size=ROW_GROUP_ROWS,
        store_schema=False,
    )
    _sync(target)
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return LakeFile(path, rows.num_rows, digest, day)
