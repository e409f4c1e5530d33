"""The cases whose right values were worked out by hand: what happened, and why the value is what it is."""

from collections.abc import Callable
from typing import Any

import pytest
from support.pipeline import Published

Publish = Callable[[str], Published]
MIDNIGHT = "T00:00:00.000Z"


def subset(of: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: of[name] for name in names}


def test_accuracy_is_about_auto_actions_alone_the_fleet_moves_only_the_volume(published: Publish) -> None:
    """Ten auto-actions, two undone, beside 990 merges of the fleet: 8 of 10, not 998 of 1000."""
    stats = published("open-hand-01").stats
    assert stats["totals"] == {
        "handled": 1000,
        "merged": 8 + 990,
        "closed": 0,
        "commented": 2,
        "ignored": 0,
        "manual": 0,
        "error": 0,
        "reversed": 2,
        "reviewed": 1000,
        "filteredPct": 0.2,
        "accuracyPct": 80,
        "accuracyWindowDays": 90,
        "minutesSaved": 10 * 20 + 990 * 20,
    }
    assert stats["weekly"] == {"reviewed": 10, "merged": 8}
    assert stats["byProject"] == [
        {"project": "acme/widgets", "reviewed": 10, "merged": 8, "closed": 0, "accuracyPct": 80}
    ]
    assert stats["accuracyTrend"][6] == {
        "weekStart": "2026-06-01",
        "merged": 8,
        "closed": 0,
        "reversed": 2,
        "accuracyPct": 80,
    }


def test_a_pull_request_that_was_only_commented_on_is_in_no_denominator(published: Publish) -> None:
    """Five hundred comments, ten auto-closes, one of them undone: 9 of 10, not 509 of 510."""
    stats = published("open-hand-02").stats
    assert subset(stats["totals"], "accuracyPct", "reversed") == {"accuracyPct": 90, "reversed": 1}
    assert subset(stats["totals"], "reviewed", "closed", "merged", "commented", "filteredPct", "minutesSaved") == {
        "reviewed": 510,
        "closed": 10,
        "merged": 0,
        "commented": 500,
        "filteredPct": 100,
        "minutesSaved": 10_200,
    }
    assert stats["byProject"] == [
        {"project": "acme/widgets", "reviewed": 510, "merged": 0, "closed": 10, "accuracyPct": 90}
    ]


def test_fleet_accuracy_sees_wrong_verdicts_that_nobody_flagged_and_no_hold(published: Publish) -> None:
    """3783 confirmed of 4043 merges and closes; one minus the reversal rate would have said 99.6."""
    result = published("open-hand-03")
    fleet = result.stats["fleetAccuracy"]
    assert fleet["accuracyPct"] == 93.6
    assert fleet["accuracyCiPct"] == {"lo": 92.8, "hi": 94.3}
    assert subset(fleet, "mergePrecisionPct", "closePrecisionPct", "coveragePct", "decidedCount") == {
        "mergePrecisionPct": 92.4,
        "closePrecisionPct": 96.2,
        "coveragePct": 64.4,
        "decidedCount": 4043,
    }
    assert result.operator["fleetAnalytics"]["fleet"]["pooled"]["holds"] == 1770 + 464
    assert result.operator["fleetAnalytics"]["instances"][0]["decided"] == 6277
    assert result.stats["fleetAccuracyTrend"][6] == {
        "weekStart": "2026-06-01",
        "verdicts": 4043,
        "accuracyPct": 93.6,
    }


def test_one_instance_is_a_self_report_and_without_auto_actions_there_is_no_accuracy(
    published: Publish,
) -> None:
    result = published("open-hand-03")
    assert subset(result.stats["fleetAccuracy"], "instanceCount", "basis", "gamingFlagsCaught") == {
        "instanceCount": 1,
        "basis": "single_instance_self_report",
        "gamingFlagsCaught": None,
    }
    assert result.stats["totals"]["accuracyPct"] is None


def test_policy_closes_are_activity_and_are_scored_nowhere(published: Publish) -> None:
    """210 enforcement closes carry the verdict merge; scored, they would have made 8 of 220 of 8 of 10."""
    result = published("open-hand-04")
    fleet, analytics = result.stats["fleetAccuracy"], result.operator["fleetAnalytics"]
    assert subset(fleet, "accuracyPct", "decidedCount", "coveragePct") == {
        "accuracyPct": 80,
        "decidedCount": 10,
        "coveragePct": 100,
    }
    [instance] = analytics["instances"]
    assert subset(instance, "decided", "policyActions", "reversalRate") == {
        "decided": 220,
        "policyActions": 210,
        "reversalRate": 0.05,
    }
    assert instance["counts"]["holds"] == 0
    assert analytics["fleet"]["mergePrecision"] == 0.8
    assert result.stats["fleetAccuracyTrend"][6] == {
        "weekStart": "2026-06-01",
        "verdicts": 10,
        "accuracyPct": 80,
    }


def test_only_the_two_exact_words_are_verdicts_and_nothing_else_lifts_a_rule_over_its_floor(
    published: Publish,
) -> None:
    """No verdict, `Confirmed`, `confirmed ` with a blank, 1, null, a list: unrecognized; the first of a key twice."""
    assert published("open-hand-05").stats["rulePrecision"]["rules"] == [
        {"ruleId": "duplicate_pr_risk", "decided": 9, "confirmed": 9, "unrecognized": 6, "precision": None},
        {
            "ruleId": "missing_linked_issue",
            "decided": 10,
            "confirmed": 9,
            "unrecognized": 1,
            "precision": 0.9,
        },
    ]


