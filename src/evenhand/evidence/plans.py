"""The fix plan of a pull request: one patch a mechanism, on one branch.

Belongs here: which patches are candidates, which one is chosen, which are skipped, the branch and its target. Does
not: the words of the plan (plan_text.py), or cleanup by day (housekeeping.py).

Source: What a review means, section 8 (fix plan).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.evidence.grouping import patch_key
from evenhand.evidence.mechanisms import Copy, Mechanism, strongest_first
from evenhand.evidence.ranges import DisjointPatches
from evenhand.evidence.records import Patch, PullState, Review
from evenhand.evidence.rules import Deliver, Rules, Section, State
from evenhand.evidence.suggestions import was_not_applied

PLANNED = (Section.REVIEW, Section.UNVERIFIED, Section.CLEANUP)
"""Sections whose patches a plan takes: what the repository contradicts is never one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A mechanism with the copy whose patch is taken, and the other candidates in the order of preference."""

    mechanism: Mechanism
    copy: Copy
    alternatives: tuple[Copy, ...]

    @property
    def patch(self) -> Patch:
        """The patch that is taken."""
        patch = self.copy.finding.patch
        if patch is None:
            raise ValueError("a candidate without a patch")
        return patch


@dataclass(frozen=True, slots=True)
class Skip:
    """A choice that is left out because an earlier one replaces some of its lines."""

    choice: Choice
    overlapped: Choice

    @property
    def reason(self) -> str:
        """Why, in the words of the plan."""
        return f"overlaps {self.overlapped.copy.finding.finding_id}"


@dataclass(frozen=True, slots=True)
class FixPlan:
    """Branch, target, what is chosen and what is skipped, in the order of the mechanisms."""

    branch: str
    target: str
    chosen: tuple[Choice, ...]
    skipped: tuple[Skip, ...]


def fix_plan(
    review: Review,
    mechanisms: Sequence[Mechanism],
    deliver: Deliver,
    rules: Rules,
    sections: tuple[Section, ...] = PLANNED,
) -> FixPlan | None:
    """The plan of the review that bears its pull request's plan; None when nothing is chosen or it is final."""
    if review.fix_pr in (PullState.CLOSED, PullState.MERGED):
        return None
    chosen, skipped = without_overlaps(choices(review, mechanisms, deliver, rules, sections))
    if not chosen:
        return None
    branch = f"{rules.policy.branch_prefix}/review/{review.pull_number}"
    return FixPlan(branch, _target(review), tuple(chosen), tuple(skipped))


def choices(
    review: Review,
    mechanisms: Iterable[Mechanism],
    deliver: Deliver,
    rules: Rules,
    sections: tuple[Section, ...],
) -> list[Choice]:
    """One choice for each mechanism that has a candidate."""
    ranks: dict[str, int] = {}
    for seat in review.seats:
        ranks[seat.seat] = min(seat.rank, ranks.get(seat.seat, seat.rank))
    found = []
    for mechanism in mechanisms:
        if mechanism.section in sections:
            candidates = sorted(
                _candidates(mechanism, deliver),
                # A seat that is not listed comes after every rank.
                key=lambda copy: (
                    copy.finding.seat not in ranks,
                    ranks.get(copy.finding.seat, 0),
                    *strongest_first(copy, rules),
                ),
            )
            if candidates:
                found.append(Choice(mechanism, candidates[0], tuple(candidates[1:])))
    return found


def without_overlaps(found: Iterable[Choice]) -> tuple[list[Choice], list[Skip]]:
    """The choices that can be applied together. A skipped one does not fall back to an alternative."""
    chosen: list[Choice] = []
    skipped: list[Skip] = []
    taken = DisjointPatches()
    for choice in found:
        earlier = taken.take(choice.patch, len(chosen))
        if earlier is None:
            chosen.append(choice)
        else:
            skipped.append(Skip(choice, chosen[earlier]))
    return chosen, skipped


def _candidates(mechanism: Mechanism, deliver: Deliver) -> list[Copy]:
    """Copies whose patch is neither refuted nor unsafe on any copy: the same text is not safer in another hand."""
    bad = {
        patch_key(copy.finding.patch)
        for copy in mechanism.copies
        if copy.finding.patch is not None and (copy.unsafe_patch or copy.state is State.REFUTED)
    }
    return [
        copy
        for copy in mechanism.copies
        if copy.finding.patch is not None
        and not was_not_applied(copy)
        and (deliver is Deliver.ALL or copy.state is State.PROVEN)
        and (not bad or patch_key(copy.finding.patch) not in bad)
    ]


def _target(review: Review) -> str:
    is_reachable = review.source_state is PullState.OPEN and not review.head_is_fork
    return review.head_ref if is_reachable else review.base_ref
