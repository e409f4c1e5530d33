"""Reliability: how often what was said with a confidence turned out to hold, confidence by confidence.

Belongs here: decided cases by confidence, for the published confidence of mechanisms and for what reviewers state. Does
not: the confidence itself (confidence.py).

The confidence is a score for sorting, not a calibrated probability. That of a mechanism is made of its evidence among
other things: a proof lifts it to the policy's floor and a refutation cuts it, so that its curve rises by construction.
What a reviewer states comes before any evidence; its curve is the one that could be calibrated, and nothing says that
it is.

Source: What a review means, sections 2 (evidence state) and 4 (confidence).
"""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from evenhand.evidence.analytics.population import Population
from evenhand.evidence.analytics.registry import counted, share, span, statistic
from evenhand.evidence.confidence import half_away
from evenhand.evidence.rules import State
from evenhand.figures import Figure, NamedFigures, Reason, Scale, Source, Unit
from evenhand.metrics.registry import Cells, Context, sums

CONFIDENCE, STATED = "confidence", "stated"
CURVES = {CONFIDENCE: Unit.MECHANISM, STATED: Unit.COPY}
_DECIDED = (State.PROVEN, State.REFUTED)
_PERCENT = 100


@dataclass(frozen=True)
class Bin:
    """Decided cases whose confidence lies from `low` to `high` per cent, the last bin with its end."""

    number: int
    low: float
    high: float
    decided: int
    held: Figure
    mean: Figure


@dataclass(frozen=True)
class Curve:
    """One curve, from the lowest confidence to the highest."""

    name: str
    decided: Figure
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Reliability:
    """The curve of the published confidence, then that of what reviewers state."""

    curves: tuple[Curve, ...]

    def figures(self) -> NamedFigures:
        """By curve: all decided cases; by bin the share that held, and the mean confidence."""
        for curve in self.curves:
            yield f"{curve.name}/decided", curve.decided
            for one in curve.bins:
                yield f"{curve.name}/{one.number}/held", one.held
                yield f"{curve.name}/{one.number}/mean_confidence", one.mean


def count(population: Population) -> Cells:
    """Proven and refuted cases of the deep pass by their confidence in its last decimal."""
    whole = population.assessment.rules.whole_confidence
    found: Counter[tuple[str, int, bool]] = Counter()
    for assessed in population.deep:
        for mechanism in assessed.mechanisms:
            if mechanism.state in _DECIDED:
                found[CONFIDENCE, mechanism.confidence, mechanism.state is State.PROVEN] += 1
            for copy in mechanism.copies:
                stated = copy.finding.stated_confidence
                if stated is not None and copy.state in _DECIDED:
                    found[STATED, _rounded(stated, whole), copy.state is State.PROVEN] += 1
    return [
        {"curve": curve, "confidence": confidence, "whole": whole, "held": n if held else 0, "n": n}
        for (curve, confidence, held), n in sorted(found.items())
    ]


def _rounded(stated: Decimal | int, whole: int) -> int:
    above, below = stated.as_integer_ratio()
    return half_away(above * whole, below)


@statistic(
    count=count,
    title="Confidence against outcome",
    question="Does a higher confidence mean that a finding holds more often?",
    rule="Mechanisms and copies of deep reviews that were proven or refuted; the share that was proven, by confidence "
    "rounded as it is published. A bin holds its lower end and not its upper one; the last holds 1. The confidence is "
    "a score for sorting, not a calibrated probability, and that of a mechanism has its evidence in it.",
    floors=("bin_floor",),
)
def fold(cells: Cells, context: Context) -> Reliability:
    """cells: curve 'confidence' | 'stated', confidence of whole (its last decimals), held int, n int."""
    return Reliability(tuple(_curve(name, unit, cells, context) for name, unit in CURVES.items()))


def _curve(name: str, unit: Unit, cells: Cells, context: Context) -> Curve:
    bins = context.policy.reviews.reliability_bins
    binned = [
        {
            "bin": min(bins - 1, cell["confidence"] * bins // cell["whole"]),
            "held": cell["held"],
            "n": cell["n"],
            "hundredths": cell["n"] * cell["confidence"] * _PERCENT // cell["whole"],
        }
        for cell in cells
        if cell["curve"] == name
    ]
    totals = sums(binned, "bin", "held", "n", "hundredths")
    made = [_bin(number, totals.get(number, (0, 0, 0)), unit, context) for number in range(bins)]
    return Curve(name, counted(sum(one.decided for one in made), context, unit=unit), tuple(made))


def _bin(number: int, totals: tuple[int, ...], unit: Unit, context: Context) -> Bin:
    held, decided, hundredths = totals
    bins = context.policy.reviews.reliability_bins
    return Bin(
        number,
        _PERCENT * number / bins,
        _PERCENT * (number + 1) / bins,
        decided,
        share(held, decided, context, unit=unit, floor=context.policy.reviews.bin_floor),
        _mean(hundredths, decided, unit, context),
    )


def _mean(hundredths: int, decided: int, unit: Unit, context: Context) -> Figure:
    """The mean confidence of a bin in hundredths: a place on the axis, so that it has no interval."""
    floor = context.policy.reviews.bin_floor
    if decided < floor:
        return Figure.missing(
            Reason.BELOW_FLOOR,
            scale=Scale.MEAN,
            unit=unit,
            source=Source.REVIEWS,
            window=span(context),
            floor=floor,
            count=decided,
        )
    return Figure.mean(
        hundredths,
        decided,
        unit=unit,
        source=Source.REVIEWS,
        window=span(context),
        places=context.policy.rounding.percent_places,
        basis="mean confidence in hundredths",
    )
