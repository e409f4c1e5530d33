"""Fix plans: what became of the follow-ups, and of each seat's fixes.

Belongs here: follow-ups by their state, the seats whose patches they carry, and the merged and closed fixes that seat
records tell of. Does not: the choice of patches (plans.py) or a seat's score (seat_calibration.py).

Two sources that are not added up: a review tells the state of the follow-up of its pull request; a seat record tells
how many fixes of a seat were merged or closed over all time. A final follow-up has no plan any more, so its seats are
those whose patches the plan of its review would choose: the export does not say which patches it carried.

Source: What a review means, sections 1 (seat records) and 8 (fix plan).
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.evidence.analytics.population import Population, cells_of
from evenhand.evidence.analytics.registry import SEATS_PROVIDED, counted, share, statistic
from evenhand.evidence.assessment import Assessed, Bearers
from evenhand.evidence.plans import PLANNED, choices, without_overlaps
from evenhand.evidence.records import PullState
from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, sums

FOLLOW_UP, FOLLOW_UP_SEAT, RECORDS = "follow_up", "follow_up_seat", "records"
OPEN, MERGED, CLOSED = (str(state) for state in (PullState.OPEN, PullState.MERGED, PullState.CLOSED))


@dataclass(frozen=True)
class FixOutcomes:
    """Fixes by what became of them. open: None where the source does not tell of open ones."""

    name: str
    open: Figure | None
    merged: Figure
    closed: Figure
    share: Figure


@dataclass(frozen=True)
class FixPlans:
    """All follow-ups, follow-ups by the seats in their plan, and fixes by seat as seat records tell them."""

    follow_ups: FixOutcomes
    follow_up_seats: tuple[FixOutcomes, ...]
    records: tuple[FixOutcomes, ...]

    def figures(self) -> NamedFigures:
        """By kind and seat: counts, and the share of merged among merged and closed."""
        groups = [(FOLLOW_UP, self.follow_ups)]
        groups += [(f"{FOLLOW_UP_SEAT}/{one.name}", one) for one in self.follow_up_seats]
        groups += [(f"{RECORDS}/{one.name}", one) for one in self.records]
        for name, one in groups:
            if one.open is not None:
                yield f"{name}/open", one.open
            yield f"{name}/merged", one.merged
            yield f"{name}/closed", one.closed
            yield f"{name}/merged_share", one.share


def count(population: Population) -> Cells:
    """Follow-ups of pull requests whose plan a review in the window bears, their seats, and the seat records."""
    bearers = Bearers()
    for place, assessed in enumerate(population.assessment.reviews):
        bearers.add(place, assessed.review)
    within = {id(assessed) for assessed in population.within}
    found: Counter[tuple[str, ...]] = Counter()
    for place, assessed in enumerate(population.assessment.reviews):
        state = assessed.review.fix_pr
        if state is not None and id(assessed) in within and bearers.bears(place, assessed.review):
            found[FOLLOW_UP, "", str(state)] += 1
            found.update((FOLLOW_UP_SEAT, seat, str(state)) for seat in _seats(assessed, population))
    for (_, seat, _), outcomes in population.records.counts.items():
        for outcome in (MERGED, CLOSED):
            found[RECORDS, seat, outcome] += outcomes[outcome]
    return cells_of(("kind", "seat", "outcome"), found)


def _seats(assessed: Assessed, population: Population) -> set[str]:
    assessment = population.assessment
    found = choices(assessed.review, assessed.mechanisms, assessment.deliver, assessment.rules, PLANNED)
    chosen, _ = without_overlaps(found)
    return {choice.copy.finding.seat for choice in chosen}


@statistic(
    count=count,
    title="Fix plans and their outcomes",
    question="Were the fixes that the reviews proposed taken?",
    rule="A follow-up is that of the review which bears the plan of its pull request. The share is merged of merged "
    "and closed; an open one is not decided. By seat twice: follow-ups by the seats whose patches the plan would "
    "choose, and the merged and closed fixes of seat records, which bear no time.",
    floors=("fix_floor",),
)
def fold(cells: Cells, context: Context) -> FixPlans:
    """cells: kind 'follow_up' | 'follow_up_seat' | 'records', seat, outcome 'open' | 'merged' | 'closed', n."""
    by_seat = {
        kind: tuple(
            _outcomes(kind, seat, cells, context) for seat in sorted({c["seat"] for c in cells if c["kind"] == kind})
        )
        for kind in (FOLLOW_UP_SEAT, RECORDS)
    }
    records = by_seat[RECORDS] if SEATS_PROVIDED in context.provided else ()
    return FixPlans(_outcomes(FOLLOW_UP, "", cells, context), by_seat[FOLLOW_UP_SEAT], records)


def _outcomes(kind: str, seat: str, cells: Cells, context: Context) -> FixOutcomes:
    totals = sums([cell for cell in cells if (cell["kind"], cell["seat"]) == (kind, seat)], "outcome", "n")
    undecided, merged, closed = (totals.get(outcome, (0,))[0] for outcome in (OPEN, MERGED, CLOSED))
    any_age = kind == RECORDS
    source = Source.SEATS if any_age else Source.REVIEWS

    def figure(n: int) -> Figure:
        return counted(n, context, unit=Unit.FIX, source=source, any_age=any_age)

    floor = context.policy.reviews.fix_floor
    return FixOutcomes(
        seat,
        None if any_age else figure(undecided),
        figure(merged),
        figure(closed),
        share(merged, merged + closed, context, unit=Unit.FIX, floor=floor, source=source, any_age=any_age),
    )
