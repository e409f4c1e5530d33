"""Recommendations: the smallest step that history speaks for, never past a bound, never on too few cases."""

from dataclasses import replace
from fractions import Fraction

import pytest
from support.backtests import case, several

from evenhand.backtest.recommendation import candidates, lines_of, recommend
from evenhand.backtest.scoring import cells_of
from evenhand.backtest.splitting import is_held_out, split
from evenhand.errors import UsageError
from evenhand.policy import Policy, policy_from

F = Fraction
POLICY = Policy()
FLOOR = "satisfaction_floor"

# Between 0.45 and 0.5 people confirmed: a lower floor predicts fewer reversals, and better ones.
BETTER = cells_of(several(("reversed", "0.3", 10), ("confirmed", "0.47", 10), ("confirmed", "0.9", 10)))
SAME = cells_of(several(("reversed", "0.3", 10), ("confirmed", "0.9", 20)))
WORSE = cells_of(several(("reversed", "0.47", 10), ("reversed", "0.3", 5), ("confirmed", "0.9", 20)))


def loosened(visible, held_out, **policy):
    return next(
        loop for loop in recommend(FLOOR, visible, held_out, POLICY, **policy).loops if loop.direction == "loosening"
    )


def test_the_smallest_step_that_improves_and_does_not_regress_is_recommended():
    loop = loosened(BETTER, SAME)
    assert loop.recommended.value == F("0.45")
    assert [step.value for step in loop.steps] == [F("0.45"), F("0.4"), F("0.35"), F("0.3")]


@pytest.mark.parametrize(
    ("visible", "held_out", "why"),
    [
        (SAME, SAME, "unchanged on the visible cases"),
        (WORSE, SAME, "regressed on the visible cases"),
        (BETTER, WORSE, "regressed on the held-out cases"),
        (cells_of(several(("reversed", "0.3", 9), ("confirmed", "0.47", 10))), SAME, "19 visible cases, at least 20"),
        (BETTER, cells_of(several(("confirmed", "0.9", 4))), "4 held-out cases, at least 5"),
    ],
)
def test_everything_else_is_refused_with_its_reason(visible, held_out, why):
    loop = loosened(visible, held_out)
    assert loop.recommended is None
    assert why in loop.steps[0].refusal


def test_from_a_current_value_only_candidates_beyond_it_are_tried_and_none_past_the_bound():
    knob = POLICY.satisfaction_floor
    assert candidates(knob, "loosening", F("0.4")) == [F("0.35"), F("0.3")]
    assert candidates(knob, "loosening", F("0.3")) == []
    assert candidates(replace(knob, loosening_bound="0.4"), "loosening", F("0.5")) == [F("0.45"), F("0.4")]
    assert candidates(POLICY.slop_gate_score, "loosening", F("0.6")) == [F("0.65"), F("0.7")]
    assert candidates(POLICY.ai_review_close_confidence, "tightening", F("0.93")) == [F("0.95"), F("0.97")]


def tightened(confirmed_below: int):
    cells = cells_of(
        several(
            ("reversed", "0.5", 100),
            ("reversed", "0.94", 5),
            ("confirmed", "0.94", confirmed_below),
            ("confirmed", "0.99", 20),
        )
    )
    found = recommend("ai_review_close_confidence", cells, cells, POLICY)
    return next(loop for loop in found.loops if loop.direction == "tightening")


def test_a_tightening_may_give_a_little_precision_for_recall_and_no_more():
    # From 100 of 100 to 105 of 110 gives 4.5 points; to 105 of 111 gives 5.4.
    assert tightened(5).recommended.value == F("0.95")
    assert tightened(6).recommended is None
    assert "regressed" in tightened(6).steps[0].refusal


def test_a_recommendation_says_that_it_changes_nothing_and_an_unknown_name_is_refused():
    assert lines_of(recommend(FLOOR, BETTER, SAME, POLICY))[-1] == "Advisory only: nothing is changed."
    with pytest.raises(UsageError, match="known are satisfaction_floor"):
        recommend("floor", BETTER, SAME, POLICY)


def test_the_split_is_of_targets_and_comes_out_the_same_for_anyone():
    cases = [case("confirmed", "0.5", number) for number in range(400)]
    visible, held_out = split(cases, "seed", F(1, 4))
    assert (len(visible), len(held_out)) == (310, 90)
    assert split(cases, "seed", F(0)) == (cases, [])
    assert split(cases, "seed", F(1)) == ([], cases)
    assert all(is_held_out("seed", "slop", one.target_key, F(1, 4)) for one in held_out)
    with pytest.raises(UsageError, match="between 0 and 1"):
        split(cases, "seed", F(5, 4))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"satisfaction_floor": {"loosening": ["0.45", "0.2"]}}, "goes past its bound 0.3"),
        ({"satisfaction_floor": {"loosening": ["0.4", "0.45"]}}, "smallest step first"),
        ({"satisfaction_floor": {"loosening": ["half"]}}, "decimal numbers as texts"),
        ({"slop_gate_score": {"loosening": ["0.65", "0.55"]}}, "lead away from 0.6"),
        ({"backtest": {"alpha": 1.5}}, "at most 1"),
        ({"backtest": {"guarantee_candidates": ["0.9", "0.5"]}}, "must ascend"),
        ({"backtest": {"known": ["windows"]}}, "no known threshold"),
    ],
)
def test_a_policy_that_would_lead_past_a_bound_is_refused(table, said):
    with pytest.raises(UsageError, match=said):
        policy_from(table)
