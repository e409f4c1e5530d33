"""The assets: one per declared table, one per registered metric, the corpora, and the site; of reviews see reviews.py.

Belongs here: what depends on what, and the metadata that a person sees. Does not: any rule; the metrics come from
the registry that the command line walks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from evenhand.backtest.recommendation import lines_of
from evenhand.build import publish
from evenhand.canonical import digest
from evenhand.errors import BusySourceError, EvenhandError
from evenhand.evidence.analytics.registry import statistics
from evenhand.figures import Figure
from evenhand.lake.extraction import extract
from evenhand.lake.manifest import TableManifest
from evenhand.lake.tables import TABLES, Table
from evenhand.metrics.registry import Combination, Metric, combinations, registry
from pipelines.resources import Build

_PREVIEW_ROWS = 12
_BUSY_RETRIES = 5
_BUSY_SECONDS = 30


FRESH = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=50), warn_window=timedelta(hours=26))
"""A night may be late by two hours before anyone is warned, and one may be missed before it is a failure."""


def table_key(table: str) -> dg.AssetKey:
    """The asset of a table of the lake."""
    return dg.AssetKey(["lake", table])


def metric_key(name: str) -> dg.AssetKey:
    """The asset of a metric or combination: its room and its name."""
    return dg.AssetKey(name.split("."))


CASES = dg.AssetKey(["corpus", "cases"])
CORPORA = dg.AssetKey(["corpus", "published"])
RECORDS = dg.AssetKey(["corpus", "score_records"])
SEAT_RECORDS = dg.AssetKey(["reviews", "seats"])
ASSESSED = dg.AssetKey(["reviews", "assessed"])
CALIBRATION = dg.AssetKey(["backtest", "calibration"])
SITE = dg.AssetKey(["site", "report"])
REVIEW_PAGES = dg.AssetKey(["site", "reviews"])


def _table_spec(table: Table) -> dg.AssetSpec:
    columns = dg.TableSchema(
        columns=[dg.TableColumn(column.name, str(column.kind), description=column.meaning) for column in table.columns]
    )
    return dg.AssetSpec(
        table_key(table.name),
        description=table.meaning,
        group_name=table.group,
        kinds={"parquet"},
        skippable=True,
        metadata={"dagster/column_schema": columns},
        freshness_policy=FRESH,
    )


@dg.multi_asset(specs=[_table_spec(table) for table in TABLES.values()], name="extract")
def lake(context: dg.AssetExecutionContext, build: Build) -> Iterator[dg.MaterializeResult[Any]]:
    """Reads what is new of the export into the lake, which is complete or absent; what it lacks is not materialized."""
    build.forget()
    try:
        manifest = extract(build.source, Path(build.lake), build.moment(), policy=build.policy(), say=context.log.info)
    except BusySourceError as error:
        context.log.warning(str(error))
        raise dg.RetryRequested(max_retries=_BUSY_RETRIES, seconds_to_wait=_BUSY_SECONDS) from error
    except EvenhandError as error:
        raise failure(error) from error
    for name in TABLES:
        table = manifest.table(name)
        if table.provided:
            yield dg.MaterializeResult(asset_key=table_key(name), metadata=_table_metadata(table))


def failure(error: EvenhandError) -> dg.Failure:
    """A failed step with the one clear sentence; trying again would not help."""
    return dg.Failure(str(error), allow_retries=False)


def _table_metadata(table: TableManifest) -> dict[str, Any]:
    return {
        "dagster/row_count": table.rows_kept,
        "rows read": table.rows_read,
        "quarantined": dg.MetadataValue.json(table.quarantined),
        "missing columns": dg.MetadataValue.json(list(table.missing_columns)),
        "digest": table.content_sha256,
        "files": len(table.files),
    }


def _metric_asset(entry: Metric | Combination) -> dg.AssetsDefinition:
    if isinstance(entry, Metric):
        tables = dict.fromkeys(table.split(".")[0] for named in entry.tables for table in named.split("|"))
        deps: Sequence[dg.AssetKey] = [table_key(table) for table in tables]
        extra = {"sql": dg.MetadataValue.md(f"```sql\n{entry.sql}\n```")}
    else:
        deps, extra = [metric_key(need) for need in entry.needs], {}

    @dg.asset(
        key=metric_key(entry.name),
        deps=deps,
        group_name=str(entry.source),
        description=f"{entry.title}. {entry.question} Source of the rule: {entry.methodology}.",
        kinds={"duckdb"} if isinstance(entry, Metric) else {"python"},
        metadata=extra,
    )
    def computed(build: Build) -> dg.MaterializeResult[Any]:
        try:
            result = build.computation().result(entry.name)
        except EvenhandError as error:
            raise failure(error) from error
        figures = list(result.figures())
        return dg.MaterializeResult(
            metadata={"figures": len(figures), "digest": figures_digest(figures), "preview": preview(figures)}
        )

    return computed


def figures_digest(figures: list[tuple[str, Figure]]) -> str:
    """SHA-256 of the figures' canonical JSON: equal digests, equal figures."""
    return digest([[name, figure.as_json()] for name, figure in figures])


