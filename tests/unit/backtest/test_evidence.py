"""What a verdict rests on: flips, exact tests, intervals, reliability, loosest threshold and guarantee."""

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from support.backtests import corpus, several

from evenhand.backtest.guarantee import certify, labels_needed
from evenhand.backtest.paired import paired_thresholds, scores
from evenhand.backtest.reliability import loosest_threshold, reliability
from evenhand.backtest.scoring import cells_of, score_threshold
from evenhand.backtest.threshold import run_threshold
from evenhand.backtest.words import markdown_of, text_of
from evenhand.policy import Backtest, Policy
from evenhand.stats import clopper_pearson_upper, mcnemar_exact, newcombe, newcombe_paired, significant

Z = 1.96
POLICY = Backtest()
F = Fraction


# --- statistics -----------------------------------------------------------------------------------------------


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial_sum(one, other):
    total, least = one + other, min(one, other)
    exact = min(F(1), F(2 * sum(comb(total, k) for k in range(least + 1)), 2**total))
    assert mcnemar_exact(one, other) == pytest.approx(float(exact), rel=1e-9)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_what_statsmodels_says(one, other):
    if one != other:
        assert mcnemar_exact(one, other) == pytest.approx(mcnemar([[3, one], [other, 5]], exact=True).pvalue, rel=1e-9)


SHARE = st.integers(1, 80).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(SHARE, SHARE)
def test_newcombe_of_independent_shares_is_what_statsmodels_says(before, after):
    expected = confint_proportions_2indep(*after, *before, method="newcomb")
    assert newcombe(before, after, 1.959963984540054) == pytest.approx(expected, abs=1e-9)


def test_newcombe_of_paired_shares_is_the_published_example():
    # Newcombe 1998, table III: a, b, c, d = 36, 12, 2, 0.
    found = newcombe_paired(36, 2, 12, 0, 1.959963984540054)
    assert [round(bound, 4) for bound in found] == [0.0569, 0.3404]


@given(*[st.integers(0, 30)] * 4)
def test_the_paired_interval_holds_the_change_and_turns_with_it(both, before, after, neither):
    found = newcombe_paired(both, before, after, neither, Z)
    if both + before + after + neither == 0:
        assert found is None
        return
    change = (after - before) / (both + before + after + neither)
    assert -1 <= found[0] <= change <= found[1] <= 1
    turned = newcombe_paired(both, after, before, neither, Z)
    assert (-turned[1], -turned[0]) == pytest.approx(found)


@given(SHARE, st.sampled_from((0.05, 0.005)))
def test_clopper_pearson_is_what_statsmodels_says(share, level):
    _, high = proportion_confint(*share, alpha=2 * level, method="beta")
    assert clopper_pearson_upper(*share, level) == pytest.approx(high, abs=1e-9)


def test_of_nothing_acted_upon_nothing_is_known():
    assert clopper_pearson_upper(0, 0, 0.05) == 1


def test_numbers_that_a_library_computed_are_cut_before_they_are_printed():
    assert [significant(0.123456789), significant(2.0), significant(1.5e-9)] == [0.123457, 2, 1.5e-9]


# --- flips ----------------------------------------------------------------------------------------------------


def test_every_flip_is_counted_on_its_own_side():
    cells = cells_of(
        several(("reversed", "0.5", 3), ("confirmed", "0.5", 2), ("reversed", "0.9", 1), ("confirmed", "0.1", 4))
    )
    up, down = paired_thresholds(cells, F("0.4"), F("0.6")), paired_thresholds(cells, F("0.6"), F("0.4"))
    assert (up.to_reversed, up.to_confirmed, up.corrected, up.broken) == (5, 0, 3, 2)
    assert (down.to_reversed, down.to_confirmed, down.corrected, down.broken) == (0, 5, 2, 3)
    assert up.p_value == down.p_value == 1


GROUPS = st.lists(
    st.tuples(
        st.sampled_from(("confirmed", "reversed")), st.sampled_from(("0.1", "0.5", "0.9", None)), st.integers(1, 4)
    ),
    max_size=8,
)
CUTS = st.fractions(0, 1, max_denominator=20)


@given(GROUPS, CUTS, CUTS)
def test_the_pairs_give_both_scores_back(groups, old, new):
    cells = cells_of(several(*groups))
    expected = tuple(score_threshold("slop", cells, cut) for cut in (old, new))
    assert scores("slop", paired_thresholds(cells, old, new)) == expected


def test_the_same_shares_weigh_more_on_three_hundred_cases_than_on_three():
    few, many = (
        paired_thresholds(cells_of(several(("reversed", "0.5", n), ("confirmed", "0.9", n))), F("0.4"), F("0.6"))
        for n in (3, 300)
    )
    assert few.accuracy(Z).json(Z)["change"] == many.accuracy(Z).json(Z)["change"] == 0.5
    assert few.p_value == 0.25
    assert many.p_value < 1e-80
    widths = [one.accuracy(Z).interval[1] - one.accuracy(Z).interval[0] for one in (few, many)]
    assert widths[0] > 5 * widths[1]


# --- reliability ----------------------------------------------------------------------------------------------


def test_a_bin_holds_its_lower_end_and_the_last_one_holds_1():
    curve = reliability(
        cells_of(several(("confirmed", "0", 1), ("confirmed", "0.1", 2), ("confirmed", "1", 3))), POLICY
    )
    assert [found.cases for found in curve.bins] == [1, 2, 0, 0, 0, 0, 0, 0, 0, 3]


