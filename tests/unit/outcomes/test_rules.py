"""What an event confirms or reverses: each clause of the rules, on the smallest timeline that shows it."""

import json

import pytest
from support.pull_requests import (
    REPOSITORY,
    bot_close,
    close,
    delivery,
    derive,
    file_of,
    fired,
    merge,
    pull,
    recorded,
    reopen,
    verdict,
)

DAY = 24


class TestRealisedOutcome:
    def test_a_merge_and_a_close_by_another_are_outcomes(self) -> None:
        run = derive([close(1), merge(2)])
        assert [(row["detail"], row["actor"]) for row in run.rows] == [("closed", "carol"), ("merged", "carol")]
        assert json.loads(run.rows[1]["metadata_json"]) == {
            "repoFullName": REPOSITORY,
            "pullNumber": 1,
            "merged": True,
            "botWasActor": False,
        }

    def test_an_author_who_withdraws_a_pull_request_decides_nothing(self) -> None:
        assert derive([close(1, by="Dev")]).rows == []

    def test_a_bot_that_closes_its_own_pull_request_does(self) -> None:
        [row] = derive([close(1, by="renovate[bot]", author="renovate[bot]", bot=True)]).rows
        assert json.loads(row["metadata_json"])["botWasActor"] is True

    def test_a_deleted_sender_and_a_deleted_author_are_not_known_to_be_one_person(self) -> None:
        [row] = derive([close(1, by=None, author=None)]).rows
        assert row["actor"] is None

    def test_an_outcome_is_written_only_when_it_differs_from_the_latest(self) -> None:
        assert [row["detail"] for row in derive([close(1), close(2), merge(3), merge(4), close(5)]).rows] == [
            "closed",
            "merged",
            "closed",
        ]

    def test_d17_the_latest_recorded_outcome_is_the_one_that_counts_not_the_first(self) -> None:
        before = [recorded(1, "pr_outcome", detail="closed"), recorded(2, "pr_outcome", detail="merged")]
        assert derive([merge(3)], before).rows == []
        assert len(derive([close(3)], before).rows) == 1

    def test_an_outcome_that_another_writer_recorded_counts_too(self) -> None:
        audit = {"id": "a", "project": REPOSITORY, "target_id": f"{REPOSITORY}#1", "event_type": "pr_outcome"}
        row = {**audit, "decision": "merged", "source": "x", "created_at": "2026-06-01T01:00:00.000Z"}
        assert derive([merge(3)], review_audit=[row]).rows == []

    def test_merged_at_that_is_not_null_is_a_merge_whatever_it_says(self) -> None:
        assert derive([close(1, merged_at="soon")]).rows[0]["detail"] == "merged"