def preview(figures: list[tuple[str, Figure]]) -> dg.TableMetadataValue:
    """The first figures as a person reads them: value, n, interval, or the reason why there is none."""
    columns = ("figure", "value", "n", "low", "high", "withheld")
    records = [
        dg.TableRecord(dict(zip(columns, map(str, _preview_row(name, figure)), strict=True)))
        for name, figure in figures[:_PREVIEW_ROWS]
    ]
    schema = dg.TableSchema([dg.TableColumn(name, "string") for name in columns])
    return dg.MetadataValue.table(records, schema)


def _preview_row(name: str, figure: Figure) -> tuple[Any, ...]:
    low, high = figure.bounds or ("", "")
    withheld = figure.withheld.reason if figure.withheld else ""
    n = "" if figure.denominator is None else figure.denominator
    return name, "" if figure.value is None else figure.value, n, low, high, withheld


@dg.asset(key=CASES, deps=[table_key("audit_events")], group_name="signals", kinds={"duckdb"})
def corpus_cases(build: Build) -> dg.MaterializeResult[Any]:
    """Every firing paired with its verdict: the complete labelled cases of every rule."""
    cases = build.computation().cases()
    return dg.MaterializeResult(metadata={"dagster/row_count": cases.num_rows})


@dg.asset(key=CORPORA, deps=[CASES], group_name="signals", kinds={"json"})
def corpora(build: Build) -> dg.MaterializeResult[Any]:
    """One published corpus a rule, capped and checksummed."""
    found = build.computation().corpora()
    columns = ("rule", "cases", "published", "truncated", "checksum")
    rows = [(one.rule_id, one.total, len(one.cases), one.truncated, one.checksum) for one in found]
    records = [dg.TableRecord(dict(zip(columns, map(str, row), strict=True))) for row in rows]
    schema = dg.TableSchema([dg.TableColumn(name, "string") for name in columns])
    return dg.MaterializeResult(metadata={"rules": len(found), "corpora": dg.MetadataValue.table(records, schema)})


@dg.asset(key=RECORDS, deps=[CORPORA, metric_key("signals.rule_precision")], group_name="signals", kinds={"json"})
def score_records(build: Build) -> dg.MaterializeResult[Any]:
    """One score record for each rule that can be committed to."""
    records = build.computation().records()
    return dg.MaterializeResult(metadata={"records": len(records)})


@dg.asset(key=CALIBRATION, deps=[table_key("audit_events")], group_name="signals", kinds={"duckdb"})
def calibration(build: Build) -> dg.MaterializeResult[Any]:
    """What every rule's claimed confidence is worth over the whole history, and what moving a threshold would do."""
    try:
        found = build.computation().calibration()
    except EvenhandError as error:
        raise failure(error) from error
    advice = [line for one in found.recommendations for line in lines_of(one)]
    return dg.MaterializeResult(
        metadata={
            "rules": len(found.rules),
            "cases": sum(rule.cases for rule in found.rules),
            "recommendations": dg.MetadataValue.md("\n".join(f"- {line}" for line in advice)),
            "guarantees": dg.MetadataValue.json({arm: one.status for arm, one in found.arms.items()}),
        }
    )


_ENTRIES: list[Metric | Combination] = [*registry().values(), *combinations().values()]
METRICS = [_metric_asset(entry) for entry in _ENTRIES]


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            SITE,
            deps=[RECORDS, CALIBRATION, *(metric_key(name) for name in (*registry(), *combinations(), *statistics()))],
            description="The published build: API files, tables, pages; `latest` moves last.",
            group_name="site",
            kinds={"html"},
        ),
        dg.AssetSpec(
            REVIEW_PAGES,
            deps=[ASSESSED, *map(metric_key, statistics())],
            description="What a build shows of reviews: pages over many, and for the operator a page a review.",
            group_name="site",
            kinds={"html"},
            skippable=True,
        ),
    ],
    name="publish",
)
def report(build: Build) -> Iterator[dg.MaterializeResult[Any]]:
    """Publishes everything at once; without reviews nothing is shown of any."""
    operator = Path(build.operator) if build.operator else None
    try:
        reviewing = build.reviewing()
        reviews = reviewing.reviewed(keep=operator is not None) if reviewing else None
        calibrated = build.computation().calibration() if operator else None
        computed = replace(
            build.computation().computed(),
            ledger=build.computation().ledger(build.public_keys()),
            reviews=reviews,
            calibration=calibrated,
        )
        outcome = publish(computed, out=Path(build.out), operator=operator, restate=build.restate or None)
    except EvenhandError as error:
        raise failure(error) from error
    yield dg.MaterializeResult(
        asset_key=SITE,
        metadata={
            "build": outcome.build_id,
            "unchanged": outcome.unchanged,
            "report": dg.MetadataValue.path(str(outcome.folder / "index.html")),
            "headlines": dg.MetadataValue.md(f"```\n{outcome.summary()}\n```"),
            "summary": outcome.summary(),
        },
    )
    if reviews:
        metadata: dict[str, Any] = {"published": dg.MetadataValue.path(str(outcome.folder / "reviews.html"))}
        if operator:
            metadata["for the operator"] = dg.MetadataValue.path(str(operator / "reviews" / "index.html"))
        yield dg.MaterializeResult(asset_key=REVIEW_PAGES, metadata=metadata)