def test_below_the_floor_a_bin_keeps_its_counts_and_withholds_its_share():
    curve = reliability(cells_of(several(("confirmed", "0.25", 4), ("confirmed", "0.55", 5))), POLICY)
    told = curve.json(Z)["bins"]
    assert (told[2]["precision"], told[2]["interval"], told[2]["cases"]) == (None, None, 4)
    assert told[2]["withheld"] == {"reason": "below_floor", "floor": 5}
    assert (told[5]["precision"], told[5]["withheld"]) == (1, None)


def test_the_calibration_error_is_the_mean_distance_of_claim_and_outcome():
    # 10 cases claim 0.9 and 6 are confirmed: 0.3 off; 10 claim 0.2 and 2 are: not off.
    cells = cells_of(
        several(("confirmed", "0.9", 6), ("reversed", "0.9", 4), ("confirmed", "0.2", 2), ("reversed", "0.2", 8))
    )
    assert reliability(cells, POLICY).calibration_error == F(3, 20)


def test_what_claims_nothing_or_the_impossible_is_counted_apart():
    curve = reliability(
        cells_of(several(("confirmed", None, 3), ("confirmed", "1.5", 2), ("confirmed", "-0.1", 1))), POLICY
    )
    assert (curve.cases, curve.unclaimed, curve.out_of_range, curve.calibration_error) == (0, 3, 3, None)


def test_the_loosest_threshold_is_the_lowest_from_which_on_the_target_is_met():
    cells = cells_of(
        several(("confirmed", "0.9", 9), ("reversed", "0.9", 1), ("reversed", "0.8", 2), ("confirmed", "0.7", 18))
    )
    # at 0.9: 9 of 10; at 0.8: 9 of 12; at 0.7: 27 of 30, which meets the target again.
    found = loosest_threshold(cells, POLICY)
    assert (found.threshold, found.confirmed, found.cases) == (F("0.7"), 27, 30)
    assert loosest_threshold(cells_of(several(("confirmed", "0.9", 4))), POLICY) is None


# --- guarantee ------------------------------------------------------------------------------------------------


def test_so_many_spotless_cases_are_needed_and_one_fewer_is_too_few():
    level = POLICY.delta / len(POLICY.guarantee_candidates)
    needed = labels_needed(POLICY.alpha, level)
    assert needed == 104
    assert clopper_pearson_upper(0, needed, level) <= POLICY.alpha < clopper_pearson_upper(0, needed - 1, level)


def test_too_few_labels_are_refused_with_what_is_needed_and_what_there_is():
    found = certify(cells_of(several(("confirmed", "0.99", 103), ("confirmed", None, 500))), POLICY)
    told = found.json()
    assert (told["status"], told["needed"], told["have"]) == ("insufficient_labels", 104, 103)


def test_the_first_candidate_that_passes_is_certified_although_higher_ones_would_too():
    cells = cells_of(several(("confirmed", "0.9", 150), ("reversed", "0.55", 40)))
    told = certify(cells, POLICY).json()
    assert (told["status"], told["lambda"], told["nAtLambda"], told["wrongAtLambda"]) == ("calibrated", 0.6, 150, 0)
    assert told["upperBound"] <= POLICY.alpha
    assert told["coverageAtLambda"] == pytest.approx(150 / 190)


def test_no_threshold_is_refused_with_how_far_off_the_nearest_is():
    cells = cells_of(several(("confirmed", "0.9", 150), ("reversed", "0.9", 50)))
    told = certify(cells, POLICY).json()
    assert told["status"] == "no_certifiable_threshold"
    assert told["shortBy"] == pytest.approx(told["nearest"]["upperBound"] - POLICY.alpha, abs=1e-6)


def test_each_candidate_costs_its_share_of_the_error():
    cells = cells_of(several(("confirmed", "0.9", 80)))
    alone = replace(POLICY, guarantee_candidates=("0.9",))
    assert certify(cells, alone).json()["status"] == "calibrated"
    assert certify(cells, POLICY).json()["status"] == "insufficient_labels"


def test_a_guarantee_is_broken_no_more_often_than_it_admits():
    """Two hundred histories of a gate that is wrong in one case of twenty: at most delta of them are certified."""
    import random

    rng = random.Random(7)
    policy = replace(POLICY, guarantee_candidates=("0.5", "0.7", "0.9"))
    certified = 0
    for _ in range(200):
        groups = [
            ("reversed" if rng.random() < 0.0501 else "confirmed", rng.choice(("0.5", "0.7", "0.9")), 1)
            for _ in range(250)
        ]
        certified += certify(cells_of(several(*groups)), policy).chosen is not None
    assert certified / 200 <= POLICY.delta


# --- the report -----------------------------------------------------------------------------------------------

MIXED = several(("reversed", "0.5", 12), ("confirmed", "0.55", 9), ("confirmed", "0.9", 30), ("reversed", "0.9", 2))


def test_the_compatible_text_comes_first_to_the_byte():
    from evenhand.backtest.rendering import comparison_text

    run = run_threshold(corpus(MIXED), F("0.5"), F("0.6"), Policy())
    for told in (text_of(run, Policy()), markdown_of(run, Policy())):
        assert told.startswith(comparison_text(run.comparison) + "\n")


def test_the_document_holds_the_verdict_and_everything_that_it_rests_on():
    told = run_threshold(corpus(MIXED), F("0.5"), F("0.6"), Policy()).json(Policy())
    assert told["comparison"]["verdict"] == "improved"
    evidence = told["evidence"]
    assert set(evidence) == {"paired", "heldOut", "reliability", "loosestThreshold", "guarantee"}
    assert evidence["paired"]["flippedToReversed"] == 21
    sides = [evidence["heldOut"][side]["baseline"]["caseCount"] for side in ("visible", "heldOut")]
    assert sum(sides) == len(MIXED)
    assert min(sides) > 0
