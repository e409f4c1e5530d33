"""Asset checks: what must hold of the lake and of the published site, looked at again by other means.

Belongs here: counting against the source, schema, freshness, floors, and figures recomputed from published rows.
Does not: the checks that stop a build before it is published (evenhand.disclosure), which run in every build.
"""

import csv
import json
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq

from evenhand.lake.parse import schema_of
from evenhand.lake.reading import open_lake_manifest, table_files
from evenhand.lake.tables import TABLES
from evenhand.stats import rounded
from evenhand.timeline import HOUR, iso
from pipelines.assets import CORPORA, SITE, table_key
from pipelines.resources import Build


def _table_checks(table: str) -> dg.AssetChecksDefinition:
    @dg.multi_asset_check(
        specs=[
            dg.AssetCheckSpec("rows_match_the_source", asset=table_key(table), blocking=True),
            dg.AssetCheckSpec("schema_is_declared", asset=table_key(table), blocking=True),
        ],
        name=f"{table}_checks",
    )
    def checks(build: Build) -> Any:
        manifest = open_lake_manifest(Path(build.lake))
        stated = manifest.table(table)
        counted = _counted(build, table) if stated.provided else 0
        files = table_files(Path(build.lake), manifest, table)
        kept = sum(pq.read_metadata(file).num_rows for file in files)
        yield dg.AssetCheckResult(
            check_name="rows_match_the_source",
            asset_key=table_key(table),
            # The lake outlives what the source prunes at its beginning, so that it may have read more than is there.
            passed=(counted in (stated.rows_read, None) or (stated.mark is not None and counted == stated.mark.rows))
            and kept == stated.rows_in_files
            and (kept == stated.rows_kept or (manifest.retention is not None and kept < stated.rows_kept)),
            metadata={
                "in the source": "a live database is not counted again" if counted is None else counted,
                "read": stated.rows_read,
                "kept": stated.rows_kept,
                "in the files": kept,
                "dropped with age": stated.rows_kept - kept,
            },
        )
        declared = schema_of(TABLES[table])
        wrong = [file.name for file in files if not pq.read_schema(file).equals(declared)]
        yield dg.AssetCheckResult(
            check_name="schema_is_declared",
            asset_key=table_key(table),
            passed=not wrong,
            metadata={"files that differ": dg.MetadataValue.json(wrong)},
        )

    return checks


def _counted(build: Build, table: str) -> int | None:
    counts = build.rows_in_the_source()
    return None if counts is None else counts.get(table, 0)


@dg.asset_check(asset=table_key("audit_events"))
def export_is_fresh(build: Build) -> dg.AssetCheckResult:
    """The newest event is not older than the policy allows; a stale export is a warning, not a failure."""
    newest = open_lake_manifest(Path(build.lake)).table("audit_events").latest_us
    oldest_allowed = build.moment() - build.policy().lake.fresh_hours * HOUR
    return dg.AssetCheckResult(
        passed=newest is not None and newest >= oldest_allowed,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "newest event": iso(newest) if newest is not None else "none",
            "needed since": iso(oldest_allowed),
        },
    )


def _latest(build: Build) -> Path:
    return Path(build.out) / "latest"


@dg.asset_check(asset=SITE)
def floors_are_respected(build: Build) -> dg.AssetCheckResult:
    """No figure under its floor, in the report or in the published rules, shows a value."""
    policy = build.policy()
    document = json.loads((_latest(build) / "report.json").read_text(encoding="utf-8"))
    shown = [
        figure["id"]
        for figure in document["figures"]
        if figure["metric"] == "signals.rule_precision"
        and figure["value"] is not None
        and figure["denominator"] < policy.floors.rule_precision
    ]
    with (_latest(build) / "data" / "rule_precision.csv").open(encoding="utf-8", newline="") as file:
        shown += [
            row["rule_id"]
            for row in csv.DictReader(file)
            if row["value"] and int(row["decided"]) < policy.floors.rule_precision
        ]
    return dg.AssetCheckResult(passed=not shown, metadata={"shown below the floor": dg.MetadataValue.json(shown)})


@dg.asset_check(asset=SITE)
def figures_follow_from_the_published_rows(build: Build) -> dg.AssetCheckResult:
    """Percentages recomputed from the counts beside them in `data/`, and compared with `report.json`."""
    policy = build.policy()
    document = json.loads((_latest(build) / "report.json").read_text(encoding="utf-8"))
    published = {figure["id"]: figure["value"] for figure in document["figures"]}
    recomputed = {
        f"signals.rule_precision:{row['rule_id']}/precision": _share(
            row["confirmed"], row["decided"], 1, policy.rounding.precision_places
        )
        for row in _rows(build, "rule_precision")
        if row["value"]
    }
    recomputed |= {
        f"outcomes.decision_accuracy:{row['repository']}/accuracy": _share(
            int(row["auto_actioned"]) - int(row["reversed"]),
            row["auto_actioned"],
            100,
            policy.rounding.percent_places,
        )
        for row in _rows(build, "repositories")
        if row["value"]
    }
    recomputed |= {
        f"ledger.automation_rate:{row['week_start']}/rate": _share(
            row["automated"], row["decided"], 100, policy.rounding.percent_places
        )
        for row in _rows(build, "automation")
        if row["value"]
    }
    wrong = [name for name, value in recomputed.items() if published.get(name) != value]
    return dg.AssetCheckResult(
        passed=not wrong, metadata={"recomputed": len(recomputed), "differ": dg.MetadataValue.json(wrong)}
    )


def _rows(build: Build, name: str) -> list[dict[str, str]]:
    with (_latest(build) / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _share(numerator: Any, denominator: Any, factor: int, places: int) -> float | int:
    return rounded(Fraction(factor * int(numerator), int(denominator)), places)


@dg.asset_check(asset=CORPORA, additional_deps=[SITE])
def corpora_match_their_checksums(build: Build) -> dg.AssetCheckResult:
    """Each published corpus hashes to the checksum that it states."""
    folder = _latest(build) / "v1" / "public" / "eval-corpus"
    wrong = []
    for name in json.loads((folder / "index.json").read_text(encoding="utf-8"))["rules"].values():
        corpus = json.loads((folder / name).read_text(encoding="utf-8"))
        if _checksum(corpus["cases"]) != corpus["checksum"] or len(corpus["cases"]) != corpus["caseCount"]:
            wrong.append(name)
    return dg.AssetCheckResult(passed=not wrong, metadata={"corpora that differ": dg.MetadataValue.json(wrong)})


def _checksum(cases: list[Any]) -> str:
    from evenhand.canonical import canonical

    return sha256(canonical(cases)).hexdigest()


CHECKS = [
    *(_table_checks(table) for table in TABLES),
    export_is_fresh,
    floors_are_respected,
    figures_follow_from_the_published_rows,
    corpora_match_their_checksums,
]