class TestReopening:
    def test_reopened_by_anyone_but_the_owner_reverses_the_bots_close(self) -> None:
        run = derive([reopen(2, by="dev")], [bot_close(1)])
        assert run.types() == ["reversal_reopened"]
        assert run.rows[0]["detail"] == "Bot-closed PR #1 reopened by a contributor."

    def test_a_deleted_user_is_a_human(self) -> None:
        [row] = derive([reopen(2, by=None)], [bot_close(1)]).rows
        assert (row["event_type"], row["actor"]) == ("reversal_reopened", None)

    def test_reopened_by_a_bot_reverses_nothing(self) -> None:
        assert derive([reopen(1.001, by="gate[bot]", bot=True)], [bot_close(1)]).rows == []

    def test_authors_who_close_and_reopen_their_own_pull_request_reverse_nobody(self) -> None:
        assert derive([close(1, by="dev"), reopen(2, by="dev")]).rows == []

    def test_reopened_before_the_bot_closed_it_reverses_nothing(self) -> None:
        assert derive([reopen(1)], [bot_close(2)]).rows == []

    @pytest.mark.parametrize(
        ("how", "counts"),
        [
            ({"mode": "dry_run"}, False),
            ({"mode": "shadow"}, True),
            ({}, True),
            ({"done": "success"}, False),
            ({"done": "Completed"}, False),
            ({"done": "denied"}, False),
        ],
    )
    def test_the_last_action_is_one_that_was_exactly_completed_and_no_dry_run(
        self, how: dict[str, str], counts: bool
    ) -> None:
        assert bool(derive([reopen(2)], [bot_close(1, **how)]).rows) is counts

    def test_d16_a_later_label_does_not_hide_the_close(self) -> None:
        assert derive([reopen(3)], [bot_close(1), recorded(2, "agent.action.label")]).types() == ["reversal_reopened"]

    @pytest.mark.parametrize("kind", ["merge", "reopen"])
    def test_a_later_merge_or_reopening_of_the_bot_does(self, kind: str) -> None:
        assert derive([reopen(3)], [bot_close(1), recorded(2, f"agent.action.{kind}")]).rows == []

    def test_d18_once_per_close_of_the_bot(self) -> None:
        events = [reopen(2), reopen(2.1), reopen(5)]
        assert len(derive(events, [bot_close(1)]).rows) == 1
        assert len(derive(events, [bot_close(1), bot_close(4)]).rows) == 2

    def test_a_pull_request_is_the_same_in_another_spelling(self) -> None:
        [row] = derive([reopen(2)], [bot_close(1, "ACME/Widgets#001")]).rows
        assert row["target_key"] == f"{REPOSITORY}#1"

    def test_a_three_part_key_names_no_pull_request(self) -> None:
        assert derive([reopen(2)], [bot_close(1, f"{REPOSITORY}#1#abc")]).rows == []


class TestOwner:
    def test_an_owner_who_reopens_writes_a_marker_each_time_and_no_reversal(self) -> None:
        run = derive([reopen(2, by="ACME"), reopen(3, by="acme")], [bot_close(1)])
        assert run.types() == ["owner_reopen_pending_reversal"] * 2

    @pytest.mark.parametrize(("place", "is_owner"), [("acme", True), ("Acme/Widgets", True), ("acme/gadgets", False)])
    def test_d15_the_policy_names_owners_of_a_repository_or_an_organisation(self, place: str, is_owner: bool) -> None:
        run = derive([reopen(2, by="LEAD")], [bot_close(1)], policy={"owners": {place: ["Lead"]}})
        assert (run.types() == ["owner_reopen_pending_reversal"]) is is_owner

    @pytest.mark.parametrize(("hour", "is_reversal"), [(8, True), (8.0001, False)])
    def test_merged_within_six_hours_of_the_marker_is_a_reversal_the_sixth_included(
        self, hour: float, is_reversal: bool
    ) -> None:
        run = derive([reopen(2, by="acme"), merge(hour)], [bot_close(1)])
        assert ("reversal_reopened" in run.types()) is is_reversal

    def test_merged_by_anyone_a_bot_too(self) -> None:
        run = derive([reopen(2, by="acme"), merge(3, by="merger[bot]", bot=True)], [bot_close(1)])
        assert run.types("reversal") == ["reversal_reopened"]
        assert run.rows[-1]["detail"] == "Bot-closed PR #1 reopened and merged by the repo owner."

    def test_d18_the_merge_is_a_reversal_once_per_close_of_the_bot(self) -> None:
        events = [reopen(2, by="acme"), merge(3), merge(3.1)]
        assert derive(events, [bot_close(1)]).types("reversal") == ["reversal_reopened"]

    def test_a_contributor_who_had_reopened_it_before_has_reversed_that_close(self) -> None:
        events = [reopen(2), reopen(3, by="acme"), merge(4)]
        assert derive(events, [bot_close(1)]).types("reversal") == ["reversal_reopened"]

    def test_a_marker_without_a_merge_stays_a_marker(self) -> None:
        assert derive([reopen(2, by="acme"), close(3, by="acme")], [bot_close(1)]).types("reversal") == []


LINKED = {"linked": "[7]"}


