"""Intervals, rounding, medians and percentiles on integers and exact rationals."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from evenhand.stats import exact_decimal, median, nearest_rank, percent, rounded, wilson

Z = 1.96
COUNTS = st.integers(1, 5000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(COUNTS)
def test_wilson_is_what_statsmodels_says_at_the_same_z(counts):
    from scipy.stats import norm

    successes, of = counts
    low, high = proportion_confint(successes, of, alpha=2 * norm.sf(Z), method="wilson")
    ours = wilson(successes, of, Z)
    assert ours == pytest.approx((low, high), abs=1e-12)


@given(COUNTS)
def test_wilson_stays_within_0_and_1_and_holds_the_share(counts):
    successes, of = counts
    low, high = wilson(successes, of, Z)
    assert 0 <= low <= successes / of <= high <= 1


@given(COUNTS)
def test_wilson_of_the_failures_is_its_mirror(counts):
    successes, of = counts
    low, high = wilson(successes, of, Z)
    mirrored = wilson(of - successes, of, Z)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_at_the_ends_the_bound_is_exact():
    assert wilson(0, 7, Z)[0] == 0
    assert wilson(7, 7, Z)[1] == 1


def test_of_nothing_there_is_no_interval():
    assert wilson(0, 0, Z) is None


def test_59_of_60_does_not_reach_over_one():
    assert [round(bound, 3) for bound in wilson(59, 60, Z)] == [0.911, 0.997]


def test_more_than_all_is_refused():
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2, Z)


@given(st.decimals(-1000, 1000, places=6), st.integers(0, 4))
def test_rounding_is_half_away_from_zero(value, places):
    expected = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    assert Fraction(str(rounded(Fraction(value), places))) == Fraction(expected)


@pytest.mark.parametrize(
    ("value", "places", "result"),
    [
        (Fraction(201, 4), 1, 50.3),
        (Fraction(4900, 80), 1, 61.3),
        (Fraction(-201, 4), 1, -50.3),
        (Fraction(1, 2), 0, 1),
        (Fraction(-1, 2), 0, -1),
        (Fraction(80), 1, 80),
        (Fraction(1, 3), 3, 0.333),
    ],
)
def test_ties_go_away_from_zero_and_whole_results_are_integers(value, places, result):
    got = rounded(value, places)
    assert got == result
    assert isinstance(got, int) == (got == int(got))


def test_a_percentage_of_nothing_is_none():
    assert percent(0, 0, 1) is None
    assert percent(31, 80, 1) == 38.8


def test_the_median_is_the_middle_or_the_mean_of_the_middle_two():
    assert median([]) is None
    assert median([Fraction(3), Fraction(1), Fraction(2)]) == 2
    assert median([Fraction(1), Fraction(2)]) == Fraction(3, 2)


@given(st.integers(1, 400), st.integers(1, 100))
def test_nearest_rank_is_the_least_rank_that_covers_the_percentile(total, percentile):
    rank = nearest_rank(total, percentile)
    assert rank * 100 >= percentile * total
    assert rank == 1 or (rank - 1) * 100 < percentile * total


def test_a_decimal_text_is_exact_and_what_has_no_double_is_none():
    assert exact_decimal("0.7315") == Fraction(7315, 10_000)
    assert exact_decimal("1e400") is None
    assert exact_decimal("1e-999999999") == 0
