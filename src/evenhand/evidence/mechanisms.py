"""A mechanism: what its copies amount to together, and in which section it stands.

Belongs here: judging copies, their lead, the mechanism's confidence, impact, severity and section, and the order of
mechanisms. Does not: which copies belong together (grouping.py), or patches (suggestions.py, plans.py).

Source: What a review means, sections 5 (mechanisms) and 6 (sections, order).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.evidence.citations import verifies
from evenhand.evidence.confidence import confidence_of, contradicted_once
from evenhand.evidence.grouping import mechanisms_of
from evenhand.evidence.records import Finding, Impact, Purpose, Review
from evenhand.evidence.rules import IMPACT_RANK, Rules, Section, State
from evenhand.evidence.seats import SeatScores
from evenhand.evidence.states import verdict_of
from evenhand.evidence.words import trimmed


@dataclass(frozen=True, slots=True)
class Copy:
    """One judged copy. place: its place in the export. confidence: in its last decimal, see confidence.py."""

    place: int
    finding: Finding
    state: State
    reason: str | None
    unsafe_patch: bool
    contradicted: bool
    keeps_promise: bool
    confidence: int


@dataclass(frozen=True, slots=True)
class Rating:
    """The strongest impact among the copies. inferred: from a promise, not said by a reviewer."""

    impact: Impact | None
    inferred: bool
    edge_input_only: bool


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Copies that are one thing, in export order, with what they amount to.

    severity: the strongest impact that a reviewer rated together with how a caller reaches it.
    """

    copies: tuple[Copy, ...]
    lead: Copy
    confidence: int
    rating: Rating
    severity: Impact | None
    section: Section

    @property
    def lead_id(self) -> str:
        """What the mechanism is called."""
        return self.lead.finding.finding_id

    @property
    def state(self) -> State:
        """The strongest evidence among the copies, which is the lead's."""
        return self.lead.state

    @property
    def lenses(self) -> list[str]:
        """Its lenses by Unicode code points."""
        return sorted({copy.finding.lens for copy in self.copies})

    @property
    def seats(self) -> list[str]:
        """Its seats by Unicode code points."""
        return sorted({copy.finding.seat for copy in self.copies})


def mechanisms(review: Review, scores: SeatScores, rules: Rules) -> tuple[Mechanism, ...]:
    """The mechanisms of a review in output order: by section, and there as section 6 says."""
    copies = [_judged(place, finding, review, scores, rules) for place, finding in enumerate(review.findings)]
    groups = mechanisms_of(review.findings, rules)
    made = [_mechanism([copies[place] for place in group], rules) for group in groups]
    return tuple(sorted(made, key=lambda mechanism: _order(mechanism, rules)))


def _judged(place: int, finding: Finding, review: Review, scores: SeatScores, rules: Rules) -> Copy:
    verdict = verdict_of(finding, review.review_pass)
    reach = rules.policy.citation_lines
    contradicted = verifies(finding.contradiction, review.files_at_head, reach)
    weight = scores.weight((review.account, finding.seat, finding.lens))
    return Copy(
        place,
        finding,
        verdict.state,
        verdict.reason,
        verdict.unsafe_patch,
        contradicted,
        finding.promise is not None and verifies(finding.promise, review.files_at_head, reach),
        confidence_of(finding.stated_confidence, weight, verdict.state, contradicted, rules),
    )


def strongest_first(copy: Copy, rules: Rules) -> tuple[int, int, int]:
    """Order by evidence, then confidence, then the export."""
    return rules.strength[copy.state], -copy.confidence, copy.place


def _mechanism(copies: Sequence[Copy], rules: Rules) -> Mechanism:
    lead = min(copies, key=lambda copy: strongest_first(copy, rules))
    contradicted = any(copy.contradicted for copy in copies)
    confidence = lead.confidence
    if contradicted and not lead.contradicted:
        confidence = contradicted_once(confidence, rules)
    rating = _rating(copies)
    return Mechanism(
        tuple(copies), lead, confidence, rating, _severity(copies), _section(copies, lead, rating, contradicted)
    )


def _rating(copies: Sequence[Copy]) -> Rating:
    """At a tie a reviewer's own rating comes before an inferred one, then the export decides."""
    rated = [rating for rating in map(_rating_of_copy, copies) if rating.impact is not None]
    if not rated:
        return Rating(None, False, all(copy.finding.edge_input_only for copy in copies))
    return min(rated, key=lambda rating: (IMPACT_RANK[rating.impact], rating.inferred))


def _rating_of_copy(copy: Copy) -> Rating:
    finding = copy.finding
    inferred = finding.impact is None and copy.keeps_promise
    return Rating(Impact.HIGH if inferred else finding.impact, inferred, finding.edge_input_only)


def _severity(copies: Iterable[Copy]) -> Impact | None:
    rated = [copy.finding.impact for copy in copies if copy.finding.impact and trimmed(copy.finding.reach or "")]
    return min(rated, key=IMPACT_RANK.__getitem__, default=None)


def _section(copies: Sequence[Copy], lead: Copy, rating: Rating, contradicted: bool) -> Section:
    if contradicted:
        return Section.NOTES
    if rating.edge_input_only or all(_is_tidying(copy.finding) for copy in copies):
        return Section.CLEANUP
    if lead.state in (State.PROVEN, State.SUITE_GREEN, State.REFUTED):
        return Section.REVIEW
    return Section.UNVERIFIED


def _is_tidying(finding: Finding) -> bool:
    if finding.purpose is Purpose.PERF:
        return not finding.claims_speed
    return finding.purpose in (Purpose.HYGIENE, Purpose.DRIFT)


_SECTION_RANK = {section: rank for rank, section in enumerate(Section)}


def _order(mechanism: Mechanism, rules: Rules) -> tuple[int, ...]:
    """Refuted last, then impact, evidence, confidence, export order; notes by the export alone."""
    section, lead = _SECTION_RANK[mechanism.section], mechanism.lead
    if mechanism.section is Section.NOTES:
        return section, lead.place
    return (
        section,
        mechanism.state is State.REFUTED,
        IMPACT_RANK[mechanism.rating.impact],
        rules.strength[mechanism.state],
        -mechanism.confidence,
        lead.place,
    )
