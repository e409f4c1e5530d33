"""Weekly volume: pull requests that merged or closed, by week, own and fleet together.

Belongs here: the two counts a week. Does not: their accuracy (accuracy_trend). The one join: published events to
states, and fleet outcomes to published events to leave the overlap out.

Source: fairness contract, section 5, D10.
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.figures import NamedFigures, Source
from evenhand.metrics.registry import Cells, Context, metric
from evenhand.timeline import day_date


@dataclass(frozen=True)
class VolumeTrend:
    """(monday, merged, closed) of every week, oldest first."""

    weeks: tuple[tuple[int, int, int], ...]

    def figures(self) -> NamedFigures:
        """None of its own: a week below the floor is withheld whole (weekly_trend)."""
        return iter(())


@metric(
    title="Weekly volume",
    question="How many pull requests merged or closed each week?",
    source=Source.OUTCOMES,
    tables=("audit_events", "pull_requests"),
    window="trend_weeks",
    methodology="Fairness methodology, section 5",
)
def volume_trend(cells: Cells, context: Context) -> VolumeTrend:
    """cells: week date, what merged | closed, n."""
    counts: Counter[tuple[object, str]] = Counter()
    for cell in cells:
        counts[cell["week"], cell["what"]] += int(cell["n"])
    return VolumeTrend(
        tuple(
            (monday, counts[day_date(monday), "merged"], counts[day_date(monday), "closed"])
            for monday in context.weeks()
        )
    )
