"""Writing a lake: complete or absent.

Belongs here: the plan of an extraction, the lock, the manifest, and the swap by rename.
Does not: the work of reading and writing (work.py), what can be taken over from an earlier lake (increments.py), how a
value is parsed (parse.py) or ordered (ordering.py).

A lake is built in a folder beside its place, `.NAME.building-…`, and renamed into it when all of it is on disk. A run
that is killed leaves that folder behind and the earlier lake as it was; the next run removes it. Files of days that
an extraction adds nothing to are links to the earlier lake's: the same bytes, which reading everything would give.
"""

import ctypes
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from evenhand.errors import LakeError, SourceError
from evenhand.lake.assembly import Bucket, sync
from evenhand.lake.increments import Earlier, Increment, Say, earlier_lake
from evenhand.lake.manifest import (
    FORMAT_VERSION,
    MANIFEST_NAME,
    LakeFile,
    LakeManifest,
    TableManifest,
    content_digest,
)
from evenhand.lake.parse import UNDATED
from evenhand.lake.processes import Crew, files_of, reading_message, tallies_of, writing_message
from evenhand.lake.quarantine import EXAMPLES, QUARANTINE_NAME, write_quarantine
from evenhand.lake.retention import Retention
from evenhand.lake.tables import TABLES, Table
from evenhand.lake.tallies import TALLIES_NAME, read_tallies, write_tallies
from evenhand.lake.work import Counts, Numbers, Share, Tally, read_shares, write_buckets
from evenhand.policy import Policy
from evenhand.sources.base import AnyMark, DayMark, Source

SMALL_EXPORT_BYTES = 24 << 20
"""A smaller export is read sooner than a second process starts (0.4 s)."""
_GROUPS = 256
_ROW_BYTES = 400
"""About what a row takes in memory, to tell whether a day fits."""
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of <fcntl.h> and <linux/fs.h>


@dataclass(frozen=True)
class Keeping:
    """How long a lake keeps rows, and how many days it reads again."""

    event_days: int
    record_days: int
    kept_families: tuple[str, ...]
    overlap_days: int

    @classmethod
    def of(cls, policy: Policy) -> "Keeping":
        """As the policy says."""
        lake = policy.lake
        return cls(lake.event_days, lake.record_days, lake.kept_families, lake.overlap_days)

    def retention(self, as_of: int | None) -> Retention | None:
        """What is dropped as of an instant; nothing without one."""
        return None if as_of is None else Retention.at(as_of, self.event_days, self.record_days, self.kept_families)


KEEP = Keeping.of(Policy())


def write_lake(
    source: Source,
    lake_dir: Path,
    *,
    as_of: int | None = None,
    keeping: Keeping = KEEP,
    full: bool = False,
    say: Say = lambda _: None,
    memory_limit: str = "256MB",
    workers: int = 2,
) -> LakeManifest:
    """Extract an export into a lake, replacing what was there in one rename.

    `as_of` (microseconds) drops what is past its retention then; without it nothing more is dropped. An earlier lake
    of the same export is gone on from unless `full`; either way the lake is the same, byte for byte. `say` is told
    what was read and why. `memory_limit` is what each process may use to sort a bucket that does not fit its memory;
    `workers` is 1 or 2 processes, this one included. Neither changes a byte of the lake.

    Raises SourceError when the export cannot be read, BusySourceError when it was written to meanwhile, LakeError when
    another run is writing the same lake. Whatever happens before the last rename, the earlier lake stays as it was.
    """
    lake_dir = lake_dir.absolute()
    lake_dir.parent.mkdir(parents=True, exist_ok=True)
    with _locked(lake_dir):
        _clear(lake_dir)
        building = Path(tempfile.mkdtemp(prefix=f".{lake_dir.name}.building-", dir=lake_dir.parent))
        try:
            with Crew() as crew:
                if workers > 1 and source.size() >= SMALL_EXPORT_BYTES and (full or not lake_dir.exists()):
                    crew.start()
                plan = _planned(source, lake_dir, building, as_of, keeping, full, say)
                manifest = _build(plan, crew, memory_limit, workers)
            source.check_unchanged()
            _swap(building, lake_dir)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return manifest


@dataclass(frozen=True)
class Plan:
    """One extraction: what is read, what is taken over, and where it goes."""

    source: Source
    building: Path
    missing: dict[str, tuple[str, ...]]
    """Provided table -> columns that it lacks."""
    marks: dict[str, AnyMark | None]
    as_of: int | None
    retention: Retention | None
    earlier: Earlier | None

    @property
    def staged(self) -> Path:
        """Where rows wait between the two phases."""
        return self.building / ".staged"

    def increment(self, name: str) -> Increment | None:
        """How a table goes on from the earlier lake; None when it is read whole."""
        return self.earlier.increments.get(name) if self.earlier else None

    def shares(self) -> list[Share]:
        """Everything that has to be read."""
        shares: list[Share] = []
        for name in self.source.tables():
            table, increment = TABLES[name], self.increment(name)
            if increment is None:
                shares += [(name, part, None) for part in self.source.parts(table)]
            else:
                shares += [(name, part, since_day) for part, since_day in increment.readings()]
        return shares


