"""A whole export assessed: each review with its mechanisms, what was withdrawn, what is suggested and its plan.

Belongs here: the order of the steps, and what needs every review of a pull request at once. Does not: any of the
rules (a module each), or files and forms (reading.py, json_form.py, markdown.py, pages.py).

Source: What a review means, sections 7 to 9.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from evenhand.evidence.headline import Headline, headline_of
from evenhand.evidence.housekeeping import Housekeeping, Sweep
from evenhand.evidence.mechanisms import Mechanism, mechanisms
from evenhand.evidence.passes import PullRequest, Refutations
from evenhand.evidence.plans import PLANNED, FixPlan, fix_plan
from evenhand.evidence.records import DeadCode, Pass, Review
from evenhand.evidence.rules import Deliver, Rules, Section
from evenhand.evidence.seats import Ahead, SeatRecords, SeatScores
from evenhand.evidence.suggestions import may_be_suggested
from evenhand.policy import Evidence


@dataclass(frozen=True, slots=True)
class Alone:
    """What a review means without looking at any other one. may_be_suggested: finding ids of leads."""

    review: Review
    mechanisms: tuple[Mechanism, ...]
    headline: Headline
    dead_code: tuple[DeadCode, ...]
    may_be_suggested: frozenset[str]


@dataclass(frozen=True, slots=True)
class Assessed:
    """One review and what it means. suggested, withdrawn: ids of leads. ahead: seats before the router's pick."""

    review: Review
    mechanisms: tuple[Mechanism, ...]
    headline: Headline
    dead_code: tuple[DeadCode, ...]
    suggested: frozenset[str]
    withdrawn: tuple[str, ...]
    plan: FixPlan | None
    ahead: tuple[Ahead, ...] = ()


@dataclass(frozen=True, slots=True)
class Assessment:
    """Every review of an export, in its order. housekeeping: None without the sweep."""

    reviews: list[Assessed]
    scores: SeatScores
    rules: Rules
    deliver: Deliver
    housekeeping: list[Housekeeping] | None = field(default=None)


def assess(
    reviews: Iterable[Review],
    records: SeatRecords,
    policy: Evidence,
    deliver: Deliver = Deliver.ALL,
    sweep: bool = False,
) -> Assessment:
    """Assesses every review; what depends on the other reviews of a pull request waits until all are read."""
    rules = Rules(policy)
    scores = SeatScores(records, policy)
    refutations, bearers = Refutations(), Bearers()
    alone: list[Alone] = []
    for review in reviews:
        found = assess_alone(review, scores, rules, deliver)
        refutations.add(found.review, found.mechanisms)
        bearers.add(len(alone), found.review)
        alone.append(found)
    planned = tuple(section for section in PLANNED if not (sweep and section is Section.CLEANUP))
    swept = Sweep(deliver, rules)
    together = []
    for place, found in enumerate(alone):
        review, made = found.review, found.mechanisms
        withdrawn = tuple(mechanism.lead_id for mechanism in refutations.withdrawn(review, made))
        plan = None
        if bearers.bears(place, review):
            plan = fix_plan(review, made, deliver, rules, planned)
            if sweep:
                swept.add(review, made)
        suggested = found.may_be_suggested.difference(withdrawn)
        ahead = scores.ahead_in(review)
        together.append(Assessed(review, made, found.headline, found.dead_code, suggested, withdrawn, plan, ahead))
    return Assessment(together, scores, rules, deliver, swept.housekeeping() if sweep else None)


def assess_alone(review: Review, scores: SeatScores, rules: Rules, deliver: Deliver) -> Alone:
    """Assesses one review. The texts around citations are let go: they were read, and they are most of an export."""
    made = mechanisms(review, scores, rules)
    return Alone(
        replace(review, files_at_head={}) if review.files_at_head else review,
        made,
        headline_of(review, made, rules),
        tuple(sorted(review.dead_code, key=lambda dead: (dead.file, dead.start_line))),
        frozenset(mechanism.lead_id for mechanism in made if may_be_suggested(mechanism, deliver)),
    )


class Bearers:
    """Which review of a pull request bears its fix plan: the last deep one, else the last first-pass one."""

    def __init__(self) -> None:
        self._places: dict[PullRequest, tuple[bool, int]] = {}

    def add(self, place: int, review: Review) -> None:
        """Takes note of a review by its place in the export."""
        candidate = review.review_pass is Pass.DEEP, place
        self._places[review.pull_request] = max(candidate, self._places.get(review.pull_request, candidate))

    def bears(self, place: int, review: Review) -> bool:
        """Whether the review at a place bears the plan."""
        return self._places[review.pull_request][1] == place
