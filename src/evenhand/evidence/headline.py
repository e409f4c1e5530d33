"""The first line of a review: what there is, how sure it is, how long it took and what it cost.

Belongs here: the tokens and the parts after them, as texts. Does not: where they are shown (markdown.py, pages.py).
A review that did not complete says so first, and one that did not run says nothing else.

Source: What a review means, section 6 (headline).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from evenhand.evidence.confidence import half_away
from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.records import Impact, Review, Status
from evenhand.evidence.rules import COUNTED, Rules, Section, State
from evenhand.timeline import SECOND

SEPARATOR = " · "
INCOMPLETE = "Review incomplete"
DID_NOT_RUN = "Review did not run"


@dataclass(frozen=True, slots=True)
class Headline:
    """The tokens joined, and each part after them; None is unknown and left out."""

    tokens: str
    confidence_percent: int | None
    elapsed: str | None
    cost: str | None

    def line(self) -> str:
        """The whole first line."""
        confidence = None if self.confidence_percent is None else f"confidence {self.confidence_percent}%"
        parts = (self.tokens, confidence, self.elapsed, self.cost)
        return SEPARATOR.join(part for part in parts if part is not None)


def headline_of(review: Review, mechanisms: Sequence[Mechanism], rules: Rules) -> Headline:
    """The headline of a review."""
    if review.did_not_run:
        return Headline(DID_NOT_RUN, None, None, None)
    tokens = _tokens(review, mechanisms)
    if review.status is not Status.COMPLETE:
        tokens = [INCOMPLETE, *tokens]
    return Headline(SEPARATOR.join(tokens), _mean_percent(mechanisms, rules), _elapsed(review), _cost(review))


def severity_counts(mechanisms: Sequence[Mechanism]) -> dict[Impact, int]:
    """Mechanisms of every section at the strongest impact that a reviewer rated with a reach."""
    counts = Counter(mechanism.severity for mechanism in mechanisms)
    return {impact: counts[impact] for impact in Impact}


def _tokens(review: Review, mechanisms: Sequence[Mechanism]) -> list[str]:
    sections = Counter(mechanism.section for mechanism in mechanisms)
    findings = [mechanism for mechanism in mechanisms if mechanism.section in COUNTED]
    proven = sum(mechanism.state is State.PROVEN for mechanism in findings)
    first = _counted(len(findings), "finding") + (f", {proven} proven" if proven else "")
    cleanup, notes, dead = sections[Section.CLEANUP], sections[Section.NOTES], len(review.dead_code)
    rest = ((cleanup, f"{cleanup} cleanup"), (notes, _counted(notes, "note")), (dead, f"{dead} dead code"))
    return [first, *(token for count, token in rest if count)]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _mean_percent(mechanisms: Sequence[Mechanism], rules: Rules) -> int | None:
    """The mean of the rounded confidences: 0.51 and 0.50 give 50.5, which is 51 %."""
    counted = [mechanism.confidence for mechanism in mechanisms if mechanism.section in COUNTED]
    if not counted:
        return None
    return half_away(100 * sum(counted), len(counted) * rules.whole_confidence)


def _elapsed(review: Review) -> str | None:
    """Minutes without bound and seconds, floored; unknown when the review ends before it starts."""
    if review.started_at is None or review.finished_at is None or review.finished_at < review.started_at:
        return None
    seconds = int((review.finished_at - review.started_at) // SECOND)
    return f"{seconds // 60}m {seconds % 60}s"


def _cost(review: Review) -> str | None:
    """Dollars and cents, half away from zero: 1.005 is $1.01, -0.25 is -$0.25."""
    return None if review.settled_cost_usd is None else dollars(review.settled_cost_usd)


def dollars(amount: Decimal | int) -> str:
    """An amount in dollars as it is shown."""
    above, below = amount.as_integer_ratio()
    cents = half_away(100 * abs(above), below)
    return f"{'-' if above < 0 and cents else ''}${cents // 100}.{cents % 100:02}"