def _planned(
    source: Source, lake_dir: Path, building: Path, as_of: int | None, keeping: Keeping, full: bool, say: Say
) -> Plan:
    missing = {name: source.missing_columns(TABLES[name]) for name in source.tables()}
    for name, columns in missing.items():
        _check_required(source, TABLES[name], columns)
    marks = {name: source.mark(TABLES[name]) for name in missing if TABLES[name].increments}
    retention = keeping.retention(as_of)
    earlier = None
    if not full:
        earlier = earlier_lake(
            lake_dir,
            source,
            marks,
            missing,
            retention,
            as_of=as_of,
            overlap_days=keeping.overlap_days,
            say=say,
        )
    return Plan(source, building, missing, marks, as_of, _dropped(retention, earlier), earlier)


def _dropped(retention: Retention | None, earlier: Earlier | None) -> Retention | None:
    before = earlier.manifest.retention if earlier else None
    if retention is None or before is None:
        return retention or before
    return retention.later(before)


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


def _build(plan: Plan, crew: Crew, memory_limit: str, workers: int) -> LakeManifest:
    building = plan.building
    plan.staged.mkdir()
    tallies, files = _run(plan, crew, memory_limit, workers)
    shutil.rmtree(plan.staged)
    tables = {
        name: _table_manifest(plan, table, tallies[name].total(), files) if name in plan.missing else TableManifest()
        for name, table in TABLES.items()
    }
    totals = {name: tally.total().positions for name, tally in tallies.items()}
    write_quarantine(building / QUARANTINE_NAME, totals)
    write_tallies(building / TALLIES_NAME, {name: tallies[name] for name in tallies if TABLES[name].increments})
    manifest = LakeManifest(FORMAT_VERSION, plan.source.kind, plan.source.label, plan.as_of, tables, plan.retention)
    (building / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")
    for path in (
        building / MANIFEST_NAME,
        building / QUARANTINE_NAME,
        building / TALLIES_NAME,
        *(p for p in building.iterdir() if p.is_dir()),
    ):
        sync(path)
    sync(building)
    return manifest


def _check_required(source: Source, table: Table, missing: tuple[str, ...]) -> None:
    for name in table.required:
        if name in missing:
            raise SourceError(f"the table {table.name} of {source.label} lacks the column {name}: export it too")


def _run(plan: Plan, crew: Crew, memory_limit: str, workers: int) -> tuple[dict[str, Tally], dict[str, LakeFile]]:
    """Both phases, in this process and, where there is much to read, in a second one."""
    shares = plan.shares()
    staged, building = plan.staged, plan.building
    crew.share_out(len(shares))
    if workers > 1 and plan.source.size() * _share_of_rows(plan, shares) >= SMALL_EXPORT_BYTES:
        crew.start()
    helper = crew.helper
    if helper is not None:
        helper.tell(reading_message(plan.source.address(), shares, staged))
    tallies = {name: Tally() for name in plan.missing}
    _merge(tallies, read_shares(plan.source, shares, iter(Numbers(crew.reading)), staged, 0, lambda: None))
    if helper is not None:
        _merge(tallies, tallies_of(helper.answer()))
    buckets = _buckets(plan, tallies)
    groups = _groups(buckets)
    crew.share_out(len(groups))
    if helper is not None:
        helper.tell(writing_message(groups, building, memory_limit))
    files = write_buckets(groups, iter(Numbers(crew.writing)), staged, building, memory_limit, lambda: None)
    if helper is not None:
        files.update(files_of(helper.answer()))
    files.update(_taken_over(plan, {bucket.path for bucket in buckets}))
    _merge(tallies, _counted_before(plan))
    return tallies, files


def _merge(tallies: dict[str, Tally], others: dict[str, Tally]) -> None:
    for name, tally in others.items():
        tallies[name].merge(tally)


def _share_of_rows(plan: Plan, shares: list[Share]) -> float:
    """About how much of the export is read, by row numbers or days; 1 for a table that is read whole."""
    if plan.earlier is None:
        return 1.0
    rows = sum(part[1] - part[0] for name, part, _ in shares if isinstance(part, tuple) and plan.increment(name))
    known = 0
    for name, mark in plan.marks.items():
        increment = plan.increment(name)
        if isinstance(mark, DayMark):
            known += mark.rows
            rows += mark.since(increment.since_date) + mark.of_no_day if increment else 0
        elif mark is not None:
            known += mark.highest - mark.lowest + 1
    # Tables that change hold about an eighth of an export's bytes.
    return 1 / 8 + rows / max(known, 1)


def _buckets(plan: Plan, tallies: dict[str, Tally]) -> list[Bucket]:
    """Every file that has to be written, the largest first."""
    buckets: list[Bucket] = []
    for name, tally in tallies.items():
        table, increment = TABLES[name], plan.increment(name)
        old = {file.day: file for file in increment.earlier.files} if increment else {}
        days = {str(np.datetime64(number, "D")) if table.by_day else "": number for number in tally.buckets}
        if tally.buckets or old:
            (plan.building / name).mkdir()
        for day in sorted(days.keys() | old.keys()):
            bucket = Bucket(table, f"{name}/{day or name}.parquet", day, tally.buckets.get(days.get(day, -1), []))
            number = days.get(day, _number(day))
            retention = plan.retention if plan.retention and plan.retention.drops_from(table, number) else None
            bucket = replace(bucket, retention=retention)
            if day in old and increment and (not table.by_day or number < increment.since_day):
                if not bucket.pieces and not _forgets_more(plan, table, number) and table.by_day:
                    continue  # taken over as it is
                bucket = _carrying(plan, bucket, old[day], increment)
            if bucket.pieces or bucket.carried:
                buckets.append(bucket)
    return sorted(buckets, key=lambda bucket: (-bucket.size, bucket.path))


def _number(day: str) -> int:
    return int(np.datetime64(day, "D").astype(np.int64)) if day else 0


def _forgets_more(plan: Plan, table: Table, number: int) -> bool:
    """Whether a day is past its retention now and was not in the earlier lake."""
    before = plan.earlier.manifest.retention if plan.earlier else None
    is_past = plan.retention is not None and plan.retention.drops_from(table, number)
    return is_past and not (before is not None and before.drops_from(table, number))


def _carrying(plan: Plan, bucket: Bucket, old: LakeFile, increment: Increment) -> Bucket:
    assert plan.earlier is not None
    path = plan.earlier.folder / old.path
    return replace(
        bucket,
        carried=str(path),
        carried_before_day=None if bucket.table.by_day else increment.since_day,
        carries_undated=increment.takes_undated,
        carried_bytes=pq.read_metadata(path).num_rows * _ROW_BYTES,
    )


def _groups(buckets: list[Bucket]) -> list[list[Bucket]]:
    """Buckets in groups few enough to be numbered."""
    size = max(1, len(buckets) // _GROUPS)
    return [buckets[start : start + size] for start in range(0, len(buckets), size)]


def _taken_over(plan: Plan, written: set[str]) -> dict[str, LakeFile]:
    """The earlier lake's files of days before the re-read ones that nothing was added to, linked into the new one."""
    files: dict[str, LakeFile] = {}
    if plan.earlier is None:
        return files
    for name, increment in plan.earlier.increments.items():
        if not TABLES[name].by_day:
            continue
        for file in increment.earlier.files:
            if file.path in written or _number(file.day) >= increment.since_day:
                continue
            _link(plan.earlier.folder / file.path, plan.building / file.path)
            files[file.path] = file
    return files


def _link(old: Path, new: Path) -> None:
    try:
        os.link(old, new)
    except OSError:
        # Some file systems have no links.
        shutil.copyfile(old, new)
        sync(new)


def _counted_before(plan: Plan) -> dict[str, Tally]:
    """What had been found in the days that were not read again, and in rows of no day unless they were."""
    if plan.earlier is None:
        return {}
    counted = {}
    for name, tally in read_tallies(plan.earlier.folder / TALLIES_NAME).items():
        increment = plan.increment(name)
        if increment is not None:
            kept = {
                day: counts
                for day, counts in tally.periods.items()
                if day < increment.since_day and (day != UNDATED or increment.takes_undated)
            }
            counted[name] = Tally(kept)
    return counted


def _table_manifest(plan: Plan, table: Table, counts: Counts, files: dict[str, LakeFile]) -> TableManifest:
    own = sorted((file for path, file in files.items() if path.startswith(f"{table.name}/")), key=lambda f: f.path)
    return TableManifest(
        provided=True,
        rows_read=counts.rows_read,
        rows_kept=counts.rows_kept,
        quarantined=dict(sorted(counts.counts.items())),
        examples={reason: positions[:EXAMPLES] for reason, positions in sorted(counts.positions.items())},
        missing_columns=list(plan.missing[table.name]),
        malformed_metadata=counts.malformed,
        malformed_metadata_listed=counts.malformed_listed,
        earliest_us=counts.earliest_us,
        latest_us=counts.latest_us,
        mark=plan.marks.get(table.name),
        files=own,
        content_sha256=content_digest(own),
    )
