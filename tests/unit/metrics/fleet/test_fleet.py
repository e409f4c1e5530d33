"""Fleet: pooled figures, medians, the two-instance rule, outliers, anti-gaming, and published guarantees."""

import json
from fractions import Fraction

import pytest
from support.cells import context, fold, withheld

from evenhand.metrics.fleet.guarantees import least_cases, read_payload
from evenhand.metrics.fleet.instance_signals import TWO_INSTANCES

NAME = "fleet.instance_signals"


def instance(name, merges=0, right=0, closes=0, closed_right=0, holds=0, policy=0, flagged=0, registered=True):
    return {
        "instance_id": name,
        "registered": registered,
        "decided": merges + closes + holds + policy,
        "flagged": flagged,
        "merge_verdicts": merges,
        "merge_confirmed": right,
        "close_verdicts": closes,
        "close_confirmed": closed_right,
        "holds": holds,
        "policy_actions": policy,
    }


def test_eligible_is_registered_with_five_signals_and_policy_actions_are_signals():
    fleet = fold(
        NAME,
        [
            instance("four", merges=4),
            instance("five", holds=5),
            instance("policy", policy=5),
            instance("stranger", merges=50, registered=False),
        ],
    )
    assert [row.instance_id for row in fleet.eligible] == ["five", "policy"]
    assert [row.instance_id for row in fleet.instances] == ["five", "four", "policy", "stranger"]


def test_pooled_is_the_sum_of_counts_and_not_the_mean_of_rates():
    fleet = fold(NAME, [instance("a", 100, 90), instance("b", 5, 0), instance("c", 5, 5, holds=10)])
    assert fleet.accuracy.value == 86.4  # 95 of 110
    assert fleet.coverage.value == 91.7  # 110 of 120
    assert fleet.decided.value == 110
    assert fleet.basis == "fleet"


def test_medians_are_over_eligible_instances_that_have_a_value():
    fleet = fold(NAME, [instance("a", 10, 9), instance("b", 10, 5), instance("c", closes=10, closed_right=1)])
    assert fleet.medians["merge_precision"].exact == Fraction(7, 10)
    assert fleet.medians["close_precision"].exact == Fraction(1, 10)
    assert fleet.medians["false_positive_rate"].exact == Fraction(3, 10)
    assert fleet.medians["accuracy"].exact == Fraction(1, 2)


def test_at_exactly_two_instances_rates_stay_and_counts_and_intervals_go():
    fleet = fold(NAME, [instance("a", 6, 5), instance("b", closes=5, closed_right=4)])
    assert fleet.accuracy.value == 81.8
    for figure in (fleet.accuracy, fleet.merge_precision, fleet.close_precision, fleet.coverage):
        assert (figure.numerator, figure.denominator, figure.bounds) == (None, None, None)
        assert figure.interval_withheld == withheld(reason="withheld_for_privacy", detail=TWO_INSTANCES)
    assert fleet.decided.withheld == withheld(reason="withheld_for_privacy", detail=TWO_INSTANCES)
    assert fleet.basis == "single_instance_self_report"


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"]])
def test_at_one_and_at_three_instances_counts_and_intervals_are_shown(names):
    fleet = fold(NAME, [instance(name, 6, 5) for name in names])
    assert fleet.decided.value == 6 * len(names)
    assert fleet.accuracy.bounds is not None


def test_an_outlier_lies_more_than_a_quarter_from_the_median():
    fleet = fold(NAME, [instance("a", 100, 50), instance("b", 100, 50), instance("c", 100, 75)])
    assert fleet.outliers == ()
    fleet = fold(NAME, [instance("a", 100, 50), instance("b", 100, 50), instance("c", 100, 76)])
    assert [o.instance_id for o in fleet.outliers] == ["c"]


def gaming(decided=21, right=21, flagged=0, others_flagged=0):
    honest = [instance(name, 10, 7, flagged=others_flagged) for name in ("a", "b", "c")]
    return fold(NAME, [*honest, instance("gamer", decided, right, flagged=flagged)])


def test_gaming_is_much_decided_nearly_always_confirmed_and_hardly_ever_reversed():
    fleet = gaming()
    assert fleet.gaming_ran
    assert [flag.instance.instance_id for flag in fleet.gaming_flags] == ["gamer"]
    assert fleet.gaming_caught.value == 1


@pytest.mark.parametrize(
    "almost",
    [
        {"decided": 20, "right": 20},  # twice the median is not more than twice
        {"decided": 40, "right": 38},  # 0.95 is exactly a quarter above 0.70
        {"flagged": 1},  # 1 of 21 is above 0.02 while the median is 0
        {"flagged": 2, "others_flagged": 1},  # 2 of 21 is not below half of 0.1
    ],
    ids=["volume", "precision", "reversals when the median is none", "reversals"],
)
def test_each_condition_of_gaming_is_needed_and_strict(almost):
    assert gaming(**almost).gaming_flags == ()


def test_with_a_median_above_zero_less_than_half_of_it_is_hardly_ever():
    assert [flag.instance.instance_id for flag in gaming(flagged=1, others_flagged=1).gaming_flags] == ["gamer"]


