"""Rows of an export, one short call each, with what does not matter to the test left to defaults."""

import json
from itertools import count
from typing import Any

Row = dict[str, Any]
_IDS = count(1)


def event(event_type: str, key: str | None, at: str, done: str | None = "completed", **metadata: Any) -> Row:
    """A row of audit_events; `done` is its outcome, for metadata may have one of its own."""
    return {
        "id": f"e{next(_IDS):06d}",
        "event_type": event_type,
        "target_key": key,
        "outcome": done,
        "metadata_json": json.dumps(metadata),
        "created_at": at,
    }


def firing(rule: str, key: str | None, at: str, **metadata: Any) -> Row:
    """A rule that fired."""
    return event(f"signal.rule_fired:{rule}", key, at, **metadata)


def override(rule: str, key: str | None, at: str, verdict: Any = "confirmed", **metadata: Any) -> Row:
    """A person's verdict on it."""
    return event(f"signal.human_override:{rule}", key, at, verdict=verdict, **metadata)


def action(kind: str, key: str, at: str, **more: Any) -> Row:
    """Something the gate did: merge, close, …"""
    return event(f"agent.action.{kind}", key, at, **more)


def surface(key: str, at: str, **metadata: Any) -> Row:
    """A review published on a pull request."""
    return event("github_app.pr_public_surface_published", key, at, **metadata)


def state(repo: str, number: int, **more: Any) -> Row:
    """A row of pull_requests."""
    standard = {"state": "open", "updated_at": "2026-06-01T00:00:00Z", "created_at": "2026-01-01T00:00:00Z"}
    return {"repo_full_name": repo, "number": number, **standard, **more}


def record(repo: str, number: int, at: str, verdict: str = "merge", **more: Any) -> Row:
    """A row of decision_records."""
    return {
        "id": f"record:{next(_IDS)}",
        "repo_full_name": repo,
        "pull_number": number,
        "action": verdict,
        "created_at": at,
        **more,
    }


def signal(instance: str, verdict: str | None, outcome: str, at: str, flag: str = "none", **more: Any) -> Row:
    """A row of orb_signals."""
    return {
        "instance_id": instance,
        "gate_verdict": verdict,
        "outcome": outcome,
        "reversal_flag": flag,
        "received_at": at,
        **more,
    }
