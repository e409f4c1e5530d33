"""Writing a lake: complete or absent.

Belongs here: the plan of an extraction, the lock, the manifest, and the swap by rename.
Does not: the work of reading and writing (work.py), how a value is parsed (parse.py) or ordered (ordering.py).

A lake is built in a folder beside its place, `.NAME.building-…`, and renamed into it when all of it is on disk. A run
that is killed leaves that folder behind and the earlier lake as it was; the next run removes it.
"""

import ctypes
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from evenhand.errors import LakeError, SourceError
from evenhand.lake.assembly import Bucket, sync
from evenhand.lake.manifest import (
    FORMAT_VERSION,
    MANIFEST_NAME,
    LakeFile,
    LakeManifest,
    TableManifest,
    content_digest,
)
from evenhand.lake.processes import Helper, files_of, reading_message, tallies_of, writing_message
from evenhand.lake.quarantine import EXAMPLES, QUARANTINE_NAME, write_quarantine
from evenhand.lake.tables import TABLES, Table
from evenhand.lake.work import Numbers, Share, Tally, read_shares, write_buckets
from evenhand.sources.base import Source

SMALL_EXPORT_BYTES = 24 << 20
"""A smaller export is read sooner than a second process starts (0.4 s)."""
_GROUPS = 256
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of <fcntl.h> and <linux/fs.h>


def write_lake(
    source: Source,
    lake_dir: Path,
    *,
    as_of: int | None = None,
    memory_limit: str = "256MB",
    workers: int = 2,
) -> LakeManifest:
    """Extract a whole export into a lake, replacing what was there in one rename.

    `as_of` (microseconds) is noted in the manifest and changes no row. `memory_limit` is what each process may use to
    sort a bucket that does not fit its memory; `workers` is 1 or 2 processes, this one included. Neither changes a
    byte of the lake.

    Raises SourceError when the export cannot be read, BusySourceError when it was written to meanwhile, LakeError when
    another run is writing the same lake. Whatever happens before the last rename, the earlier lake stays as it was.
    """
    lake_dir = lake_dir.absolute()
    lake_dir.parent.mkdir(parents=True, exist_ok=True)
    with _locked(lake_dir):
        _clear(lake_dir)
        building = Path(tempfile.mkdtemp(prefix=f".{lake_dir.name}.building-", dir=lake_dir.parent))
        try:
            manifest = _build(source, building, as_of, memory_limit, workers)
            source.check_unchanged()
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
            raise LakeError(f"another run is writing the lake {lake_dir.name}: wait until it is done") from error
        yield


def _earlier(lake_dir: Path) -> Path:
    return lake_dir.with_name(f".{lake_dir.name}.earlier")


def _clear(lake_dir: Path) -> None:
    """Remove what a killed run left, and put an earlier lake back that it had only moved aside."""
    if _earlier(lake_dir).exists() and not lake_dir.exists():
        _earlier(lake_dir).rename(lake_dir)
    shutil.rmtree(_earlier(lake_dir), ignore_errors=True)
    for left in lake_dir.parent.glob(f".{_literal(lake_dir.name)}.building-*"):
        shutil.rmtree(left, ignore_errors=True)
    if lake_dir.exists() and not (lake_dir / MANIFEST_NAME).exists() and any(lake_dir.iterdir()):
        raise LakeError(f"{lake_dir.name} holds other files and no lake: give a folder of its own")


