"""From reviews to counted cells: what is counted, once, and which reviews lie in the window."""

import json

import pytest
from support.analytics import counts_of, figures, reviewed_of
from support.reviews import FAILED, RAN, finding, patch, review, seat_record, suite

LIKE = {"title": "one two three four five six seven", "files": ["f"]}


def test_a_mechanism_counts_once_for_each_of_its_lenses_and_seats():
    both = [
        finding("A", **LIKE, lens="docs", seat="alder", reproduction=RAN),
        finding("B", **LIKE, lens="docs", seat="birch"),
        finding("C", **LIKE, lens="tests", seat="birch", reproduction=FAILED),
    ]
    found = counts_of(reviewed_of(review(*both, finding("D", lens="docs", reproduction=FAILED))), "evidence_states")
    mechanisms = {name: n for name, n in found.items() if name.endswith("mechanisms")}
    assert mechanisms == {
        "all/mechanisms": 2,
        "lens/docs/mechanisms": 2,
        "lens/tests/mechanisms": 1,
        "seat/alder/mechanisms": 2,
        "seat/birch/mechanisms": 1,
    }
    # The lens of a refuted copy is told of the proof that the mechanism has.
    assert "lens/tests/proven" in found


def test_the_first_pass_is_left_out_of_the_states():
    found = reviewed_of(review(finding(reproduction=RAN), **{"pass": "first"}))
    assert counts_of(found, "evidence_states") == {}


def test_severity_takes_what_reviewers_rated_with_a_reach():
    copies = [
        finding("A", impact="high", reach="from main"),
        finding("B", impact="critical", reach=" "),
        finding("C"),
    ]
    found = counts_of(reviewed_of(review(*copies)), "severity")
    assert (found["deep/high/count"], found["deep/unrated/count"]) == (1, 2)
    assert "deep/critical/count" not in found


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "complete"),
        ({"shards_reviewed": 2}, "complete_with_gaps"),
        ({"lenses_cut": ["docs"]}, "complete_with_gaps"),
        ({"status": "partial"}, "partial"),
        ({"status": "failed"}, "broken_off"),
        ({"status": "skipped", "shards_reviewed": 0}, "did_not_run"),
    ],
)
def test_the_kind_of_coverage(changes, kind):
    found = counts_of(reviewed_of(review(**changes)), "coverage")
    assert found[f"deep/{kind}"] == 1
    assert ("deep/something_left_out" in found) == (kind != "complete")


FIRST = {"pass": "first"}


def outcome(*deep, suggested=None):
    first = review(finding("A", patch=suggested or patch(start_line=5, replaced="a\nb")), **FIRST)
    found = counts_of(reviewed_of(first, *deep), "first_pass")
    assert found.pop("suggestions") == 1
    [name] = {name.split("/")[0] for name in found}
    return name


def deep(start_line=6, changes=None, **copy):
    return review(finding("B", patch=patch(start_line=start_line, replaced="b"), **copy), **(changes or {}))


def test_how_a_first_pass_suggestion_fared():
    assert outcome() == "no_deep_pass"
    assert outcome(deep(reproduction=FAILED)) == "withdrawn"
    assert outcome(deep(reproduction=RAN)) == "proven"
    assert outcome(deep(suite=suite())) == "suite_green"
    assert outcome(deep()) == "unverified"
    assert outcome(deep(suite=suite(status="clock"))) == "could_not_run"
    assert outcome(deep(start_line=7)) == "not_seen"
    assert outcome(deep(reproduction=RAN), suggested=patch(replaced="")) == "insertion"


def test_the_strongest_evidence_on_the_lines_decides_but_a_refutation_goes_before_it():
    assert outcome(deep(), deep(reproduction=RAN)) == "proven"
    assert outcome(deep(reproduction=FAILED), deep(reproduction=RAN)) == "withdrawn"


def test_a_deep_pass_that_was_not_complete_cannot_say_that_nothing_is_there():
    assert outcome(deep(start_line=7, changes={"status": "partial"})) == "deep_pass_incomplete"
    assert outcome(review(status="failed", shards_reviewed=0)) == "no_deep_pass"
    assert outcome(deep(start_line=7, changes={"status": "partial"}), review()) == "not_seen"


def test_a_deep_pass_of_another_pull_request_is_none():
    assert outcome(deep(reproduction=FAILED, changes={"pull_number": 8})) == "no_deep_pass"


def test_a_deep_pass_before_the_window_still_speaks_and_one_after_as_of_does_not():
    early = {"started_at": None, "finished_at": "2025-01-01T00:00:00Z"}
    late = {"started_at": None, "finished_at": "2026-04-01T00:00:00Z"}
    assert outcome(deep(reproduction=FAILED, changes=early)) == "withdrawn"
    assert outcome(deep(reproduction=FAILED, changes=late)) == "no_deep_pass"


def test_what_is_not_suggested_does_not_count_as_a_suggestion():
    unsafe = finding("A", patch=patch(), suite=suite(with_patch="red"))
    assert counts_of(reviewed_of(review(unsafe, finding("B"), **FIRST)), "first_pass") == {}


