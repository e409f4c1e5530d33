"""A finite-sample guarantee: a threshold from which on P(wrong | acted) <= alpha, sure but for a chance of delta.

Belongs here: the search over the policy's candidates, and its two refusals. Does not: guarantees that instances report
(metrics/fleet/guarantees).

The gate acts on a case that claims at least the threshold; a reversed case is a wrong action. Candidates are tried in
ascending order. Each is judged by the Clopper-Pearson upper bound of its share of wrong cases at delta divided by the
number of candidates (Bonferroni), so that the first that passes may be named although several were tried.

Source: fairness contract, section 6, "guaranteed[arm]", and section 10.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, log1p
from typing import Any

from evenhand.backtest.decimals import printed
from evenhand.backtest.scoring import Cell
from evenhand.policy import Backtest
from evenhand.stats import clopper_pearson_upper, significant

CALIBRATED = "calibrated"
INSUFFICIENT_LABELS = "insufficient_labels"
NO_CERTIFIABLE_THRESHOLD = "no_certifiable_threshold"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One threshold with the cases on which the gate would act, and the upper bound of its share of wrong ones."""

    threshold: Fraction
    acted: int
    wrong: int
    upper: float

    def json(self) -> dict[str, Any]:
        """As the report holds it."""
        return {
            "lambda": printed(self.threshold),
            "acted": self.acted,
            "wrong": self.wrong,
            "upperBound": significant(self.upper),
        }


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The outcome for one arm."""

    status: str
    alpha: float
    delta: float
    labels: int
    needed: int
    """Labelled cases without which not even a spotless record passes."""
    candidates: tuple[Candidate, ...]
    chosen: Candidate | None = None

    @property
    def nearest(self) -> Candidate | None:
        """The candidate whose bound comes nearest to alpha."""
        return min(self.candidates, key=lambda found: (found.upper, found.threshold), default=None)

    @property
    def short_by(self) -> float | None:
        """How far the nearest bound lies above alpha; None when some candidate passed."""
        return None if self.chosen or self.nearest is None else self.nearest.upper - self.alpha

    def json(self) -> dict[str, Any]:
        """Status with what it rests on; a refusal says how far off it is."""
        told: dict[str, Any] = {
            "status": self.status,
            "alpha": self.alpha,
            "delta": self.delta,
            "candidates": [candidate.json() for candidate in self.candidates],
        }
        if self.chosen:
            coverage = Fraction(self.chosen.acted, self.labels)
            told |= {
                "lambda": printed(self.chosen.threshold),
                "nAtLambda": self.chosen.acted,
                "wrongAtLambda": self.chosen.wrong,
                "upperBound": significant(self.chosen.upper),
                "coverageAtLambda": printed(coverage),
                "totalPairs": self.labels,
            }
        elif self.status == INSUFFICIENT_LABELS:
            told |= {"needed": self.needed, "have": self.labels}
        elif self.nearest and self.short_by is not None:
            told |= {"nearest": self.nearest.json(), "shortBy": significant(self.short_by)}
        return told


def labels_needed(alpha: float, level: float) -> int:
    """Fewest spotless cases whose Clopper-Pearson bound is alpha: the least n with (1 - alpha)^n <= level."""
    return ceil(log(level) / log1p(-alpha))


def certify(cells: Sequence[Cell], policy: Backtest) -> Guarantee:
    """The loosest candidate that is guaranteed, or the reason why there is none.

    A case that claims no confidence is not acted upon at any threshold, and is no label.
    """
    alpha, delta = policy.alpha, policy.delta
    thresholds = [Fraction(text) for text in policy.guarantee_candidates]
    level = delta / len(thresholds) if thresholds else delta
    claimed = [cell for cell in cells if cell.confidence is not None]
    labels = sum(cell.cases for cell in claimed)
    needed = labels_needed(alpha, level)
    candidates = tuple(_candidate(claimed, threshold, level) for threshold in thresholds)
    if labels < needed:
        return Guarantee(INSUFFICIENT_LABELS, alpha, delta, labels, needed, candidates)
    chosen = next((found for found in candidates if found.upper <= alpha), None)
    status = CALIBRATED if chosen else NO_CERTIFIABLE_THRESHOLD
    return Guarantee(status, alpha, delta, labels, needed, candidates, chosen)


def arm_rules(policy: Backtest) -> dict[str, tuple[str, ...]]:
    """The rules whose cases each arm pools."""
    return {"close": policy.close_arm, "merge": policy.merge_arm}


def arm_guarantees(cells: Mapping[str, Sequence[Cell]], policy: Backtest) -> dict[str, Guarantee]:
    """The outcome for each arm, over the cells of its rules together; cells by rule id."""
    return {
        arm: certify([cell for rule in rules for cell in cells.get(rule, ())], policy)
        for arm, rules in arm_rules(policy).items()
    }


def _candidate(cells: Sequence[Cell], threshold: Fraction, level: float) -> Candidate:
    acted = [cell for cell in cells if cell.effective >= threshold]
    wrong = sum(cell.reversed for cell in acted)
    cases = wrong + sum(cell.confirmed for cell in acted)
    return Candidate(threshold, cases, wrong, clopper_pearson_upper(wrong, cases, level))
