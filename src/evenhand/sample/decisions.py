"""Decision records and the ledger that chains them, row by row, with a valid hash at every step.

The rules are the contract's section 8: genesis of zeros, a row hash over the predecessor and four fields, a
digest over the canonical record. Anchors over the finished chain belong to `anchors`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import rfc8785

from evenhand.sample import pulls as p
from evenhand.sample.draws import Draws, Quota
from evenhand.sample.span import MINUTE, SECOND, WEEK, Span, iso_all, spaced
from evenhand.sample.world import MAINTAINERS, RULES

Row = tuple[object, ...]

GENESIS = "0" * 64
RECORD_WIDTH = 14
LEDGER_WIDTH = 6

# Since when the gate writes down why it looked again, and who asked; 29 July 2026, as the contract has it
PROVENANCE_HORIZON = 1_785_283_200_000
_REASONS = (
    "upstream_state_change",
    "config_change",
    "scheduled_recheck",
    "maintainer_request",
    "pipeline_error",
)
_REASON_WEIGHTS = (0.44, 0.19, 0.16, 0.13, 0.08)
_MAINTAINER_REQUEST = _REASONS.index("maintainer_request")
_NO_REASON = -1
_NEW_HEAD = 0.45  # the author pushed: another head, not a re-evaluation
_UNCOUNTED_FINDINGS = 0.04
_UPDATES_BRANCH = 0.02
_REWRITTEN_TEXT = 50  # one record in so many is stored with other white space; its canonical form is the same
_ACTIONS = ("merge", "close", "hold", "update_branch")
_HOLD_CAUSES = ("needs_maintainer", "ci_pending", "low_confidence")
_CI_STATES = ('"passed"', '"failed"', "null")
_MODELS = ("[]", '["lab-a/large","lab-b/review"]')
_CONFIDENCES = tuple(rfc8785.dumps(percent / 100).decode() for percent in range(101))
_RECENT_WEEKS = 2
_RECENT_FACTOR = 2.0
# the configuration changed eight times; its digests are short, so that a small sample stays small
_CONFIGS = tuple(hashlib.sha256(f"config {version}".encode()).hexdigest()[:12] for version in range(9))
_WRITE_DELAY, _WRITE_SPREAD = 3, 40  # milliseconds from a record to its ledger row
MINIMUM_AGE = 10 * MINUTE  # the newest decision is old enough for a checker to expect its ledger row

DECISION = np.dtype(
    [
        ("time", "i8"),
        ("place", "i1"),
        ("number", "i4"),
        ("head", "i1"),  # which push
        ("revision", "i1"),  # which record of that head, from 1
        ("action", "i1"),
        ("rule", "i2"),
        ("reason", "i1"),
        ("findings", "i1"),
        ("chance", "i4"),
    ]
)


class Link(NamedTuple):
    """A row of the chain, as far as an anchor needs it."""

    seq: int
    row_hash: str
    time: int


class DecisionSource:
    """Draws the verdicts of the pull requests whose records are kept."""

    def __init__(self, draws: Draws, span: Span, share: float) -> None:
        self._draws = draws
        self._recent_from = span.as_of - _RECENT_WEEKS * WEEK
        self._usual = Quota(min(share, 1.0))
        self._recent = Quota(min(share * _RECENT_FACTOR, 1.0))

    def decisions_of(self, pulls: Any, day: int) -> npt.NDArray[np.void]:
        """One decision for each time the gate looked at a kept pull request."""
        quota = self._recent if day >= self._recent_from else self._usual
        kept = pulls[quota.take(len(pulls))]
        head = np.zeros(len(kept), dtype=np.int64)
        revision = np.ones(len(kept), dtype=np.int64)
        parts = []
        for index in range(p.MAX_EVALUATIONS):
            moved = self._draws.chance(_NEW_HEAD, len(kept)) & (index > 0)
            head = head + moved
            revision = np.where(moved | (index == 0), 1, revision + 1)
            made = self._one_look(kept, index, head, revision)
            parts.append(made[kept["evaluations"] > index])
        return np.concatenate(parts)

    def _one_look(self, kept: Any, index: int, head: Any, revision: Any) -> Any:
        draws, n = self._draws, len(kept)
        made: Any = np.zeros(n, dtype=DECISION)
        made["time"] = p.evaluation_time(kept, index) + 5 * SECOND + draws.below(10 * SECOND, n)
        for field in ("place", "number"):
            made[field] = kept[field]
        made["head"], made["revision"] = head, revision
        is_last = kept["evaluations"] == index + 1
        action = np.where(is_last, kept["verdict"], np.where(kept["fired"] > 0, p.HOLD, p.MERGE))
        made["action"] = np.where(draws.chance(_UPDATES_BRANCH, n), len(_ACTIONS) - 1, action)
        made["rule"] = kept["lead_rule"]
        known = (revision > 1) & (made["time"] >= PROVENANCE_HORIZON)
        made["reason"] = np.where(known, draws.pick(_REASON_WEIGHTS, n), _NO_REASON)
        findings = kept["fired"] + draws.below(3, n)
        made["findings"] = np.where(draws.chance(_UNCOUNTED_FINDINGS, n), -1, findings)
        made["chance"] = draws.below(1_000_000, n)
        return made


class Ledger:
    """Holds decisions until they are due, and appends each to the chain."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._pending: Any = np.zeros(0, dtype=DECISION)
        self._tip = Link(0, GENESIS, 0)
        self.links: list[Link] = []

    def add(self, decisions: npt.NDArray[np.void]) -> None:
        """Take decisions for whenever they are due."""
        self._pending = np.concatenate([self._pending, decisions])

    def due(self, until: int) -> Iterator[tuple[Row, Row]]:
        """The record and its ledger row, for each decision before `until`, oldest first."""
        ready = self._pending["time"] < until
        decisions = self._pending[ready]
        self._pending = self._pending[~ready]
        decisions = decisions[np.argsort(decisions["time"], kind="stable")]
        chained = decisions["time"] + _WRITE_DELAY + decisions["chance"] % _WRITE_SPREAD
        # a chain is appended to by one writer: its times never go back
        chained = np.maximum(np.maximum.accumulate(chained), self._tip.time)
        created, appended = iso_all(decisions["time"]), iso_all(chained)
        for decision, at, chained_at, time in zip(decisions, created, appended, chained.tolist(), strict=True):
            record_id, digest, record = self._record(decision, at)
            yield record, self._append(record_id, digest, chained_at, time)

    def _record(self, decision: Any, created: str) -> tuple[str, str, Row]:
        place, number, chance = p.PLACES[decision["place"]], int(decision["number"]), int(decision["chance"])
        sha = head_sha(self._seed, place, number, int(decision["head"]))
        first_id = f"record:{place}#{number}@{sha}"
        revision = int(decision["revision"])
        record_id = first_id if revision == 1 else f"{first_id}:rev{revision}"
        previous = None if revision == 1 else (first_id if revision == 2 else f"{first_id}:rev{revision - 1}")
        action, code = _ACTIONS[decision["action"]], _reason_code(decision)
        findings = None if decision["findings"] < 0 else int(decision["findings"])
        canonical = _canonical_record(place, number, sha, action, code, findings, created, chance)
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = json.dumps(json.loads(canonical)) if chance % _REWRITTEN_TEXT == 0 else canonical
        reason = None if decision["reason"] == _NO_REASON else _REASONS[decision["reason"]]
        asked = MAINTAINERS[chance % len(MAINTAINERS)] if decision["reason"] == _MAINTAINER_REQUEST else None
        cause = _HOLD_CAUSES[chance % len(_HOLD_CAUSES)] if action == "hold" else None
        written = spaced(created) if chance % 97 == 0 else created
        row = (
            record_id, place, number, sha, action, code, digest, text, written, reason, previous, asked, findings, cause,
        )  # fmt: skip
        return record_id, digest, row

    def _append(self, record_id: str, digest: str, created: str, time: int) -> Row:
        seq, previous = self._tip.seq + 1, self._tip.row_hash
        row_hash = hash_row(previous, created, digest, record_id, seq)
        self._tip = Link(seq, row_hash, time)
        self.links.append(self._tip)
        return seq, record_id, digest, previous, row_hash, created