class TestSuperseding:
    def test_a_shared_linked_issue_supersedes(self) -> None:
        pulls = [pull(1, **LINKED), pull(2, linked="[3, 7]", author="erin")]
        run = derive([merge(2, 2, author="erin")], [bot_close(1)], pulls=pulls)
        assert run.types("reversal") == ["reversal_superseded"]
        row = run.rows[1]
        assert (row["actor"], row["detail"]) == ("erin", "Bot-closed PR #1 superseded by merged PR #2.")
        assert json.loads(row["metadata_json"])["heuristics"] == {
            "sameLinkedIssue": True,
            "sameAuthorFileOverlap": False,
            "fileOverlapRatio": None,
        }

    @pytest.mark.parametrize(
        ("touched", "share", "supersedes"), [("ab", 0.5, True), ("a", 0.25, False), ("abcdz", 1, True)]
    )
    def test_the_same_author_and_half_of_the_closed_ones_files(
        self, touched: str, share: float, supersedes: bool
    ) -> None:
        files = [*file_of(1, "a", "b", "c", "d"), *file_of(2, *touched)]
        run = derive([merge(2, 2, author="DEV")], [bot_close(1)], pulls=[pull(1, author=" dev ")], files=files)
        assert (run.types("reversal") == ["reversal_superseded"]) is supersedes
        if supersedes:
            assert json.loads(run.rows[1]["metadata_json"])["heuristics"]["fileOverlapRatio"] == share

    def test_a_closed_one_without_files_is_not_superseded_by_its_author(self) -> None:
        assert derive([merge(2, 2)], [bot_close(1)], pulls=[pull(1)], files=file_of(2, "a")).types("reversal") == []

    def test_the_merged_sides_author_is_the_deliverys_else_its_rows(self) -> None:
        files = [*file_of(1, "a"), *file_of(2, "a")]
        pulls = [pull(1), pull(2, author="dev")]
        assert derive([merge(2, 2, author=None)], [bot_close(1)], pulls=pulls, files=files).types("reversal")
        assert not derive([merge(2, 2, author="erin")], [bot_close(1)], pulls=pulls, files=files).types("reversal")

    def test_two_authors_that_nobody_knows_are_not_the_same(self) -> None:
        files = [*file_of(1, "a"), *file_of(2, "a")]
        pulls = [pull(1, author=" "), pull(2, author=None)]
        assert derive([merge(2, 2, author="")], [bot_close(1)], pulls=pulls, files=files).types("reversal") == []

    @pytest.mark.parametrize(("hour", "counts"), [(30 * DAY, True), (30 * DAY + 0.001, False)])
    def test_closed_in_the_last_thirty_days_the_thirtieth_included(self, hour: float, counts: bool) -> None:
        run = derive([merge(hour, 2)], [bot_close(0)], pulls=[pull(1, **LINKED), pull(2, **LINKED)])
        assert bool(run.types("reversal")) is counts

    @pytest.mark.parametrize("since", [[reopen(1.5)], [merge(1.5)]], ids=["reopened", "merged"])
    def test_d19_one_that_is_no_longer_closed_is_not_superseded(self, since: list[dict[str, object]]) -> None:
        pulls = [pull(1, **LINKED), pull(2, **LINKED)]
        assert derive([*since, merge(2, 2)], [bot_close(1)], pulls=pulls).types("reversal_superseded") == []

    def test_d19_one_that_was_closed_again_is(self) -> None:
        pulls = [pull(1, **LINKED), pull(2, **LINKED)]
        events = [reopen(1.5), close(1.7), merge(2, 2)]
        assert derive(events, [bot_close(1)], pulls=pulls).types("reversal_superseded") == ["reversal_superseded"]

    def test_d19_the_state_of_the_row_counts_where_no_later_event_tells(self) -> None:
        opened = [pull(1, state="open", **LINKED), pull(2, **LINKED)]
        assert derive([merge(2, 2)], [bot_close(1)], pulls=opened).types("reversal") == []
        merged = [pull(1, merged_at="2026-06-01T00:30:00Z", **LINKED), pull(2, **LINKED)]
        assert derive([merge(2, 2)], [bot_close(1)], pulls=merged).types("reversal") == []

    def test_d19_a_row_from_before_the_close_or_after_the_merge_says_nothing_of_it(self) -> None:
        for hour in ("2026-06-01T00:30:00Z", "2026-06-01T09:00:00Z"):
            pulls = [pull(1, state="open", **{**LINKED, "updated_at": hour}), pull(2, **LINKED)]
            assert derive([merge(2, 2)], [bot_close(1)], pulls=pulls).types("reversal") == ["reversal_superseded"]

    @pytest.mark.parametrize("kind", ["merge", "reopen"])
    def test_d19_a_later_action_of_the_bot_counts_too(self, kind: str) -> None:
        rows = [bot_close(1), recorded(1.5, f"agent.action.{kind}")]
        pulls = [pull(1, **LINKED), pull(2, **LINKED)]
        assert derive([merge(2, 2)], rows, pulls=pulls).types("reversal") == []

    def test_once_whatever_became_of_the_earlier_row(self) -> None:
        pulls = [pull(1, **LINKED), pull(2, **LINKED), pull(3, **LINKED)]
        assert derive([merge(2, 2), merge(3, 3)], [bot_close(1)], pulls=pulls).types("reversal") == [
            "reversal_superseded"
        ]
        rows = [bot_close(1), recorded(1, "reversal_superseded", done="denied")]
        assert derive([merge(2, 2)], rows, pulls=pulls).types("reversal") == []

    def test_d31_the_same_repository_in_any_spelling_and_no_other_under_the_key_as_written(self) -> None:
        rows = [bot_close(1, "ACME/Widgets#1"), bot_close(1, "acmeXwidgets/x#3"), bot_close(1, f"{REPOSITORY}#4#x")]
        pulls = [pull(1, **LINKED), pull(2, **LINKED), pull(3, **LINKED), pull(4, **LINKED)]
        run = derive([merge(2, 2)], rows, pulls=pulls)
        assert run.types("reversal") == ["reversal_superseded ACME/Widgets#1"]
        assert json.loads(run.rows[1]["metadata_json"])["repoFullName"] == REPOSITORY

    def test_a_pull_request_does_not_supersede_itself(self) -> None:
        assert derive([merge(2)], [bot_close(1)], pulls=[pull(1, **LINKED)]).types("reversal") == []

    @pytest.mark.parametrize("linked", ["7", '{"a": 7}', "[[7]]", "[7", "null", "[" * 100_000])
    def test_linked_issues_that_are_no_list_of_numbers_link_nothing(self, linked: str) -> None:
        pulls = [pull(1, linked=linked), pull(2, **LINKED)]
        assert derive([merge(2, 2)], [bot_close(1)], pulls=pulls).types("reversal") == []


