"""Reliability: what a rule claims of its confidence against how often its firings were confirmed.

Belongs here: the curve in bins of claimed confidence, the expected calibration error, and the loosest threshold whose
pooled precision meets a target. Does not: what is guaranteed of a threshold (guarantee).

Source: fairness contract, section 10; the policy's bins, floor and target.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.backtest.decimals import printed
from evenhand.backtest.scoring import Cell
from evenhand.policy import Backtest, exact
from evenhand.stats import significant, wilson


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases that claim a confidence from `low`, up to but not including `high`; the last bin includes 1."""

    low: Fraction
    high: Fraction
    confirmed: int
    cases: int
    claimed: Fraction
    """Sum of the claimed confidences."""
    floor: int

    @property
    def mean_claimed(self) -> Fraction | None:
        """The mean claimed confidence; None of nothing."""
        return self.claimed / self.cases if self.cases else None

    @property
    def precision(self) -> Fraction | None:
        """The share that was confirmed; None below the floor."""
        return Fraction(self.confirmed, self.cases) if self.cases and self.cases >= self.floor else None

    def interval(self, z: float) -> tuple[float, float] | None:
        """The Wilson interval of the precision; None below the floor."""
        return None if self.precision is None else wilson(self.confirmed, self.cases, z)


@dataclass(frozen=True, slots=True)
class Reliability:
    """The curve of one rule."""

    bins: tuple[Bin, ...]
    unclaimed: int
    """Cases that claim no confidence."""
    out_of_range: int
    """Cases that claim one outside [0, 1]; they stand in no bin."""

    @property
    def cases(self) -> int:
        """Cases in some bin."""
        return sum(found.cases for found in self.bins)

    @property
    def calibration_error(self) -> Fraction | None:
        """Expected calibration error: the mean distance of claim and precision over all binned cases; None of nothing.

        Small bins count as well, for leaving them out would make a rule look better than it is known to be.
        """
        if not self.cases:
            return None
        distances = (abs(found.claimed - found.confirmed) for found in self.bins)
        return sum(distances, Fraction(0)) / self.cases

    def json(self, z: float) -> dict[str, Any]:
        """Every bin with its counts; a share is null below the floor."""
        return {
            "bins": [_bin(found, z) for found in self.bins],
            "cases": self.cases,
            "unclaimed": self.unclaimed,
            "outOfRange": self.out_of_range,
            "expectedCalibrationError": printed(self.calibration_error),
        }


def _bin(found: Bin, z: float) -> dict[str, Any]:
    bounds = found.interval(z)
    return {
        "low": printed(found.low),
        "high": printed(found.high),
        "cases": found.cases,
        "confirmed": found.confirmed,
        "meanClaimed": printed(found.mean_claimed),
        "precision": printed(found.precision),
        "interval": None if bounds is None else [significant(bound) for bound in bounds],
        "withheld": None if found.precision is not None else {"reason": "below_floor", "floor": found.floor},
    }


def reliability(cells: Sequence[Cell], policy: Backtest) -> Reliability:
    """The curve over equal bins of [0, 1]."""
    width = Fraction(1, policy.reliability_bins)
    binned: list[list[Cell]] = [[] for _ in range(policy.reliability_bins)]
    unclaimed = out_of_range = 0
    for cell in cells:
        if cell.confidence is None:
            unclaimed += cell.cases
        elif not 0 <= cell.confidence <= 1:
            out_of_range += cell.cases
        else:
            binned[min(int(cell.confidence / width), policy.reliability_bins - 1)].append(cell)
    bins = tuple(_binned(width * number, width, found, policy) for number, found in enumerate(binned))
    return Reliability(bins, unclaimed, out_of_range)


def _binned(low: Fraction, width: Fraction, cells: Sequence[Cell], policy: Backtest) -> Bin:
    return Bin(
        low,
        low + width,
        sum(cell.confirmed for cell in cells),
        sum(cell.cases for cell in cells),
        sum((cell.effective * cell.cases for cell in cells), Fraction(0)),
        policy.reliability_floor,
    )


@dataclass(frozen=True, slots=True)
class Loosest:
    """The lowest threshold that meets a target, with what lies at or above it."""

    threshold: Fraction
    confirmed: int
    cases: int

    def json(self, z: float) -> dict[str, Any]:
        """Threshold, counts, precision and interval."""
        bounds = wilson(self.confirmed, self.cases, z)
        return {
            "threshold": printed(self.threshold),
            "confirmed": self.confirmed,
            "cases": self.cases,
            "precision": printed(Fraction(self.confirmed, self.cases)),
            "interval": None if bounds is None else [significant(bound) for bound in bounds],
        }


def loosest_threshold(cells: Sequence[Cell], policy: Backtest) -> Loosest | None:
    """The lowest claimed confidence from which on the pooled precision meets the target; None when none does.

    Pooled: over all cases at or above it, at least as many as the floor asks for.
    """
    target = exact(policy.target_precision)
    confirmed = cases = 0
    best: Loosest | None = None
    claimed = [cell for cell in cells if cell.confidence is not None]
    for cell in sorted(claimed, key=lambda cell: cell.effective, reverse=True):
        confirmed += cell.confirmed
        cases += cell.cases
        if cases >= policy.reliability_floor and Fraction(confirmed, cases) >= target:
            best = Loosest(cell.effective, confirmed, cases)
    return best