def test_an_unusable_verdict_labels_no_case_and_does_not_hide_the_usable_one_after_it(
    published: Publish,
) -> None:
    corpora = published("open-hand-05").corpora
    assert corpora["duplicate_pr_risk"]["cases"] == [
        {
            "ruleId": "duplicate_pr_risk",
            "outcome": "blocker",
            "label": "confirmed",
            "firedAt": f"2026-05-01{MIDNIGHT}",
            "decidedAt": f"2026-05-03{MIDNIGHT}",
        }
    ]
    assert corpora["missing_linked_issue"]["caseCount"] == 0


def test_a_rule_without_cases_gets_no_record_and_a_precision_under_the_floor_stays_null_in_one(
    published: Publish,
) -> None:
    [record] = published("open-hand-05").records
    assert record["workUnit"]["ruleId"] == "duplicate_pr_risk"
    assert subset(record["score"], "decided", "precision", "coverage") == {
        "decided": 9,
        "precision": None,
        "coverage": 1,
    }


def test_times_are_instants_so_every_written_form_of_the_edge_days_counts(published: Publish) -> None:
    """Six rows on the edges of [17 March 12:00, 15 June 12:00), in five forms; four outside, one that is no date."""
    result = published("open-hand-06")
    assert result.stats["rulePrecision"]["rules"] == [
        {"ruleId": "missing_linked_issue", "decided": 10, "confirmed": 8, "unrecognized": 0, "precision": 0.8}
    ]
    assert result.operator["quality"]["quarantined"] == {"audit_events": {"unparseable_created_at": 1}}


def test_the_oldest_monday_of_the_trend_counts_and_the_sunday_before_it_does_not(published: Publish) -> None:
    stats = published("open-hand-06").stats
    assert stats["accuracyTrend"][0] == {
        "weekStart": "2026-04-27",
        "merged": 3,
        "closed": 0,
        "reversed": 0,
        "accuracyPct": None,
    }
    assert stats["accuracyTrend"][7]["weekStart"] == "2026-06-15"
    assert subset(stats["totals"], "merged", "handled") == {"merged": 4, "handled": 4}


def test_at_two_instances_the_count_is_withheld_and_the_rates_are_not(published: Publish) -> None:
    """Either one could subtract its own eleven. A third instance has four signals, a fourth is not registered."""
    result = published("open-hand-07")
    assert subset(
        result.stats["fleetAccuracy"],
        "instanceCount",
        "decidedCount",
        "accuracyPct",
        "basis",
        "gamingFlagsCaught",
    ) == {
        "instanceCount": 2,
        "decidedCount": None,
        "accuracyPct": 81.8,
        "basis": "single_instance_self_report",
        "gamingFlagsCaught": None,
    }
    analytics = result.operator["fleetAnalytics"]
    assert analytics["fleet"]["mergePrecision"] == pytest.approx(5 / 6)
    assert analytics["gamingDetectionEligible"] is False


def test_with_one_signal_more_there_are_three_instances_and_the_figures_are_the_fleets(
    published: Publish,
) -> None:
    result = published("open-hand-07b")
    assert subset(
        result.stats["fleetAccuracy"],
        "instanceCount",
        "decidedCount",
        "accuracyPct",
        "basis",
        "gamingFlagsCaught",
    ) == {
        "instanceCount": 3,
        "decidedCount": 16,
        "accuracyPct": 87.5,
        "basis": "fleet",
        "gamingFlagsCaught": 0,
    }
    analytics = result.operator["fleetAnalytics"]
    assert analytics["fleet"]["mergePrecision"] == 11 / 12
    assert analytics["gamingDetectionEligible"] is True


def test_one_row_with_broken_metadata_blanks_no_figure(published: Publish) -> None:
    """Each broken row is worth what its type and time say: an unrecognized verdict, a live action, twenty minutes."""
    result = published("open-hand-08")
    precision = result.stats["rulePrecision"]
    assert precision["rules"] == [
        {"ruleId": "cla_consent_missing", "decided": 10, "confirmed": 7, "unrecognized": 1, "precision": 0.7}
    ]
    assert precision["latestBacktestRun"] == {"corpusChecksum": "ab" * 32, "at": f"2026-06-01{MIDNIGHT}"}
    assert subset(result.stats["totals"], "accuracyPct", "reversed", "minutesSaved") == {
        "accuracyPct": 66.7,
        "reversed": 1,
        "minutesSaved": 36,
    }
    assert result.operator["quality"]["malformed"]["audit_events"] == 4


def test_a_broken_guarantee_is_skipped_and_the_next_one_published(published: Publish) -> None:
    assert published("open-hand-08").stats["fleetAccuracy"]["guaranteed"] == {
        "close": {"alpha": 0.05, "lambda": 0.8, "aiJudgedCoveragePct": 73.2, "n": 59, "backfilledPct": 30.8},
        "merge": None,
    }


def test_rounding_is_half_away_from_zero_on_the_exact_fraction(published: Publish) -> None:
    """201 of 400 is 50.25 % exactly: 50.3. Binary arithmetic prints 50.2."""
    stats = published("open-hand-09").stats
    assert subset(stats["fleetAccuracy"], "accuracyPct", "mergePrecisionPct", "coveragePct") == {
        "accuracyPct": 50.3,
        "mergePrecisionPct": 50.3,
        "coveragePct": 50.1,
    }
    assert stats["fleetAccuracyTrend"][6] == {"weekStart": "2026-06-01", "verdicts": 400, "accuracyPct": 50.3}
    assert stats["fleetAccuracy"]["guaranteed"]["merge"] == {
        "alpha": 0.05,
        "lambda": 0,
        "aiJudgedCoveragePct": 6.3,
        "n": 59,
        "backfilledPct": 6.3,
    }
