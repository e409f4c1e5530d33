"""What of an export has to be read, when an earlier lake holds the rest.

Belongs here: knowing an export again, and from which row and which day on it is read. Does not: reading (work.py), or
putting old and new rows together (writing.py).

A table that only grows is read above the last row that was read, and again over the last days, for rows that were
changed or came in late below it. Where rows have no numbers (PostgreSQL), the last days and the rows of no day are
read again, and a count of each earlier day tells whether anything came in or went. Everything else is read whole. What
cannot be trusted is read whole too, and said: a source that was replaced, rewound, renumbered or pruned in its middle.
What a source has pruned at its beginning stays in the lake, whose retention is its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.errors import LakeError
from evenhand.lake.manifest import LakeManifest, TableManifest
from evenhand.lake.parse import UNDATED, UNREADABLE_ROW
from evenhand.lake.reading import open_lake_manifest, table_files
from evenhand.lake.retention import Retention
from evenhand.lake.tables import TABLES, Table
from evenhand.lake.tallies import TALLIES_NAME, read_tallies
from evenhand.sources.base import AnyMark, DayCounted, DayMark, Mark, Part, RowNumbered, Source
from evenhand.timeline import DAY

Say = Callable[[str], None]
"""Takes one sentence about what an extraction did and why."""


Reading = tuple[Part, int | None]
"""A part of a table to read, and the UTC day before which its rows are passed over; None: all are read."""


@dataclass(frozen=True)
class Increment(ABC):
    """How one table goes on: what is new, and again the rows of `since_day` and later."""

    table: Table
    since_day: int
    earlier: TableManifest

    @property
    def since_date(self) -> str:
        """`since_day` as a date."""
        return _date(self.since_day)

    @property
    @abstractmethod
    def takes_undated(self) -> bool:
        """Whether rows of no day are taken over from the earlier lake; else they are read again."""

    @abstractmethod
    def readings(self) -> list[Reading]:
        """What has to be read of the export."""


@dataclass(frozen=True)
class ByRows(Increment):
    """Rows above the last one that was read."""

    source: RowNumbered
    after: int

    @property
    def takes_undated(self) -> bool:
        """A row of no day lies below the last one read, or is new."""
        return True

    def readings(self) -> list[Reading]:
        """The last days again, then what is new, of whatever day."""
        # A day earlier than asked: a text with an offset can name an instant of the next day, UTC.
        again = self.source.parts_since(self.table, self.after, _date(self.since_day - 1))
        new = self.source.parts_above(self.table, self.after)
        return [(part, self.since_day) for part in again] + [(part, None) for part in new]


@dataclass(frozen=True)
class ByDays(Increment):
    """Rows of the last days and of no day."""

    source: DayCounted
    has_undated: bool
    """Whether there can be rows of no day to read again."""

    @property
    def takes_undated(self) -> bool:
        """Nothing tells a new row of no day from an old one."""
        return False

    def readings(self) -> list[Reading]:
        """The last days, and the rows of no day."""
        parts = self.source.parts_from_day(self.table, self.since_date, self.has_undated)
        return [(part, self.since_day) for part in parts]


def _date(day: int) -> str:
    return str(np.datetime64(day, "D"))


@dataclass(frozen=True)
class Earlier:
    """An earlier lake that the new one is built on."""

    folder: Path
    manifest: LakeManifest
    increments: dict[str, Increment]


def earlier_lake(
    lake_dir: Path,
    source: Source,
    marks: dict[str, AnyMark | None],
    missing: dict[str, tuple[str, ...]],
    retention: Retention | None,
    *,
    as_of: int | None,
    overlap_days: int,
    say: Say,
) -> Earlier | None:
    """The lake that an extraction can go on from; None when everything has to be read, which is then said."""
    if not lake_dir.exists():
        return None
    try:
        manifest = open_lake_manifest(lake_dir)
        for name in TABLES:
            table_files(lake_dir, manifest, name)
    except LakeError as error:
        say(f"everything is read anew: {error}")
        return None
    why = _why_not(manifest, source, missing, retention)
    if why:
        say(f"everything is read anew: {why}")
        return None
    increments: dict[str, Increment] = {}
    for name, mark in marks.items():
        entry = manifest.table(name)
        if not TABLES[name].increments or entry.mark is None or entry.latest_us is None:
            continue
        # A row dated far ahead must not carry the re-read days with it.
        latest = entry.latest_us if as_of is None else min(entry.latest_us, as_of)
        since_day = latest // DAY - overlap_days
        increment: Increment | None
        if isinstance(entry.mark, DayMark):
            undated = read_tallies(lake_dir / TALLIES_NAME)[name].periods.get(UNDATED)
            had_undated = bool(undated and undated.rows_read)
            increment = _by_days(TABLES[name], entry, entry.mark, source, mark, since_day, had_undated, say)
        else:
            increment = _by_rows(TABLES[name], entry, entry.mark, source, mark, since_day, say)
        if increment is not None:
            increments[name] = increment
    return Earlier(lake_dir, manifest, increments) if increments else None


def _why_not(
    manifest: LakeManifest, source: Source, missing: dict[str, tuple[str, ...]], retention: Retention | None
) -> str:
    if (manifest.source_kind, manifest.source_label) != (source.kind, source.label):
        return f"the lake was made from {manifest.source_label}, and this is {source.label}"
    if manifest.retention and retention and not retention.same_rule(manifest.retention):
        return "the policy of what is kept has changed"
    for name, entry in manifest.tables.items():
        if entry.provided != (name in missing):
            return f"the table {name} {'is gone' if entry.provided else 'is new'}"
        if entry.provided and tuple(entry.missing_columns) != missing[name]:
            return f"the columns of {name} have changed"
    return ""


def _by_rows(
    table: Table,
    earlier: TableManifest,
    before: Mark,
    source: Source,
    mark: AnyMark | None,
    since_day: int,
    say: Say,
) -> ByRows | None:
    """How a table goes on by its row numbers; None when it is read whole."""
    if not isinstance(mark, Mark) or not isinstance(source, RowNumbered):
        say(f"{table.name} is read whole: it is empty now, or has no row numbers any more")
        return None
    why = _is_another(table, before, source, mark)
    if why:
        say(f"{table.name} is read whole: {why}")
        return None
    new = source.rows_above(table, before.highest)
    gone = before.rows - (mark.rows - new)
    if gone < 0:
        say(f"{table.name} is read whole: {-gone:,} rows were put in below the last one that had been read")
        return None
    if gone and mark.lowest == before.lowest:
        say(f"{table.name} is read whole: {gone:,} rows that had been read are gone from its middle")
        return None
    if gone:
        say(f"{table.name}: {gone:,} of its first rows were pruned from the source; the lake keeps them")
    say(f"{table.name}: {new:,} new rows, and the days from {_date(since_day)} again")
    return ByRows(table, since_day, earlier, source, before.highest)


def _by_days(
    table: Table,
    earlier: TableManifest,
    before: DayMark,
    source: Source,
    mark: AnyMark | None,
    since_day: int,
    had_undated: bool,
    say: Say,
) -> ByDays | None:
    """How a table goes on by its days; None when it is read whole."""
    since = _date(since_day)
    if not isinstance(mark, DayMark) or not isinstance(source, DayCounted):
        say(f"{table.name} is read whole: it is empty now, or has no time that its server can tell the day of")
        return None
    if UNREADABLE_ROW in earlier.quarantined:
        say(f"{table.name} is read whole: rows that could not be read have no day")
        return None
    pruned = _pruned_days(before, mark, since)
    why = _has_other_days(before, mark, since, pruned) or _has_other_rows(table, before, source, since, pruned)
    if why:
        say(f"{table.name} is read whole: {why}")
        return None
    gone = sum(before.days[day] - mark.days.get(day, 0) for day in pruned)
    if gone:
        say(f"{table.name}: {gone:,} of its first rows were pruned from the source; the lake keeps them")
    say(
        f"{table.name}: the days from {since} again, {mark.since(since):,} rows; a row changed in an earlier day is "
        "found by --full alone"
    )
    # Earlier days are the same rows: if none of them was undated, none is.
    return ByDays(table, since_day, earlier, source, bool(mark.of_no_day or had_undated))


def _pruned_days(before: DayMark, mark: DayMark, since: str) -> list[str]:
    """The first days, as far as they are gone, and the one after them when a part of it is."""
    pruned = []
    for day in sorted(day for day in before.days if day < since):
        left = mark.days.get(day, 0)
        if left < before.days[day]:
            pruned.append(day)
        if left:
            break
    return pruned


def _has_other_days(before: DayMark, mark: DayMark, since: str, pruned: list[str]) -> str:
    """Why the days before those that are read again are not what they were; empty when they are."""
    days = {day for day in before.days.keys() | mark.days.keys() if day < since}
    came = sum(max(0, mark.days.get(day, 0) - before.days.get(day, 0)) for day in days)
    if came:
        return (
            f"{came:,} rows came in that are dated before {since}, which is read again anyway; a greater overlap_days "
            "in [lake] spares that"
        )
    gone = sum(max(0, before.days.get(day, 0) - mark.days.get(day, 0)) for day in days - set(pruned))
    if gone:
        return f"{gone:,} rows of days before {since} are gone from its middle, or the source was rewound"
    return ""


def _has_other_rows(table: Table, before: DayMark, source: DayCounted, since: str, pruned: list[str]) -> str:
    """Why a remembered row of a day that is taken over is not what it was; empty when all are."""
    kept = [place for place, day in before.sample_days.items() if day < since and day not in pruned]
    if not kept:
        return "" if not any(day < since for day in before.days) else "nothing is left of what had been read"
    found = source.digests(table, kept)
    if any(found.get(place) != before.samples[place] for place in kept):
        return "the source was replaced, or its rows were moved: a row that had been read is another one"
    return ""


def _is_another(table: Table, earlier: Mark, source: RowNumbered, mark: Mark) -> str:
    """Why a table is not the one that was read before; empty when it is."""
    if mark.highest < earlier.highest:
        return f"the source was rewound, to row {mark.highest:,} from row {earlier.highest:,}"
    there = {key: digest for key, digest in earlier.samples.items() if key >= mark.lowest}
    if not there:
        return "nothing is left of what had been read"
    found = source.digests(table, there.keys())
    for key, digest in sorted(there.items()):
        if found.get(key) != digest:
            return f"the source was replaced or numbered anew: its row {key:,} is another one"
    return ""
