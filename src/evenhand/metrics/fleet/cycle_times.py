"""Cycle times: how long pull requests of the fleet took, at the middle and at the slow end.

Belongs here: two nearest-rank percentiles. Does not: anything per instance.

Source: fairness contract, section 6, "cycleP50Ms, cycleP95Ms".
"""

from dataclasses import dataclass
from fractions import Fraction

from evenhand.figures import Figure, NamedFigures, Scale, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric


@dataclass(frozen=True)
class CycleTimes:
    """Percentiles in milliseconds; observable: live rows reach back over the whole window."""

    observable: bool
    p50: Figure
    p95: Figure

    def figures(self) -> NamedFigures:
        """`p50` and `p95`. A percentile is one pull request's own time, so it is the operator's."""
        yield "p50", self.p50
        yield "p95", self.p95


@metric(
    title="Cycle times",
    question="How long did pull requests take from opening to the end?",
    source=Source.FLEET,
    tables=("orb_signals", "orb_instances"),
    window="fleet_days",
    methodology="Fairness methodology, section 6",
    floors=("instance_signals",),
    operator_only=True,
)
def cycle_times(cells: Cells, context: Context) -> CycleTimes:
    """cells: one row of n, p50_ms, p95_ms."""
    observable = context.policy.windows.fleet_days <= context.policy.fleet.cycle_days
    [cell] = cells

    def percentile(name: str, basis: str) -> Figure:
        value = cell[name] if observable else None
        return Figure.statistic(
            None if value is None else Fraction(value),
            cell["n"] or 0,
            scale=Scale.MILLISECONDS,
            unit=Unit.PULL_REQUEST,
            source=Source.FLEET,
            window=context.window(context.policy.windows.fleet_days),
            places=0,
            basis=basis,
            nothing="no live row of an eligible instance carries a time",
        )

    return CycleTimes(observable, percentile("p50_ms", "nearest rank 50 %"), percentile("p95_ms", "nearest rank 95 %"))
