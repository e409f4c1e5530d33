"""The assets of a review export: seat records, the assessed reviews, and one per statistic over them.

Belongs here: what depends on what, and the metadata that a person sees. Does not: any rule; the statistics come from
the registry that the command line walks. A run that was given no reviews says so in each of them, and counts nothing.
"""

from pathlib import Path
from typing import Any

import dagster as dg

from evenhand.errors import EvenhandError
from evenhand.evidence.analytics.registry import Statistic, statistics
from evenhand.evidence.analytics.reviewed import SEATS, Input
from pipelines.assets import ASSESSED, SEAT_RECORDS, failure, figures_digest, metric_key, preview
from pipelines.resources import Build

_GROUP = "reviews"
NOT_PROVIDED: dict[str, Any] = {"provided": False}


@dg.asset(key=SEAT_RECORDS, group_name=_GROUP, kinds={"json"})
def seat_records(build: Build) -> dg.MaterializeResult[Any]:
    """The records of each seat, those of one account, seat and lens added up."""
    reviewing = build.reviewing()
    if reviewing is None or not build.seats:
        return dg.MaterializeResult(metadata=NOT_PROVIDED)
    try:
        records = reviewing.records()
    except EvenhandError as error:
        raise failure(error) from error
    return dg.MaterializeResult(metadata={"dagster/row_count": records.read, "keys": len(records.counts)})


@dg.asset(key=ASSESSED, deps=[SEAT_RECORDS], group_name=_GROUP, kinds={"json"})
def assessed(build: Build) -> dg.MaterializeResult[Any]:
    """Every review before as-of with its mechanisms, states, confidence and plan; bad records counted."""
    reviewing = build.reviewing()
    if reviewing is None:
        return dg.MaterializeResult(metadata=NOT_PROVIDED)
    try:
        population, inputs = reviewing.population(), reviewing.inputs()
    except EvenhandError as error:
        raise failure(error) from error
    reviews = population.assessment.reviews
    found: dict[str, Any] = {"dagster/row_count": len(reviews), "in window": len(population.within)}
    for one in inputs:
        found |= _told(one)
    return dg.MaterializeResult(metadata=found)


def _told(one: Input) -> dict[str, Any]:
    kind = "seat records" if one.kind == SEATS else "reviews"
    return {f"{kind}, read": one.records, f"{kind}, bad": one.bad, f"{kind}, SHA-256": one.sha256}


def _statistic_asset(entry: Statistic) -> dg.AssetsDefinition:
    @dg.asset(
        key=metric_key(entry.name),
        deps=[ASSESSED],
        group_name=_GROUP,
        description=f"{entry.title}. {entry.question} {entry.rule}",
        kinds={"python"},
        metadata={"code": dg.MetadataValue.md(f"```python\n{entry.counting}\n```")},
    )
    def computed(build: Build) -> dg.MaterializeResult[Any]:
        reviewing = build.reviewing()
        if reviewing is None:
            return dg.MaterializeResult(metadata=NOT_PROVIDED)
        try:
            figures = list(reviewing.result(entry.name).figures())
        except EvenhandError as error:
            raise failure(error) from error
        return dg.MaterializeResult(
            metadata={"figures": len(figures), "digest": figures_digest(figures), "preview": preview(figures)}
        )

    return computed


STATISTICS = [_statistic_asset(entry) for entry in statistics().values()]


@dg.asset_check(asset=ASSESSED, blocking=True)
def every_record_is_read_or_bad(build: Build) -> dg.AssetCheckResult:
    """The lines of the export, counted again as bytes: each that is not blank is a review or a bad record."""
    reviewing = build.reviewing()
    if reviewing is None or Path(build.reviews).suffix == ".json":
        return dg.AssetCheckResult(passed=True, metadata={"counted": False})
    [one, *_] = reviewing.inputs()
    with Path(build.reviews).open("rb") as lines:
        filled = sum(bool(line.removeprefix(b"\xef\xbb\xbf").strip()) for line in lines)
    return dg.AssetCheckResult(
        passed=filled == one.records + one.bad,
        metadata={"lines that are not blank": filled, "reviews": one.records, "bad records": one.bad},
    )
