"""Evidence-graded reviews and seat records: about 150 believable lines, with a few bad ones among them.

Follows the input format of the review-evidence contract, section 1; what the evidence amounts to is computed
elsewhere. The problems themselves are in `findings`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from evenhand.sample.draws import Draws
from evenhand.sample.findings import STOCK, Stock
from evenhand.sample.span import DAY, HOUR, MINUTE, Span, iso

REVIEWS = 150
SEATS = (("alder", "lab-a"), ("birch", "lab-b"), ("cedar", "lab-c"), ("dogwood", "lab-d"))
LENSES = ("correctness", "security", "performance", "tests", "docs", "hygiene")
_REPOSITORIES = ("acme/widgets", "acme/gadgets", "northwind/ledger-core")
_SPREAD = 60 * DAY
_FINDINGS_WEIGHTS = (0.14, 0.26, 0.27, 0.19, 0.10, 0.04)
_COPY_WEIGHTS = (0.6, 0.29, 0.11)
_WIDER_COPY = 2
_STATUSES = ("complete", "partial", "failed", "skipped")
_STATUS_WEIGHTS = (0.87, 0.08, 0.03, 0.02)
_STATES = ("open", "merged", "closed")
_IMPACTS = ("critical", "high", "moderate", "low", None)
_IMPACT_WEIGHTS = (0.06, 0.24, 0.36, 0.2, 0.14)
_FIRST_PASS_EVERY = 6  # a first pass, then the deep pass of the same pull request
_BAD_AFTER = (20, 47, 71, 96, 118, 139)
_BLANK_AFTER = 60

_RAN = {"status": "ran", "fails_before": True, "passes_after": True, "referent_gone": False}
_DISPROVED = {"status": "ran", "fails_before": False, "passes_after": True, "referent_gone": False}
_GONE = {"status": "ran", "fails_before": False, "passes_after": False, "referent_gone": True}


def _suite(status: str = "ran", baseline: str | None = "green", patched: str | None = "green") -> dict[str, Any]:
    return {"status": status, "baseline": baseline, "with_patch": patched}


def _unrun(status: str) -> dict[str, Any]:
    return {"status": status, "fails_before": False, "passes_after": False, "referent_gone": False}


# (weight, reproduction, suite, contested by)
_EVIDENCE: tuple[tuple[float, dict[str, Any] | None, dict[str, Any] | None, list[str]], ...] = (
    (0.27, _RAN, _suite(), []),
    (0.06, _RAN, _suite(), ["lab-c"]),
    (0.03, _RAN, _suite(patched="red"), []),
    (0.09, _DISPROVED, None, []),
    (0.05, _unrun("timed_out"), None, []),
    (0.03, _unrun("toolchain_missing"), _suite(), []),
    (0.02, _unrun("patch_not_applied"), None, []),
    (0.22, None, _suite(), []),
    (0.04, None, _suite(baseline="red", patched="red"), []),
    (0.04, None, _suite(patched="red"), []),
    (0.04, None, _suite("no_test_command", None, None), []),
    (0.02, None, _suite("clock", None, None), []),
    (0.09, None, None, []),
)


def review_lines(draws: Draws, span: Span) -> list[str]:
    """The review export, one JSON text a line."""
    lines: list[str] = []
    pending_deep: dict[str, Any] | None = None
    for index in range(REVIEWS):
        review = _review(draws, span, index)
        if pending_deep is not None:
            _make_deep(review, pending_deep)
            pending_deep = None
        elif index % _FIRST_PASS_EVERY == 0:
            review["pass"] = "first"
            pending_deep = review
        lines.append(_json(review))
        if index in _BAD_AFTER:
            lines.append(_bad(draws, span, index, review))
        if index == _BLANK_AFTER:
            lines.append("")
    return lines


def seat_lines(draws: Draws) -> list[str]:
    """Seat records by account and lens; now and then a key has two lines that add up."""
    lines = []
    for account in ("acme", "northwind"):
        for rank, (seat, _) in enumerate(SEATS):
            for lens in LENSES:
                total = draws.index(26)
                good = min(0.92, 0.45 + 0.12 * rank) if lens in ("security", "tests") else 0.85 - 0.12 * rank
                lines.append(_json(_seat_record(draws, account, seat, lens, total, good)))
                if draws.one() < 0.1:
                    lines.append(_json(_seat_record(draws, account, seat, lens, 3, good)))
    return lines


def _seat_record(draws: Draws, account: str, seat: str, lens: str, total: int, good: float) -> dict[str, Any]:
    proven = int(total * good * 0.6)
    merged = int(total * good * 0.3)
    lost = total - proven - merged
    return {
        "account": account,
        "seat": seat,
        "lens": lens,
        "proven": proven,
        "contested": draws.index(2) if proven else 0,
        "settled": lost // 3,
        "unsettled": lost // 4,
        "rejected": lost - lost // 3 - lost // 4,
        "merged": merged,
        "closed": draws.index(2),
    }


def _review(draws: Draws, span: Span, index: int) -> dict[str, Any]:
    repo = draws.choose(_REPOSITORIES)
    started = span.as_of - _SPREAD + index * (_SPREAD - DAY) // REVIEWS + draws.index(2 * HOUR)
    finished = started + 3 * MINUTE + draws.index(22 * MINUTE)
    status = _STATUSES[draws.pick(_STATUS_WEIGHTS, 1)[0]]
    seats = _seats(draws, status)
    did_run = status in ("complete", "partial")
    shards = 1 + draws.index(4)
    findings, files = _findings(draws, index, [seat["seat"] for seat in seats]) if did_run else ([], {})
    pull = 1804 + index
    return {
        "review_id": f"rv-{index:04d}",
        "account": repo.split("/")[0],
        "repo": repo,
        "pull_number": pull,
        "head_sha": hashlib.sha1(f"review {index}".encode(), usedforsecurity=False).hexdigest(),
        "head_ref": f"feat/change-{pull}",
        "base_ref": "main",
        "head_is_fork": draws.one() < 0.3,
        "source_state": draws.choose(_STATES),
        "pass": "deep",
        "status": status,
        "started_at": iso(started) if did_run or index % 2 else None,
        "finished_at": iso(finished) if did_run else None,
        "settled_cost_usd": round(0.2 + 2.4 * draws.one(), 4) if did_run and draws.one() < 0.93 else None,
        "seats": seats,
        "shards_total": shards,
        "shards_reviewed": shards if status == "complete" else shards // 2 if did_run else 0,
        "lenses_skipped": ["docs"] if draws.one() < 0.06 else [],
        "lenses_cut": ["performance"] if status == "partial" else [],
        "findings": findings,
        "dead_code": _dead_code(draws, did_run),
        "fix_pr": {"state": draws.choose(("open", "merged", "closed"))} if draws.one() < 0.12 else None,
        "tests_at_head": draws.choose(("green", "green", "green", "red", "not_run", None)),
        "files_at_head": files,
    }


def _seats(draws: Draws, status: str) -> list[dict[str, Any]]:
    order = draws.order(len(SEATS)).tolist()
    chosen = order[: 2 + draws.index(3)]
    return [
        {
            "seat": SEATS[position][0],
            "lab": SEATS[position][1],
            "rank": rank + 1,
            "unfinished_lenses": ["tests"] if status == "partial" and rank == 0 else [],
        }
        for rank, position in enumerate(chosen)
    ]


def _dead_code(draws: Draws, did_run: bool) -> list[dict[str, Any]]:
    if not did_run or draws.one() > 0.2:
        return []
    start = 10 + draws.index(200)
    symbol = draws.choose(("legacyFlush", "_old_rank", "parseV1", "unusedGuard"))
    return [{"file": draws.choose(STOCK).file, "symbol": symbol, "start_line": start, "end_line": start + 6}]


def _findings(draws: Draws, index: int, seats: list[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The copies of a review's mechanisms, and the text of the files around the cited lines."""
    wanted = int(draws.pick(_FINDINGS_WEIGHTS, 1)[0])
    copies: list[dict[str, Any]] = []
    files: dict[str, Any] = {}
    for position in draws.order(len(STOCK)).tolist()[:wanted]:
        stock = STOCK[position]
        weights = [weight for weight, *_ in _EVIDENCE]
        for copy in range(1 + int(draws.pick(_COPY_WEIGHTS, 1)[0])):
            evidence = _EVIDENCE[draws.pick(weights, 1)[0]]
            made = _copy(draws, stock, copy, evidence, seats[copy % len(seats)])
            made["finding_id"] = f"F{index:03d}-{len(copies):02d}"
            copies.append(made)
        _cite(draws, stock, copies[-1], files)
    return copies, files


