"""The small sample shows every feature of the report: counted here in plain Python, by the contract's words."""

from __future__ import annotations

import json
import sqlite3
import statistics
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from evenhand.sample.world import RARE_RULES, RULES

AS_OF = datetime(2026, 11, 1, tzinfo=UTC)
WINDOW = AS_OF - timedelta(days=90)
ALLOWED = {"acme/widgets", "acme/gadgets", "acme/docs-site", "northwind/ledger-core"}
OVERRIDE = "signal.human_override:"


def instant(text: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def fields(text: object) -> dict[str, Any]:
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def verdicts(export: sqlite3.Connection) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    query = "SELECT event_type, metadata_json, created_at FROM audit_events WHERE event_type GLOB ?"
    for event_type, text, created in export.execute(query, (f"{OVERRIDE}*",)):
        time, metadata = instant(created), fields(text)
        if time and WINDOW <= time < AS_OF and metadata.get("provenance") != "slop_replay_backfill_v1":
            verdict = metadata.get("verdict")
            decided = verdict if verdict in ("confirmed", "reversed") else "unrecognized"
            found[event_type.removeprefix(OVERRIDE)][decided] += 1
    return found


def test_most_rules_reach_the_floor_and_some_do_not(export: sqlite3.Connection) -> None:
    found = verdicts(export)
    decided = {rule.rule_id: found[rule.rule_id]["confirmed"] + found[rule.rule_id]["reversed"] for rule in RULES}
    assert sum(n >= 10 for n in decided.values()) >= 28
    for rare in RARE_RULES:
        counts = found[rare.rule_id]
        assert (counts["confirmed"], counts["reversed"], counts["unrecognized"]) == rare[1:]
        assert rare.confirmed + rare.reversed < 10


def test_score_gates_are_only_ever_reversed(export: sqlite3.Connection) -> None:
    found = verdicts(export)
    for rule in RULES:
        if rule.kind == "score":
            assert found[rule.rule_id]["confirmed"] == 0 < found[rule.rule_id]["reversed"]


def test_confirmations_are_explicit_and_implicit(export: sqlite3.Connection) -> None:
    implicit = "metadata_json LIKE '%implicit_terminal_disposition%'"
    query = f"SELECT SUM({implicit}), SUM(NOT {implicit}) FROM audit_events WHERE event_type LIKE ?"
    for count in export.execute(query, (f"{OVERRIDE}%",)).fetchone():
        assert count > 200


def auto_actions(export: sqlite3.Connection) -> dict[str, list[datetime]]:
    acted: dict[str, list[datetime]] = defaultdict(list)
    query = (
        "SELECT lower(target_key), metadata_json, created_at FROM audit_events WHERE outcome = 'completed'"
        " AND event_type IN ('agent.action.close', 'agent.action.merge') AND typeof(target_key) = 'text'"
    )
    for target, text, created in export.execute(query):
        time = instant(created)
        if time and target.split("#")[0] in ALLOWED and fields(text).get("mode") != "dry_run":
            acted[target].append(time)
    return acted


def test_accuracy_stands_in_the_mid_nineties_over_enough_auto_actions(export: sqlite3.Connection) -> None:
    acted = {
        target: min(inside)
        for target, times in auto_actions(export).items()
        if (inside := [time for time in times if WINDOW <= time < AS_OF])
    }
    reversed_ = set()
    query = "SELECT lower(target_key), created_at FROM audit_events WHERE event_type LIKE 'reversal\\_%' ESCAPE '\\'"
    for target, created in export.execute(query):
        time = instant(created)
        if time and target in acted and acted[target] <= time < AS_OF:
            reversed_.add(target)
    assert len(acted) >= 150
    assert 0.92 <= 1 - len(reversed_) / len(acted) <= 0.98


def test_one_week_is_too_small_and_one_had_no_auto_action(export: sqlite3.Connection) -> None:
    weeks: Counter[datetime] = Counter()
    for times in auto_actions(export).values():
        weeks.update({monday(time) for time in times})
    ended: Counter[datetime] = Counter()
    for repository, state, merged, updated in export.execute(
        "SELECT lower(repo_full_name), state, merged_at, updated_at FROM pull_requests"
    ):
        time = instant(merged or updated)
        if repository in ALLOWED and time and (merged or state == "closed"):
            ended[monday(time)] += 1
    last = monday(AS_OF)
    frozen, dry = last - timedelta(weeks=4), last - timedelta(weeks=6)
    assert ended[frozen] == 2
    assert weeks[dry] == 0 < ended[dry]
    others = [last - timedelta(weeks=back) for back in range(8) if back not in (4, 6)]
    assert all(weeks[week] >= 3 and ended[week] >= 3 for week in others)


def test_one_repository_is_paused_for_a_week_and_one_never_acts(export: sqlite3.Connection) -> None:
    paused = monday(AS_OF) - timedelta(weeks=2)
    acted = auto_actions(export)
    assert not any(target.startswith("acme/docs-site#") for target in acted)
    by_repository = {t.split("#")[0] for t, times in acted.items() if any(monday(x) == paused for x in times)}
    # the one action there is a scene's mixed-case row, if it happens to fall into the week
    assert {"acme/widgets", "northwind/ledger-core"} <= by_repository


def monday(time: datetime) -> datetime:
    day = time.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def test_reevaluations_fall_within_the_last_week_and_weeks_lie_on_both_sides_of_the_horizon(
    export: sqlite3.Connection,
) -> None:
    recent: Counter[str] = Counter()
    weeks = set()
    for created, reason in export.execute("SELECT created_at, reevaluation_reason FROM decision_records"):
        time = instant(created)
        assert time
        weeks.add(monday(time))
        if reason and AS_OF - timedelta(days=7) <= time < AS_OF:
            recent[reason] += 1
    assert recent.total() >= 8
    assert len(recent) >= 3
    assert sum(week >= AS_OF - timedelta(days=84) for week in weeks) >= 11
    assert min(weeks) < datetime(2026, 7, 27, tzinfo=UTC)


def test_three_honest_instances_are_eligible_and_the_flattering_one_is_caught(
    export: sqlite3.Connection,
) -> None:
    eligible = []
    for instance, registered in export.execute("SELECT instance_id, registered FROM orb_instances").fetchall():
        decided, rate, precision = fleet_figures(export, instance)
        if registered and decided >= 5:
            eligible.append((decided, rate, precision))
    assert len(eligible) == 4
    middle = [statistics.median(column) for column in zip(*eligible, strict=True)]
    flagged = [
        instance
        for instance in eligible
        if instance[0] > 2 * middle[0] and instance[2] - middle[2] > 0.25 and instance[1] < middle[1] / 2
    ]
    assert len(flagged) == 1


def fleet_figures(export: sqlite3.Connection, instance: str) -> tuple[int, float, float]:
    since = WINDOW.date().isoformat()
    cells = export.execute(
        "SELECT gate_verdict, outcome, reversal_flag, gate_reasoncode_bucket, 1 FROM orb_signals"
        " WHERE instance_id = ? AND received_at >= ? UNION ALL SELECT gate_verdict, outcome, reversal_flag,"
        " gate_reasoncode_bucket, n FROM orb_signal_rollups WHERE instance_id = ? AND day >= ?",
        (instance, since, instance, since),
    ).fetchall()
    decided = sum(n for *_, n in cells)
    flagged = sum(n for _, _, flag, _, n in cells if flag != "none")
    merges = [cell for cell in cells if cell[0] == "merge" and (cell[3] or "").lower() != "policy_action"]
    right = sum(n for _, outcome, flag, _, n in merges if outcome == "merged" and flag != "reverted")
    return decided, flagged / decided, right / sum(n for *_, n in merges)


def test_public_outcomes_overlap_the_published_ones_in_part(export: sqlite3.Connection) -> None:
    query = (
        "SELECT COUNT(*), SUM(EXISTS (SELECT 1 FROM audit_events WHERE event_type = ? AND lower(target_key) ="
        " lower(repository_full_name) || '#' || pr_number)) FROM orb_pr_outcomes"
    )
    total, overlapping = export.execute(query, ("github_app.pr_public_surface_published",)).fetchone()
    assert 50 < overlapping < total - 50


def test_every_kind_of_reversal_run_and_marker_occurs(export: sqlite3.Connection) -> None:
    kinds = {kind for (kind,) in export.execute("SELECT DISTINCT event_type FROM audit_events")}
    assert {
        "reversal_reopened",
        "reversal_reverted",
        "reversal_superseded",
        "owner_reopen_pending_reversal",
        "pr_outcome",
        "calibration.threshold_backtest_run",
        "calibration.logic_backtest_run",
        "calibration.counterfactual_backtest_run",
    } <= kinds


def test_a_minority_of_firings_carries_context(export: sqlite3.Connection) -> None:
    query = (
        "SELECT SUM(metadata_json LIKE '%\"modelResponseText\"%'), COUNT(*) FROM audit_events"
        " WHERE event_type LIKE 'signal.rule_fired:%'"
    )
    captured, fired = export.execute(query).fetchone()
    assert 30 < captured < fired / 4


def test_reviews_are_mostly_good_records_with_a_few_bad_ones(sample: Path) -> None:
    lines = (sample / "reviews.ndjson").read_text(encoding="utf-8").splitlines()
    good = [json.loads(line) for line in lines if line and line.endswith("}")]
    assert len(lines) == 157
    assert lines.count("") == 1
    statuses = Counter(review["status"] for review in good)
    assert statuses["complete"] > 100
    assert {"partial", "failed", "skipped", "finished"} <= set(statuses)
    duplicated = [key for key, n in Counter(review["review_id"] for review in good).items() if n > 1]
    assert len(duplicated) == 1
    assert {review["pass"] for review in good} == {"first", "deep"}


def test_public_events_are_in_time_order_in_both_forms(sample: Path) -> None:
    lines = (sample / "github_events.ndjson").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    times = [instant(event.get("received_at") or event["created_at"]) for event in events]
    gaps = pairwise(times)
    # a delivery is received a second after the event that an archive records at once
    assert all(after - before >= timedelta(seconds=-2) for before, after in gaps if before and after)
    assert 200 <= len(events) <= 350
    closed_by_stale_bot = [
        event for event in events if event.get("payload", {}).get("sender", {}).get("login") == "stale[bot]"
    ]
    assert closed_by_stale_bot
    assert {event.get("type", event.get("event")) for event in events} >= {"PullRequestEvent", "pull_request"}
