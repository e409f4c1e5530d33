"""From public events alone: a bot's closes and merges as auto-actions, and a folder that a build takes as source."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.pipeline import publish
from support.pull_requests import REPOSITORY, close, delivery, derive, merge, read, reopen

from evenhand.errors import UsageError
from evenhand.outcomes.command import derive_outcomes
from evenhand.policy import Policy, policy_from

STALE = {"by": "stale[bot]", "bot": True}
ACTED = ["agent.action.close", "github_app.pr_public_surface_published"]


def alone(events: list[dict[str, Any]], **policy: Any) -> list[str]:
    run = derive(events, None, policy=policy)
    return [name for name in run.types() if not name.startswith("pr_outcome")]


class TestBotActions:
    def test_a_bots_close_is_an_auto_action_and_its_first_one_publishes_a_surface(self) -> None:
        assert alone([close(1, **STALE), reopen(2, by="dev"), close(3, **STALE)]) == [
            *ACTED,
            "reversal_reopened",
            "agent.action.close",
        ]

    def test_a_bots_merge_is_one_too(self) -> None:
        assert alone([merge(1, **STALE)]) == ["agent.action.merge", ACTED[1]]

    def test_a_login_that_the_policy_names_is_a_bot_whatever_its_type(self) -> None:
        assert alone([close(1, by="Closer")]) == []
        assert alone([close(1, by="Closer")], bots={"logins": ["closer"]}) == ACTED

    def test_the_policy_can_leave_bots_out_that_it_does_not_name(self) -> None:
        policy = {"logins": ["stale[bot]"], "every_bot": False}
        assert alone([close(1, by="dependabot[bot]", bot=True)], bots=policy) == []
        assert alone([close(1, **STALE)], bots=policy) == ACTED

    def test_a_close_that_was_delivered_again_is_one_action(self) -> None:
        events = [close(1, **STALE), close(1.01, **STALE), close(1.02, **STALE), reopen(2, by="dev")]
        assert alone(events) == [*ACTED, "reversal_reopened"]

    def test_a_bot_that_closes_and_reopens_within_seconds_reverses_nothing(self) -> None:
        events = [close(1, **STALE), reopen(1.001, **STALE), close(2, by="dev"), reopen(3, by="dev")]
        assert alone(events) == ACTED

    def test_a_named_bot_that_takes_its_close_back_is_no_human(self) -> None:
        assert alone([close(1, by="closer"), reopen(2, by="closer")], bots={"logins": ["closer"]}) == ACTED

    def test_beside_a_source_events_add_no_actions(self) -> None:
        assert derive([close(1, **STALE), reopen(2, by="dev")]).types() == ["pr_outcome"]


class TestPullRequests:
    def test_each_pull_request_is_told_as_its_last_event_left_it(self) -> None:
        opened = delivery(0, "opened", author_association="FIRST_TIME_CONTRIBUTOR", created_at="2026-05-31T23:00:00Z")
        run = derive([opened, close(1, **STALE), reopen(2), merge(3, 2)], None)
        assert run.pulls == [
            {
                "repo_full_name": REPOSITORY,
                "number": 1,
                "state": "open",
                "author_login": "dev",
                "author_association": "FIRST_TIME_CONTRIBUTOR",
                "merged_at": None,
                "linked_issues_json": None,
                "created_at": "2026-05-31T23:00:00.000Z",
                "updated_at": "2026-06-01T02:00:00.000Z",
            },
            {
                "repo_full_name": REPOSITORY,
                "number": 2,
                "state": "closed",
                "author_login": "dev",
                "author_association": None,
                "merged_at": "2026-06-01T03:00:00.000Z",
                "linked_issues_json": None,
                "created_at": None,
                "updated_at": "2026-06-01T03:00:00.000Z",
            },
        ]

    def test_an_unknown_association_stays_as_it_is(self) -> None:
        run = derive([delivery(0, "opened", author_association="MANNEQUIN")], None)
        assert run.pulls[0]["author_association"] == "MANNEQUIN"


def write(path: Path, events: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return path


class TestOut:
    EVENTS = (close(1, **STALE), reopen(2, by="dev"), merge(3, 2, body="This reverts PR #1."))

    def test_a_folder_is_a_source_of_a_build(self, tmp_path: Path) -> None:
        events = write(tmp_path / "events.ndjson", list(self.EVENTS))
        derive_outcomes([events], None, tmp_path / "out", Policy())
        stats = publish(tmp_path / "out", "2026-06-02T00:00:00Z", [REPOSITORY]).stats
        assert (stats["totals"]["handled"], stats["totals"]["reversed"]) == (1, 1)

    def test_a_folder_holds_uncorroborated_mentions_and_a_file_does_not(self, tmp_path: Path) -> None:
        events = write(tmp_path / "events.ndjson", list(self.EVENTS))
        derive_outcomes([events], None, tmp_path / "out", Policy())
        derive_outcomes([events], None, tmp_path / "rows.ndjson", Policy())
        rows = read(tmp_path / "out" / "audit_events.ndjson")
        [mention] = [row for row in rows if row["event_type"] == "outcomes.uncorroborated_mention"]
        assert (mention["target_key"], mention["detail"]) == (f"{REPOSITORY}#2", "other_form")
        assert [row for row in rows if row != mention] == read(tmp_path / "rows.ndjson")

    def test_the_same_events_write_the_same_bytes_again(self, tmp_path: Path) -> None:
        events = write(tmp_path / "events.ndjson", list(self.EVENTS))
        derive_outcomes([events], None, tmp_path / "out", Policy())
        before = (tmp_path / "out" / "audit_events.ndjson").read_bytes()
        derive_outcomes([events], None, tmp_path / "out", Policy())
        assert (tmp_path / "out" / "audit_events.ndjson").read_bytes() == before
        assert sorted(path.name for path in tmp_path.iterdir()) == ["events.ndjson", "out"]

    def test_a_folder_with_other_files_is_refused_and_left_alone(self, tmp_path: Path) -> None:
        events = write(tmp_path / "events.ndjson", list(self.EVENTS))
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "notes.txt").write_text("x")
        with pytest.raises(UsageError, match="notes"):
            derive_outcomes([events], None, tmp_path / "mine", Policy())
        assert (tmp_path / "mine" / "notes.txt").read_text() == "x"

    @pytest.mark.parametrize("out", ["events.ndjson", "source", "source/rows.ndjson", "."])
    def test_an_input_is_never_written(self, out: str, tmp_path: Path) -> None:
        events = write(tmp_path / "events.ndjson", list(self.EVENTS))
        (tmp_path / "source").mkdir()
        write(tmp_path / "source" / "audit_events.ndjson", [])
        with pytest.raises(UsageError, match="never written"):
            derive_outcomes([events], str(tmp_path / "source"), tmp_path / out, Policy())

    def test_a_failed_write_leaves_what_was_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        events = write(tmp_path / "events.ndjson", list(self.EVENTS))
        for out in (tmp_path / "rows.ndjson", tmp_path / "out"):
            derive_outcomes([events], None, out, Policy())
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        for out in (tmp_path / "rows.ndjson", tmp_path / "out"):
            with pytest.raises(OSError, match="No space"):
                derive_outcomes([events], None, out, policy_from({"bots": {"every_bot": False}}))
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
