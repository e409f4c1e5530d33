"""What of an export has to be read, when an earlier lake holds the rest.

Belongs here: knowing an export again, and from which row and which day on it is read. Does not: reading (work.py), or
putting old and new rows together (writing.py).

A table that only grows is read above the last row that was read, and again over the last days, for rows that were
changed or came in late below it. Everything else is read whole. What cannot be trusted is read whole too, and said: a
source that was replaced, rewound, renumbered or pruned in its middle. What a source has pruned at its beginning stays
in the lake, whose retention is its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.errors import LakeError
from evenhand.lake.manifest import LakeManifest, TableManifest
from evenhand.lake.reading import open_lake_manifest, table_files
from evenhand.lake.retention import Retention
from evenhand.lake.tables import TABLES, Table
from evenhand.sources.base import Mark, Source
from evenhand.timeline import DAY

Say = Callable[[str], None]
"""Takes one sentence about what an extraction did and why."""


@dataclass(frozen=True)
class Increment:
    """How one table goes on: rows above `after`, and again those of `since_day` and later."""

    after: int
    since_day: int
    earlier: TableManifest


@dataclass(frozen=True)
class Earlier:
    """An earlier lake that the new one is built on."""

    folder: Path
    manifest: LakeManifest
    increments: dict[str, Increment]


def earlier_lake(
    lake_dir: Path,
    source: Source,
    marks: dict[str, Mark | None],
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
    increments = {}
    for name, mark in marks.items():
        increment = _increment(TABLES[name], manifest.table(name), source, mark, as_of, overlap_days, say)
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


def _increment(
    table: Table,
    earlier: TableManifest,
    source: Source,
    mark: Mark | None,
    as_of: int | None,
    overlap_days: int,
    say: Say,
) -> Increment | None:
    """How a table goes on; None when it is read whole."""
    if not table.increments or earlier.mark is None or earlier.latest_us is None:
        return None
    why = _is_another(table, earlier.mark, source, mark)
    if why:
        say(f"{table.name} is read whole: {why}")
        return None
    assert mark is not None
    new = source.rows_above(table, earlier.mark.highest)
    gone = earlier.mark.rows - (mark.rows - new)
    if gone < 0:
        say(f"{table.name} is read whole: {-gone:,} rows were put in below the last one that had been read")
        return None
    if gone and mark.lowest == earlier.mark.lowest:
        say(f"{table.name} is read whole: {gone:,} rows that had been read are gone from its middle")
        return None
    if gone:
        say(f"{table.name}: {gone:,} of its first rows were pruned from the source; the lake keeps them")
    # A row dated far ahead must not carry the re-read days with it.
    latest = earlier.latest_us if as_of is None else min(earlier.latest_us, as_of)
    since_day = latest // DAY - overlap_days
    say(f"{table.name}: {new:,} new rows, and the days from {np.datetime64(since_day, 'D')} again")
    return Increment(earlier.mark.highest, since_day, earlier)


def _is_another(table: Table, earlier: Mark, source: Source, mark: Mark | None) -> str:
    """Why a table is not the one that was read before; empty when it is."""
    if mark is None:
        return "it is empty now, or has no row numbers any more"
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
