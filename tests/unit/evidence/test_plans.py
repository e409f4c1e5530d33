"""Sections 7 and 8: two passes, fix plans and the sweep."""

import pytest
from support.reviews import CITED, FAILED, RAN, document, finding, one, patch, review, suite

LIKE = {"title": "one two three four five six seven", "files": ["f"]}


def passes(first, *deep, **changes):
    found = document(review(first, **({"pass": "first"} | changes)), *deep)["reviews"]
    return found[0]


def at(start, replaced, **changes):
    return patch(start_line=start, replaced=replaced, **changes)


def test_a_first_pass_suggestion_is_withdrawn_when_the_deep_pass_refuted_one_of_its_lines():
    first = finding("A", patch=at(1, "a\nb"))
    found = passes(first, review(finding("B", patch=at(2, "b\nc"), reproduction=FAILED)))
    assert found["withdrawn"] == ["A"]
    assert not found["mechanisms"][0]["has_suggestion"]
    assert found["mechanisms"][0]["evidence"] == "unverified"


@pytest.mark.parametrize(
    "changes",
    [
        {"repo": "acme/gadgets"},
        {"pull_number": 8},
        {"findings": [finding("B", patch=at(3, "c"), reproduction=FAILED)]},
        {"findings": [finding("B", patch=at(2, "b", file="b.py"), reproduction=FAILED)]},
        {"findings": [finding("B", patch=at(2, ""), reproduction=FAILED)]},
        {"findings": [finding("B", patch=at(2, "b"), reproduction=RAN)]},
        {"findings": [finding("B", patch=at(2, "b"), suite=suite("red"))]},
        {"findings": [finding("B", reproduction=FAILED)]},
        {"pass": "first"},
    ],
)
def test_everything_else_stands(changes):
    deep = review(finding("B", patch=at(2, "b"), reproduction=FAILED), **changes)
    assert passes(finding("A", patch=at(1, "a\nb")), deep)["withdrawn"] == []


def test_any_deep_review_counts_whatever_its_head_account_or_place_in_the_export():
    deep = review(finding("B", patch=at(1, "x"), reproduction=FAILED), head_sha="b" * 40, account="umbra")
    first = review(finding("A", patch=at(1, "x")), **{"pass": "first"})
    last = review()
    assert document(deep, first, last)["reviews"][1]["withdrawn"] == ["A"]


def test_a_copy_that_is_refuted_beside_a_stronger_lead_withdraws_too():
    deep = review(finding("B", **LIKE, patch=at(1, "x"), reproduction=FAILED), finding("C", **LIKE))
    assert passes(finding("A", patch=at(1, "x")), deep)["withdrawn"] == ["A"]


def test_withdrawn_ones_stand_in_export_order():
    first = review(
        finding("A", patch=at(1, "x")), finding("B", patch=at(1, "x", file="b"), impact="high"), **{"pass": "first"}
    )
    deep = review(
        finding("C", patch=at(1, "x"), reproduction=FAILED),
        finding("D", patch=at(1, "y", file="b"), reproduction=FAILED),
    )
    assert document(first, deep)["reviews"][0]["withdrawn"] == ["A", "B"]


def plan(*findings, deliver="all", **changes):
    return one(*findings, deliver=deliver, changes=changes)["fix_plan"]


def test_branch_and_target():
    found = plan(finding(patch=patch()))
    assert (found["branch"], found["target"]) == ("parallax/review/7", "feat")
    assert plan(finding(patch=patch()), head_is_fork=True)["target"] == "main"
    assert plan(finding(patch=patch()), source_state="closed")["target"] == "main"
    assert plan(finding(patch=patch()), source_state="merged")["target"] == "main"


def test_the_seat_with_the_lowest_rank_wins_and_the_others_follow_in_order():
    found = plan(
        finding("A", **LIKE, seat="unlisted", patch=patch(start_line=1), reproduction=RAN),
        finding("B", **LIKE, seat="cedar", patch=patch(start_line=2)),
        finding("C", **LIKE, seat="birch", patch=patch(start_line=3), stated_confidence=0.2),
        finding("D", **LIKE, seat="birch", patch=patch(start_line=4), stated_confidence=0.3),
        finding("E", **LIKE, seat="birch", patch=patch(start_line=5), suite=suite(), stated_confidence=0.1),
        finding("F", **LIKE, seat="alder"),
    )
    assert found["chosen"] == ["E"]
    assert found["alternatives"] == {"E": ["D", "C", "B", "A"]}


def test_a_patch_that_is_refuted_or_unsafe_on_any_copy_is_no_candidate_in_any_hand():
    for bad in ({"suite": suite("red")}, {"reproduction": FAILED}):
        twin = finding("B", patch=patch(replaced="x=1"), seat="birch", **bad)
        assert plan(finding("A", patch=patch(replaced="x = 1"), reproduction=RAN), twin) is None


