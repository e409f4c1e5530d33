"""Scores and comparisons: reversed is the positive class, and every comparison is exact."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.backtests import case, several

from evenhand.backtest.decimals import number_text, printed
from evenhand.backtest.rendering import comparison_text, score_text
from evenhand.backtest.scoring import (
    Direction,
    Score,
    cells_of,
    compare,
    compare_thresholds,
    score_threshold,
)
from evenhand.errors import UsageError

HALF = Fraction(1, 2)


def test_a_confidence_below_the_threshold_predicts_reversed_and_an_absent_one_is_1():
    cells = cells_of([case("reversed", "0.49"), case("confirmed", "0.5"), case("reversed"), case("confirmed", "0.1")])
    assert score_threshold("slop", cells, HALF) == Score("slop", 1, 1, 1, 1)
    assert score_threshold("slop", cells, Fraction(1)) == Score("slop", 1, 2, 0, 1)


def test_thresholds_are_compared_as_decimals_not_as_doubles():
    cells = cells_of([case("reversed", "0.59999999999999999999")])
    assert score_threshold("slop", cells, Fraction("0.6")).true_positive == 1
    assert float(Fraction("0.59999999999999999999")) == 0.6


def test_an_axis_of_nothing_is_none_and_moves_nothing():
    before, after = Score("slop", 0, 0, 3, 2), Score("slop", 2, 0, 3, 0)
    assert before.precision is None
    found = compare(before, after)
    assert (found.regressed, found.improved, found.verdict) == ((), ("recall",), "improved")


def test_one_axis_that_falls_regresses_whatever_the_other_does():
    found = compare(Score("slop", 1, 1, 8, 2), Score("slop", 3, 4, 5, 0))
    assert (found.regressed, found.improved, found.verdict) == (("precision",), ("recall",), "regressed")


def test_in_a_direction_the_other_axis_may_fall_by_what_is_allowed_and_no_more():
    before, after = Score("slop", 1, 1, 8, 1), Score("slop", 2, 3, 6, 0)  # precision 1/2 -> 2/5, recall 1/2 -> 1
    assert compare(before, after, Direction("recall", Fraction("0.1"))).verdict == "improved"
    assert compare(before, after, Direction("recall", Fraction("0.0999999"))).verdict == "regressed"


def test_in_a_direction_only_the_named_axis_can_improve_the_whole():
    found = compare(Score("slop", 1, 0, 1, 4), Score("slop", 3, 0, 1, 2), Direction("precision", Fraction(0)))
    assert (found.improved, found.verdict) == (("recall",), "unchanged")


def test_an_axis_that_does_not_exist_and_a_sacrifice_beyond_1_are_refused():
    with pytest.raises(UsageError, match="precision or recall"):
        Direction("f1", Fraction(0))
    with pytest.raises(UsageError, match="between 0 and 1"):
        Direction("recall", Fraction(2))


COUNTS = st.lists(
    st.tuples(st.sampled_from(("confirmed", "reversed")), st.sampled_from(("0.1", "0.5", "0.9", None)), st.just(1)),
    max_size=20,
)
THRESHOLDS = st.fractions(0, 1, max_denominator=10)


@given(COUNTS, THRESHOLDS, THRESHOLDS)
def test_swapping_the_two_thresholds_swaps_what_improves_and_what_regresses(groups, old, new):
    cells = cells_of(several(*groups))
    there, back = (compare_thresholds("slop", cells, *pair) for pair in ((old, new), (new, old)))
    assert (there.regressed, there.improved) == (back.improved, back.regressed)


@given(COUNTS, THRESHOLDS, THRESHOLDS)
def test_a_direction_that_gives_nothing_regresses_exactly_when_the_symmetric_one_does(groups, old, new):
    cells = cells_of(several(*groups))
    symmetric = compare_thresholds("slop", cells, old, new)
    directed = compare_thresholds("slop", cells, old, new, Direction("recall", Fraction(0)))
    assert (symmetric.verdict == "regressed") == (directed.verdict == "regressed")


def test_rationals_are_printed_as_the_shortest_double():
    assert [printed(Fraction(1, 3)), printed(Fraction(2)), printed(None)] == [0.3333333333333333, 2, None]
    assert [number_text(Fraction(1, 10**7)), number_text(Fraction(1))] == ["1e-7", "1"]


def test_the_text_of_a_comparison_lists_regressed_axes_first():
    found = compare(Score("slop", 1, 1, 8, 2), Score("slop", 3, 4, 5, 0))
    assert comparison_text(found) == (
        "### Backtest comparison: `slop`\n\n**Regressed**\n- precision: 0.5 → 0.42857142857142855\n\n"
        "**Improved**\n- recall: 0.3333333333333333 → 1\n\nVerdict: REGRESSED — do not merge.\n"
    )
    assert score_text(Score("slop")).endswith("| Precision | N/A |\n| Recall | N/A |\n")
