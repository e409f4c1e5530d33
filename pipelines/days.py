"""One day at a time: the days of the lake, reports of past days, and a report as soon as an export lands.

Belongs here: daily partitions, their backfill, what has landed. Does not: the nightly job (assets), or any rule.
Reports of past days are built from a lake of their own, which drops nothing: the nightly one has forgotten what they
look at.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from evenhand.build import publish
from evenhand.computed import Computation
from evenhand.errors import EvenhandError
from evenhand.lake.extraction import extract
from evenhand.lake.reading import open_lake_manifest
from evenhand.lake.tables import TABLES
from evenhand.timeline import DAY, instant_argument
from pipelines.assets import failure, table_key
from pipelines.resources import Build

START = "2026-01-01"
DAYS = dg.DailyPartitionsDefinition(start_date=os.environ.get("EVENHAND_FIRST_DAY", START), timezone="UTC")
BY_DAY = tuple(table.name for table in TABLES.values() if table.by_day)
LANDING = "EVENHAND_LANDING"
_SETTLED_SECONDS = 60
"""An export that was written to more recently may still be growing."""


def day_key(table: str) -> dg.AssetKey:
    """The asset of a table's days."""
    return dg.AssetKey(["days", table])


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            day_key(name),
            deps=[table_key(name)],
            description=f"One UTC day of {name} as it lies in the lake.",
            group_name="days",
            kinds={"parquet"},
            partitions_def=DAYS,
        )
        for name in BY_DAY
    ],
    name="days_of_the_lake",
    partitions_def=DAYS,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def days_of_the_lake(context: dg.AssetExecutionContext, build: Build) -> Iterator[dg.MaterializeResult[Any]]:
    """Looks at the lake's days and says what is there; days that were dropped with age are refused with the reason."""
    try:
        manifest = open_lake_manifest(Path(build.lake))
    except EvenhandError as error:
        raise failure(error) from error
    asked = context.partition_keys
    for name in BY_DAY:
        files = {file.day: file for file in manifest.table(name).files}
        for day in asked:
            number = instant_argument(f"{day}T00:00:00Z") // DAY
            if manifest.retention and manifest.retention.drops_from(TABLES[name], number):
                raise dg.Failure(f"{name} of {day} is past its retention: the lake has dropped what was there")
        there = [files[day] for day in asked if day in files]
        yield dg.MaterializeResult(
            asset_key=day_key(name),
            metadata={
                "dagster/row_count": sum(file.rows for file in there),
                "days without a row": len(asked) - len(there),
                "digests": dg.MetadataValue.json({file.day: file.sha256 for file in there}),
                "bytes": sum(pq.ParquetFile(Path(build.lake) / file.path).metadata.serialized_size for file in there),
            },
        )


@dg.asset(
    key=dg.AssetKey(["site", "day"]),
    partitions_def=DAYS,
    backfill_policy=dg.BackfillPolicy.multi_run(1),
    group_name="site",
    kinds={"html"},
)
def report_of_a_day(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult[Any]:
    """The report as of the end of a UTC day. A day that is published already is refused when it would differ."""
    as_of = instant_argument(context.partition_time_window.end.strftime("%Y-%m-%dT%H:%M:%SZ"))
    lake = Path(f"{build.lake}-days")
    try:
        extract(build.source, lake, policy=build.policy(), say=context.log.info)
        with Computation(lake, build.policy(), as_of) as computation:
            computed = replace(computation.computed(), ledger=computation.ledger(build.public_keys()))
        outcome = publish(computed, out=Path(build.out), restate=build.restate or None)
    except EvenhandError as error:
        raise failure(error) from error
    return dg.MaterializeResult(metadata={"build": outcome.build_id, "unchanged": outcome.unchanged})


KEYS = (*map(day_key, BY_DAY), dg.AssetKey(["site", "day"]))

days = dg.define_asset_job("days", selection=dg.AssetSelection.assets(*map(day_key, BY_DAY)))
past_reports = dg.define_asset_job("past_reports", selection=dg.AssetSelection.assets(dg.AssetKey(["site", "day"])))


def landed(folder: Path, now: float) -> list[Path]:
    """Exports of a folder that nobody is writing to any more, by name: SQLite files and folders of tables."""
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not (path.is_dir() or path.suffix in (".sqlite", ".db")):
            continue
        parts = [path, *path.iterdir()] if path.is_dir() else [path]
        if now - max(part.stat().st_mtime for part in parts) >= _SETTLED_SECONDS:
            found.append(path)
    return found
