"""Small reviews for tests: one with nothing in it, and what is changed about it."""

import itertools
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evenhand.evidence.assessment import Assessment, assess
from evenhand.evidence.json_form import json_pieces
from evenhand.evidence.reading import BadRecord, read_reviews, read_seats
from evenhand.evidence.rules import Deliver
from evenhand.evidence.seats import OUTCOMES, SeatRecords
from evenhand.policy import Evidence, Policy

Json = dict[str, Any]
_NUMBERS = itertools.count()

RAN = {"status": "ran", "fails_before": True, "passes_after": True, "referent_gone": False}
"""A reproduction that holds."""
FAILED = RAN | {"passes_after": False}
"""A reproduction that does not hold."""


def suite(with_patch: str | None = "green", baseline: str | None = "green", status: str = "ran") -> Json:
    return {"status": status, "baseline": baseline, "with_patch": with_patch}


def patch(file: str = "a.py", start_line: int = 1, replaced: str = "x = 1", replacement: str = "x = 2") -> Json:
    return {"file": file, "start_line": start_line, "replaced": replaced, "replacement": replacement}


def finding(finding_id: str = "A", **changes: Any) -> Json:
    """A copy that is like no other: its file is its own."""
    return {
        "finding_id": finding_id,
        "lens": "correctness",
        "purpose": "defect",
        "seat": "alder",
        "title": "a title",
        "reason": "a reason",
        "files": [f"own/{next(_NUMBERS)}.py"],
        "symbols": [],
        "stated_confidence": 0.5,
        "claims_speed": False,
        "impact": None,
        "reach": None,
        "edge_input_only": False,
        "patch": None,
        "reproduction": None,
        "suite": None,
        "contested_by": [],
        "scope_sent_away": False,
        "contradiction": None,
        "promise": None,
    } | changes


SEATS = [
    {"seat": "alder", "lab": "lab-a", "rank": 1, "unfinished_lenses": []},
    {"seat": "birch", "lab": "lab-b", "rank": 2, "unfinished_lenses": []},
    {"seat": "cedar", "lab": "lab-c", "rank": 3, "unfinished_lenses": []},
]
HEAD = {"doc.md": {"start_line": 10, "lines": ["one", "  keep the lock held  ", "three", "four", "five"]}}
CITED = {"file": "doc.md", "line": 11, "quote": "keep the lock held"}
"""A citation that verifies against HEAD."""


def review(*findings: Json, **changes: Any) -> Json:
    number = next(_NUMBERS)
    return {
        "review_id": f"rv-{number}",
        "account": "acme",
        "repo": "acme/widgets",
        "pull_number": 7,
        "head_sha": "a" * 40,
        "head_ref": "feat",
        "base_ref": "main",
        "head_is_fork": False,
        "source_state": "open",
        "pass": "deep",
        "status": "complete",
        "started_at": "2026-03-01T10:00:00Z",
        "finished_at": "2026-03-01T10:04:05Z",
        "settled_cost_usd": 0.5,
        "seats": SEATS,
        "shards_total": 3,
        "shards_reviewed": 3,
        "lenses_skipped": [],
        "lenses_cut": [],
        "findings": list(findings),
        "dead_code": [],
        "files_at_head": HEAD,
    } | changes


def without(record: Json, *fields: str) -> Json:
    return {name: value for name, value in record.items() if name not in fields}


def seat_record(seat: str = "alder", lens: str = "correctness", account: str = "acme", **counts: Any) -> Json:
    return {"account": account, "seat": seat, "lens": lens} | dict.fromkeys(OUTCOMES, 0) | counts


def text_of(records: Sequence[Json | str]) -> str:
    """One record a line; a text stands as it is."""
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)


def assessment(
    *reviews: Json | str,
    seats: Sequence[Json | str] = (),
    deliver: str = "all",
    sweep: bool = False,
    policy: Evidence | None = None,
    data: bytes | None = None,
    name: str = "reviews.ndjson",
) -> tuple[Assessment, list[BadRecord]]:
    """The assessment of some reviews as they stand in a file, and what was bad in it."""
    bad: list[BadRecord] = []
    with tempfile.TemporaryDirectory() as scratch:
        file, seat_file = Path(scratch) / name, Path(scratch) / "seats.ndjson"
        file.write_bytes(text_of(reviews).encode() if data is None else data)
        seat_file.write_text(text_of(seats), encoding="utf-8")
        records = read_seats(seat_file, bad) if seats else SeatRecords()
        made = assess(read_reviews(file, bad), records, policy or Policy().evidence, Deliver(deliver), sweep)
    return made, bad


def document(*reviews: Json | str, **options: Any) -> Json:
    """The JSON document of some reviews."""
    made, bad = assessment(*reviews, **options)
    found: Json = json.loads("".join(json_pieces(made, bad)))
    return found


def one(*findings: Json, **options: Any) -> Json:
    """The JSON of one review with these copies."""
    changes = options.pop("changes", {})
    [found] = document(review(*findings, **changes), **options)["reviews"]
    return dict(found)


def only(*findings: Json, **options: Any) -> Json:
    """The JSON of the one mechanism that these copies are."""
    [found] = one(*findings, **options)["mechanisms"]
    return dict(found)


def groups(*findings: Json) -> list[list[str]]:
    """The finding ids of each mechanism."""
    return sorted(mechanism["members"] for mechanism in one(*findings)["mechanisms"])
