"""Pull-request events and what is derived from them, as short as a test can read them.

Hours count from 2026-06-01T00:00:00Z; without other word the repository is acme/widgets, the author dev and the sender
carol, who owns nothing.
"""

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.folders import write_table

from evenhand.outcomes.command import Derived, derive_outcomes
from evenhand.policy import policy_from
from evenhand.timeline import HOUR, instant_argument, iso

START = instant_argument("2026-06-01T00:00:00Z")
REPOSITORY = "acme/widgets"

Row = dict[str, Any]


def at(hour: float) -> str:
    """An instant as text."""
    return iso(START + round(hour * HOUR))


def delivery(
    hour: float,
    action: str,
    number: int = 1,
    *,
    by: str | None = "carol",
    author: str | None = "dev",
    repo: str = REPOSITORY,
    bot: bool = False,
    merged: bool = False,
    body: str | None = None,
    **more: Any,
) -> Row:
    """A webhook delivery."""
    pull = {
        "number": number,
        "state": "closed" if action == "closed" else "open",
        "user": None if author is None else {"login": author, "type": "User"},
        "merged_at": at(hour) if merged else None,
        "body": body,
        **more,
    }
    sender = None if by is None else {"login": by, "type": "Bot" if bot else "User"}
    payload = {"action": action, "pull_request": pull, "repository": {"full_name": repo}, "sender": sender}
    return {"event": "pull_request", "delivery": f"d{hour}", "received_at": at(hour), "payload": payload}


def merge(hour: float, number: int = 1, **more: Any) -> Row:
    """Closed and merged."""
    return delivery(hour, "closed", number, merged=True, **more)


def close(hour: float, number: int = 1, **more: Any) -> Row:
    """Closed, unmerged."""
    return delivery(hour, "closed", number, **more)


def reopen(hour: float, number: int = 1, **more: Any) -> Row:
    """Reopened."""
    return delivery(hour, "reopened", number, **more)


def recorded(hour: float, event_type: str, key: str | int = 1, *, done: str = "completed", **more: Any) -> Row:
    """A row that the gate recorded; a number stands for a pull request of the repository."""
    detail = more.pop("detail", None)
    return {
        "id": f"{event_type}@{hour}",
        "event_type": event_type,
        "actor": "gate[bot]",
        "target_key": f"{REPOSITORY}#{key}" if isinstance(key, int) else key,
        "outcome": done,
        "detail": detail,
        "metadata_json": json.dumps(more),
        "created_at": at(hour),
    }


def bot_close(hour: float, key: str | int = 1, **more: Any) -> Row:
    """The gate closed it."""
    return recorded(hour, "agent.action.close", key, **more)


def fired(hour: float, rule: str, key: str | int = 1) -> Row:
    """A rule fired."""
    return recorded(hour, f"signal.rule_fired:{rule}", key)


def verdict(hour: float, rule: str, said: str, key: str | int = 1) -> Row:
    """An override that was recorded before."""
    return recorded(hour, f"signal.human_override:{rule}", key, verdict=said)


def pull(
    number: int, *, state: str | None = "closed", author: str | None = "dev", linked: str = "[]", **more: Any
) -> Row:
    """A row of pull_requests."""
    return {
        "repo_full_name": REPOSITORY,
        "number": number,
        "state": state,
        "author_login": author,
        "linked_issues_json": linked,
        "merged_at": None,
        "updated_at": None,
        **more,
    }


def file_of(number: int, *paths: str) -> list[Row]:
    """Rows of pull_request_files."""
    return [{"repo_full_name": REPOSITORY, "pull_number": number, "path": path} for path in paths]


@dataclass(frozen=True)
class Run:
    """What came out."""

    derived: Derived
    rows: list[Row]
    pulls: list[Row]

    def types(self, prefix: str = "") -> list[str]:
        """The event types that came out, with their pull requests where it is not the first."""
        return [_named(row) for row in self.rows if row["event_type"].startswith(prefix)]

    def verdicts(self) -> list[str]:
        """Overrides as `rule verdict`, implicit ones marked."""
        found = []
        for row in self.rows:
            if row["event_type"].startswith("signal.human_override:"):
                metadata = json.loads(row["metadata_json"])
                implicit = " implicitly" if "basis" in metadata else ""
                found.append(f"{row['event_type'].partition(':')[2]} {metadata['verdict']}{implicit}")
        return found


def _named(row: Row) -> str:
    return str(row["event_type"]) + ("" if row["target_key"] == f"{REPOSITORY}#1" else f" {row['target_key']}")


def derive(
    events: Iterable[Row | str | bytes],
    audit_events: Iterable[Row] | None = (),
    *,
    pulls: Iterable[Row] = (),
    files: Iterable[Row] = (),
    review_audit: Iterable[Row] = (),
    policy: Mapping[str, Any] | None = None,
) -> Run:
    """Run the command's work; `audit_events` None means alone, without a SOURCE."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        lines = [event if isinstance(event, bytes) else _line(event) for event in events]
        (folder / "events.ndjson").write_bytes(b"".join(line + b"\n" for line in lines))
        source = None
        if audit_events is not None:
            source = folder / "source"
            source.mkdir()
            tables = {
                "audit_events": list(audit_events),
                "pull_requests": list(pulls),
                "pull_request_files": list(files),
                "review_audit": list(review_audit),
            }
            for name, rows in tables.items():
                if rows or name == "audit_events":
                    columns = list(rows[0]) if rows else ["event_type"]
                    write_table(source / f"{name}.ndjson", columns, [tuple(row.values()) for row in rows])
        out = folder / ("rows.ndjson" if source else "out")
        derived = derive_outcomes(
            [folder / "events.ndjson"], None if source is None else str(source), out, policy_from(policy or {})
        )
        if source:
            return Run(derived, read(out), [])
        return Run(derived, read(out / "audit_events.ndjson"), read(out / "pull_requests.ndjson"))


def _line(event: Row | str) -> bytes:
    return (event if isinstance(event, str) else json.dumps(event)).encode()


def read(path: Path) -> list[Row]:
    """Rows of a derived file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
