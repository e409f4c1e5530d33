"""Sections 3 and 4: citations, the confidence of a copy, and the seat's record."""

from dataclasses import replace
from decimal import Decimal

import pytest
from support.reviews import CITED, FAILED, RAN, document, finding, one, only, review, seat_record, suite, text_of

from evenhand.evidence.confidence import half_away
from evenhand.evidence.headline import dollars
from evenhand.evidence.seats import OUTCOMES, SeatRecords, SeatScores
from evenhand.policy import Policy


def confidence(*, seats=(), policy=None, **changes):
    return only(finding(**changes), seats=seats, policy=policy)["confidence"]


def test_multipliers():
    assert confidence(reproduction=RAN, stated_confidence=0.46) == 0.92
    assert confidence(suite=suite(), stated_confidence=0.46) == 0.46
    assert confidence(stated_confidence=0.5) == 0.4
    assert confidence(reproduction=RAN | {"status": "clock"}, stated_confidence=0.5) == 0.4
    assert confidence(reproduction=FAILED, stated_confidence=0.5) == 0.1


def test_an_unstated_confidence_is_one_half():
    assert confidence(stated_confidence=None) == 0.4
    assert confidence(stated_confidence=0) == 0


def test_never_above_one_and_a_proof_never_below_its_floor():
    assert confidence(reproduction=RAN, stated_confidence=1) == 1
    assert confidence(reproduction=RAN, stated_confidence=0.01) == 0.9


def test_numbers_are_exact_decimals():
    # As doubles 0.145 is 0.14499… and 1.005 is 1.00499…
    assert confidence(suite=suite(), stated_confidence=0.145) == 0.15
    [found] = document(review(settled_cost_usd=1.005))["reviews"]
    assert found["cost"] == "$1.01"


def test_more_digits_than_a_double_holds_still_decide():
    line = text_of([review(finding(suite=suite(), stated_confidence=0.111))])
    [found] = document(line.strip().replace("0.111", "0.14499999999999999999999"))["reviews"]
    assert found["mechanisms"][0]["confidence"] == 0.14


def test_rounding_is_half_away_from_zero_and_never_below_it():
    assert [half_away(n, 2) for n in (0, 1, 2, 3, -3)] == [0, 1, 1, 2, 0]


def test_a_verified_contradiction_counts_after_the_floor():
    assert confidence(reproduction=RAN, stated_confidence=1, contradiction=CITED) == 0.2
    assert confidence(reproduction=RAN, stated_confidence=0.1, contradiction=CITED) == 0.18


@pytest.mark.parametrize(
    ("citation", "holds"),
    [
        (CITED, True),
        (CITED | {"line": 9}, True),
        (CITED | {"line": 13}, True),
        (CITED | {"line": 8}, False),
        (CITED | {"line": 14}, False),
        (CITED | {"quote": " \u3000keep the\n"}, True),
        (CITED | {"quote": "Keep the"}, False),
        (CITED | {"quote": " \u2003\n"}, False),
        (CITED | {"quote": ""}, False),
        (CITED | {"file": "other.md"}, False),
        (CITED | {"quote": "held  \nthree"}, False),
        (CITED | {"quote": "five", "line": 16}, True),
        (CITED | {"quote": "five", "line": 17}, False),
        (CITED | {"quote": "one", "line": -5}, False),
        (CITED | {"quote": "\x1ckeep"}, False),
    ],
)
def test_a_citation_verifies_within_two_lines(citation, holds):
    found = only(finding(contradiction=citation))
    assert found["section"] == ("notes" if holds else "unverified")
    assert found["confidence"] == (0.08 if holds else 0.4)


def test_a_seat_counts_from_five_decided_records():
    four, five = seat_record(rejected=4), seat_record(rejected=5)
    assert confidence(seats=[four]) == 0.4
    assert confidence(seats=[five]) == 0.06  # 0.5 * 1/7 * 0.8 = 0.0571


def test_a_seats_record_is_of_its_account_and_lens():
    for other in (seat_record(account="umbra", rejected=5), seat_record(lens="docs", rejected=5)):
        assert confidence(seats=[other]) == 0.4


def test_a_score_below_zero_gives_no_confidence_below_zero():
    assert confidence(seats=[seat_record(rejected=5, contested=30)]) == 0
    assert confidence(seats=[seat_record(rejected=5, contested=30)], reproduction=RAN) == 0.9


def test_seat_records_of_one_key_add_up_and_are_listed_in_order():
    records = [seat_record("cedar", proven=2), seat_record("Elm"), seat_record("cedar", proven=1, merged=2, closed=1)]
    assert document(seats=records)["seat_scores"] == [
        {"account": "acme", "seat": "Elm", "lens": "correctness", "decided": 0, "score": 0.5},
        {"account": "acme", "seat": "cedar", "lens": "correctness", "decided": 6, "score": 0.8},
    ]


def scores(**records):
    gathered = SeatRecords()
    for seat, counts in records.items():
        gathered.add(("acme", seat, "docs"), dict.fromkeys(OUTCOMES, 0) | counts)
    return SeatScores(gathered, Policy().evidence)


def test_a_seat_moves_ahead_from_three_decided_records_and_a_lead_of_exactly_the_margin():
    # 12 of 18 settled give 13/20; the pick without records has 1/2.
    assert scores(cedar={"settled": 12, "rejected": 6}).moves_ahead("acme", "docs", "cedar", "alder")
    assert not scores(cedar={"settled": 12, "rejected": 7}).moves_ahead("acme", "docs", "cedar", "alder")
    assert not scores(cedar={"settled": 2}).moves_ahead("acme", "docs", "cedar", "alder")
    assert scores(cedar={"settled": 3}).moves_ahead("acme", "docs", "cedar", "alder")
    assert not scores(cedar={"settled": 3}, alder={"settled": 2}).moves_ahead("acme", "docs", "cedar", "alder")
    assert not scores(cedar={"settled": 3}).moves_ahead("acme", "docs", "cedar", "cedar")


def test_what_counts_as_decided_is_policy():
    policy = replace(Policy().evidence, decided_outcomes=("proven",))
    assert confidence(seats=[seat_record(rejected=5)], policy=policy) == 0.4


def test_contested_alone_decides_nothing():
    [found] = document(seats=[seat_record(contested=9)])["seat_scores"]
    assert (found["decided"], found["score"]) == (0, -4)


@pytest.mark.parametrize(
    ("amount", "text"), [(0, "$0.00"), ("0.005", "$0.01"), ("-0.001", "$0.00"), ("-0.25", "-$0.25"), (1234, "$1234.00")]
)
def test_amounts(amount, text):
    assert dollars(Decimal(amount)) == text


def test_the_mean_is_of_rounded_confidences():
    stated = [
        finding("A", suite=suite(), stated_confidence=0.505),
        finding("B", suite=suite(), stated_confidence=0.504),
    ]
    assert one(*stated)["summary_confidence_pct"] == 51
