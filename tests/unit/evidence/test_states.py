"""Section 2: the first rule that matches decides the state of a copy."""

import pytest
from support.reviews import FAILED, RAN, finding, only, patch, suite

STATUSES = ("timed_out", "patch_not_applied", "toolchain_missing", "preparation_failed", "clock")


def state(*, first=False, **changes):
    found = only(finding(patch=patch(), **changes), changes={"pass": "first" if first else "deep"})
    return found["evidence"], found["reason"], found["unsafe_patch"]


def test_a_reproduction_that_holds_proves():
    assert state(reproduction=RAN) == ("proven", None, False)


def test_a_contested_proof_is_unverified_also_by_the_seats_own_lab():
    assert state(reproduction=RAN, contested_by=["lab-a"]) == ("unverified", None, False)


@pytest.mark.parametrize("before", [True, False])
def test_a_reproduction_that_does_not_hold_refutes(before):
    assert state(reproduction=FAILED | {"fails_before": before})[0] == "refuted"
    assert state(reproduction=RAN | {"fails_before": False})[0] == "refuted"


def test_contesting_what_does_not_hold_changes_nothing():
    assert state(reproduction=FAILED, contested_by=["lab-z"])[0] == "refuted"


def test_drift_holds_when_the_referent_is_gone_and_on_nothing_else():
    assert state(purpose="drift", reproduction=FAILED | {"referent_gone": True})[0] == "proven"
    assert state(purpose="drift", reproduction=RAN)[0] == "refuted"
    assert state(purpose="hygiene", reproduction=FAILED | {"referent_gone": True})[0] == "refuted"


@pytest.mark.parametrize("status", STATUSES)
def test_a_reproduction_that_did_not_run_could_not_run_whatever_the_suite_says(status):
    tried = RAN | {"status": status}
    assert state(reproduction=tried, suite=suite()) == ("could_not_run", status, False)


def test_a_red_baseline_says_nothing_about_the_patch():
    assert state(suite=suite("red", "red")) == ("could_not_run", "red_baseline", False)
    assert state(suite=suite("green", "red")) == ("could_not_run", "red_baseline", False)


def test_a_green_suite_is_green_also_without_a_known_baseline():
    assert state(suite=suite()) == ("suite_green", None, False)
    assert state(suite=suite(baseline=None)) == ("suite_green", None, False)


def test_a_suite_without_a_result_is_unverified():
    assert state(suite=suite(None)) == ("unverified", None, False)


def test_a_suite_that_turns_red_makes_the_patch_unsafe():
    assert state(suite=suite("red")) == ("unverified", None, True)


def test_a_suite_that_turns_red_refutes_a_speed_claim():
    assert state(purpose="perf", suite=suite("red")) == ("refuted", None, True)


def test_an_unknown_baseline_makes_unsafe_only_where_the_suite_decides():
    assert state(suite=suite("red", None)) == ("unverified", None, True)
    assert state(purpose="perf", suite=suite("red", None)) == ("refuted", None, False)
    assert state(reproduction=RAN, suite=suite("red", None)) == ("proven", None, False)
    assert state(first=True, suite=suite("red", None)) == ("unverified", None, False)


def test_a_proven_copy_may_be_unsafe_and_keeps_its_floor():
    found = only(finding(patch=patch(), reproduction=RAN, suite=suite("red"), stated_confidence=0.1))
    assert (found["evidence"], found["unsafe_patch"], found["confidence"]) == ("proven", True, 0.9)
    assert not found["has_suggestion"]


def test_no_test_command_is_unverified_and_other_suite_failures_could_not_run():
    assert state(suite=suite(None, None, "no_test_command")) == ("unverified", None, False)
    for status in STATUSES:
        assert state(suite=suite(None, None, status)) == ("could_not_run", status, False)


def test_where_nothing_ran_it_is_unverified():
    assert state() == ("unverified", None, False)


@pytest.mark.parametrize("tried", [RAN, FAILED, RAN | {"status": "clock"}])
def test_a_first_pass_copy_is_unverified_whatever_ran(tried):
    assert state(first=True, reproduction=tried) == ("unverified", None, False)


def test_a_first_pass_copy_keeps_unsafe_from_its_suite():
    assert state(first=True, suite=suite("red")) == ("unverified", None, True)


def test_what_the_scope_sent_away_is_unverified_without_a_reason_unless_refuted():
    assert state(scope_sent_away=True, reproduction=RAN) == ("unverified", None, False)
    assert state(scope_sent_away=True, suite=suite()) == ("unverified", None, False)
    assert state(scope_sent_away=True, reproduction=RAN | {"status": "clock"}) == ("unverified", None, False)
    assert state(scope_sent_away=True, suite=suite("red")) == ("unverified", None, True)
    assert state(scope_sent_away=True, reproduction=FAILED) == ("refuted", None, False)
