"""The track record: what backtests of rule changes said, over all persisted runs. For the operator only.

Belongs here: totals and the counts per rule. Does not: runs by week (signals/backtest_runs), or running a backtest.

Source: fairness contract, section 10, "Track record".
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Scale, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric

_NO_RUN = "no run that names its rule is recorded"


@dataclass(frozen=True)
class RuleRecord:
    """Runs of one rule; a verdict that is neither regressed nor improved counts as unchanged."""

    rule_id: str
    regressed: int
    improved: int
    unchanged: int

    @property
    def total(self) -> int:
        """All its runs."""
        return self.regressed + self.improved + self.unchanged


@dataclass(frozen=True)
class TrackRecord:
    """All runs, and those of each rule, ordered by rule id."""

    total: Figure
    regressed: Figure
    """The share of runs whose change would have made a rule worse."""
    rules: tuple[RuleRecord, ...]

    def figures(self) -> NamedFigures:
        """`total` and `regressed`."""
        yield "total", self.total
        yield "regressed", self.regressed


@metric(
    title="Track record of rule changes",
    question="How often would a tested rule change have made things worse?",
    source=Source.SIGNALS,
    tables=("audit_events",),
    window="signals_days",
    methodology="Backtest & calibration, section 10",
    operator_only=True,
)
def track_record(cells: Cells, context: Context) -> TrackRecord:
    """cells: rule_id, verdict text or null, n."""
    counts: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        verdict = cell["verdict"] if cell["verdict"] in ("regressed", "improved") else "unchanged"
        counts[cell["rule_id"], verdict] += cell["n"]
    rules = tuple(
        RuleRecord(rule, *(counts[rule, verdict] for verdict in ("regressed", "improved", "unchanged")))
        for rule in sorted({rule for rule, _ in counts})
    )
    total, regressed = sum(rule.total for rule in rules), sum(rule.regressed for rule in rules)
    return TrackRecord(
        Figure.counted(total, unit=Unit.RUN, source=Source.SIGNALS, window=None),
        Figure.proportion(
            regressed,
            total,
            unit=Unit.RUN,
            source=Source.SIGNALS,
            window=None,
            z=context.policy.intervals.z,
            places=context.policy.rounding.percent_places,
            scale=Scale.PERCENT,
            nothing=_NO_RUN,
        ),
        rules,
    )
