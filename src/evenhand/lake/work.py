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

from evenhand.lake.assembly import Bucket, assemble, sync
from evenhand.lake.manifest import LakeFile
from evenhand.lake.parse import parse_batch
from evenhand.lake.quarantine import LISTED_ROWS
from evenhand.lake.staging import Piece, Stage, StagedFiles, bounds
from evenhand.lake.tables import TABLES, Table
from evenhand.sources.base import Part, Source

Json = dict[str, Any]
Share = tuple[str, Part]
"""A table, and the part of it to read."""

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
class Tally:
    """What one process found in one table."""

    rows_read: int = 0
    rows_kept: int = 0
    malformed: int = 0
    malformed_listed: int = 0
    earliest_us: int | None = None
    latest_us: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    positions: dict[str, list[int]] = field(default_factory=dict)
    """Reason -> the lowest positions, at most LISTED_ROWS."""
    buckets: dict[int, list[Piece]] = field(default_factory=dict)

    def quarantine(self, reason: str, count: int, positions: list[int]) -> None:
        """Count rows under a reason."""
        self.counts[reason] = self.counts.get(reason, 0) + count
        self.positions[reason] = sorted(self.positions.get(reason, []) + positions)[:LISTED_ROWS]

    def span(self, found: tuple[int, int] | None) -> None:
        """Widen the bounds of time."""
        if found is not None:
            self.earliest_us = min(found[0], found[0] if self.earliest_us is None else self.earliest_us)
            self.latest_us = max(found[1], found[1] if self.latest_us is None else self.latest_us)

    def merge(self, other: "Tally") -> None:
        """Take what another process found."""
        self.rows_read += other.rows_read
        self.rows_kept += other.rows_kept
        self.malformed += other.malformed
        self.malformed_listed += other.malformed_listed
        for reason, count in other.counts.items():
            self.quarantine(reason, count, other.positions[reason])
        if other.earliest_us is not None and other.latest_us is not None:
            self.span((other.earliest_us, other.latest_us))
        for bucket, pieces in other.buckets.items():
            self.buckets.setdefault(bucket, []).extend(pieces)

    def to_json(self) -> Json:
        """For another process."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Json) -> "Tally":
        """From another process; JSON has made texts of the bucket numbers."""
        buckets = {int(day): [Piece(**piece) for piece in pieces] for day, pieces in value.pop("buckets").items()}
        return cls(buckets=buckets, **value)


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
        name, part = shares[number]
        table = TABLES[name]
        tally = tallies.setdefault(name, Tally())
        if name not in stages:
            _finish(stages, tallies)  # shares come table by table: let the earlier one's rows go
            stages[name] = Stage(table, staged, process)
        _read_share(source, table, part, tally, stages[name])
    _finish(stages, tallies)
    return tallies


def _finish(stages: dict[str, Stage], tallies: dict[str, Tally]) -> None:
    for name, stage in stages.items():
        stage.flush()
        for bucket, pieces in stage.buckets.items():
            tallies[name].buckets[bucket] = list(pieces)


def _read_share(source: Source, table: Table, part: Part, tally: Tally, stage: Stage) -> None:
    own_instant = next((name for name in _OWN_INSTANTS if name in table.column_names), None)
    for raw in source.batches(table, part):
        parsed = parse_batch(table, raw)
        tally.rows_read += raw.rows + len(raw.unreadable)
        tally.rows_kept += parsed.rows.num_rows
        tally.malformed += parsed.malformed
        tally.malformed_listed += parsed.malformed_listed
        for reason, positions in parsed.quarantined.items():
            tally.quarantine(reason, len(positions), positions)
        if own_instant is not None:
            tally.span(bounds(parsed.rows, own_instant))
        stage.add(parsed.rows)


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
                files[bucket.path] = assemble(bucket, staged_files, building, memory_limit)
                synced.append(syncing.submit(sync, building / bucket.path))
        for done in synced:
            done.result()
    return files
