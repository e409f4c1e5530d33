"""Review parity: maintainers' and contributors' pull requests side by side, and why evaluations were repeated.

Belongs here: the ledger's week by author class. Does not: any judgement on a difference; the intervals stand there.
"""

from collections.abc import Iterator

from evenhand.figures import Figure
from evenhand.metrics.ledger.review_parity import ClassParity
from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.intervals import IntervalRow, interval_chart
from evenhand.site.pages.series import bounds_of, percent_of
from evenhand.site.pages.site import Page, Site
from evenhand.site.pages.wording import number

_ENDS = ((20, 5), (40, 10), (60, 20), (100, 25))
"""Ends of the chart's axis with their steps: the first that holds every interval is taken."""


def pages(site: Site) -> Iterator[Page]:
    """`parity.html`."""
    parity, again = site.results["ledger.review_parity"], site.results["ledger.reevaluations"]
    yield Page(
        "parity.html",
        "parity.html",
        "Review parity",
        "parity",
        {
            "parity": parity,
            "again": again,
            "chart": site.chart("parity", lambda: parity_drawing(parity.classes)),
            "missing": site.context.missing("decision_records"),
            "missing_authors": site.context.missing("pull_requests", "pull_requests.author_association"),
            "days": site.policy.windows.parity_days,
            "maintainers": site.policy.ledger.maintainer_associations,
        },
        "Whether maintainers’ and contributors’ pull requests are treated alike, and why evaluations were repeated.",
    )


def parity_drawing(classes: tuple[ClassParity, ...]) -> Drawing | None:
    """Close and hold rates of the classes as paired intervals; None when there is none."""
    if not classes:
        return None
    rows = [IntervalRow("Closed")]
    rows += [_row(row, row.close_rate) for row in classes]
    rows += [IntervalRow("Held for a person")]
    rows += [_row(row, row.hold_rate) for row in classes]
    most = max((row.high for row in rows if row.high is not None), default=100.0)
    end, step = next(pair for pair in _ENDS if most <= pair[0])
    return interval_chart(
        "parity",
        "Shares of evaluations that closed and that held, by author class, with 95\u202f% intervals. The table "
        "has the numbers.",
        rows,
        end=end,
        step=step,
    )


def _row(parity: ClassParity, rate: Figure) -> IntervalRow:
    low, high = bounds_of(rate)
    second = parity.author_class == "contributor"
    return IntervalRow(parity.author_class, f"n {number(parity.verdicts)}", percent_of(rate), low, high, second)
