"""What one process of an extraction does: read its share of the export, then write its share of the files.

Belongs here: the two phases, and the tallies that say what was found. Does not: starting processes (processes.py), or
what a lake is (writing.py). A share is taken from a pipe of numbers, so that whoever is free takes the next one.
"""

import os
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.assembly import Bucket, assemble, sync
from evenhand.lake.manifest import LakeFile
from evenhand.lake.parse import UNDATED, Days, ParsedBatch, RowDays, parse_batch
from evenhand.lake.quarantine import LISTED_ROWS
from evenhand.lake.staging import Piece, Stage, StagedFiles, bounds, instants
from evenhand.lake.tables import TABLES, Table
from evenhand.sources.base import Part, Source
from evenhand.timeline import DAY

Json = dict[str, Any]
Share = tuple[str, Part, int | None]
"""A table, the part of it to read, and the UTC day before which its rows are passed over; None: all are read."""

_NUMBER = struct.Struct("<H")
_OWN_INSTANTS = ("ts_us", "received_us", "occurred_us", "updated_us")


class Numbers:
    """The numbers 0, 1, 2, ... of shares, each given to one process alone."""

    MOST = 16_000
    """Twice as many bytes fit into a pipe (64 KiB) before anyone reads."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __iter__(self) -> Iterator[int]:
        while taken := os.read(self._descriptor, _NUMBER.size):
            yield _NUMBER.unpack(taken)[0]

    @staticmethod
    def fill(descriptor: int, count: int) -> None:
        """Put the numbers below `count` into a pipe and close it, so that readers see the end."""
        os.write(descriptor, b"".join(_NUMBER.pack(number) for number in range(count)))
        os.close(descriptor)


@dataclass
class Counts:
    """What was found in the rows of one table, or in those of one day."""

    rows_read: int = 0
    rows_kept: int = 0
    malformed: int = 0
    malformed_listed: int = 0
    earliest_us: int | None = None
    latest_us: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    positions: dict[str, list[int]] = field(default_factory=dict)
    """Reason -> the lowest positions, at most LISTED_ROWS."""

    def quarantine(self, reason: str, count: int, positions: list[int]) -> None:
        """Count rows under a reason."""
        self.counts[reason] = self.counts.get(reason, 0) + count
        self.positions[reason] = sorted(self.positions.get(reason, []) + positions)[:LISTED_ROWS]

    def span(self, earliest: int, latest: int) -> None:
        """Widen the bounds of time."""
        self.earliest_us = earliest if self.earliest_us is None else min(earliest, self.earliest_us)
        self.latest_us = latest if self.latest_us is None else max(latest, self.latest_us)

    def merge(self, other: "Counts") -> None:
        """Take what was found elsewhere."""
        self.rows_read += other.rows_read
        self.rows_kept += other.rows_kept
        self.malformed += other.malformed
        self.malformed_listed += other.malformed_listed
        for reason, count in other.counts.items():
            self.quarantine(reason, count, other.positions[reason])
        if other.earliest_us is not None and other.latest_us is not None:
            self.span(other.earliest_us, other.latest_us)


WHOLE = 0
"""The one period of a table that is read whole each time."""


@dataclass
class Tally:
    """What one process found in one table: by UTC day where a later extraction goes on from a day."""

    periods: dict[int, Counts] = field(default_factory=dict)
    buckets: dict[int, list[Piece]] = field(default_factory=dict)

    def period(self, number: int) -> Counts:
        """The counts of one period."""
        return self.periods.setdefault(number, Counts())

    def total(self) -> Counts:
        """All periods together."""
        whole = Counts()
        for _, counts in sorted(self.periods.items()):
            whole.merge(counts)
        return whole

    def merge(self, other: "Tally") -> None:
        """Take what another process found."""
        for number, counts in other.periods.items():
            self.period(number).merge(counts)
        for bucket, pieces in other.buckets.items():
            self.buckets.setdefault(bucket, []).extend(pieces)

    def to_json(self) -> Json:
        """For another process, or another run."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Json) -> "Tally":
        """From another process; JSON has made texts of the numbers."""
        return cls(
            {int(number): Counts(**counts) for number, counts in value["periods"].items()},
            {int(day): [Piece(**piece) for piece in pieces] for day, pieces in value["buckets"].items()},
        )


def read_shares(
    source: Source,
    shares: list[Share],
    numbers: Iterator[int],
    staged: Path,
    process: int,
    check: Callable[[], None],
) -> dict[str, Tally]:
    """The first phase: read, parse and stage the shares that this process gets. `check` may end it between two."""
    tallies: dict[str, Tally] = {}
    stages: dict[str, Stage] = {}
    for number in numbers:
        check()
        name, part, since_day = shares[number]
        table = TABLES[name]
        tally = tallies.setdefault(name, Tally())
        if name not in stages:
            _finish(stages, tallies)  # shares come table by table: let the earlier one's rows go
            stages[name] = Stage(table, staged, process)
        _read_share(source, table, part, since_day, tally, stages[name])
    _finish(stages, tallies)
    return tallies


