"""The automation rate: how many pull requests were decided without a person, week by week.

Belongs here: the ledger's weeks and their sum, with the basis of each. Does not: whether the decisions were right.
"""

from collections.abc import Iterator

from evenhand.metrics.ledger.automation_rate import AutomationWeek
from evenhand.site.charts.weeks import Week, axis_start, weekly_chart
from evenhand.site.pages.series import week
from evenhand.site.pages.site import Page, Site
from evenhand.timeline import WEEK, day_text, instant_argument

_WITH = "with 95\u202f% intervals. The table has the numbers."
_REDUCED = "holds_only"


def pages(site: Site) -> Iterator[Page]:
    """`automation.html`."""
    automation = site.results["ledger.automation_rate"]
    drawn = _weeks(automation.weeks)
    label = f"Share of pull requests decided without a person, by week of the first verdict, over {len(drawn)} weeks, "
    yield Page(
        "automation.html",
        "automation.html",
        "Automation rate",
        "automation",
        {
            "automation": automation,
            "chart": site.chart("automation", lambda: weekly_chart("automation", label + _WITH, drawn)),
            "start": axis_start(drawn),
            "reduced": sum(row.second for row in drawn),
            "missing": site.context.missing("decision_records"),
            "days": site.policy.windows.automation_days,
            "horizon": day_text(instant_argument(site.policy.ledger.provenance_horizon)),
        },
        "How many pull requests the gate decided without a person.",
    )


def _weeks(weeks: tuple[AutomationWeek, ...]) -> list[Week]:
    """The weeks with a decided pull request, and a gap for each one between them that had none."""
    present = {row.monday: row for row in weeks}
    mondays = range(weeks[0].monday, weeks[-1].monday + WEEK, WEEK) if weeks else ()
    return [
        week(monday, present[monday].rate, second=present[monday].rate.basis == _REDUCED)
        if monday in present
        else Week(day_text(monday), note="none")
        for monday in mondays
    ]
