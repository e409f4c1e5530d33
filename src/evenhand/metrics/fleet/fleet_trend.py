"""Weekly fleet trend: verdicts and pooled accuracy of registered instances, week by week.

Belongs here: the fold to one row a week. Does not: who is eligible; the weekly verdicts of every registered instance
count, and at exactly two eligible instances the reader of them decides (site/api) to withhold them all.

Source: fairness contract, section 6, "Weekly fleet trend", D35.
"""

from dataclasses import dataclass, replace

from evenhand.figures import Figure, NamedFigures, Reason, Scale, Source, Unit
from evenhand.metrics.fleet.instance_signals import TWO_INSTANCES
from evenhand.metrics.registry import Cells, Context, metric, sums
from evenhand.timeline import day_date, day_text


@dataclass(frozen=True)
class FleetWeek:
    """One week: verdicts and accuracy, both withheld below the floor."""

    monday: int
    verdicts: Figure
    accuracy: Figure


@dataclass(frozen=True)
class FleetTrend:
    """Every week of the trend, oldest first."""

    weeks: tuple[FleetWeek, ...]

    def figures(self) -> NamedFigures:
        """`YYYY-MM-DD/verdicts` and `YYYY-MM-DD/accuracy`."""
        for week in self.weeks:
            yield f"{day_text(week.monday)}/verdicts", week.verdicts
            yield f"{day_text(week.monday)}/accuracy", week.accuracy

    def without_counts(self) -> "FleetTrend":
        """The same trend with counts and intervals withheld: at two eligible instances they identify."""
        return FleetTrend(
            tuple(
                replace(week, verdicts=week.verdicts.hidden(TWO_INSTANCES), accuracy=_uncounted(week.accuracy))
                for week in self.weeks
            )
        )


def _uncounted(accuracy: Figure) -> Figure:
    """A percentage keeps its value; a reason that would tell n tells only that it is withheld."""
    return accuracy.without_counts(TWO_INSTANCES) if accuracy.withheld is None else accuracy.hidden(TWO_INSTANCES)


@metric(
    title="Weekly fleet trend",
    question="Is the fleet's accuracy changing from week to week?",
    source=Source.FLEET,
    tables=("orb_signals|orb_signal_rollups", "orb_instances"),
    window="trend_weeks",
    methodology="Fairness methodology, section 6",
    floors=("weekly_fleet",),
)
def fleet_trend(cells: Cells, context: Context) -> FleetTrend:
    """cells: week date, verdicts, confirmed."""
    counts = sums(cells, "week", "verdicts", "confirmed")
    return FleetTrend(tuple(_week(monday, counts.get(day_date(monday), (0, 0)), context) for monday in context.weeks()))


def _week(monday: int, counts: tuple[int, ...], context: Context) -> FleetWeek:
    verdicts, confirmed = counts
    floor = context.policy.floors.weekly_fleet
    window = context.week_window(monday)
    accuracy = Figure.proportion(
        confirmed,
        verdicts,
        unit=Unit.EVALUATION,
        source=Source.FLEET,
        window=window,
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        floor=floor,
    )
    if verdicts < floor:
        count = Figure.missing(
            Reason.BELOW_FLOOR,
            scale=Scale.COUNT,
            unit=Unit.EVALUATION,
            source=Source.FLEET,
            window=window,
            floor=floor,
            count=verdicts,
        )
    else:
        count = Figure.counted(verdicts, unit=Unit.EVALUATION, source=Source.FLEET, window=window)
    return FleetWeek(monday, count, accuracy)
