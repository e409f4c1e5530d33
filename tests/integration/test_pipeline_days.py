"""Days as partitions: what lies in the lake, reports of past days, and a build for each export that lands."""

import os
import sqlite3
from pathlib import Path

import dagster as dg
import pytest
from support.exports import write_sqlite

from evenhand.site import pages
from pipelines import definitions
from pipelines.days import BY_DAY, DAYS, day_key, landed
from pipelines.definitions import a_landed_export, defs
from pipelines.resources import Build


@pytest.fixture(autouse=True)
def quick_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report without its pages, which take most of a build's time and have tests of their own."""
    monkeypatch.setattr("evenhand.build.write_pages", lambda *_: None)
    assert pages


def event(number: int, day: str) -> dict[str, object]:
    created_at = f"{day}T12:00:00.000Z"
    return {"id": f"e{number}", "event_type": "signal.rule_fired:x", "metadata_json": "{}", "created_at": created_at}


def source_of(tmp_path: Path) -> Path:
    return write_sqlite(
        tmp_path / "e.sqlite",
        {"audit_events": [event(1, "2026-05-01"), event(2, "2026-05-02"), event(3, "2026-05-02")]},
    )


def build_of(tmp_path: Path, as_of: str = "2026-05-03T00:00:00Z") -> Build:
    return Build(source=str(tmp_path / "e.sqlite"), as_of=as_of, lake=str(tmp_path / "lake"), out=str(tmp_path / "out"))


def ran(job: str, build: Build, day: str) -> dg.ExecuteInProcessResult:
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return defs.resolve_job_def(job).execute_in_process(
        resources={"build": build}, partition_key=day, raise_on_error=False, run_config=quiet
    )


def reasons(result: dg.ExecuteInProcessResult) -> str:
    failures = (event.step_failure_data for event in result.all_events if event.is_step_failure)
    return " ".join(str(data.user_failure_data.description) for data in failures if data.user_failure_data)


def test_the_tables_by_day_have_daily_partitions_and_tables_a_freshness_policy() -> None:
    graph = defs.resolve_asset_graph()
    assert {graph.get(day_key(name)).partitions_def for name in BY_DAY} == {DAYS}
    specs = {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}
    assert all(spec.freshness_policy for key, spec in specs.items() if key.startswith("lake/"))


def test_a_day_of_the_lake_says_what_is_there(tmp_path: Path) -> None:
    from evenhand.lake.extraction import extract

    source_of(tmp_path)
    extract(str(tmp_path / "e.sqlite"), tmp_path / "lake")
    result = ran("days", build_of(tmp_path), "2026-05-02")
    assert result.success
    [made] = [one for one in result.get_asset_materialization_events() if one.asset_key == day_key("audit_events")]
    assert made.materialization.metadata["dagster/row_count"].value == 2


def test_a_day_that_was_dropped_is_refused_with_the_reason(tmp_path: Path) -> None:
    from evenhand.lake.extraction import extract
    from evenhand.timeline import instant_argument

    source_of(tmp_path)
    extract(str(tmp_path / "e.sqlite"), tmp_path / "lake", instant_argument("2026-11-01T00:00:00Z"))
    result = ran("days", build_of(tmp_path), "2026-05-02")
    assert not result.success
    assert "past its retention" in reasons(result)


def test_a_past_day_is_published_once_and_refused_when_it_would_differ(tmp_path: Path) -> None:
    source_of(tmp_path)
    assert ran("past_reports", build_of(tmp_path), "2026-05-02").success
    assert ran("past_reports", build_of(tmp_path), "2026-05-02").success
    with sqlite3.connect(tmp_path / "e.sqlite") as connection:
        connection.execute("UPDATE audit_events SET event_type = 'signal.human_override:x' WHERE id = 'e2'")
    result = ran("past_reports", build_of(tmp_path), "2026-05-02")
    assert not result.success
    assert "would now differ" in reasons(result)


def test_each_export_that_lands_starts_one_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    landing = tmp_path / "landing"
    landing.mkdir()
    monkeypatch.setenv("EVENHAND_LANDING", str(landing))
    monkeypatch.setattr(definitions.time, "time", lambda: 1_800_000_000.0)
    for name, age in (("a.sqlite", 3600), ("growing.sqlite", 5), (".hidden.sqlite", 3600), ("notes.txt", 3600)):
        path = landing / name
        path.write_bytes(b"x")
        os.utime(path, (1_800_000_000 - age, 1_800_000_000 - age))
    folder = landing / "tables"
    folder.mkdir()
    (folder / "audit_events.csv").write_text("id\n")
    for path in (folder / "audit_events.csv", folder):
        os.utime(path, (1_799_990_000, 1_799_990_000))
    assert [path.name for path in landed(landing, 1_800_000_000)] == ["a.sqlite", "tables"]
    with dg.build_sensor_context() as context:
        requests = a_landed_export.evaluate_tick(context).run_requests or []
    assert [str(request.run_key).split("-")[0] for request in requests] == ["a.sqlite", "tables"]


def test_an_empty_landing_folder_is_a_skip_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_LANDING", str(tmp_path / "landing"))
    with dg.build_sensor_context() as context:
        tick = a_landed_export.evaluate_tick(context)
    assert (tick.run_requests, tick.skip_message) == ([], "no settled export in landing")
