"""From counted cells to figures: what is a share of what, and what is withheld."""

import pytest
from support.analytics import figures, fold
from support.cells import withheld

from evenhand.figures import Scale, Source, Unit


def test_coverage_counts_all_reviews_and_each_pass():
    found = fold(
        "coverage",
        """
        pass   kind                n
        deep   complete           14
        deep   complete_with_gaps  3
        deep   did_not_run         3
        first  partial            10
        """,
    )
    all_, first, deep = found.groups
    assert [group.reviews.value for group in found.groups] == [30, 10, 20]
    assert (all_.incomplete, first.incomplete, deep.incomplete) == (16, 10, 6)
    assert deep.shares["complete"].value == 70
    assert deep.shares["did_not_run"].value == 15
    assert deep.left_out.value == 30
    assert (first.shares["partial"].value, first.shares["complete"].value) == (100, 0)


def test_shares_of_few_reviews_are_withheld_and_their_number_is_not():
    found = fold("coverage", "pass kind n\n deep partial 9")
    assert found.groups[0].reviews.value == 9
    assert found.groups[0].shares["partial"].withheld == withheld(below_floor=10, n=9)
    assert fold("coverage", "pass kind n\n deep partial 9", reviews={"review_floor": 9}).groups[0].left_out.value == 100


def test_without_a_review_nothing_is_a_share():
    found = figures(fold("coverage", ""))
    assert found["all/reviews"].value == 0
    assert found["all/complete"].withheld == withheld(below_floor=10, n=0)


def test_states_are_shares_of_the_mechanisms_of_a_lens_or_seat():
    found = fold(
        "evidence_states",
        """
        by    name   state    n
        all   ''     proven   9
        all   ''     refuted  3
        lens  docs   proven   9
        lens  docs   refuted  3
        lens  tests  proven   4
        seat  alder  refuted  12
        """,
    )
    everything, docs, tests, alder = found.groups
    assert (everything.shares["proven"].value, everything.shares["suite_green"].value) == (75, 0)
    assert (docs.name, docs.total, docs.shares["refuted"].value) == ("docs", 12, 25)
    assert docs.shares["proven"].bounds == pytest.approx((46.8, 91.1))
    assert tests.shares["proven"].withheld == withheld(below_floor=10, n=4)
    assert alder.shares["refuted"].value == 100
    assert {figure.unit for figure in docs.shares.values()} == {Unit.MECHANISM}
    assert list(docs.shares) == ["proven", "suite_green", "unverified", "could_not_run", "refuted"]


def test_without_a_mechanism_there_is_still_the_group_of_all():
    [everything] = fold("evidence_states", "").groups
    assert everything.mechanisms.value == 0


def test_severity_is_counted_by_pass_and_the_passes_are_not_added_up():
    found = fold(
        "severity",
        """
        pass   severity  n
        deep   critical  5
        deep   unrated   15
        first  critical  2
        """,
    )
    deep, first = found.passes
    assert [deep.counts[level].value for level in deep.counts] == [5, 0, 0, 0, 15]
    assert deep.shares["critical"].value == 25
    assert (first.mechanisms.value, first.shares["critical"].withheld) == (2, withheld(below_floor=10, n=2))


def test_shares_of_suggestions_are_of_those_that_a_complete_deep_pass_met():
    found = fold(
        "first_pass",
        """
        outcome               n
        withdrawn             3
        proven                6
        not_seen              3
        deep_pass_incomplete  5
        no_deep_pass          7
        insertion             1
        """,
    )
    assert (found.suggestions.value, found.met) == (25, 12)
    assert (found.shares["withdrawn"].value, found.shares["proven"].value) == (25, 50)
    assert found.counts["no_deep_pass"].value == 7
    assert "no_deep_pass" not in found.shares


BINS = """
    curve       confidence  whole  held  n
    confidence  90          100    9     9
    confidence  100         100    1     1
    confidence  89          100    0     3
    stated      0           100    0     2
    stated      99          100    4     12
"""


def test_a_bin_holds_its_lower_end_and_the_last_one_both():
    confidence, stated = fold("reliability", BINS, reviews={"bin_floor": 1}).curves
    assert [one.decided for one in confidence.bins] == [0, 0, 0, 0, 0, 0, 0, 0, 3, 10]
    last = confidence.bins[9]
    assert (last.low, last.high, last.held.value, last.mean.value) == (90, 100, 100, 91)
    assert [one.decided for one in stated.bins] == [2, 0, 0, 0, 0, 0, 0, 0, 0, 12]
    assert stated.bins[9].held.value == 33.3
    assert (confidence.decided.unit, stated.decided.unit) == (Unit.MECHANISM, Unit.COPY)


