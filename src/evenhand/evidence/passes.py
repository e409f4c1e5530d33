"""Two passes over one pull request: which first-pass suggestions the deep pass took back.

Belongs here: what the deep reviews of a pull request refuted. Does not: lines and overlaps (ranges.py), the label of a
first-pass copy (states.py), or the block that is then missing (suggestions.py).

Source: What a review means, section 7 (two passes).
"""

from collections import defaultdict
from collections.abc import Sequence

from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.ranges import CoveredLines
from evenhand.evidence.records import Pass, Patch, Review
from evenhand.evidence.rules import State

PullRequest = tuple[str, int]


class Refutations:
    """The refuted patches of every deep review, by pull request: whatever the head, whatever the order."""

    def __init__(self) -> None:
        self._patches: defaultdict[PullRequest, list[Patch]] = defaultdict(list)
        self._lines: dict[PullRequest, CoveredLines] = {}

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
        """The first-pass mechanisms whose lead's patch was refuted, by the export order of their leads.

        To be asked once every review was added.
        """
        if review.review_pass is not Pass.FIRST or not self._patches.get(review.pull_request):
            return ()
        if review.pull_request not in self._lines:
            self._lines[review.pull_request] = CoveredLines(self._patches[review.pull_request])
        refuted = self._lines[review.pull_request]
        gone = [m for m in mechanisms if m.lead.finding.patch is not None and refuted.touch(m.lead.finding.patch)]
        return tuple(sorted(gone, key=lambda mechanism: mechanism.lead.place))
