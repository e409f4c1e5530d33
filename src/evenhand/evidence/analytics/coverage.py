"""Coverage: how many reviews were complete, partial, or did not run at all.

Belongs here: the five kinds of coverage, by pass. Does not: what a single review left out (wording.py), or reviews that
bear no time (population.py).

Source: What a review means, section 6 ("Partial review", "Review did not run").
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.evidence.analytics.population import Population, cells_of
from evenhand.evidence.analytics.registry import counted, share, statistic
from evenhand.evidence.records import Pass, Review, Status
from evenhand.evidence.wording import gaps
from evenhand.figures import Figure, NamedFigures, Unit
from evenhand.metrics.registry import Cells, Context, sums

WHOLE, GAPS, PARTIAL, BROKEN_OFF, DID_NOT_RUN = "complete", "complete_with_gaps", "partial", "broken_off", "did_not_run"
KINDS = (WHOLE, GAPS, PARTIAL, BROKEN_OFF, DID_NOT_RUN)
ALL = "all"
GROUPS = (ALL, *map(str, Pass))


@dataclass(frozen=True)
class Coverage:
    """The reviews of one pass, or of both: how many, and the share of each kind."""

    group: str
    reviews: Figure
    shares: dict[str, Figure]
    left_out: Figure
    """The share of those that did not cover everything, whatever they call themselves."""
    counts: dict[str, int]

    @property
    def incomplete(self) -> int:
        """How many did not cover everything."""
        return sum(self.counts[kind] for kind in KINDS if kind != WHOLE)


@dataclass(frozen=True)
class Coverages:
    """Both passes together, then each."""

    groups: tuple[Coverage, ...]

    def figures(self) -> NamedFigures:
        """By pass: the reviews, and the share of each kind."""
        for group in self.groups:
            yield f"{group.group}/reviews", group.reviews
            for kind, figure in group.shares.items():
                yield f"{group.group}/{kind}", figure
            yield f"{group.group}/something_left_out", group.left_out


def kind_of(review: Review) -> str:
    """The kind of coverage of a review. Failed or skipped ones that read something were broken off."""
    if review.did_not_run:
        return DID_NOT_RUN
    if review.status is Status.PARTIAL:
        return PARTIAL
    if review.status is not Status.COMPLETE:
        return BROKEN_OFF
    return GAPS if gaps(review) else WHOLE


def count(population: Population) -> Cells:
    """Reviews by pass and kind."""
    found: Counter[tuple[str, ...]] = Counter(
        (str(one.review.review_pass), kind_of(one.review)) for one in population.within
    )
    return cells_of(("pass", "kind"), found)


@statistic(
    count=count,
    title="Coverage of reviews",
    question="How many reviews read everything, and how many did not?",
    rule="A review is complete when it says so, reviewed every shard, and no lens was skipped, cut or left unfinished; "
    "complete with gaps when it says so and something was left out; partial when it says so; broken off when it failed "
    "or was skipped after reading something; and it did not run when no seat read the diff.",
    floors=("review_floor",),
)
def fold(cells: Cells, context: Context) -> Coverages:
    """cells: pass 'first' | 'deep', kind, n."""
    floor = context.policy.reviews.review_floor
    groups = []
    for group in GROUPS:
        totals = sums([cell for cell in cells if group in (ALL, cell["pass"])], "kind", "n")
        counts = {kind: totals.get(kind, (0,))[0] for kind in KINDS}
        of = sum(counts.values())
        groups.append(
            Coverage(
                group,
                counted(of, context, unit=Unit.REVIEW),
                {kind: share(counts[kind], of, context, unit=Unit.REVIEW, floor=floor) for kind in KINDS},
                share(of - counts[WHOLE], of, context, unit=Unit.REVIEW, floor=floor),
                counts,
            )
        )
    return Coverages(tuple(groups))
