"""The Dagster code location: the graph comes from the registry, and a run is the build that the command line makes."""

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from support.d1 import to_dump
from support.exports import every_table, write_sqlite
from support.rows import event

from evenhand import build as building
from evenhand.errors import BusySourceError
from evenhand.evidence.analytics.registry import statistics
from evenhand.lake.tables import TABLES
from evenhand.lake.writing import write_lake
from evenhand.metrics.registry import combinations, registry
from evenhand.policy import load_policy
from evenhand.sources import open_source
from evenhand.sources.base import Source
from evenhand.timeline import instant_argument
from pipelines import assets
from pipelines.checks import _table_checks
from pipelines.definitions import defs, every_night
from pipelines.resources import Build

AS_OF = "2026-11-01T00:00:00Z"


@pytest.fixture
def quick_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_computed: object, _facts: object, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "index.html").write_text("a page", encoding="utf-8")

    monkeypatch.setattr(building, "write_pages", write)


def build_at(tmp_path: Path, source: str = "data/sample/export.sqlite", **more: str) -> Build:
    return Build(
        **more,
        source=source,
        as_of=AS_OF,
        policy_file="data/sample/policy.toml",
        lake=str(tmp_path / "lake"),
        out=str(tmp_path / "out"),
    )


def nightly(build: Build) -> dg.ExecuteInProcessResult:
    job = defs.resolve_job_def("nightly")
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return job.execute_in_process(resources={"build": build}, raise_on_error=False, run_config=quiet)


def test_every_table_metric_and_corpus_is_an_asset() -> None:
    keys = {key.to_user_string() for key in defs.resolve_asset_graph().get_all_asset_keys()}
    assert {f"lake/{table}" for table in TABLES} <= keys
    assert {name.replace(".", "/") for name in (*registry(), *combinations())} <= keys
    assert {"corpus/cases", "corpus/published", "corpus/score_records", "site/report"} <= keys


def test_seats_reviews_and_every_statistic_over_them_are_assets() -> None:
    graph = defs.resolve_asset_graph()
    keys = {key.to_user_string() for key in graph.get_all_asset_keys()}
    assert {"reviews/seats", "reviews/assessed", "site/reviews", *(n.replace(".", "/") for n in statistics())} <= keys
    assert {graph.get(assets.metric_key(name)).group_name for name in statistics()} == {"reviews"}
    assert set(graph.get(assets.SITE).parent_keys) >= {assets.metric_key(name) for name in statistics()}


def test_assets_are_grouped_by_source() -> None:
    graph = defs.resolve_asset_graph()
    groups = {graph.get(assets.metric_key(name)).group_name for name in registry()}
    assert groups == {"signals", "outcomes", "ledger", "fleet"}


def test_the_schedule_builds_as_of_the_midnight_before_it() -> None:
    from datetime import UTC, datetime

    context = dg.build_schedule_context(scheduled_execution_time=datetime(2026, 11, 3, 2, 15, tzinfo=UTC))
    request = every_night(context)
    assert isinstance(request, dg.RunRequest)
    assert request.run_config["resources"]["build"]["config"]["as_of"] == "2026-11-03T00:00:00Z"
    assert every_night.cron_schedule == "15 2 * * *"
    assert every_night.execution_timezone == "UTC"


@pytest.mark.usefixtures("quick_pages")
def test_the_nightly_job_publishes_what_the_command_line_publishes(tmp_path: Path) -> None:
    result = nightly(build_at(tmp_path / "job"))
    assert result.success
    assert all(check.passed for check in result.get_asset_check_evaluations())
    typed = building.build(
        "data/sample/export.sqlite",
        policy=load_policy(Path("data/sample/policy.toml")),
        as_of=instant_argument(AS_OF),
        lake_dir=tmp_path / "lake",
        out=tmp_path / "out",
    )
    [site] = [event for event in result.get_asset_materialization_events() if event.asset_key == assets.SITE]
    assert site.materialization.metadata["build"].value == typed.build_id