def _copy(draws: Draws, stock: Stock, copy: int, evidence: Any, seat: str) -> dict[str, Any]:
    _, reproduction, suite, contested = evidence
    if stock.purpose == "drift" and reproduction is _RAN:
        reproduction = _GONE
    patch = _patch(stock, copy)
    is_prose = reproduction is None and suite is None
    impact = None if stock.purpose in ("hygiene", "drift") else _IMPACTS[draws.pick(_IMPACT_WEIGHTS, 1)[0]]
    made: dict[str, Any] = {
        "finding_id": "",
        "lens": stock.lens,
        "purpose": stock.purpose,
        "seat": seat,
        "title": stock.title,
        "reason": stock.reason if copy == 0 else f"{stock.reason} Seen again from another angle.",
        "files": [stock.file],
        "symbols": [stock.symbol],
        "stated_confidence": None if draws.one() < 0.06 else round(0.4 + 0.6 * draws.one(), 3),
        "impact": impact,
        "reach": stock.reach if impact is not None and draws.one() < 0.8 else None,
        "edge_input_only": draws.one() < 0.07,
        "patch": None if is_prose else patch,
        "reproduction": reproduction,
        "suite": suite,
        "contested_by": contested,
        "scope_sent_away": draws.one() < 0.03,
        "contradiction": None,
        "promise": None,
    }
    if stock.purpose == "perf":
        made["claims_speed"] = draws.one() < 0.6
    return made