def test_only_proven_and_refuted_cases_are_decided():
    copies = [
        finding("A", stated_confidence=0.6, reproduction=RAN),
        finding("B", stated_confidence=0.6, reproduction=FAILED),
        finding("C", stated_confidence=0.6, suite=suite()),
        finding("D", stated_confidence=None, reproduction=RAN),
        finding("E", stated_confidence=0.6, reproduction=RAN, contested_by=["lab-z"]),
    ]
    confidence, stated = reviewed_of(review(*copies)).results["reviews.reliability"].curves
    # Stated 0.6: proven gives 1, refuted 0.12; without one the base is 0.5, which a proof lifts to 1.
    assert [(one.number, one.decided) for one in confidence.bins if one.decided] == [(1, 1), (9, 2)]
    assert [(one.number, one.decided) for one in stated.bins if one.decided] == [(6, 2)]


def test_the_follow_up_of_a_pull_request_counts_once_with_the_seats_of_its_plan():
    fixed = {"fix_pr": {"state": "merged"}}
    found = counts_of(
        reviewed_of(
            review(finding("A", patch=patch(), seat="cedar"), **fixed, **FIRST),
            review(finding("B", patch=patch(), seat="birch"), finding("C", seat="alder"), **fixed),
            review(pull_number=8, fix_pr={"state": "open"}),
        ),
        "fix_plans",
    )
    assert found == {
        "follow_up/open": 1,
        "follow_up/merged": 1,
        "follow_up/merged_share": 1,
        "follow_up_seat/birch/merged": 1,
        "follow_up_seat/birch/merged_share": 1,
    }


def test_fixes_of_a_seat_are_those_of_all_its_records():
    seats = [seat_record(merged=2, closed=1), seat_record(account="other", lens="docs", merged=3)]
    found = counts_of(reviewed_of(review(), seats=seats), "fix_plans")
    assert (found["records/alder/merged"], found["records/alder/closed"]) == (5, 1)


def test_a_seat_is_compared_with_the_pick_of_each_review_in_which_it_sat():
    seats = [seat_record("cedar", "docs", settled=3)]
    picked = [{"seat": "cedar", "lab": "c", "rank": 1, "unfinished_lenses": []}]
    other = [{"seat": "birch", "lab": "b", "rank": 1, "unfinished_lenses": []}]
    found = reviewed_of(
        review(),
        review(pull_number=8),
        review(pull_number=9, seats=picked),
        review(pull_number=10, seats=other),
        review(pull_number=11, account="someone-else"),
        seats=seats,
    )
    [row] = found.results["reviews.seat_calibration"].rows
    # cedar sits beside alder in two reviews of its account; 4/5 against the 1/2 that a pick without records has.
    assert (row.beside.value, row.ahead.value) == (2, 2)


WINDOW = "2026-01-01T00:00:00Z"
"""90 days before as-of."""


@pytest.mark.parametrize(
    ("finished", "started", "place"),
    [
        (WINDOW, None, "within"),
        ("2025-12-31T23:59:59.999999Z", "2026-03-01T00:00:00Z", "earlier"),
        ("2026-03-31T23:59:59.9999999Z", None, "within"),
        ("2026-04-01T00:00:00Z", "2026-03-01T00:00:00Z", "later"),
        (None, "2026-03-01T00:00:00Z", "within"),
        (None, None, "undated"),
    ],
)
def test_a_review_is_placed_by_its_end_else_by_its_start(finished, started, place):
    found = reviewed_of(review(finished_at=finished, started_at=started))
    assert {name: getattr(found, name) for name in ("within", "earlier", "later", "undated")} == {
        name: int(name == place) for name in ("within", "earlier", "later", "undated")
    }
    assert figures(found.results["reviews.coverage"])["all/reviews"].value == (1 if place == "within" else 0)


def test_reviews_that_never_ran_and_bear_no_time_are_still_counted():
    found = reviewed_of(review(finished_at=None, started_at=None, status="failed", shards_reviewed=0))
    assert (found.undated, found.undated_unrun) == (1, 1)


def test_what_comes_after_as_of_changes_no_figure():
    before = [review(finding("A", patch=patch()), **FIRST), review(finding("B", reproduction=RAN))]
    after = review(finding("C", patch=patch(), reproduction=FAILED), finished_at="2026-05-01T00:00:00Z")

    def told(*reviews):
        found = reviewed_of(*reviews, seats=[seat_record(settled=3)])
        return {f"{name}:{key}": one for name, of in found.results.items() for key, one in figures(of).items()}

    assert told(*before, after) == told(*before)


def test_bad_records_are_counted_by_file_and_an_input_has_the_digest_of_its_bytes():
    found = reviewed_of(review(), "{", seats=[seat_record(), seat_record(proven=-1)])
    assert [(one.kind, one.records, one.bad) for one in found.inputs] == [("reviews", 1, 1), ("seats", 1, 1)]
    assert [bad.file for bad in found.bad] == ["reviews.ndjson", "seats.ndjson"]
    assert all(len(one.sha256) == 64 for one in found.inputs)


def test_names_with_half_a_surrogate_pair_are_written_out():
    bad = "\\ud800"
    line = json.dumps(review(finding(lens="LENS"))).replace("LENS", bad)
    found = reviewed_of(line)
    assert "lens/\\ud800/mechanisms" in figures(found.results["reviews.evidence_states"])
