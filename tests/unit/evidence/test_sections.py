"""Section 6: sections, order, headline, compact list, and when a suggestion is offered."""

import pytest
from support.reviews import CITED, FAILED, RAN, document, finding, one, only, patch, review, suite


def section(**changes):
    return only(finding(**changes))["section"]


def test_a_verified_contradiction_comes_first():
    assert section(contradiction=CITED, reproduction=RAN, purpose="hygiene") == "notes"


def test_cleanup_is_tidying_or_an_edge():
    assert section(purpose="hygiene", reproduction=RAN) == "cleanup"
    assert section(purpose="drift", reproduction=RAN | {"referent_gone": True}) == "cleanup"
    assert section(purpose="perf", suite=suite()) == "cleanup"
    assert section(purpose="perf", suite=suite(), claims_speed=True) == "review"
    assert section(purpose="defect", suite=suite(), impact="critical", edge_input_only=True) == "cleanup"


def test_claims_speed_may_be_missing_and_is_then_false():
    copy = finding(purpose="perf", suite=suite())
    del copy["claims_speed"]
    assert only(copy)["section"] == "cleanup"


def test_one_copy_that_is_more_than_tidying_is_enough():
    like = {"patch": patch()}
    found = only(finding("A", **like, purpose="hygiene", suite=suite()), finding("B", **like))
    assert found["section"] == "review"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"reproduction": RAN}, "review"),
        ({"suite": suite()}, "review"),
        ({"reproduction": FAILED}, "review"),
        ({}, "unverified"),
        ({"reproduction": RAN | {"status": "clock"}}, "unverified"),
    ],
)
def test_evidence_decides_the_rest(changes, where):
    assert section(**changes) == where


def order(*findings):
    return [mechanism["lead"] for mechanism in one(*findings)["mechanisms"]]


def test_within_a_section_refuted_last_then_impact_evidence_confidence_export():
    assert order(
        finding("refuted", reproduction=FAILED, impact="critical"),
        finding("unrated", reproduction=RAN),
        finding("green", suite=suite(), impact="low", stated_confidence=1),
        finding("first", reproduction=RAN, impact="low", stated_confidence=0.451),
        finding("second", reproduction=RAN, impact="low", stated_confidence=0.452),
        finding("surer", reproduction=RAN, impact="low", stated_confidence=0.49),
        finding("high", suite=suite(), impact="high"),
    ) == ["high", "surer", "first", "second", "green", "unrated", "refuted"]


def test_sections_stand_in_their_order_and_notes_in_the_exports():
    assert order(
        finding("cleanup", purpose="hygiene"),
        finding("note 1", contradiction=CITED),
        finding("note 2", contradiction=CITED, impact="critical", reproduction=RAN),
        finding("unverified"),
        finding("review", suite=suite()),
    ) == ["review", "unverified", "note 1", "note 2", "cleanup"]


def headline(*findings, **changes):
    found = one(*findings, changes=changes)
    return found["headline"], found["summary_confidence_pct"], found["elapsed"], found["cost"]


def test_tokens_are_counted_and_zero_ones_left_out_but_the_first():
    assert headline() == ("0 findings", None, "4m 5s", "$0.50")
    everything = (
        finding("A", reproduction=RAN),
        finding("B"),
        finding("C", purpose="hygiene", reproduction=RAN),
        finding("D", contradiction=CITED),
    )
    dead = [{"file": "a", "symbol": "s", "start_line": 1, "end_line": 2}]
    assert headline(*everything, dead_code=dead)[0] == "2 findings, 1 proven · 1 cleanup · 1 note · 1 dead code"
    assert headline(finding("A", contradiction=CITED), finding("B", contradiction=CITED))[0] == "0 findings · 2 notes"


def test_the_confidence_is_the_mean_over_review_and_unverified():
    assert headline(finding("A"), finding("B", reproduction=RAN), finding("C", purpose="hygiene"))[1] == 70