def _literal(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def _swap(building: Path, lake_dir: Path) -> None:
    """Put the finished folder in the place of the earlier one; a reader sees the one or the other."""
    building.chmod(0o777 & ~_umask())
    if not lake_dir.exists():
        building.rename(lake_dir)
    elif not _exchanged(building, lake_dir):
        # Without an exchange there is an instant with no lake; _clear mends it if the run is killed just then.
        lake_dir.rename(_earlier(lake_dir))
        building.rename(lake_dir)
    sync(lake_dir.parent)
    shutil.rmtree(_earlier(lake_dir), ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two folders in one step; False when the kernel or the file system cannot."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    return bool(renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current


def _build(source: Source, building: Path, as_of: int | None, memory_limit: str, workers: int) -> LakeManifest:
    missing = {name: source.missing_columns(TABLES[name]) for name in source.tables()}
    for name, columns in missing.items():
        _check_required(source, TABLES[name], columns)
    staged = building / ".staged"
    staged.mkdir()
    tallies, files = _run(source, building, staged, memory_limit, workers)
    shutil.rmtree(staged)
    tables = {
        name: _table_manifest(source, table, missing[name], tallies.get(name, Tally()), files)
        if name in missing
        else TableManifest()
        for name, table in TABLES.items()
    }
    write_quarantine(building / QUARANTINE_NAME, {name: tally.positions for name, tally in tallies.items()})
    manifest = LakeManifest(FORMAT_VERSION, source.kind, source.label, as_of, tables)
    (building / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")
    for path in (
        building / MANIFEST_NAME,
        building / QUARANTINE_NAME,
        *(p for p in building.iterdir() if p.is_dir()),
    ):
        sync(path)
    sync(building)
    return manifest


def _check_required(source: Source, table: Table, missing: tuple[str, ...]) -> None:
    for name in table.required:
        if name in missing:
            raise SourceError(f"the table {table.name} of {source.label} lacks the column {name}: export it too")


def _run(
    source: Source, building: Path, staged: Path, memory_limit: str, workers: int
) -> tuple[dict[str, Tally], dict[str, LakeFile]]:
    """Both phases, in this process and, for an export of some size, in a second one."""
    shares: list[Share] = [(name, part) for name in source.tables() for part in source.parts(TABLES[name])]
    reading, shares_in = os.pipe()
    writing, buckets_in = os.pipe()
    helper: Helper | None = None
    try:
        Numbers.fill(shares_in, len(shares))
        if workers > 1 and source.size() >= SMALL_EXPORT_BYTES:
            helper = Helper(reading, writing)
            helper.tell(reading_message(source.address(), shares, staged))
        tallies = read_shares(source, shares, iter(Numbers(reading)), staged, 0, lambda: None)
        if helper is not None:
            for name, tally in tallies_of(helper.answer()).items():
                tallies.setdefault(name, Tally()).merge(tally)
        groups = _bucket_groups(tallies, building)
        Numbers.fill(buckets_in, len(groups))
        if helper is not None:
            helper.tell(writing_message(groups, building, memory_limit))
        files = write_buckets(groups, iter(Numbers(writing)), staged, building, memory_limit, lambda: None)
        if helper is not None:
            files.update(files_of(helper.answer()))
    finally:
        if helper is not None:
            helper.end()
        os.close(reading)
        os.close(writing)
    return tallies, files


def _bucket_groups(tallies: dict[str, Tally], building: Path) -> list[list[Bucket]]:
    """Every file to write, the largest first, in groups few enough to be numbered."""
    buckets: list[Bucket] = []
    for name, tally in tallies.items():
        if tally.buckets:
            (building / name).mkdir()
        for number, pieces in tally.buckets.items():
            day = str(np.datetime64(number, "D")) if TABLES[name].by_day else ""
            buckets.append(Bucket(TABLES[name], f"{name}/{day or name}.parquet", day, pieces))
    buckets.sort(key=lambda bucket: (-bucket.size, bucket.path))
    size = max(1, len(buckets) // _GROUPS)
    return [buckets[start : start + size] for start in range(0, len(buckets), size)]


def _table_manifest(
    source: Source, table: Table, missing: tuple[str, ...], tally: Tally, files: dict[str, LakeFile]
) -> TableManifest:
    own = sorted((file for path, file in files.items() if path.startswith(f"{table.name}/")), key=lambda f: f.path)
    return TableManifest(
        provided=True,
        rows_read=tally.rows_read,
        rows_kept=tally.rows_kept,
        quarantined=dict(sorted(tally.counts.items())),
        examples={reason: positions[:EXAMPLES] for reason, positions in sorted(tally.positions.items())},
        missing_columns=list(missing),
        malformed_metadata=tally.malformed,
        malformed_metadata_listed=tally.malformed_listed,
        earliest_us=tally.earliest_us,
        latest_us=tally.latest_us,
        watermark=source.watermark(table),
        files=own,
        content_sha256=content_digest(own),
    )