class TestReverting:
    @pytest.mark.parametrize(
        "body",
        [
            "Reverts #1",
            "reverts #1.",
            "REVERTS ACME/Widgets#1",
            "Breaks.\n\nReverts\n#1",
            "(Reverts #0001)",
            "Reverts other/repo#9, then Reverts acme/widgets#1",
        ],
    )
    def test_d20_a_merged_body_that_claims_it_reverts_the_merge(self, body: str) -> None:
        run = derive([merge(1), merge(2, 2, body=body)])
        assert run.types("reversal") == ["reversal_reverted"]
        assert run.rows[-1]["detail"] == "Merged PR #1 was reverted by #2."
        assert json.loads(run.rows[-1]["metadata_json"])["revertPullNumber"] == 2

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            ("Revert acme/widgets#1", "other_form"),
            ("This reverts PR #1.", "other_form"),
            ("This reverts pull request #1", "other_form"),
            ("Reverted #1", "other_form"),
            ("Reverts #1x", None),
            ("Reverts #1_", None),
            ("Un-reverts #1", None),
            ("_reverts #1", None),
            ("2reverts #1", None),
            ("éreverts #1", None),
            ("Reverts #", None),
            ("Reverts other/repo#1", None),
            ("Revert other/repo#1", None),
            ("Reverts commit 1234", None),
            ("Reverts #99", "merge_not_recorded"),
            ("Reverts #2", "merge_not_recorded"),
            ("Reverts #0", "merge_not_recorded"),
            ("Reverts #" + "9" * 5000, "merge_not_recorded"),
            ("Reverts #99, reverts #1", "merge_not_recorded"),
        ],
    )
    def test_any_other_word_reverses_nothing_and_a_mention_is_counted(self, body: str, reason: str | None) -> None:
        run = derive([merge(1), merge(2, 2, body=body)])
        assert run.types("reversal") == []
        assert dict(run.derived.mentions) == ({} if reason is None else {reason: 1})

    def test_one_that_never_merged_reverts_nothing(self) -> None:
        run = derive([merge(1), close(2, 2, body="Reverts #1"), close(2.1, 2, body="Reverts #1")])
        assert run.types("reversal") == []
        assert dict(run.derived.mentions) == {"never_merged": 1}

    def test_a_claim_that_proves_true_later_is_no_longer_uncorroborated(self) -> None:
        run = derive([merge(1), close(2, 2, body="Reverts #1"), merge(3, 2, body="Reverts #1")])
        assert run.types("reversal") == ["reversal_reverted"]
        assert not run.derived.mentions

    def test_a_merge_must_have_been_recorded_before(self) -> None:
        assert derive([merge(2, 2, body="Reverts #1"), merge(3)]).types("reversal") == []
        rows = [recorded(1, "pr_outcome", detail="merged")]
        assert derive([merge(2, 2, body="Reverts #1")], rows).types("reversal") == ["reversal_reverted"]
        rows = [recorded(1, "pr_outcome", detail="closed")]
        assert derive([merge(2, 2, body="Reverts #1")], rows).types("reversal") == []

    def test_d18_once_per_pull_request(self) -> None:
        body = "Reverts #1"
        run = derive([merge(1), merge(2, 2, body=body), merge(2.1, 2, body=body), merge(3, 3, body=body)])
        assert run.types("reversal") == ["reversal_reverted"]


