"""Precision per rule: one row, one vote; only the two exact words decide."""

from support.cells import context, fold, withheld

NAME = "signals.rule_precision"


def test_precision_is_confirmed_of_decided_with_three_decimals():
    [rule] = fold(
        NAME,
        """
        rule_id  verdict    implicit  n
        slop     confirmed  null      7
        slop     reversed   null      4
        """,
    ).rules
    assert rule.precision.value == 0.636
    assert (rule.precision.numerator, rule.precision.denominator) == (7, 11)


def test_unrecognized_verdicts_never_lift_a_rule_over_its_floor():
    [rule] = fold(
        NAME,
        """
        rule_id  verdict       implicit  n
        slop     confirmed     null      9
        slop     unrecognized  null      5
        """,
    ).rules
    assert rule.precision.withheld == withheld(below_floor=10, n=9)
    assert rule.unrecognized == 5


def test_at_the_floor_there_is_a_reading_and_one_below_there_is_none():
    at, below = fold(
        NAME,
        """
        rule_id  verdict    implicit  n
        at       confirmed  null      10
        below    confirmed  null      9
        """,
    ).rules
    assert at.precision.value == 1
    assert at.precision.bounds == (0.722, 1)
    assert below.precision.value is None
    assert below.precision.bounds is None


def test_a_rule_that_nobody_decided_keeps_its_row():
    [rule] = fold(
        NAME,
        """
        rule_id  verdict       implicit  n
        quiet    unrecognized  null      3
        """,
    ).rules
    assert rule.decided == 0
    assert rule.precision.withheld == withheld(below_floor=10, n=0)


def test_rules_are_ordered_by_code_point_not_by_language():
    rules = fold(
        NAME,
        """
        rule_id  verdict    implicit  n
        a        confirmed  null      1
        é        confirmed  null      1
        B        confirmed  null      1
        _        confirmed  null      1
        b        confirmed  null      1
        """,
    ).rules
    assert [rule.rule_id for rule in rules] == ["B", "_", "a", "b", "é"]


def test_explicit_precision_leaves_out_what_nobody_said():
    """Ten of fifteen confirmations are of nobody undoing anything: 15 of 20, but 5 of 10 explicitly."""
    [rule] = fold(
        NAME,
        """
        rule_id  verdict    implicit  n
        slop     confirmed  true      10
        slop     confirmed  false     3
        slop     confirmed  null      2
        slop     reversed   true      1
        slop     reversed   null      4
        """,
    ).rules
    assert rule.implicit == 10
    assert rule.precision.value == 0.75
    assert (rule.explicit.numerator, rule.explicit.denominator) == (5, 10)


def test_the_floor_is_the_policys():
    [rule] = fold(
        NAME,
        """
        rule_id  verdict    implicit  n
        slop     confirmed  null      3
        """,
        context(floors={"rule_precision": 3}),
    ).rules
    assert rule.precision.value == 1


def test_a_score_gate_is_marked_because_verdicts_can_only_reverse_it():
    gate, other = fold(
        NAME,
        """
        rule_id            verdict   implicit  n
        quality_gate_score reversed  null      1
        slop               reversed  null      1
        """,
    ).rules
    assert gate.score_gate
    assert not other.score_gate
