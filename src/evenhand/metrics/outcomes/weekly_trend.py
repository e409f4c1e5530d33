"""The weekly trend: volume and accuracy of each week side by side, a week below the floor withheld whole.

Belongs here: the join of the two by week and the floor that both share. Does not: their counting (volume_trend,
accuracy_trend).

Source: fairness contract, section 5, D12.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.figures import Figure, NamedFigures, Reason, Scale, Source, Unit
from evenhand.metrics.outcomes.accuracy_trend import AccuracyWeek
from evenhand.metrics.registry import Context, combination
from evenhand.timeline import day_text


@dataclass(frozen=True)
class TrendWeek:
    """One week; merged, closed and reversed are withheld together with the accuracy."""

    monday: int
    merged: Figure
    closed: Figure
    reversed: Figure
    accuracy: Figure


@dataclass(frozen=True)
class WeeklyTrend:
    """Every week, oldest first."""

    weeks: tuple[TrendWeek, ...]

    def figures(self) -> NamedFigures:
        """`YYYY-MM-DD/NAME`."""
        for week in self.weeks:
            for name in ("merged", "closed", "reversed", "accuracy"):
                yield f"{day_text(week.monday)}/{name}", getattr(week, name)


@combination(
    title="Weekly accuracy and volume",
    question="Is the share of decisions that stood changing from week to week?",
    source=Source.OUTCOMES,
    needs=("outcomes.volume_trend", "outcomes.accuracy_trend"),
    methodology="Fairness methodology, section 5",
    floors=("weekly_accuracy",),
)
def weekly_trend(results: Mapping[str, Any], context: Context) -> WeeklyTrend:
    """Volume and accuracy of every week."""
    pairs = zip(results["outcomes.volume_trend"].weeks, results["outcomes.accuracy_trend"].weeks, strict=True)
    return WeeklyTrend(tuple(_week(merged, closed, week, context) for (_, merged, closed), week in pairs))


def _week(merged: int, closed: int, week: AccuracyWeek, context: Context) -> TrendWeek:
    floor = context.policy.floors.weekly_accuracy
    absent = context.missing("audit_events", "pull_requests")

    def count(value: int) -> Figure:
        figure = Figure.counted(
            value, unit=Unit.PULL_REQUEST, source=Source.OUTCOMES, window=context.week_window(week.monday)
        )
        return figure.not_measurable(absent) if absent else figure

    def below_floor(scale: Scale) -> Figure:
        return Figure.missing(
            Reason.BELOW_FLOOR,
            scale=scale,
            unit=Unit.PULL_REQUEST,
            source=Source.OUTCOMES,
            window=context.week_window(week.monday),
            floor=floor,
            count=merged + closed,
            detail="merged and closed pull requests of the week",
        )

    if not absent and merged + closed < floor:
        withheld = below_floor(Scale.COUNT)
        return TrendWeek(week.monday, withheld, withheld, withheld, below_floor(Scale.PERCENT))
    accuracy = week.accuracy.not_measurable(absent) if absent else week.accuracy
    return TrendWeek(week.monday, count(merged), count(closed), count(week.reversed), accuracy)
