"""Weekly accuracy: of the pull requests auto-actioned in a week, how many were not undone.

Belongs here: the fold to one row a week. Does not: the volume beside it (volume_trend), whose floor withholds the
whole week. The one join: auto-actions to completed reversals of the same pull request.

Source: fairness contract, section 5, D11 and D12.
"""

from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.outcomes.decision_accuracy import NO_ACTION, NO_REPOSITORY
from evenhand.metrics.registry import Cells, Context, metric, sums
from evenhand.timeline import day_date

_NONE = (0, 0)


@dataclass(frozen=True)
class AccuracyWeek:
    """One week of auto-actions."""

    monday: int
    auto_actioned: int
    reversed: int
    accuracy: Figure


@dataclass(frozen=True)
class AccuracyTrend:
    """Every week of the trend, oldest first."""

    weeks: tuple[AccuracyWeek, ...]

    def figures(self) -> NamedFigures:
        """None of its own: a week's volume decides whether it may be shown (weekly_trend)."""
        return iter(())


@metric(
    title="Weekly accuracy",
    question="Is the share of decisions that stood changing from week to week?",
    source=Source.OUTCOMES,
    tables=("audit_events",),
    window="trend_weeks",
    methodology="Fairness methodology, section 5",
    floors=("weekly_accuracy",),
)
def accuracy_trend(cells: Cells, context: Context) -> AccuracyTrend:
    """cells: week date, auto_actioned, reversed. No auto-action is not measurable; under the floor is withheld."""
    counts = sums(cells, "week", "auto_actioned", "reversed")
    return AccuracyTrend(
        tuple(_week(monday, counts.get(day_date(monday), _NONE), context) for monday in context.weeks())
    )


def _week(monday: int, counts: tuple[int, ...], context: Context) -> AccuracyWeek:
    auto_actioned, undone = counts
    accuracy = Figure.proportion(
        auto_actioned - undone,
        auto_actioned,
        unit=Unit.PULL_REQUEST,
        source=Source.OUTCOMES,
        window=context.week_window(monday),
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        floor=context.policy.floors.weekly_accuracy,
        nothing=NO_ACTION if context.policy.repositories.allow else NO_REPOSITORY,
    )
    return AccuracyWeek(monday, auto_actioned, undone, accuracy)