def _patch(stock: Stock, copy: int) -> dict[str, Any]:
    """The same patch, the same indented differently, or one over the same line and the line before it."""
    made = {
        "file": stock.file,
        "start_line": stock.line,
        "replaced": stock.replaced,
        "replacement": stock.replacement if copy == 0 else f"  {stock.replacement}",
    }
    if copy == _WIDER_COPY:
        made.update(
            start_line=stock.line - 1,
            replaced=f"// {stock.symbol}\n{stock.replaced}",
            replacement=f"// {stock.symbol}, see the guide\n{stock.replacement}",
        )
    return made


def _cite(draws: Draws, stock: Stock, copy: dict[str, Any], files: dict[str, Any]) -> None:
    """Now and then a copy cites a line, mostly one that is there."""
    chance = draws.one()
    if chance > 0.16:
        return
    quote = f"{stock.symbol} is covered by the release promise" if chance < 0.09 else f"{stock.symbol} is left as it is"
    files[stock.file] = {
        "start_line": max(stock.line - 2, 1),
        "lines": ["", f"// {quote}, see the guide", stock.replaced, ""],
    }
    cited = {
        "file": stock.file,
        "line": stock.line,
        "quote": quote if chance > 0.02 else "a line that nobody wrote",
    }
    copy["promise" if chance < 0.09 else "contradiction"] = cited


def _make_deep(review: dict[str, Any], first: dict[str, Any]) -> None:
    """Turn a review into the deep pass of the pull request that `first` looked at."""
    for field in ("account", "repo", "pull_number", "head_ref", "base_ref", "head_is_fork", "source_state"):
        review[field] = first[field]
    review["pass"] = "deep"
    # the deep pass tries what the first one said, and does not always agree
    for number, finding in enumerate(first["findings"][:2]):
        again = dict(finding, finding_id=f"{review['review_id'][-3:]}-again-{number}", suite=None)
        again["reproduction"] = _DISPROVED if number == 0 else _RAN
        if review["status"] in ("complete", "partial"):
            review["findings"].append(again)


def _bad(draws: Draws, span: Span, index: int, good: dict[str, Any]) -> str:
    """A record that no reader can take as a review, made from a good one."""
    spoilers: tuple[Callable[[dict[str, Any]], Any], ...] = (
        lambda review: review.pop("repo"),
        lambda review: review.update(status="finished"),
        lambda review: review.update(started_at="2026-10-01T10:00:00"),
        lambda review: review.update(pull_number="12"),
        lambda review: None,  # the same review_id again
    )
    position = _BAD_AFTER.index(index)
    if position >= len(spoilers):
        return _json(good)[:200]
    review = {**good, "findings": [], "files_at_head": {}}
    if position < len(spoilers) - 1:
        review["review_id"] = f"bad-{index}"
    spoilers[position](review)
    return _json(review)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
