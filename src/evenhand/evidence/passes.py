"""Two passes over one pull request: which first-pass suggestions the deep pass took back.

Belongs here: what the deep reviews of a pull request refuted, and the lines that it covers. Does not: the label of a
first-pass copy (states.py), or the block that is then missing (suggestions.py).

Source: What a review means, section 7 (two passes).
"""

from collections import defaultdict
from collections.abc import Sequence

from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.records import Pass, Patch, Review
from evenhand.evidence.rules import State
from evenhand.evidence.words import line_count

PullRequest = tuple[str, int]


def covered(patch: Patch) -> range:
    """The numbers of the lines that a patch replaces; none for a pure insertion."""
    return range(patch.start_line, patch.start_line + line_count(patch.replaced))


def overlap(one: Patch, other: Patch) -> bool:
    """Whether two patches replace at least one line together."""
    if one.file != other.file:
        return False
    first, second = covered(one), covered(other)
    return max(first.start, second.start) < min(first.stop, second.stop)


class Refutations:
    """The refuted patches of every deep review, by pull request: whatever the head, whatever the order."""

    def __init__(self) -> None:
        self._patches: defaultdict[PullRequest, list[Patch]] = defaultdict(list)

    def add(self, review: Review, mechanisms: Sequence[Mechanism]) -> None:
        """Takes note of what a deep review refuted."""
        if review.review_pass is Pass.DEEP:
            self._patches[review.pull_request].extend(
                copy.finding.patch
                for mechanism in mechanisms
                for copy in mechanism.copies
                if copy.state is State.REFUTED and copy.finding.patch is not None
            )

    def withdrawn(self, review: Review, mechanisms: Sequence[Mechanism]) -> tuple[Mechanism, ...]:
        """The first-pass mechanisms whose lead's patch was refuted, by the export order of their leads."""
        refuted = self._patches.get(review.pull_request, []) if review.review_pass is Pass.FIRST else []
        if not refuted:
            return ()
        gone = [mechanism for mechanism in mechanisms if _is_refuted(mechanism.lead.finding.patch, refuted)]
        return tuple(sorted(gone, key=lambda mechanism: mechanism.lead.place))


def _is_refuted(patch: Patch | None, refuted: Sequence[Patch]) -> bool:
    return patch is not None and any(overlap(patch, other) for other in refuted)
