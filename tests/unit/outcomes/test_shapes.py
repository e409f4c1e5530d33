"""The shapes in which an event comes, and lines that are none: counted and never fatal."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from support.pull_requests import Row, at, close, derive, merge, read

from evenhand.errors import SourceError
from evenhand.outcomes.command import derive_outcomes
from evenhand.outcomes.events import Action, Aside, Passed, PullRequestEvent, parse_line
from evenhand.outcomes.reading import LONGEST_LINE
from evenhand.policy import Policy
from evenhand.timeline import instant_argument


def parsed(value: Any) -> PullRequestEvent | Passed | Aside:
    return parse_line(json.dumps(value).encode())


def event(value: Any) -> PullRequestEvent:
    found = parsed(value)
    assert isinstance(found, PullRequestEvent), found
    return found


PULL = {"number": 5, "user": {"login": "dev"}, "merged": False, "merged_at": None, "closed_at": "2026-06-01T03:00:00Z"}
BARE = {"action": "closed", "pull_request": PULL, "repository": {"full_name": "acme/widgets"}, "sender": {"login": "x"}}
ARCHIVED = {
    "type": "PullRequestEvent",
    "actor": {"login": "x"},
    "repo": {"name": "acme/widgets"},
    "payload": {"action": "closed", "number": 5, "pull_request": PULL},
    "created_at": "2026-06-01T02:00:00Z",
}


class TestShapes:
    def test_a_delivery_is_dated_by_when_it_was_received(self) -> None:
        found = event({"event": "pull_request", "received_at": "2026-06-01T01:00:00Z", "payload": BARE})
        assert found.time == instant_argument("2026-06-01T01:00:00Z")

    @pytest.mark.parametrize(
        ("action", "hour"),
        [("closed", "03"), ("reopened", "02"), ("opened", "01")],
        ids=["closed", "reopened", "opened"],
    )
    def test_a_bare_payload_is_dated_by_its_action(self, action: str, hour: str) -> None:
        times = {"updated_at": "2026-06-01T02:00:00Z", "created_at": "2026-06-01T01:00:00Z"}
        found = event({**BARE, "action": action, "pull_request": {**PULL, **times}})
        assert found.time == instant_argument(f"2026-06-01T{hour}:00:00Z")

    def test_an_archive_line_is_dated_by_its_own_time(self) -> None:
        assert event(ARCHIVED).time == instant_argument("2026-06-01T02:00:00Z")

    def test_an_archive_line_of_2012_names_its_actor_and_repository_otherwise(self) -> None:
        found = event(
            {
                "type": "PullRequestEvent",
                "actor": "stale-app",
                "actor_attributes": {"login": "stale-app", "type": "Bot"},
                "repository": {"owner": "acme", "name": "widgets", "url": "https://github.com/acme/widgets"},
                "payload": {"action": "closed", "number": 5, "pull_request": {"merged": True, "title": "x"}},
                "created_at": "2012/03/10 22:55:24 -0800",
            }
        )
        assert (found.repository, found.number, found.sender, found.is_bot) == ("acme/widgets", 5, "stale-app", True)
        assert found.merged
        assert found.time == instant_argument("2012-03-11T06:55:24Z")

    def test_a_slim_line_tells_number_and_merge_beside_the_pull_request(self) -> None:
        payload = {"action": "closed", "number": 5, "merged": True}
        found = event({**ARCHIVED, "payload": payload})
        assert (found.number, found.merged, found.author) == (5, True, None)

    def test_a_line_whose_action_says_merged_is_a_merge(self) -> None:
        payload = {"action": "merged", "number": 5, "pull_request": {"number": 5, "url": "x"}}
        assert event({**ARCHIVED, "payload": payload}).merged

    def test_a_close_that_does_not_tell_whether_it_merged_is_set_aside_and_not_taken_for_unmerged(self) -> None:
        payload = {"action": "closed", "number": 5, "pull_request": {"number": 5, "url": "x"}}
        assert parsed({**ARCHIVED, "payload": payload}) is Aside.MERGE_NOT_TOLD

    def test_the_archive_leaves_the_type_out_and_an_apps_login_tells(self) -> None:
        assert event({**ARCHIVED, "actor": {"login": "stale[bot]"}}).is_bot
        assert not event(ARCHIVED).is_bot

    def test_a_delivery_tells_the_type_itself(self) -> None:
        assert not event({**BARE, "sender": {"login": "odd[bot]", "type": "User"}}).is_bot
        assert event({**BARE, "sender": {"login": "x", "type": "Bot"}}).is_bot

    def test_a_payload_that_is_a_text_is_read_too(self) -> None:
        assert event({**ARCHIVED, "payload": json.dumps(ARCHIVED["payload"])}).action is Action.CLOSED

    @pytest.mark.parametrize(
        "value",
        [
            {"type": "WatchEvent", "payload": {"action": "started"}},
            {"type": "PushEvent"},
            {"event": "issues", "received_at": at(0), "payload": {"action": "opened"}},
            {"event": "pull_request_target", "payload": BARE},
            {"action": "opened", "issue": {"number": 1}},
        ],
    )
    def test_other_events_are_passed_over(self, value: Any) -> None:
        assert parsed(value) is Passed.OTHER_EVENT


def with_pull(**members: Any) -> Row:
    return {**BARE, "pull_request": {**PULL, **members}}


class TestSetAside:
    @pytest.mark.parametrize(
        "line",
        [
            b"",
            b"[]",
            b"1",
            b"{",
            b'{"a": NaN}',
            b'{"a": Infinity}',
            b"{'a': 1}",
            b'{"a": 1,}',
            b'{"a": "\xff"}',
            b"{" * 200_000,
            b'{"a":' * 200_000,
            b"[" * 1_000_000,
            b'{"n": ' + b"9" * 100_000 + b"}",
        ],
        ids=lambda line: repr(line[:12]),
    )
    def test_what_is_no_strict_json_object(self, line: bytes) -> None:
        assert parse_line(line) in (Aside.UNREADABLE_LINE, Aside.UNKNOWN_SHAPE)

    def test_a_deep_value_that_nobody_asks_for_in_a_line_is_either_read_or_set_aside(self) -> None:
        deep = json.dumps(BARE)[:-1] + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
        assert isinstance(parse_line(deep.encode()), PullRequestEvent | Aside)

    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ({"x": 1}, Aside.UNKNOWN_SHAPE),
            ({"event": "pull_request", "payload": None}, Aside.UNKNOWN_SHAPE),
            ({"event": "pull_request", "payload": [1]}, Aside.UNKNOWN_SHAPE),
            ({"payload": {"x": 1}}, Aside.UNKNOWN_SHAPE),
            ({**BARE, "action": 7}, Aside.UNKNOWN_SHAPE),
            ({**BARE, "pull_request": "x"}, Aside.UNKNOWN_SHAPE),
            ({**BARE, "repository": None}, Aside.NO_REPOSITORY),
            ({**BARE, "repository": {"full_name": "widgets"}}, Aside.NO_REPOSITORY),
            ({**BARE, "repository": {"full_name": "a/b#1"}}, Aside.NO_REPOSITORY),
            ({**BARE, "repository": {"full_name": "a/b/c"}}, Aside.NO_REPOSITORY),
            ({**BARE, "repository": {"full_name": "\ud800/x"}}, Aside.UNREADABLE_LINE),
            ({**BARE, "sender": {"login": "\udc00"}}, Aside.UNREADABLE_LINE),
            (with_pull(number=None), Aside.NO_NUMBER),
            (with_pull(number="5"), Aside.NO_NUMBER),
            (with_pull(number=True), Aside.NO_NUMBER),
            (with_pull(number=5.0), Aside.NO_NUMBER),
            (with_pull(number=0), Aside.NO_NUMBER),
            (with_pull(number=-1), Aside.NO_NUMBER),
            (with_pull(number=10**30), Aside.NO_NUMBER),
            (with_pull(closed_at=None), Aside.NO_TIME),
            (with_pull(closed_at=17), Aside.NO_TIME),
            ({"event": "pull_request", "received_at": "yesterday", "payload": BARE}, Aside.NO_TIME),
        ],
    )
    def test_what_should_be_an_event_and_lacks_what_makes_it_one(self, value: Any, reason: Aside) -> None:
        assert parsed(value) is reason

    @pytest.mark.parametrize("odd", [7, [], {}, True, {"login": 7}])
    def test_a_login_of_another_type_is_an_unknown_one(self, odd: Any) -> None:
        found = event({**with_pull(user=odd, body=odd, author_association=odd), "sender": odd})
        assert (found.sender, found.author, found.association, found.claim) == (None, None, None, None)

    def test_of_duplicate_keys_the_first_counts(self) -> None:
        line = json.dumps(BARE)[:-1] + ', "action": "opened"}'
        found = parse_line(line.encode())
        assert isinstance(found, PullRequestEvent)
        assert found.action is Action.CLOSED

    def test_a_body_with_an_unpaired_surrogate_does_not_spoil_the_event(self) -> None:
        assert event(with_pull(body="Reverts #4 \ud800")).claim is not None


class TestFiles:
    def test_lines_are_counted_by_what_they_were_and_the_rest_is_read(self) -> None:
        lines = [close(1), b"", b"{broken", b'{"x": 1}', b"\xef\xbb\xbf" + json.dumps(merge(2)).encode()]
        run = derive(lines)
        assert run.types() == ["pr_outcome", "pr_outcome"]
        assert run.derived.counts.aside == {"unreadable_line": 1, "unknown_shape": 1}
        assert "events.ndjson:3" in run.derived.summary()

    def test_a_line_longer_than_any_event_is_set_aside_without_being_held(self) -> None:
        huge = b'{"x": "' + b"a" * (LONGEST_LINE + 10) + b'"}'
        run = derive([huge, close(1)])
        assert run.derived.counts.aside == {"unreadable_line": 1}
        assert run.types() == ["pr_outcome"]

    def test_any_order_of_lines_and_files_plain_or_packed_gives_the_same_rows(self, tmp_path: Path) -> None:
        events = [close(1), merge(2), close(3), merge(4, 2, body="Reverts #1")]
        lines = [json.dumps(line).encode() + b"\n" for line in events]
        (tmp_path / "a.ndjson").write_bytes(b"".join(lines))
        (tmp_path / "b.ndjson").write_bytes(lines[2])
        (tmp_path / "c.ndjson.gz").write_bytes(gzip.compress(lines[3] + lines[0] + lines[1]))
        derive_outcomes([tmp_path / "a.ndjson"], None, tmp_path / "one.ndjson", Policy())
        derive_outcomes([tmp_path / "b.ndjson", tmp_path / "c.ndjson.gz"], None, tmp_path / "two.ndjson", Policy())
        assert (tmp_path / "one.ndjson").read_bytes() == (tmp_path / "two.ndjson").read_bytes()
        assert len(read(tmp_path / "one.ndjson")) == 5

    def test_events_of_one_instant_keep_the_order_of_their_file(self) -> None:
        assert [row["detail"] for row in derive([merge(1), close(1)]).rows] == ["merged", "closed"]
        assert [row["detail"] for row in derive([close(1), merge(1)]).rows] == ["closed", "merged"]

    @pytest.mark.parametrize(
        ("name", "data"),
        # The same bytes in every process: gzip would write the time of day into them.
        [("no.ndjson", None), ("cut.ndjson.gz", gzip.compress(b"x" * 999, mtime=0)[:-9])],
        ids=["absent", "cut off"],
    )
    def test_a_file_that_is_not_there_or_cut_off_is_one_sentence(
        self, name: str, data: bytes | None, tmp_path: Path
    ) -> None:
        if data is not None:
            (tmp_path / name).write_bytes(data)
        with pytest.raises(SourceError, match=name):
            derive_outcomes([tmp_path / name], None, tmp_path / "rows.ndjson", Policy())
        assert not (tmp_path / "rows.ndjson").exists()
