"""The weekly trend: accuracy and volume of the last weeks, with a gap where a week is withheld.

Belongs here: the own repositories' weeks. Does not: the fleet's weeks (fleet) or the operator's calibration (operator).
"""

from collections.abc import Iterator

from evenhand.metrics.outcomes.weekly_trend import TrendWeek
from evenhand.site.api import FLEET_TABLES
from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.weeks import axis_start, weekly_chart
from evenhand.site.pages.series import week
from evenhand.site.pages.site import Page, Site


def pages(site: Site) -> Iterator[Page]:
    """`trends.html`."""
    yield Page(
        "trends.html",
        "trends.html",
        "Weekly trends",
        "trends",
        {
            "weeks": week_rows(site),
            "chart": weekly_drawing(site),
            "start": axis_start([week(row.monday, row.accuracy) for row in week_rows(site)]),
            "fleet_weeks": site.results["fleet.fleet_trend"].weeks,
            "fleet_known": not site.context.missing(*FLEET_TABLES),
            "floor": site.policy.floors.weekly_accuracy,
            "count": site.policy.windows.trend_weeks,
        },
        "Accuracy of the gate’s own actions week by week, with intervals.",
    )


def week_rows(site: Site) -> tuple[TrendWeek, ...]:
    """Every week, oldest first."""
    weeks: tuple[TrendWeek, ...] = site.results["outcomes.weekly_trend"].weeks
    return weeks


def weekly_drawing(site: Site) -> Drawing | None:
    """The weeks as a chart; None when none has a value."""
    return site.chart("weekly-accuracy", lambda: _draw(week_rows(site)))


def _draw(weeks: tuple[TrendWeek, ...]) -> Drawing | None:
    shown = sum(row.accuracy.exact is not None for row in weeks)
    return weekly_chart(
        "weekly-accuracy",
        f"Weekly accuracy with 95\u202f% intervals: {shown} of {len(weeks)} weeks have a value. "
        "The table has the numbers.",
        [week(row.monday, row.accuracy) for row in weeks],
    )