class TestReversedOverrides:
    def test_d21_every_kind_of_reversal_reverses_the_rules_that_fired(self) -> None:
        pulls = [pull(1, **LINKED), pull(2, **LINKED)]
        firing = [fired(0.5, "secret_leak")]
        for events, rows in (
            ([reopen(2)], [bot_close(1)]),
            ([reopen(2, by="acme"), merge(3)], [bot_close(1)]),
            ([merge(3, 2)], [bot_close(1)]),
            ([merge(1), merge(3, 2, body="Reverts #1")], []),
        ):
            run = derive(events, [*firing, *rows], pulls=pulls)
            assert run.verdicts() == ["secret_leak reversed"]

    def test_the_row_is_that_of_a_human(self) -> None:
        run = derive([reopen(2)], [fired(0, "secret_leak"), bot_close(1)])
        row = run.rows[-1]
        assert (row["actor"], row["outcome"]) == ("human", "completed")
        assert row["detail"] == f"human reversed rule secret_leak against {REPOSITORY}#1"

    def test_only_listed_rules_and_score_gates_among_them(self) -> None:
        rules = [fired(0, "made_up"), fired(0, "slop_gate_score"), bot_close(1)]
        assert derive([reopen(2)], rules).verdicts() == ["slop_gate_score reversed"]
        policy = {"confirmation": {"listed_rules": ["made_up"]}}
        assert derive([reopen(2)], rules, policy=policy).verdicts() == ["made_up reversed"]

    @pytest.mark.parametrize(("hour", "counts"), [(0, True), (-0.001, False)])
    def test_fired_in_the_last_thirty_days_the_thirtieth_included(self, hour: float, counts: bool) -> None:
        run = derive([reopen(30 * DAY)], [fired(hour, "secret_leak"), bot_close(29 * DAY)])
        assert bool(run.verdicts()) is counts

    def test_fired_on_the_whole_target_text(self) -> None:
        rows = [fired(0, "secret_leak", "ACME/widgets#1"), fired(0, "secret_leak", f"{REPOSITORY}#1#abc"), bot_close(1)]
        assert derive([reopen(2)], rows).verdicts() == []

    def test_d22_every_firing_counts_however_many_there_are(self) -> None:
        rows = [fired(hour / 1000, "cla_consent_missing", 1000 + hour) for hour in range(700)]
        run = derive([reopen(3)], [*rows, fired(1, "secret_leak"), bot_close(2)])
        assert run.verdicts() == ["secret_leak reversed"]

    def test_d32_not_again_unless_the_rule_fired_again(self) -> None:
        rows = [fired(0, "secret_leak"), bot_close(1), bot_close(4)]
        assert derive([reopen(2), reopen(5)], rows).verdicts() == ["secret_leak reversed"]
        again = [*rows, fired(3, "secret_leak")]
        assert derive([reopen(2), reopen(5)], again).verdicts() == ["secret_leak reversed"] * 2
        at_once = [*rows, verdict(0, "secret_leak", "reversed")]
        assert derive([reopen(2)], at_once).verdicts() == []

    def test_a_confirmation_does_not_stand_in_the_way(self) -> None:
        rows = [fired(0, "secret_leak"), bot_close(1), verdict(1.5, "secret_leak", "confirmed")]
        assert derive([reopen(2)], rows).verdicts() == ["secret_leak reversed"]