@pytest.mark.parametrize("status", ["partial", "failed", "skipped"])
def test_what_did_not_complete_says_so(status):
    assert headline(status=status)[0] == "Review incomplete · 0 findings"
    assert headline(finding(), status=status, shards_reviewed=0)[0] == "Review incomplete · 1 finding"


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_what_no_seat_read_did_not_run_and_tells_nothing_more(status):
    assert headline(status=status, shards_reviewed=0) == ("Review did not run", None, None, None)


def test_a_partial_or_complete_review_ran():
    assert headline(status="partial", shards_reviewed=0)[0] == "Review incomplete · 0 findings"
    assert headline(status="complete", shards_reviewed=0)[0] == "0 findings"


@pytest.mark.parametrize(
    ("start", "end", "elapsed"),
    [
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:59.999Z", "0m 59s"),
        ("2026-03-01T10:00:00+02:00", "2026-03-01T09:15:00Z", "75m 0s"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z", "0m 0s"),
        ("2026-03-01T10:00:00.000001Z", "2026-03-01T10:00:00Z", None),
        ("2026-03-01T10:00:00.0000009Z", "2026-03-01T10:00:01.0000001Z", "0m 0s"),
        (None, "2026-03-01T10:00:00Z", None),
        ("2026-03-01T10:00:00Z", None, None),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "840m 0s"),
    ],
)
def test_elapsed_is_floored_and_unknown_when_it_ends_before_it_starts(start, end, elapsed):
    assert headline(started_at=start, finished_at=end)[2] == elapsed


def test_an_unknown_cost_is_left_out_and_no_zero():
    assert headline(settled_cost_usd=None)[3] is None
    assert headline(settled_cost_usd=0)[3] == "$0.00"


def test_the_compact_list_holds_fifteen_entries_dead_code_last():
    dead = [
        {"file": "b.py", "symbol": "two", "start_line": 1, "end_line": 2},
        {"file": "a.py", "symbol": "one", "start_line": 9, "end_line": 9},
        {"file": "a.py", "symbol": "zero", "start_line": 2, "end_line": 9},
    ]
    found = one(*(finding(f"F{n:02}") for n in range(14)), changes={"dead_code": dead})
    assert found["compact_list"] == [*(f"F{n:02}" for n in range(14)), "dead:a.py:zero"]
    assert found["overflow"] == 2


def suggested(*, deliver="all", changes=None, **fields):
    return only(finding(**fields), deliver=deliver, changes=changes or {})["has_suggestion"]


def test_a_suggestion_needs_a_lead_with_a_patch_that_is_fit():
    assert suggested(patch=patch())
    assert suggested(patch=patch(), reproduction=RAN)
    assert not suggested()
    assert not suggested(patch=patch(), reproduction=FAILED)
    assert not suggested(patch=patch(), contradiction=CITED)
    assert not suggested(patch=patch(), suite=suite("red"))
    assert not suggested(patch=patch(), suite=suite(status="patch_not_applied"))
    assert suggested(patch=patch(), suite=suite(status="clock"))
    assert suggested(patch=patch(), purpose="hygiene")


def test_only_the_leads_patch_is_suggested_and_only_its_safety_counts():
    like = {"title": "one two three four five six seven", "files": ["f"]}
    led = finding("A", **like, reproduction=RAN)
    assert not only(led, finding("B", **like, patch=patch()))["has_suggestion"]
    unsafe = finding("B", **like, patch=patch(file="b.py"), suite=suite("red"))
    assert only(led | {"patch": patch()}, unsafe)["has_suggestion"]


def test_proven_only_suggests_proven_leads_alone():
    assert suggested(deliver="proven-only", patch=patch(), reproduction=RAN)
    assert not suggested(deliver="proven-only", patch=patch(), suite=suite())


def test_reviews_stand_in_export_order():
    found = document(review(review_id="b"), review(review_id="a", **{"pass": "first"}), review(review_id="c"))
    assert [entry["review_id"] for entry in found["reviews"]] == ["b", "a", "c"]