@pytest.mark.usefixtures("quick_pages")
def test_the_nightly_job_with_reviews_publishes_what_the_command_line_publishes(tmp_path: Path) -> None:
    files = {"reviews": "data/sample/reviews.ndjson", "seats": "data/sample/seats.ndjson"}
    result = nightly(build_at(tmp_path / "job", **files))
    assert result.success
    typed = building.build(
        "data/sample/export.sqlite",
        policy=load_policy(Path("data/sample/policy.toml")),
        as_of=instant_argument(AS_OF),
        lake_dir=tmp_path / "lake",
        out=tmp_path / "out",
        reviews=Path(files["reviews"]),
        seats=Path(files["seats"]),
    )
    told = {event.asset_key: event.materialization.metadata for event in result.get_asset_materialization_events()}
    assert told[assets.SITE]["build"].value == typed.build_id
    assert told[assets.REVIEW_PAGES]["published"].value.endswith("reviews.html")
    assert told[assets.ASSESSED]["reviews, bad"].value == typed.bad_records == 6
    [check] = [one for one in result.get_asset_check_evaluations() if one.asset_key == assets.ASSESSED]
    assert check.passed
    assert check.metadata["lines that are not blank"].value == 156


@pytest.mark.usefixtures("quick_pages")
def test_a_review_export_that_is_gone_fails_the_job_and_nothing_is_published(tmp_path: Path) -> None:
    result = nightly(build_at(tmp_path, reviews=str(tmp_path / "gone.ndjson")))
    assert not result.success
    sentences = [e.step_failure_data.user_failure_data.description for e in result.all_events if e.is_step_failure]
    assert any("gone.ndjson" in sentence for sentence in sentences)
    assert not (tmp_path / "out").exists()


def test_the_reviews_of_the_sample_never_stand_beside_another_export(monkeypatch: pytest.MonkeyPatch) -> None:
    from pipelines import definitions

    assert definitions._settings()["reviews"] == "data/sample/reviews.ndjson"
    monkeypatch.setenv("EVENHAND_SOURCE", "mine.sqlite")
    assert (definitions._settings()["reviews"], definitions._settings()["seats"]) == ("", "")


@pytest.mark.usefixtures("quick_pages")
def test_a_failed_step_publishes_nothing_and_says_why(tmp_path: Path) -> None:
    result = nightly(build_at(tmp_path, source=str(tmp_path / "gone.sqlite")))
    assert not result.success
    [failed] = [event for event in result.all_events if event.is_step_failure]
    assert "gone.sqlite" in failed.step_failure_data.user_failure_data.description
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick_pages")
def test_a_busy_source_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tries = assets.extract, []

    def busy_once(*arguments: object, **more: object) -> object:
        tries.append(1)
        if len(tries) == 1:
            raise BusySourceError("the export is locked by its writer: try again later")
        return real(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(assets, "extract", busy_once)
    monkeypatch.setattr(assets, "_BUSY_SECONDS", 0)
    result = nightly(build_at(tmp_path))
    assert result.success
    assert len(tries) == 2


def test_a_source_is_opened_once_for_the_counts_of_all_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = {"audit_events": [event("pr_outcome", f"a/b#{n}", "2026-10-01T00:00:00Z") for n in range(3)]}
    dump = to_dump(write_sqlite(tmp_path / "e.sqlite", every_table(export)), tmp_path / "dump.sql")
    build, opened = build_at(tmp_path, f"d1:{dump}"), []

    def counting(*arguments: Any) -> Source:
        opened.append(arguments)
        return open_source(*arguments)

    monkeypatch.setattr("pipelines.resources.open_source", counting)
    checks = [_table_checks(table) for table in TABLES]
    result = dg.materialize([assets.lake, *checks], resources={"build": build}, raise_on_error=False)
    assert result.success
    passed = [found.passed for found in result.get_asset_check_evaluations()]
    assert passed == [True] * (2 * len(TABLES))
    assert len(opened) == 1


def test_a_count_that_differs_from_the_source_fails_its_check(tmp_path: Path) -> None:
    build = build_at(tmp_path)
    write_lake(open_source(build.source), tmp_path / "lake")
    manifest = tmp_path / "lake" / "lake.json"
    stated = json.loads(manifest.read_text())
    stated["tables"]["orb_instances"]["rows_read"] += 1
    manifest.write_text(json.dumps(stated))
    results = {result.check_name: result.passed for result in _table_checks("orb_instances")(build)}
    assert results == {"rows_match_the_source": False, "schema_is_declared": True}
