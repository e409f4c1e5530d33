"""Guarantees: the finite-sample bounds that registered instances computed, one for each arm.

Belongs here: reading the payloads strictly and choosing the published one. Does not: computing a guarantee (backtest).

Source: fairness contract, section 6, "guaranteed[arm]", D4, D29.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isfinite, log, log1p
from typing import Any

from evenhand.figures import Figure, NamedFigures, Scale, Source, Unit
from evenhand.lake.strict_json import number_value, object_members, text_value
from evenhand.metrics.registry import Cells, Context, metric
from evenhand.policy import exact
from evenhand.stats import exact_decimal, rounded

ARMS = ("close", "merge")

# A quotient this near to a whole number may lie on its other side; powers up to this one are quick to compute exactly.
_TOO_CLOSE, _POWERS = 1e-6, 2000


@dataclass(frozen=True)
class Guarantee:
    """P(wrong | acted) <= alpha at the threshold `lambda`, from n labelled cases."""

    alpha: Fraction
    threshold: Fraction
    coverage: Fraction
    n: Fraction
    backfilled: Fraction | None
    coverage_figure: Figure


@dataclass(frozen=True)
class Guarantees:
    """The published guarantee of each arm, or None."""

    arms: dict[str, Guarantee | None]

    def figures(self) -> NamedFigures:
        """`ARM/coverage`: the share of pull requests on which the AI judged at that threshold."""
        for arm, guarantee in self.arms.items():
            if guarantee:
                yield f"{arm}/coverage", guarantee.coverage_figure


@metric(
    title="Finite-sample guarantees",
    question="Does an instance bound how often an automatic action is wrong?",
    source=Source.FLEET,
    tables=("orb_risk_control_arms", "orb_instances"),
    window="fleet_days",
    methodology="Fairness methodology, section 6",
)
def guarantees(cells: Cells, context: Context) -> Guarantees:
    """cells: instance_id, arm, payload_json, updated_us. Of each arm the valid payload with the greatest n."""
    chosen: dict[str, Guarantee | None] = {}
    for arm in ARMS:
        valid = [
            (guarantee, cell)
            for cell in cells
            if cell["arm"] == arm and (guarantee := read_payload(cell["payload_json"], context))
        ]
        valid.sort(key=lambda pair: (-pair[0].n, -_updated(pair[1]), pair[1]["instance_id"]))
        chosen[arm] = valid[0][0] if valid else None
    return Guarantees(chosen)


def _updated(cell: dict[str, Any]) -> float:
    return float("-inf") if cell["updated_us"] is None else cell["updated_us"]


def read_payload(text: str | None, context: Context) -> Guarantee | None:
    """The guarantee of one payload; None when it is malformed, not calibrated or out of bounds."""
    members = object_members(text or "")
    if members is None or text_value(members.get("status")) != "calibrated":
        return None
    number = {
        name: _number(members.get(name)) for name in ("alpha", "lambda", "coverageAtLambda", "delta", "nAtLambda")
    }
    if any(value is None for value in number.values()):
        return None
    alpha, threshold, coverage, delta, n = (value for value in number.values() if value is not None)
    if not (0 < alpha <= exact(context.policy.fleet.guarantee_alpha_ceiling) and 0 < delta <= 1):
        return None
    if not (0 <= threshold <= 1 and 0 <= coverage <= 1 and n >= least_cases(alpha, delta)):
        return None
    backfilled = _backfilled(_number(members.get("totalPairs")), _number(members.get("backfilledPairs")))
    return Guarantee(alpha, threshold, coverage, n, backfilled, _coverage(coverage, n, context))


def least_cases(alpha: Fraction, delta: Fraction) -> int | float:
    """ceil(ln delta / ln(1 - alpha)): 59 for 5 % and 5 %, the fewest right cases in a row that can bear the claim.

    That is the least n with (1 - alpha)**n <= delta. Where doubles cannot tell (5 % and 95 % need exactly 1) the power
    decides; for an alpha so small that the quotient has no double it is more than any number.
    """
    if delta >= 1:
        return 0
    quotient = log(delta) / log1p(-alpha)
    if not isfinite(quotient):
        return quotient
    nearest = round(quotient)
    if abs(quotient - nearest) < _TOO_CLOSE and nearest <= _POWERS:
        return nearest if (1 - alpha) ** nearest <= delta else nearest + 1
    return ceil(quotient)


def _number(slice_of_text: str | None) -> Fraction | None:
    text = number_value(slice_of_text)
    return None if text is None else exact_decimal(text)


def _backfilled(total: Fraction | None, backfilled: Fraction | None) -> Fraction | None:
    return backfilled / total if total is not None and total > 0 and backfilled is not None else None


def _coverage(coverage: Fraction, n: Fraction, context: Context) -> Figure:
    return Figure.statistic(
        coverage,
        int(n),
        scale=Scale.PERCENT,
        unit=Unit.CASE,
        source=Source.FLEET,
        window=None,
        places=context.policy.rounding.percent_places,
        basis="one instance's own calibration",
    )


def published(guarantee: Guarantee | None, places: int) -> dict[str, Any] | None:
    """The guarantee as the API file holds it."""
    if guarantee is None:
        return None
    return {
        "alpha": plain(guarantee.alpha),
        "lambda": plain(guarantee.threshold),
        "aiJudgedCoveragePct": rounded(100 * guarantee.coverage, places),
        "n": plain(guarantee.n),
        "backfilledPct": None if guarantee.backfilled is None else rounded(100 * guarantee.backfilled, places),
    }


def plain(value: Fraction) -> int | float:
    """An exact number as JSON prints its double."""
    return int(value) if value.denominator == 1 else value.numerator / value.denominator
