"""Severity: how grave the mechanisms are whose impact a reviewer rated together with how a caller reaches it.

Belongs here: mechanisms of each pass by their strongest such rating. Does not: what a rating is (mechanisms.py).

Source: What a review means, section 5 (severity counts).
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.evidence.analytics.population import Population, cells_of
from evenhand.evidence.analytics.registry import counted, share, statistic
from evenhand.evidence.records import Impact, Pass
from evenhand.figures import Figure, NamedFigures, Unit
from evenhand.metrics.registry import Cells, Context, sums

UNRATED = "unrated"
LEVELS = (*map(str, Impact), UNRATED)


@dataclass(frozen=True)
class SeverityCounts:
    """The mechanisms of one pass: how many of each severity, and the share of the whole."""

    review_pass: str
    mechanisms: Figure
    counts: dict[str, Figure]
    shares: dict[str, Figure]


@dataclass(frozen=True)
class Severities:
    """The deep pass, then the first: they look at the same code, so that they are not added up."""

    passes: tuple[SeverityCounts, ...]

    def figures(self) -> NamedFigures:
        """By pass: the mechanisms, and count and share of each severity."""
        for one in self.passes:
            yield f"{one.review_pass}/mechanisms", one.mechanisms
            for level in LEVELS:
                yield f"{one.review_pass}/{level}/count", one.counts[level]
                yield f"{one.review_pass}/{level}/share", one.shares[level]


def count(population: Population) -> Cells:
    """Mechanisms of every section by pass and severity."""
    found: Counter[tuple[str, ...]] = Counter(
        (str(assessed.review.review_pass), str(mechanism.severity or UNRATED))
        for assessed in population.within
        for mechanism in assessed.mechanisms
    )
    return cells_of(("pass", "severity"), found)


@statistic(
    count=count,
    title="Severity",
    question="How grave are the findings?",
    rule="Mechanisms of all sections at the strongest impact that a reviewer rated and for which they say how a caller "
    "reaches it; without both a mechanism is unrated. An impact inferred from a promise is none.",
    floors=("mechanism_floor",),
)
def fold(cells: Cells, context: Context) -> Severities:
    """cells: pass 'first' | 'deep', severity, n."""
    floor = context.policy.reviews.mechanism_floor
    passes = []
    for review_pass in (Pass.DEEP, Pass.FIRST):
        totals = sums([cell for cell in cells if cell["pass"] == review_pass], "severity", "n")
        counts = {level: totals.get(level, (0,))[0] for level in LEVELS}
        of = sum(counts.values())
        passes.append(
            SeverityCounts(
                str(review_pass),
                counted(of, context, unit=Unit.MECHANISM),
                {level: counted(n, context, unit=Unit.MECHANISM) for level, n in counts.items()},
                {level: share(n, of, context, unit=Unit.MECHANISM, floor=floor) for level, n in counts.items()},
            )
        )
    return Severities(tuple(passes))