# The two texts that are hashed for each decision are written in canonical form outright: keys in order, no spaces,
# and nothing in them that JSON escapes. A general canonicaliser takes most of a large sample's time; the tests hold
# these texts against one.


def hash_row(previous: str, created: str, digest: str, record_id: str, seq: int) -> str:
    """The hash of one ledger row."""
    fields = f'{{"createdAt":"{created}","recordDigest":"{digest}","recordId":"{record_id}","seq":{seq}}}'
    return hashlib.sha256(f"{previous}{fields}".encode()).hexdigest()


def _canonical_record(
    place: str, number: int, sha: str, action: str, code: str, findings: int | None, created: str, chance: int
) -> str:
    found = "null" if findings is None else str(findings)
    return (
        f'{{"action":"{action}","aiConfidence":{_CONFIDENCES[chance % len(_CONFIDENCES)]},'
        f'"ciState":{_CI_STATES[chance % len(_CI_STATES)]},"configDigest":"{_CONFIGS[chance % len(_CONFIGS)]}",'
        f'"decidedAt":"{created}","findingsCount":{found},"headSha":"{sha}",'
        f'"modelIds":{_MODELS[chance % len(_MODELS)]},"pullNumber":{number},"reasonCode":"{code}",'
        f'"repoFullName":"{place}","schemaVersion":"6"}}'
    )


def head_sha(seed: int, place: str, number: int, head: int) -> str:
    """The commit at the head of a pull request after its `head`-th push."""
    return hashlib.sha1(f"{seed}:{place.lower()}#{number}:{head}".encode(), usedforsecurity=False).hexdigest()


def _reason_code(decision: Any) -> str:
    if decision["rule"] == p.NO_RULE:
        return "success" if _ACTIONS[decision["action"]] == "merge" else "ci_pending"
    return RULES[decision["rule"]].rule_id