def test_a_patch_that_was_not_applied_is_no_candidate():
    copy = finding("A", **LIKE, patch=patch(), suite=suite(status="patch_not_applied"))
    assert plan(copy) is None
    other = finding("B", **LIKE, seat="birch", patch=patch(start_line=9, replaced="y"))
    assert plan(copy, other)["chosen"] == ["B"]


def test_proven_only_plans_proven_copies_alone():
    green, proven = finding("A", patch=patch(), suite=suite()), finding("B", patch=patch("b.py"), reproduction=RAN)
    assert plan(green, deliver="proven-only") is None
    assert plan(green, proven, deliver="proven-only")["chosen"] == ["B"]


def test_notes_are_never_planned_and_cleanup_comes_last():
    found = plan(
        finding("A", purpose="hygiene", patch=patch()),
        finding("B", patch=patch("b.py"), contradiction=CITED),
        finding("C", patch=patch("c.py")),
        finding("D", patch=patch("d.py"), suite=suite()),
    )
    assert found["chosen"] == ["D", "C", "A"]


def test_an_overlap_is_skipped_without_a_fallback_and_named():
    found = plan(
        finding("A", patch=at(1, "a\nb\nc"), impact="high"),
        finding("B", **LIKE, patch=at(3, "c"), impact="low"),
        finding("C", **LIKE, seat="birch", patch=at(30, "z")),
        finding("D", patch=at(3, "c\nd", replacement="?", file="b.py")),
    )
    assert found["chosen"] == ["A", "D"]
    assert found["skipped"] == [{"finding_id": "B", "reason": "overlaps A"}]


def test_an_insertion_overlaps_nothing_and_a_final_line_feed_adds_no_line():
    assert plan(finding("A", patch=at(4, "")), finding("B", patch=at(4, "x")))["chosen"] == ["A", "B"]
    assert plan(finding("A", patch=at(1, "a\nb\n")), finding("B", patch=at(3, "x")))["chosen"] == ["A", "B"]


@pytest.mark.parametrize(("state", "made"), [("open", True), ("closed", False), ("merged", False)])
def test_a_follow_up_that_ended_is_final(state, made):
    assert (plan(finding(patch=patch()), fix_pr={"state": state}) is not None) is made


def test_nothing_chosen_is_no_plan():
    assert plan(finding()) is None


def bearers(*kinds):
    made = [review(finding(f"F{n}", patch=patch()), **{"pass": kind}) for n, kind in enumerate(kinds)]
    return [found["fix_plan"] is not None for found in document(*made)["reviews"]]


def test_one_plan_a_pull_request_on_the_last_deep_review_else_the_last_first_pass_one():
    assert bearers("first", "deep", "deep", "first") == [False, False, True, False]
    assert bearers("first", "first") == [False, True]


def test_a_bearer_without_a_plan_does_not_pass_it_on():
    found = document(review(finding(patch=patch())), review())["reviews"]
    assert [entry["fix_plan"] for entry in found] == [None, None]


def test_a_sweep_gathers_cleanup_by_repository_and_utc_day():
    tidy = {"purpose": "hygiene"}
    found = document(
        review(finding("A", **tidy, patch=patch()), finding("B", patch=patch("b.py")), pull_number=1),
        review(finding("C", **tidy, patch=patch(replaced="y")), pull_number=2, finished_at="2026-03-02T00:30:00+01:00"),
        review(finding("D", **tidy, patch=patch("d.py")), pull_number=3, finished_at="2026-03-02T00:00:00Z"),
        review(finding("E", **tidy, patch=patch()), pull_number=4, finished_at=None),
        review(finding("F", **tidy, patch=patch()), pull_number=5, finished_at="0001-01-01T00:00:00+14:00"),
        sweep=True,
    )
    first, second = found["housekeeping"]
    assert (first["repo"], first["day"], first["branch"]) == (
        "acme/widgets",
        "2026-03-01",
        "parallax/housekeeping/2026-03-01",
    )
    assert [commit["finding_id"] for commit in first["commits"]] == ["A"]
    assert [(skip["finding_id"], skip["reason"]) for skip in first["skipped"]] == [("C", "overlaps A")]
    assert [commit["finding_id"] for commit in second["commits"]] == ["D"]
    assert found["reviews"][0]["fix_plan"]["chosen"] == ["B"]


def test_without_a_sweep_there_is_no_housekeeping_and_the_plan_takes_cleanup():
    found = document(review(finding("A", purpose="hygiene", patch=patch())))
    assert "housekeeping" not in found
    assert found["reviews"][0]["fix_plan"]["chosen"] == ["A"]
