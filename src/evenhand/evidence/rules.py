"""The policy of review evidence as exact rationals and ranks, checked once before anything is read.

Belongs here: turning written decimals into fractions and an order of states into ranks. Does not: any rule that uses
them.

Source: What a review means, sections 2 to 6; the numbers themselves stand in policy.py.
"""

from enum import StrEnum

from evenhand.errors import UsageError
from evenhand.evidence.records import Impact
from evenhand.evidence.seats import OUTCOMES
from evenhand.policy import Evidence, exact


class State(StrEnum):
    """What the evidence for a copy is."""

    PROVEN = "proven"
    SUITE_GREEN = "suite_green"
    UNVERIFIED = "unverified"
    COULD_NOT_RUN = "could_not_run"
    REFUTED = "refuted"


class Deliver(StrEnum):
    """Which patches are delivered as suggestions and in fix plans."""

    ALL = "all"
    PROVEN_ONLY = "proven-only"


class Section(StrEnum):
    """Where a mechanism stands, in the order of the sections."""

    REVIEW = "review"
    UNVERIFIED = "unverified"
    NOTES = "notes"
    CLEANUP = "cleanup"


OVERLAP_COEFFICIENT, JACCARD = "overlap_coefficient", "jaccard"
SYMBOL_MEASURES = (OVERLAP_COEFFICIENT, JACCARD)
"""What the shared symbols of two copies may be a share of."""

COUNTED = (Section.REVIEW, Section.UNVERIFIED)
"""The sections whose mechanisms are findings."""


class Rules:
    """Every number of the policy in the form that the rules use."""

    def __init__(self, policy: Evidence) -> None:
        if sorted(policy.states) != sorted(State):
            raise UsageError(f"policy: [evidence] states must name each of {', '.join(State)} once")
        unknown = [outcome for outcome in policy.decided_outcomes if outcome not in OUTCOMES]
        if unknown:
            raise UsageError(f"policy: [evidence] decided_outcomes knows {', '.join(OUTCOMES)}, not {unknown[0]!r}")
        if policy.symbol_measure not in SYMBOL_MEASURES:
            known = " or ".join(SYMBOL_MEASURES)
            raise UsageError(f"policy: [evidence] symbol_measure is {known}, not {policy.symbol_measure!r}")
        self.policy = policy
        self.strength = {State(name): rank for rank, name in enumerate(policy.states)}
        """0 is the strongest."""
        self.multiplier = {
            State.PROVEN: exact(policy.proven_multiplier),
            State.SUITE_GREEN: exact(policy.suite_green_multiplier),
            State.UNVERIFIED: exact(policy.unverified_multiplier),
            State.COULD_NOT_RUN: exact(policy.could_not_run_multiplier),
            State.REFUTED: exact(policy.refuted_multiplier),
        }
        self.unstated_confidence = exact(policy.unstated_confidence).as_integer_ratio()
        self.proven_floor = exact(policy.proven_floor)
        self.contradiction_multiplier = exact(policy.contradiction_multiplier)
        self.symbol_overlap = exact(policy.symbol_overlap)
        self.word_overlap = exact(policy.word_overlap)
        self.whole_confidence: int = 10**policy.confidence_places
        """A confidence of 1, counted in its last decimal: 100 for two decimals."""


IMPACT_RANK: dict[Impact | None, int] = {
    **{impact: rank for rank, impact in enumerate(Impact)},
    None: len(Impact),
}
"""0 is the strongest; unrated is last."""
