"""How much a comparison can be trusted: the cases that changed, an exact test, and intervals of the change.

Belongs here: what two classifiers did to the same cases. Does not: the verdict (scoring), which looks at no chance.

Source: fairness contract, section 10; McNemar's exact test, Newcombe's intervals (stats).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.backtest.decimals import printed
from evenhand.backtest.scoring import Cell, Score
from evenhand.stats import mcnemar_exact, newcombe, newcombe_paired, significant, wilson


@dataclass(frozen=True, slots=True)
class Counts:
    """Cases by what the old and the new classifier predict, of one label."""

    both: int = 0
    old_only: int = 0
    new_only: int = 0
    neither: int = 0
    """Predicted reversed by both, by one, by neither."""

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.both + other.both,
            self.old_only + other.old_only,
            self.new_only + other.new_only,
            self.neither + other.neither,
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A share before and after, each with its interval, and the interval of the change; None where there is none."""

    before: tuple[int, int]
    after: tuple[int, int]
    interval: tuple[float, float] | None
    paired: bool
    """Over the same cases; otherwise the two sets only overlap, and the interval takes them as independent."""

    def json(self, z: float) -> dict[str, Any]:
        """Counts, shares and intervals."""
        return {
            "before": _share(self.before, z),
            "after": _share(self.after, z),
            "change": printed(_difference(self.before, self.after)),
            "interval": _bounds(self.interval),
            "method": "newcombe_paired" if self.paired else "newcombe_independent",
        }


def _share(counts: tuple[int, int], z: float) -> dict[str, Any]:
    part, whole = counts
    return {
        "numerator": part,
        "denominator": whole,
        "value": printed(Fraction(part, whole)) if whole else None,
        "interval": _bounds(wilson(part, whole, z)),
    }


def _difference(before: tuple[int, int], after: tuple[int, int]) -> Fraction | None:
    return Fraction(*after) - Fraction(*before) if before[1] and after[1] else None


def _bounds(interval: tuple[float, float] | None) -> list[float | int] | None:
    return None if interval is None else [significant(bound) for bound in interval]


@dataclass(frozen=True, slots=True)
class Paired:
    """Two classifiers on the same cases."""

    reversed: Counts
    confirmed: Counts

    @property
    def cases(self) -> int:
        """All cases."""
        total = self.reversed + self.confirmed
        return total.both + total.old_only + total.new_only + total.neither

    @property
    def to_reversed(self) -> int:
        """Cases whose prediction flips to reversed."""
        return self.reversed.new_only + self.confirmed.new_only

    @property
    def to_confirmed(self) -> int:
        """Cases whose prediction flips to confirmed."""
        return self.reversed.old_only + self.confirmed.old_only

    @property
    def corrected(self) -> int:
        """Cases that only the new classifier gets right."""
        return self.reversed.new_only + self.confirmed.old_only

    @property
    def broken(self) -> int:
        """Cases that only the old classifier gets right."""
        return self.reversed.old_only + self.confirmed.new_only

    @property
    def p_value(self) -> float:
        """The exact McNemar p of the corrected against the broken cases."""
        return mcnemar_exact(self.corrected, self.broken)

    def accuracy(self, z: float) -> Change:
        """The share of all cases that are predicted right."""
        right_both = self.reversed.both + self.confirmed.neither
        right_never = self.reversed.neither + self.confirmed.both
        interval = newcombe_paired(right_both, self.broken, self.corrected, right_never, z)
        return Change(
            (right_both + self.broken, self.cases), (right_both + self.corrected, self.cases), interval, paired=True
        )

    def recall(self, z: float) -> Change:
        """The share of the reversed cases that are predicted, over the same cases."""
        counts = self.reversed
        of = counts.both + counts.old_only + counts.new_only + counts.neither
        interval = newcombe_paired(counts.both, counts.old_only, counts.new_only, counts.neither, z)
        return Change((counts.both + counts.old_only, of), (counts.both + counts.new_only, of), interval, paired=True)

    def precision(self, z: float) -> Change:
        """The share of the predicted cases that were reversed; the predicted cases differ, so they are not paired."""
        positive, negative = self.reversed, self.confirmed
        hits = (positive.both + positive.old_only, positive.both + positive.new_only)
        misses = (negative.both + negative.old_only, negative.both + negative.new_only)
        before, after = (hits[0], hits[0] + misses[0]), (hits[1], hits[1] + misses[1])
        return Change(before, after, newcombe(before, after, z), paired=False)

    def json(self, z: float) -> dict[str, Any]:
        """Flips, test and changes."""
        return {
            "cases": self.cases,
            "flippedToReversed": self.to_reversed,
            "flippedToConfirmed": self.to_confirmed,
            "corrected": self.corrected,
            "broken": self.broken,
            "mcnemarExactP": significant(self.p_value),
            "precision": self.precision(z).json(z),
            "recall": self.recall(z).json(z),
            "accuracy": self.accuracy(z).json(z),
        }


def paired_thresholds(cells: Sequence[Cell], old: Fraction, new: Fraction) -> Paired:
    """Two thresholds on the same cells."""
    counted = {True: Counts(), False: Counts()}
    for cell in cells:
        by_old, by_new = cell.effective < old, cell.effective < new
        counted[True] += _one(by_old, by_new, cell.reversed)
        counted[False] += _one(by_old, by_new, cell.confirmed)
    return Paired(counted[True], counted[False])


def paired_predictions(predictions: Iterable[tuple[bool, bool, bool]]) -> Paired:
    """Any two classifiers: triples of (old predicts reversed, new predicts reversed, was reversed)."""
    counted = {True: Counts(), False: Counts()}
    for by_old, by_new, was_reversed in predictions:
        counted[was_reversed] += _one(by_old, by_new, 1)
    return Paired(counted[True], counted[False])


def _one(by_old: bool, by_new: bool, count: int) -> Counts:
    if by_old:
        return Counts(both=count) if by_new else Counts(old_only=count)
    return Counts(new_only=count) if by_new else Counts(neither=count)


def scores(rule_id: str, paired: Paired) -> tuple[Score, Score]:
    """The two scores of a pair."""
    positive, negative = paired.reversed, paired.confirmed
    return (
        Score(
            rule_id,
            positive.both + positive.old_only,
            negative.both + negative.old_only,
            negative.new_only + negative.neither,
            positive.new_only + positive.neither,
        ),
        Score(
            rule_id,
            positive.both + positive.new_only,
            negative.both + negative.new_only,
            negative.old_only + negative.neither,
            positive.old_only + positive.neither,
        ),
    )