class TestOwnerClose:
    def test_an_owner_who_closes_confirms_judgement_explicitly_and_other_rules_implicitly(self) -> None:
        rows = [fired(0, rule) for rule in ("ai_review_split", "secret_leak", "slop_gate_score", "made_up")]
        assert derive([close(1, by="acme")], rows).verdicts() == [
            "ai_review_split confirmed",
            "secret_leak confirmed implicitly",
        ]

    def test_anyone_else_confirms_nothing(self) -> None:
        assert derive([close(1)], [fired(0, "secret_leak")]).verdicts() == []

    def test_a_merge_by_the_owner_confirms_nothing(self) -> None:
        assert derive([merge(1, by="acme")], [fired(0, "secret_leak")]).verdicts() == []

    def test_an_owner_who_closes_an_own_pull_request_confirms_and_leaves_no_outcome(self) -> None:
        run = derive([close(1, by="acme", author="acme")], [fired(0, "secret_leak")])
        assert run.types() == ["signal.human_override:secret_leak"]

    def test_d33_once_per_rule_and_target(self) -> None:
        rows = [fired(0, "ai_consensus_defect"), fired(0, "secret_leak")]
        assert len(derive([close(1, by="acme"), close(2, by="acme")], rows).verdicts()) == 2

    def test_judgement_that_was_reversed_before_can_still_be_confirmed_and_others_cannot(self) -> None:
        rows = [fired(0, rule) for rule in ("ai_review_split", "secret_leak")]
        events = [reopen(2), close(3, by="acme")]
        assert derive(events, [*rows, bot_close(1)]).verdicts() == [
            "ai_review_split reversed",
            "secret_leak reversed",
            "ai_review_split confirmed",
        ]

    def test_an_override_of_any_age_or_verdict_stands_in_the_way_of_an_implicit_one(self) -> None:
        old = verdict(-90 * DAY, "secret_leak", "weird")
        assert derive([close(1, by="acme")], [fired(0, "secret_leak"), old]).verdicts() == []


def test_what_lies_after_an_event_is_not_known_at_it() -> None:
    later = [fired(3, "secret_leak"), bot_close(3), recorded(3, "pr_outcome", detail="closed")]
    assert derive([reopen(1), close(2)], later).types() == ["pr_outcome"]


def test_other_actions_and_other_events_mean_nothing() -> None:
    target = {**close(2), "event": "pull_request_target"}
    run = derive([delivery(2, "synchronize"), delivery(2, "labeled"), target], [bot_close(1)])
    assert run.rows == []
    assert run.derived.counts.passed == {"other_action": 2, "other_event": 1}