def _finish(stages: dict[str, Stage], tallies: dict[str, Tally]) -> None:
    for name, stage in stages.items():
        stage.flush()
        for bucket, pieces in stage.buckets.items():
            tallies[name].buckets[bucket] = list(pieces)


def _read_share(source: Source, table: Table, part: Part, since_day: int | None, tally: Tally, stage: Stage) -> None:
    own_instant = next((name for name in _OWN_INSTANTS if name in table.column_names), None)
    for raw in source.batches(table, part):
        # A share by days leaves no row of no day to another one.
        parsed = parse_batch(table, raw, since_day, with_undated=isinstance(part, str))
        if parsed.days is not None:
            _count_by_day(tally, parsed, parsed.days)
        else:
            whole = tally.period(WHOLE)
            whole.rows_read += raw.rows + len(raw.unreadable)
            whole.rows_kept += parsed.rows.num_rows
            whole.malformed += parsed.malformed
            whole.malformed_listed += parsed.malformed_listed
            for reason, positions in parsed.quarantined.items():
                whole.quarantine(reason, len(positions), positions)
            found = bounds(parsed.rows, own_instant) if own_instant else _bounds_of_days(parsed.rows)
            if found is not None:
                whole.span(*found)
        stage.add(parsed.rows)


def _bounds_of_days(rows: pa.Table) -> tuple[int, int] | None:
    """Midnight of the first and of the last day of a table of counts by day; None where there is none."""
    if "day" not in rows.column_names:
        return None
    found = pc.min_max(rows.column("day").cast(pa.int32())).as_py()
    return None if found["min"] is None else (found["min"] * DAY, found["max"] * DAY)


def _count_by_day(tally: Tally, parsed: ParsedBatch, days: RowDays) -> None:
    for day, count in _counted(days.read):
        tally.period(day).rows_read += count
    for day, count in _counted(days.kept):
        tally.period(day).rows_kept += count
    for day, count in _counted(days.malformed):
        tally.period(day).malformed += count
    for day, count in _counted(days.malformed_listed):
        tally.period(day).malformed_listed += count
    for reason, of_rows in days.quarantined.items():
        positions = np.array(parsed.quarantined[reason], dtype=np.int64)
        for day, count in _counted(of_rows):
            lowest = np.sort(positions[of_rows == day])[:LISTED_ROWS]
            tally.period(day).quarantine(reason, count, lowest.tolist())
    for day, earliest, latest in _bounds_by_day(parsed.rows, days.kept):
        tally.period(day).span(earliest, latest)


def _counted(days: Days) -> list[tuple[int, int]]:
    """Each day and how many rows it has. Days mostly come in long runs, so runs are counted and not rows."""
    if len(days) == 0:
        return []
    starts = np.flatnonzero(np.concatenate(([True], days[1:] != days[:-1])))
    lengths = np.diff(np.append(starts, len(days)))
    distinct, place = np.unique(days[starts], return_inverse=True)
    counts = np.bincount(place, weights=lengths).astype(np.int64)
    return list(zip(distinct.tolist(), counts.tolist(), strict=True))


def _bounds_by_day(rows: pa.Table, days: Days) -> list[tuple[int, int, int]]:
    """Each day's least and greatest instant, among rows that have one."""
    if len(days) == 0:
        return []
    moments = instants(rows, "ts_us")
    dated = days != UNDATED
    if not dated.all():
        moments, days = moments[dated], days[dated]
        if len(days) == 0:
            return []
    starts = np.flatnonzero(np.concatenate(([True], days[1:] != days[:-1])))
    distinct, place = np.unique(days[starts], return_inverse=True)
    least = np.full(len(distinct), np.iinfo(np.int64).max)
    greatest = np.full(len(distinct), np.iinfo(np.int64).min)
    np.minimum.at(least, place, np.minimum.reduceat(moments, starts))
    np.maximum.at(greatest, place, np.maximum.reduceat(moments, starts))
    return list(zip(distinct.tolist(), least.tolist(), greatest.tolist(), strict=True))


def write_buckets(
    groups: list[list[Bucket]],
    numbers: Iterator[int],
    staged: Path,
    building: Path,
    memory_limit: str,
    check: Callable[[], None],
) -> dict[str, LakeFile]:
    """The second phase: write the files of the groups that this process gets, by path."""
    files: dict[str, LakeFile] = {}
    staged_files = StagedFiles(staged)
    # A sync waits for the disk and not for this process: beside the next file's sorting it costs next to nothing.
    with ThreadPoolExecutor(4, "sync") as syncing:
        synced = []
        for number in numbers:
            for bucket in groups[number]:
                check()
                file = assemble(bucket, staged_files, building, memory_limit)
                if file is not None:
                    files[bucket.path] = file
                    synced.append(syncing.submit(sync, building / bucket.path))
        for done in synced:
            done.result()
    return files
