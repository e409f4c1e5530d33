"""Timelines of pull requests with the rows that are right, and real events with counts that are known."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.golden import GOLDEN, load
from support.pull_requests import read

from evenhand.outcomes.command import derive_outcomes
from evenhand.policy import Policy, load_policy

CASES = sorted(path.parent for path in (GOLDEN / "sequences").glob("*/expected.json"))


def policy_of(case: Path) -> Policy:
    path = case / "policy.toml"
    return load_policy(path if path.exists() else None)


def comparable(row: dict[str, Any]) -> str:
    bare = {key: value for key, value in row.items() if key not in ("id", "metadata_json")}
    if "metadata_json" in row:
        bare["metadata"] = json.loads(row["metadata_json"])
    return json.dumps(bare, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_row_of_a_timeline_is_right(case: Path, tmp_path: Path) -> None:
    derive_outcomes([case / "events.ndjson"], str(case / "source"), tmp_path / "rows.ndjson", policy_of(case))
    rows = read(tmp_path / "rows.ndjson")
    assert sorted(map(comparable, rows)) == sorted(map(comparable, load(case / "expected.json")["rows"]))
    assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_second_run_beside_the_rows_of_the_first_adds_nothing(case: Path, tmp_path: Path) -> None:
    first, again, source = tmp_path / "first.ndjson", tmp_path / "again.ndjson", tmp_path / "source"
    derive_outcomes([case / "events.ndjson"], str(case / "source"), first, policy_of(case))
    source.mkdir()
    for path in (case / "source").iterdir():
        (source / path.name).write_bytes(path.read_bytes())
    import gzip

    events = source / "audit_events.ndjson.gz"
    events.write_bytes(gzip.compress(gzip.decompress(events.read_bytes()) + first.read_bytes()))
    derive_outcomes([case / "events.ndjson"], str(source), again, policy_of(case))
    assert read(again) == []


def test_a_real_archive_excerpt_holds_what_was_counted_by_hand(tmp_path: Path) -> None:
    events = GOLDEN / "real" / "gharchive_pull_requests.ndjson.gz"
    derived = derive_outcomes([events], None, tmp_path / "out", Policy())
    assert derived.counts.events == {"opened": 33, "merged": 25, "closed": 6}
    assert derived.counts.classes == {
        ("maintainer", "merged"): 14,
        ("maintainer", "closed"): 2,
        ("contributor", "merged"): 11,
        ("contributor", "closed"): 4,
    }
    assert derived.counts.lines == 800
    assert sum(derived.counts.passed.values()) == 800 - 64
    assert not derived.counts.aside
    states = Counter(
        (row["state"], row["merged_at"] is not None) for row in read(tmp_path / "out/pull_requests.ndjson")
    )
    assert states == {("open", False): 33, ("closed", True): 25, ("closed", False): 6}


def test_the_example_payloads_of_webhooks_are_read_and_other_actions_passed_over(tmp_path: Path) -> None:
    events = GOLDEN / "real" / "webhook_pull_request_examples.ndjson.gz"
    derived = derive_outcomes([events], None, tmp_path / "out", Policy())
    assert derived.counts.events == {"closed": 2, "reopened": 2, "opened": 3}
    assert derived.counts.passed == {"other_action": 21}
    assert not derived.counts.aside
