"""Calibration trend: firings and verdicts of each rule, week by week. For the operator only.

Belongs here: the fold to one row a rule and week. Does not: precision over the whole window (rule_precision).

Source: fairness contract, section 9.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric
from evenhand.timeline import day_date, day_text


@dataclass(frozen=True)
class RuleWeek:
    """One rule in one week. Below the floor the verdict counts are withheld with the percentage."""

    monday: int
    fired: int
    unrecognized: int
    precision: Figure

    @property
    def decided_shown(self) -> tuple[int, int] | None:
        """(confirmed, reversed) when the week bears a reading."""
        figure = self.precision
        if figure.withheld is not None or not isinstance(figure.numerator, int) or figure.denominator is None:
            return None
        return figure.numerator, figure.denominator - figure.numerator


@dataclass(frozen=True)
class CalibrationTrend:
    """Every rule with an event in the weeks; each with all weeks, oldest first."""

    rules: tuple[tuple[str, tuple[RuleWeek, ...]], ...]

    def figures(self) -> NamedFigures:
        """`RULE/YYYY-MM-DD/precision`."""
        for rule_id, weeks in self.rules:
            for week in weeks:
                yield f"{rule_id}/{day_text(week.monday)}/precision", week.precision


@metric(
    title="Calibration trend",
    question="Is a rule getting better or worse, week by week?",
    source=Source.SIGNALS,
    tables=("audit_events",),
    window="trend_weeks",
    methodology="Fairness methodology, section 9",
    floors=("weekly_calibration",),
    operator_only=True,
)
def calibration_trend(cells: Cells, context: Context) -> CalibrationTrend:
    """cells: rule_id, week date, what fired | confirmed | reversed | unrecognized, n."""
    counts: defaultdict[str, Counter[tuple[object, str]]] = defaultdict(Counter)
    for cell in cells:
        counts[cell["rule_id"]][cell["week"], cell["what"]] += cell["n"]
    return CalibrationTrend(
        tuple(
            (rule, tuple(_week(counts[rule], monday, context) for monday in context.weeks())) for rule in sorted(counts)
        )
    )


def _week(count: Counter[tuple[object, str]], monday: int, context: Context) -> RuleWeek:
    day = day_date(monday)
    confirmed, overturned = count[day, "confirmed"], count[day, "reversed"]
    precision = Figure.proportion(
        confirmed,
        confirmed + overturned,
        unit=Unit.OVERRIDE,
        source=Source.SIGNALS,
        window=context.week_window(monday),
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        floor=context.policy.floors.weekly_calibration,
    )
    return RuleWeek(monday, count[day, "fired"], count[day, "unrecognized"], precision)
