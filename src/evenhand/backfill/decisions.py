"""Which historical decisions give a firing and a verdict, and which do not and why.

Belongs here: the rule of the backfill, over the raw texts of `review_targets`. Does not: writing the rows.

Source: fairness contract section 11, "Backfill"; section 1 for instants, numbers and target keys.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from evenhand.canonical import canonical, sha256_hex
from evenhand.errors import SourceError
from evenhand.lake.instants import instant_of
from evenhand.lake.metadata import finite_double
from evenhand.lake.strict_json import NUMBER_GRAMMAR, number_value, object_members
from evenhand.lake.tables import REVIEW_TARGETS
from evenhand.policy import ascii_lower
from evenhand.sources import Source
from evenhand.timeline import SECOND, iso

RULE = "ai_consensus_defect"
PROVENANCE = "review_targets_decision_level"
_CLOSE = "close"
_VERDICTS = {"closed": "confirmed", "merged": "reversed"}
_NUMBER = re.compile(NUMBER_GRAMMAR)
_PULL_NUMBER = re.compile(r"[0-9]{1,15}")
_ID_DIGITS = 32


class Skipped(StrEnum):
    """Why a decision gives no rows."""

    UNREADABLE_ROW = "unreadable_row"
    NOT_A_PULL_REQUEST = "not_a_pull_request"
    NOT_A_CLOSE = "not_a_close"
    NOT_ENDED = "not_ended"
    NO_NUMERIC_CONFIDENCE = "no_numeric_confidence"
    UNPARSEABLE_TERMINAL_AT = "unparseable_terminal_at"
    AT_OR_AFTER_AS_OF = "at_or_after_as_of"
    EARLIER_DECISION = "earlier_decision"


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that gives rows."""

    target: str
    confidence: float
    ended: int
    """Microseconds since 1970-01-01 UTC."""
    verdict: str

    @property
    def order(self) -> tuple[int, str, float, str]:
        """The latest wins; what comes after the time only makes the choice the same every time."""
        return self.ended, self.target, self.confidence, self.verdict


@dataclass
class Backfill:
    """What a backfill would write."""

    decisions: list[Decision] = field(default_factory=list)
    """One a target, by the time when it ended and the target."""
    skipped: Counter[Skipped] = field(default_factory=Counter)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Two rows of `audit_events` a decision: the firing, and a second later the verdict."""
        for decision in self.decisions:
            fired = {"confidence": decision.confidence, "outcome": _CLOSE, "provenance": PROVENANCE}
            yield _row("signal.rule_fired", decision, "loopover", None, fired, decision.ended)
            spoken = {"provenance": PROVENANCE, "verdict": decision.verdict}
            detail = f"human {decision.verdict} rule {RULE} against {decision.target}"
            yield _row("signal.human_override", decision, "human", detail, spoken, decision.ended + SECOND)


def _row(
    family: str, decision: Decision, actor: str, detail: str | None, metadata: dict[str, Any], time: int
) -> dict[str, Any]:
    event_type = f"{family}:{RULE}"
    named = canonical([PROVENANCE, event_type, _identity(decision.target)])
    return {
        # Of the target alone, so that a second backfill finds the rows of the first, whatever was decided since.
        "id": f"backfill-{sha256_hex(named)[:_ID_DIGITS]}",
        "event_type": event_type,
        "actor": actor,
        "target_key": decision.target,
        "outcome": "completed",
        "detail": detail,
        "metadata_json": canonical(metadata).decode("utf-8"),
        "created_at": iso(time),
    }


def plan(source: Source, as_of: int | None) -> Backfill:
    """What the decisions of an export give; those that ended at or after an as-of are left out.

    Raises SourceError when the export has no `review_targets`, or lacks a column of it.
    """
    if not source.has(REVIEW_TARGETS):
        raise SourceError(f"{source.label} has no table review_targets, from which a backfill reads: nothing to do")
    missing = source.missing_columns(REVIEW_TARGETS)
    for name in REVIEW_TARGETS.required:
        if name in missing:
            raise SourceError(f"the table review_targets of {source.label} lacks the column {name}: export it too")
    found = Backfill()
    latest: dict[str, Decision] = {}
    for part in source.parts(REVIEW_TARGETS):
        for batch in source.batches(REVIEW_TARGETS, part):
            if batch.unreadable:
                found.skipped[Skipped.UNREADABLE_ROW] += len(batch.unreadable)
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                decided = _decision(dict(zip(REVIEW_TARGETS.source_columns, values, strict=True)), as_of)
                if isinstance(decided, Skipped):
                    found.skipped[decided] += 1
                    continue
                identity = _identity(decided.target)
                other = latest.get(identity)
                if other is not None:
                    found.skipped[Skipped.EARLIER_DECISION] += 1
                if other is None or decided.order > other.order:
                    latest[identity] = decided
    found.decisions = sorted(latest.values(), key=lambda decision: decision.order)
    return found


def _decision(row: dict[str, str | None], as_of: int | None) -> Decision | Skipped:
    if (row["kind"] or "").startswith("issue"):
        return Skipped.NOT_A_PULL_REQUEST
    repository, number = row["repo"] or "", row["number"] or ""
    if not repository or "#" in repository or not _PULL_NUMBER.fullmatch(number):
        return Skipped.NOT_A_PULL_REQUEST
    if row["verdict"] != _CLOSE:
        return Skipped.NOT_A_CLOSE
    verdict = _VERDICTS.get(row["status"] or "")
    if verdict is None:
        return Skipped.NOT_ENDED
    confidence = _confidence(row["confidence"], row["decision_json"])
    if confidence is None:
        return Skipped.NO_NUMERIC_CONFIDENCE
    ended = instant_of(row["terminal_at"] or "")
    if ended is None:
        return Skipped.UNPARSEABLE_TERMINAL_AT
    if as_of is not None and ended >= as_of:
        return Skipped.AT_OR_AFTER_AS_OF
    return Decision(f"{repository}#{int(number)}", confidence, ended, verdict)


def _identity(target: str) -> str:
    """The pull request of a target, whatever its spelling (contract section 1, "Target keys")."""
    return ascii_lower(target)


def _confidence(column: str | None, decision: str | None) -> float | None:
    """The column where it is a number, else the decision's own confidence where that is one."""
    if column is not None and _NUMBER.fullmatch(column):
        return finite_double(column)
    members = object_members(decision) if decision else None
    return finite_double(number_value((members or {}).get("confidence")))


def line(row: dict[str, Any]) -> str:
    """A row as one line of NDJSON."""
    return json.dumps(row, ensure_ascii=False) + "\n"
