"""Outcomes: accuracy is about auto-actions, volume about everything, and the two do not touch."""

import pytest
from support.cells import context, fold, undetailed, withheld

from evenhand.metrics.registry import combinations


def named(*repos: str):
    return context(repos=repos or ("acme/widgets",))


def test_accuracy_is_one_minus_reversed_of_auto_actioned_by_repository_and_overall():
    result = fold(
        "outcomes.decision_accuracy",
        """
        repo          auto_actioned  reversed
        acme/widgets  8              2
        acme/gadgets  2              0
        """,
        named("acme/widgets", "acme/gadgets"),
    )
    assert result.accuracy.value == 80
    assert [(row.repository, row.accuracy.value) for row in result.repositories] == [
        ("acme/gadgets", 100),
        ("acme/widgets", 75),
    ]


def test_without_an_auto_action_there_is_no_accuracy_and_certainly_not_a_perfect_one():
    result = fold("outcomes.decision_accuracy", "", named())
    assert result.accuracy.value is None
    assert result.accuracy.withheld == withheld(reason="not_measurable", detail="no auto-action was recorded")
    assert [row.repository for row in result.repositories] == ["acme/widgets"]


def test_without_an_allowlist_the_reason_is_another():
    result = fold("outcomes.decision_accuracy", "", context())
    assert result.accuracy.withheld == withheld(reason="not_measurable", detail="no repository is on the allowlist")


@pytest.mark.parametrize(
    ("auto_actioned", "reason"),
    [(0, withheld(reason="not_measurable")), (2, withheld(below_floor=3, n=2)), (3, None)],
)
def test_a_week_needs_three_auto_actions_whatever_its_volume(auto_actioned, reason):
    trend = fold(
        "outcomes.accuracy_trend",
        f"""
        week        auto_actioned     reversed
        2026-06-01  {auto_actioned}   0
        """,
        named(),
    )
    assert undetailed(trend.weeks[-2].accuracy.withheld) == reason


def volume(merged: int, closed: int, within=None, auto_actioned: int = 4):
    within = within or named()
    results = {
        "outcomes.volume_trend": fold(
            "outcomes.volume_trend",
            f"""
            week        what    n
            2026-06-01  merged  {merged}
            2026-06-01  closed  {closed}
            """,
            within,
        ),
        "outcomes.accuracy_trend": fold(
            "outcomes.accuracy_trend",
            f"""
            week        auto_actioned    reversed
            2026-06-01  {auto_actioned}  1
            """,
            within,
        ),
    }
    return combinations()["outcomes.weekly_trend"].combine(results, within).weeks[-2]


def test_below_three_ended_the_whole_week_is_withheld_and_says_how_many_there_were():
    week = volume(1, 1)
    figures = (week.merged, week.closed, week.reversed, week.accuracy)
    assert [figure.value for figure in figures] == [None] * 4
    assert {undetailed(figure.withheld) for figure in figures} == {withheld(below_floor=3, n=2)}


def test_at_three_ended_the_week_is_shown():
    week = volume(1, 2)
    assert (week.merged.value, week.closed.value, week.reversed.value, week.accuracy.value) == (1, 2, 1, 75)


def test_a_week_of_much_volume_and_few_auto_actions_has_volume_and_no_accuracy():
    week = volume(50, 0, auto_actioned=2)
    assert (week.merged.value, week.accuracy.value) == (50, None)
    assert week.accuracy.withheld == withheld(below_floor=3, n=2)


def totals(within, **tables: str):
    entry = combinations()["outcomes.totals"]
    return entry.combine({need: fold(need, tables.get(need.split(".")[1], ""), within) for need in entry.needs}, within)


FLEET = """
    rolled_up  outcome  n
    false      merged   4
    false      closed   2
    false      other    3
    true       merged   10
    true       closed   5
    true       total    16
"""


def test_the_fleet_adds_to_merged_and_closed_by_outcome_and_to_handled_by_row():
    total = totals(
        named(),
        published_states="""
            repo          state      n
            acme/widgets  merged     3
            acme/widgets  closed     1
            acme/widgets  in_review  1
        """,
        fleet_volume=FLEET,
    )
    assert (total.merged.value, total.closed.value, total.in_review.value) == (3 + 14, 1 + 7, 1)
    assert total.reviewed.value == 17 + 8 + 1
    assert total.handled.value == 5 + (4 + 2 + 3) + 16
    assert total.filtered.value == 34.6  # 9 of 26


def test_without_an_allowlist_the_own_part_is_what_was_recorded_at_twenty_minutes_each():
    total = totals(
        context(),
        published_states="""
            repo          state   n
            acme/widgets  merged  99
        """,
        recorded_states="""
            state      n
            merged     2
            in_review  1
        """,
    )
    assert (total.merged.value, total.in_review.value, total.handled.value) == (2, 1, 3)
    assert total.minutes.value == 60
    assert total.reversed.value == 0


def test_of_nothing_reviewed_there_is_no_share_and_no_minute():
    total = totals(named())
    assert total.filtered.value is None
    assert total.minutes.value == 0


def test_a_pull_request_is_worth_the_mean_of_its_minutes_and_twenty_when_it_says_none():
    """5, then 10 and 11 of one pull request, then two that say nothing: 5 + 10.5 + 40."""
    minutes = fold(
        "outcomes.review_minutes",
        [
            {"recorded": 1, "minutes": "5", "n": 1},
            {"recorded": 2, "minutes": "10", "n": 1},
            {"recorded": 2, "minutes": "11", "n": 1},
            {"recorded": 0, "minutes": None, "n": 2},
        ],
    )
    assert float(minutes.minutes) == 55.5
    assert (minutes.pull_requests, minutes.stated) == (4, 2)


def test_states_add_up_over_repositories():
    states = fold(
        "outcomes.published_states",
        """
        repo          state      n
        acme/widgets  merged     3
        acme/gadgets  in_review  2
        """,
        named(),
    )
    assert states.total.reviewed == 5
    assert [repo for repo, _ in states.repositories] == ["acme/gadgets", "acme/widgets"]
