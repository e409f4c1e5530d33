"""What an export does not hold: figures say "not provided", numbers are null, lists empty, and nothing is zero."""

from pathlib import Path
from typing import Any

import pytest
from support.exports import COLUMNS, every_table, write_sqlite
from support.pipeline import Published, publish
from support.rows import action, event, firing, override, record, signal, state, surface

from evenhand.errors import EvenhandError

AS_OF = "2026-06-10T00:00:00Z"
AT = "2026-06-04T08:00:00Z"
REPO = "acme/widgets"

FULL: dict[str, list[dict[str, Any]]] = every_table(
    {
        "audit_events": [
            *(surface(f"{REPO}#{n}", AT) for n in range(6)),
            *(action("merge", f"{REPO}#{n}", AT) for n in range(6)),
            event("reversal_reopened", f"{REPO}#1", "2026-06-05T00:00:00Z"),
            *(override("slop", f"{REPO}#{n}", "2026-06-06T00:00:00Z") for n in range(12)),
            *(firing("slop", f"{REPO}#{n}", AT) for n in range(12)),
            event("calibration.logic_backtest_run", None, AT, corpusChecksum="abc"),
        ],
        "pull_requests": [state(REPO, n, merged_at=AT, author_association="NONE") for n in range(6)],
        "decision_records": [record(REPO, n, AT, findings_count=n) for n in range(6)],
        "orb_instances": [{"instance_id": f"i{n}", "registered": 1} for n in range(3)],
        "orb_signals": [
            signal(f"i{n}", "merge", "merged", AT, time_to_close_ms=1000) for n in range(3) for _ in range(6)
        ],
        "orb_signal_rollups": [],
        "orb_pr_outcomes": [
            {
                "repository_full_name": "ext/one",
                "pr_number": n,
                "installation_id": 1,
                "outcome": "merged",
                "occurred_at": AT,
            }
            for n in range(4)
        ],
        "orb_outcome_rollups": [{"account_login": "acme", "merged": 3, "closed": 1, "total": 4}],
        "orb_github_installations": [{"installation_id": 1, "account_login": "acme", "registered": 1}],
        "orb_risk_control_arms": [],
    }
)


def published(tmp_path: Path, tables: dict[str, Any], without: dict[str, Any] | None = None) -> Published:
    return publish(write_sqlite(tmp_path / "export.sqlite", tables, without), AS_OF, [REPO])


def test_with_every_table_every_part_is_measured(tmp_path):
    stats = published(tmp_path, FULL).stats
    assert stats["totals"]["accuracyPct"] == 83.3
    assert stats["fleetAccuracy"]["accuracyPct"] == 100
    assert stats["reviewParity"]["verdicts"] == 6
    assert stats["accuracyTrend"][6] == {
        "weekStart": "2026-06-01",
        "merged": 10,
        "closed": 0,
        "reversed": 1,
        "accuracyPct": 83.3,
    }


GONE: dict[tuple[str, ...], dict[str, Any]] = {
    ("audit_events",): {
        "totals.accuracyPct": None,
        "totals.reversed": None,
        "totals.minutesSaved": None,
        "totals.handled": None,
        "weekly.reviewed": None,
        "byProject": [],
        "accuracyTrend": [],
        "rulePrecision.rules": [],
        "rulePrecision.reversals": {"reopened": None, "reverted": None, "superseded": None},
        "rulePrecision.latestBacktestRun": None,
    },
    ("pull_requests",): {
        "totals.merged": None,
        "totals.reviewed": None,
        "totals.filteredPct": None,
        "weekly.merged": None,
        "byProject": [],
        "accuracyTrend": [],
        "reviewParity.verdicts": 6,
        "reviewParity.byAuthorClass": [],
    },
    ("decision_records",): {
        "reviewParity.verdicts": None,
        "reviewParity.reevaluations": None,
        "reviewParity.reevaluationRatePct": None,
        "reviewParity.byReason": [],
        "reviewParity.byAuthorClass": [],
        "reviewParity.byProject": [],
        "automationRate.weeks": [],
        "automationRate.decided": None,
        "automationRate.automated": None,
        "automationRate.automationRatePct": None,
    },
    ("orb_signals", "orb_signal_rollups"): {
        "fleetAccuracy.accuracyPct": None,
        "fleetAccuracy.decidedCount": None,
        "fleetAccuracy.instanceCount": None,
        "fleetAccuracyTrend": [],
    },
    ("orb_instances",): {
        "fleetAccuracy.accuracyPct": None,
        "fleetAccuracy.instanceCount": None,
        "fleetAccuracyTrend": [],
    },
}


@pytest.mark.parametrize("absent", GONE, ids="+".join)
def test_numbers_are_null_and_lists_empty(absent, tmp_path):
    stats = published(tmp_path, {name: rows for name, rows in FULL.items() if name not in absent}).stats
    assert {path: at(stats, path) for path in GONE[absent]} == GONE[absent]


def at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value[key]
    return value