def test_a_bin_of_few_cases_shows_neither_its_share_nor_its_mean():
    confidence, _ = fold("reliability", BINS).curves
    eighty, ninety = confidence.bins[8:]
    assert eighty.held.withheld == eighty.mean.withheld == withheld(below_floor=10, n=3)
    assert ninety.held.value == 100


def test_how_many_bins_there_are_is_policy():
    confidence, _ = fold("reliability", BINS, reviews={"reliability_bins": 2, "bin_floor": 1}).curves
    assert [(one.low, one.high, one.decided) for one in confidence.bins] == [(0, 50, 0), (50, 100, 13)]


FIXES = """
    kind            seat   outcome  n
    follow_up       ''     open     4
    follow_up       ''     merged   9
    follow_up       ''     closed   3
    follow_up_seat  alder  merged   9
    follow_up_seat  birch  closed   3
    records         alder  merged   30
    records         alder  closed   10
"""


def test_the_merged_share_is_of_decided_fixes_alone():
    found = fold("fix_plans", FIXES)
    assert (found.follow_ups.share.value, found.follow_ups.share.denominator) == (75, 12)
    assert found.follow_ups.open is not None
    assert found.follow_ups.open.value == 4
    alder, birch = found.follow_up_seats
    assert (alder.name, alder.share.withheld) == ("alder", withheld(below_floor=10, n=9))
    assert (birch.closed.value, birch.share.withheld) == (3, withheld(below_floor=10, n=3))


def test_seat_records_bear_no_time_and_are_another_source():
    [alder] = fold("fix_plans", FIXES).records
    assert (alder.share.value, alder.share.window, alder.share.source) == (75, None, Source.SEATS)
    assert alder.open is None
    assert fold("fix_plans", FIXES, seats=False).records == ()


SEATS = """
    account  seat   lens  proven  contested  settled  unsettled  rejected  merged  closed  beside  ahead
    acme     alder  docs  3       0          0        0          0         0       0       4       2
    acme     alder  docs  1       1          0        0          0         1       0       0       0
    other    alder  docs  5       0          0        0          0         0       0       2       1
    third    alder  docs  1       0          0        0          0         0       0       1       1
"""


def test_records_of_one_key_add_up_to_one_score():
    row, _ = fold("seat_calibration", SEATS).rows
    assert (row.account, row.lens, row.seat, row.decided.value) == ("acme", "docs", "alder", 5)
    # (4 - 1 + 0 + 2 * 1 + 1) / (4 + 0 + 0 + 0 + 2 * 1 + 0 + 2)
    assert (row.score.numerator, row.score.denominator, row.score.value) == (6, 8, 0.75)
    assert (row.score.scale, row.score.window, row.score.interval) == (Scale.SCORE, None, None)
    assert row.weighs is True
    assert (row.ahead.value, row.beside.value) == (2, 4)


@pytest.mark.parametrize(("proven", "weighs"), [(4, False), (5, True)])
def test_a_score_weighs_from_five_decided_records_on(proven, weighs):
    table = f"{SEATS.strip().splitlines()[0]}\n acme alder docs {proven} 0 0 0 0 0 0 0 0"
    [row] = fold("seat_calibration", table).rows
    assert row.weighs is weighs


def test_accounts_that_own_no_named_repository_are_added_up_without_a_score():
    found = fold("seat_calibration", SEATS)
    _, others = found.rows
    assert others.account is None
    assert (others.counts["proven"], others.decided.value, others.ahead.value) == (6, 6, 2)
    assert others.score.withheld == withheld(reason="not_measurable", detail="a score belongs to one account")
    assert others.weighs is None
    assert not [name for name, _ in found.figures() if "third" in name]
    assert [row.account for row in found.every] == ["acme", "other", "third"]


def test_an_owner_is_named_whatever_the_case_of_its_letters():
    [row] = fold("seat_calibration", SEATS.replace("acme", "ACME").split(" other")[0], repos=["acme/widgets"]).rows
    assert row.account == "ACME"
