"""The operator's weekly signals: every week is listed, and a week below its floor is withheld whole."""

from support.cells import fold, withheld

from evenhand.timeline import day_text


def test_all_eight_weeks_are_listed_also_those_without_an_event():
    [(rule, weeks)] = fold(
        "signals.calibration_trend",
        """
        rule_id  week        what   n
        slop     2026-05-04  fired  3
        """,
    ).rules
    assert rule == "slop"
    assert [day_text(week.monday) for week in weeks] == [
        "2026-04-20",
        "2026-04-27",
        "2026-05-04",
        "2026-05-11",
        "2026-05-18",
        "2026-05-25",
        "2026-06-01",
        "2026-06-08",
    ]
    assert [week.fired for week in weeks] == [0, 0, 3, 0, 0, 0, 0, 0]


def test_below_three_decided_the_counts_go_with_the_percentage_and_firings_stay():
    [(_, weeks)] = fold(
        "signals.calibration_trend",
        """
        rule_id  week        what          n
        slop     2026-06-08  fired         9
        slop     2026-06-08  confirmed     1
        slop     2026-06-08  reversed      1
        slop     2026-06-08  unrecognized  4
        """,
    ).rules
    week = weeks[-1]
    assert week.decided_shown is None
    assert week.precision.withheld == withheld(below_floor=3, n=2)
    assert (week.fired, week.unrecognized) == (9, 4)


def test_at_three_decided_the_week_is_shown():
    [(_, weeks)] = fold(
        "signals.calibration_trend",
        """
        rule_id  week        what       n
        slop     2026-06-08  confirmed  2
        slop     2026-06-08  reversed   1
        """,
    ).rules
    assert weeks[-1].decided_shown == (2, 1)
    assert weeks[-1].precision.value == 66.7


def test_a_backtest_that_neither_regressed_nor_improved_counts_as_unchanged():
    weeks = fold(
        "signals.backtest_runs",
        """
        week        verdict    n
        2026-06-08  regressed  1
        2026-06-08  improved   2
        2026-06-08  unchanged  3
        2026-06-08  Improved   4
        2026-06-08  null       5
        """,
    ).weeks
    last = weeks[-1]
    assert (last.runs.value, last.regressed, last.improved, last.unchanged) == (15, 1, 2, 12)


def test_a_kind_of_reversal_that_never_came_is_a_measured_zero():
    counts = fold(
        "signals.reversal_counts",
        """
        kind      n
        reverted  2
        """,
    )
    assert (counts.reopened.value, counts.reverted.value, counts.superseded.value) == (0, 2, 0)


def test_a_run_on_the_empty_corpus_freezes_nothing():
    empty = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    run = [{"corpus_checksum": empty, "stored_at": "2026-06-01"}]
    assert fold("signals.latest_backtest_run", run).run is None
    run = [{"corpus_checksum": "abc", "stored_at": "2026-06-01"}]
    assert fold("signals.latest_backtest_run", run).run.at == "2026-06-01"