def test_the_operators_counts_are_null_too(tmp_path):
    fleetless = {name: rows for name, rows in FULL.items() if not name.startswith("orb_")}
    operator = published(tmp_path, fleetless).operator
    analytics = operator["fleetAnalytics"]
    assert (analytics["instanceCount"], analytics["instances"]) == (None, [])
    assert set(analytics["fleet"]["pooled"].values()) == {None}
    (tmp_path / "export.sqlite").unlink()
    eventless = {name: rows for name, rows in FULL.items() if name != "audit_events"}
    assert published(tmp_path, eventless).operator["calibrationTrend"] == {"rules": [], "backtestRuns": []}


@pytest.mark.parametrize("absent", COLUMNS, ids=str)
def test_any_one_table_may_be_absent_and_every_figure_still_has_a_value_or_a_reason(absent, tmp_path):
    result = published(tmp_path, {name: rows for name, rows in FULL.items() if name != absent})
    assert absent in result.report["notProvided"]
    assert result.operator["fleetAnalytics"] is not None
    for figure in result.report["figures"]:
        assert (figure["value"] is None) == (figure["withheld"] is not None), figure["id"]


@pytest.mark.parametrize("absent", ["audit_events", "decision_records", "orb_instances", "pull_requests"])
def test_the_reason_names_the_table(absent, tmp_path):
    result = published(tmp_path, {name: rows for name, rows in FULL.items() if name != absent})
    details = {(figure["withheld"] or {}).get("detail", "") for figure in result.report["figures"]}
    assert any("not provided" in detail and absent in detail for detail in details)


def test_other_rooms_are_untouched_by_what_one_lacks(tmp_path):
    whole = published(tmp_path, FULL).stats
    (tmp_path / "export.sqlite").unlink()
    lacking = published(tmp_path, {name: rows for name, rows in FULL.items() if not name.startswith("orb_")}).stats
    for part in ("rulePrecision", "reviewParity", "automationRate", "byProject"):
        assert lacking[part] == whole[part]


OPTIONAL = {
    "audit_events": ("id", "actor", "target_key", "outcome", "detail", "metadata_json"),
    "pull_requests": ("state", "author_association", "merged_at", "updated_at", "linked_issues_json"),
    "decision_records": ("id", "reevaluation_reason", "reevaluation_actor", "findings_count", "record_json"),
    "orb_signals": (
        "gate_verdict",
        "reversal_flag",
        "gate_reasoncode_bucket",
        "time_to_close_ms",
        "decision_timestamp",
    ),
    "orb_signal_rollups": ("gate_verdict", "gate_reasoncode_bucket"),
    "orb_pr_outcomes": ("installation_id",),
    "orb_risk_control_arms": ("updated_at",),
}


@pytest.mark.parametrize("table", OPTIONAL)
def test_columns_that_only_some_figures_need_may_be_absent(table, tmp_path):
    result = published(tmp_path, FULL, {table: OPTIONAL[table]})
    assert result.stats["reviewParity"]["verdicts"] == 6
    assert set(result.operator["quality"]["missingColumns"][table]) == set(OPTIONAL[table])


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("audit_events", "created_at"),
        ("audit_events", "event_type"),
        ("decision_records", "created_at"),
        ("orb_instances", "registered"),
    ],
)
def test_a_column_without_which_a_table_says_nothing_is_refused_by_name(table, column, tmp_path):
    with pytest.raises(EvenhandError, match=f"{table} .*lacks the column {column}"):
        published(tmp_path, FULL, {table: [column]})


def test_empty_tables_are_measured_zeros_and_nothing_decided(tmp_path):
    result = published(tmp_path, every_table({}))
    totals = result.stats["totals"]
    assert {name: totals[name] for name in ("handled", "merged", "reviewed", "reversed", "minutesSaved")} == {
        "handled": 0,
        "merged": 0,
        "reviewed": 0,
        "reversed": 0,
        "minutesSaved": 0,
    }
    assert (totals["accuracyPct"], totals["filteredPct"]) == (None, None)
    assert result.stats["rulePrecision"]["reversals"] == {"reopened": 0, "reverted": 0, "superseded": 0}
    assert result.stats["reviewParity"]["verdicts"] == 0
    assert result.stats["automationRate"]["decided"] == 0
    assert result.stats["fleetAccuracy"]["instanceCount"] == 0
    assert len(result.stats["accuracyTrend"]) == len(result.stats["fleetAccuracyTrend"]) == 8
    assert result.report["notProvided"] == []


@pytest.mark.parametrize(
    ("table", "column", "figure"),
    [
        ("orb_signals", "reversal_flag", "fleet.instance_signals:pooled/accuracy"),
        ("orb_signals", "gate_verdict", "fleet.instance_signals:pooled/coverage"),
        ("decision_records", "reevaluation_reason", "ledger.reevaluations:rate"),
        ("decision_records", "reevaluation_actor", "ledger.automation_rate:all/rate"),
        ("pull_requests", "merged_at", "outcomes.totals:merged"),
        ("audit_events", "outcome", "outcomes.decision_accuracy:all/accuracy"),
    ],
)
def test_a_figure_whose_column_is_absent_says_so_and_has_no_value(table, column, figure, tmp_path):
    result = published(tmp_path, FULL, {table: (column,)})
    [found] = [entry for entry in result.report["figures"] if entry["id"] == figure]
    assert found["value"] is None
    assert found["withheld"] == {"reason": "not_measurable", "detail": f"not provided: {table}.{column}"}
