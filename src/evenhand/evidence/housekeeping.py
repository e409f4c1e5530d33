"""Sweep mode: the cleanup of a repository and day on one branch, one commit a mechanism.

Belongs here: which mechanisms go to which day's branch. Does not: the choice of a patch, which a fix plan makes alike
(plans.py). With the sweep on, a pull request's own plan takes no cleanup, or both branches would carry it.

Source: What a review means, section 8 (sweep mode).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.evidence.mechanisms import Mechanism
from evenhand.evidence.plans import Choice, Skip, choices, without_overlaps
from evenhand.evidence.records import Review
from evenhand.evidence.rules import Deliver, Rules, Section
from evenhand.timeline import day_text


@dataclass(frozen=True, slots=True)
class Commit:
    """One mechanism's patch on the day's branch."""

    review: Review
    choice: Choice


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """The cleanup of one repository and UTC day."""

    repo: str
    day: str
    branch: str
    commits: tuple[Commit, ...]
    skipped: tuple[tuple[Review, Skip], ...]


class Sweep:
    """Collects the cleanup of reviews by repository and the UTC day on which they finished."""

    def __init__(self, deliver: Deliver, rules: Rules) -> None:
        self._deliver, self._rules = deliver, rules
        self._days: defaultdict[tuple[str, str], list[tuple[Review, Choice]]] = defaultdict(list)

    def add(self, review: Review, mechanisms: Sequence[Mechanism]) -> None:
        """Adds the cleanup of a review that bears its pull request's plan; one that never finished has no day."""
        day = _day(review)
        if day is not None:
            found = choices(review, mechanisms, self._deliver, self._rules, (Section.CLEANUP,))
            self._days[review.repo, day].extend((review, choice) for choice in found)

    def housekeeping(self) -> list[Housekeeping]:
        """Every day with a commit, by repository and day."""
        made = [self._of(repo, day) for repo, day in sorted(self._days)]
        return [found for found in made if found.commits]

    def _of(self, repo: str, day: str) -> Housekeeping:
        gathered = self._days[repo, day]
        reviews = {id(choice): review for review, choice in gathered}
        chosen, skipped = without_overlaps(choice for _, choice in gathered)
        return Housekeeping(
            repo,
            day,
            f"{self._rules.policy.branch_prefix}/housekeeping/{day}",
            tuple(Commit(reviews[id(choice)], choice) for choice in chosen),
            tuple((reviews[id(skip.choice)], skip) for skip in skipped),
        )


def _day(review: Review) -> str | None:
    if review.finished_at is None:
        return None
    try:
        return day_text(int(review.finished_at // 1))
    except OverflowError:  # an offset has moved the instant out of every calendar
        return None
