"""A figure says how much of its window the export covers, and has no value when that is nothing."""

from pathlib import Path
from typing import Any

import pytest
from support.exports import every_table, write_sqlite
from support.pipeline import publish
from support.rows import override

from evenhand.figures import Figure, Reason, Scale, Source, Unit, Withheld
from evenhand.metrics.registry import Context
from evenhand.policy import Policy
from evenhand.site.datasets import datasets
from evenhand.site.pages.wording import explanation, view
from evenhand.site.terminal import figures_table
from evenhand.timeline import DAY, HOUR, Window

WINDOW = Window(0, 90 * DAY)


def share(numerator: int, of: int) -> Figure:
    return Figure.proportion(numerator, of, unit=Unit.OVERRIDE, source=Source.SIGNALS, window=WINDOW, z=1.96, places=1)


@pytest.mark.parametrize(
    ("earliest", "says"),
    [
        (None, ""),
        (-5 * DAY, ""),
        (0, ""),
        (1, "covers 90 of 90 days"),
        (45 * DAY, "covers 45 of 90 days"),
        (45 * DAY - HOUR, "covers 46 of 90 days"),
        (90 * DAY - 1, "covers 1 of 90 days"),
    ],
)
def test_a_source_that_begins_inside_the_window_is_noted_beside_the_figure(earliest: int | None, says: str) -> None:
    shown = view(share(3, 4).covered_from(earliest))
    assert shown.covers == says
    assert (says in shown.evidence) is bool(says)
    assert shown.shown


def test_one_that_begins_only_after_the_window_has_nothing_to_say_of_it() -> None:
    figure = share(0, 0).covered_from(90 * DAY)
    assert figure.as_json()["withheld"] == {"reason": "window_not_covered"}
    count = Figure.counted(0, unit=Unit.EVENT, source=Source.SIGNALS, window=WINDOW).covered_from(91 * DAY)
    assert (count.value, view(count).covers) == (0, "covers 0 of 90 days")


def test_a_figure_without_a_window_is_covered_by_any_export() -> None:
    figure = Figure.counted(3, unit=Unit.EVENT, source=Source.SIGNALS, window=None)
    assert figure.covered_from(10**18) == figure


def test_the_report_and_its_pages_say_it(tmp_path: Path) -> None:
    events = [override("secret_leak", f"a/b#{n}", "2026-06-11T00:00:00Z") for n in range(12)]
    export = write_sqlite(tmp_path / "export.sqlite", every_table({"audit_events": events}))

    def precision(as_of: str) -> dict[str, Any]:
        figures = publish(export, as_of).report["figures"]
        return {figure["id"]: figure for figure in figures}["signals.rule_precision:secret_leak/precision"]

    assert precision("2026-07-01T00:00:00Z")["coveredDays"] == 20
    assert "coveredDays" not in precision("2026-09-09T00:00:00Z")


def test_why_a_window_is_not_covered_is_said_in_one_sentence() -> None:
    told = explanation(Withheld(Reason.WINDOW_NOT_COVERED), Unit.OVERRIDE, Scale.PERCENT)
    assert told == "The export begins only after the window has ended, so it can say nothing of it."


@pytest.mark.parametrize(
    ("earliest", "begins"),
    [
        ({"orb_signals": 50 * DAY, "orb_signal_rollups": 20 * DAY}, 20 * DAY),
        ({"orb_signals": 50 * DAY}, 50 * DAY),
        ({"orb_signal_rollups": 20 * DAY}, 20 * DAY),
        ({}, None),
    ],
)
def test_a_fleet_is_covered_from_its_first_live_row_or_rollup(earliest: dict[str, int], begins: int | None) -> None:
    tables = frozenset({"orb_signals", "orb_signal_rollups", "orb_instances"})
    context = Context(Policy(), 90 * DAY, tables, earliest=earliest)
    assert context.begins("orb_signals|orb_signal_rollups", "orb_instances") == begins


def signal(received_at: str) -> dict[str, Any]:
    told = {"gate_verdict": "merge", "outcome": "merged", "reversal_flag": "none"}
    return {"instance_id": "i1", **told, "gate_reasoncode_bucket": "", "received_at": received_at}


def test_rollups_that_begin_before_the_live_rows_cover_more_of_the_window(tmp_path: Path) -> None:
    rolled = {**signal(""), "day": "2026-05-02", "n": 4}
    del rolled["received_at"]
    tables = {
        "orb_instances": [{"instance_id": "i1", "registered": 1}],
        "orb_signals": [signal("2026-06-21T00:00:00Z")],
        "orb_signal_rollups": [rolled],
    }
    export = write_sqlite(tmp_path / "export.sqlite", every_table(tables))
    figures = {figure["id"]: figure for figure in publish(export, "2026-07-01T00:00:00Z").report["figures"]}
    assert figures["fleet.instance_signals:pooled/accuracy"]["coveredDays"] == 60


def test_the_table_of_figures_and_the_terminal_say_it_too(tmp_path: Path) -> None:
    events = [override("secret_leak", f"a/b#{n}", "2026-06-11T00:00:00Z") for n in range(12)]
    export = write_sqlite(tmp_path / "export.sqlite", every_table({"audit_events": events}))
    published = publish(export, "2026-07-01T00:00:00Z")
    name = "signals.rule_precision:secret_leak/precision"
    [table] = [table for table in datasets(published.computed) if table.name == "figures"]
    assert {row["id"]: row["covered_days"] for row in table.rows.to_pylist()}[name] == 20
    [line] = [line for line in figures_table(published.report).splitlines() if line.startswith(name)]
    assert "12 overrides, covers 20 of 90 days" in line