def test_the_gaming_check_needs_three_instances_and_a_merge_verdict_and_else_it_says_that_it_did_not_run():
    two = fold(NAME, [instance("a", 6, 6), instance("b", 6, 6)])
    without_merges = fold(NAME, [instance(name, closes=6) for name in "abc"])
    for fleet in (two, without_merges):
        assert not fleet.gaming_ran
        assert fleet.gaming_caught.value is None
        assert fleet.gaming_caught.withheld.reason == "not_measurable"


def test_without_a_verdict_there_is_no_accuracy():
    fleet = fold(NAME, [instance(name, holds=6) for name in "abc"])
    assert fleet.accuracy.withheld == withheld(reason="not_measurable", detail="no verdict was recorded")
    assert fleet.coverage.value == 0


def test_a_week_of_the_fleet_needs_five_verdicts():
    weeks = fold(
        "fleet.fleet_trend",
        """
        week        verdicts  confirmed
        2026-06-01  5         4
        2026-06-08  4         4
        """,
    ).weeks
    assert (weeks[-2].verdicts.value, weeks[-2].accuracy.value) == (5, 80)
    assert (weeks[-1].verdicts.value, weeks[-1].accuracy.value) == (None, None)
    assert weeks[-1].accuracy.withheld == withheld(below_floor=5, n=4)


def test_at_two_instances_no_week_tells_a_count_not_even_in_its_reason():
    weeks = (
        fold(
            "fleet.fleet_trend",
            """
            week        verdicts  confirmed
            2026-06-01  5         4
            2026-06-08  4         4
            """,
        )
        .without_counts()
        .weeks
    )
    assert [week.accuracy.value for week in weeks[-2:]] == [80, None]
    for week in weeks:
        for figure in (week.verdicts, week.accuracy):
            shown = figure.as_json()
            assert (shown["numerator"], shown["denominator"], shown["interval"]) == (None, None, None)
            assert "n" not in (shown["withheld"] or {})


def test_cycle_times_are_unknown_for_windows_longer_than_live_rows_are_kept():
    cell = [{"n": 3, "p50_ms": 5, "p95_ms": 9}]
    assert fold("fleet.cycle_times", cell).p95.value == 9
    longer = fold("fleet.cycle_times", cell, context(windows={"fleet_days": 91}))
    assert not longer.observable
    assert longer.p50.value is None


GOOD = {
    "status": "calibrated",
    "alpha": 0.05,
    "lambda": 0.8,
    "coverageAtLambda": 0.7315,
    "nAtLambda": 59,
    "delta": 0.05,
    "totalPairs": 120,
    "backfilledPairs": 37,
}


def guaranteed(*payloads, arm="close"):
    cells = [
        {"instance_id": f"i{number}", "arm": arm, "payload_json": json.dumps(payload), "updated_us": number}
        for number, payload in enumerate(payloads)
    ]
    return fold("fleet.guarantees", cells).arms[arm]


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "Calibrated"},
        {"alpha": 0},
        {"alpha": 0.051},
        {"lambda": -0.1},
        {"lambda": 1.1},
        {"coverageAtLambda": 1.01},
        {"delta": 0},
        {"delta": 1.1},
        {"nAtLambda": 58},
        {"nAtLambda": 58.9},
        {"nAtLambda": "59"},
        {"alpha": None},
    ],
    ids=str,
)
def test_a_guarantee_out_of_bounds_is_none(wrong):
    assert guaranteed({**GOOD, **wrong}) is None
    assert guaranteed({**GOOD, **wrong}, GOOD).n == 59


@pytest.mark.parametrize(
    "edge", [{"lambda": 0}, {"lambda": 1}, {"coverageAtLambda": 0}, {"delta": 1, "nAtLambda": 0}], ids=str
)
def test_the_bounds_themselves_are_allowed(edge):
    assert guaranteed({**GOOD, **edge}) is not None


def test_of_valid_guarantees_the_one_of_most_cases_counts_then_the_newest():
    few, many = {**GOOD, "lambda": 0.1}, {**GOOD, "nAtLambda": 60, "lambda": 0.2}
    assert guaranteed(many, few).threshold == Fraction(2, 10)
    assert guaranteed({**few, "lambda": 0.3}, few).threshold == Fraction(1, 10)


@pytest.mark.parametrize(
    "pairs", [{"totalPairs": 0}, {"totalPairs": -1}, {"backfilledPairs": None}, {"totalPairs": "120"}]
)
def test_the_backfilled_share_is_unknown_without_both_numbers(pairs):
    assert guaranteed({**GOOD, **pairs}).backfilled is None


@pytest.mark.parametrize(
    ("alpha", "delta", "cases"),
    [
        ("0.05", "0.05", 59),
        ("0.01", "0.05", 299),
        ("0.05", "0.95", 1),
        ("0.05", "0.9025", 2),
        ("0.05", "0.9024999999999999999", 3),
        ("0.05", "1", 0),
    ],
)
def test_the_least_cases_are_exact_where_doubles_cannot_tell(alpha, delta, cases):
    """0.95 squared is 0.9025: two right cases in a row are just enough. Doubles say 2.0000000000000004, so three."""
    assert least_cases(Fraction(alpha), Fraction(delta)) == cases


def test_an_alpha_too_small_for_any_number_of_cases_is_no_guarantee():
    assert read_payload(json.dumps({**GOOD, "alpha": 5e-324, "nAtLambda": 10**300}), context()) is None
