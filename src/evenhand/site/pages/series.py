"""From results to the rows that charts draw: weeks, and rules with their intervals.

Belongs here: what several pages draw alike. Does not: the drawing (charts) or any counting. A withheld figure gives
a row without a number, or no row.
"""

from collections.abc import Iterable

from evenhand.figures import Figure, Reason
from evenhand.metrics.signals.rule_precision import RulePrecision
from evenhand.site.charts.intervals import IntervalRow
from evenhand.site.charts.weeks import Week
from evenhand.site.pages.wording import number, percent_places, view
from evenhand.stats import rounded
from evenhand.timeline import day_text


def percent_of(figure: Figure) -> float | None:
    """The value in per cent as printed; None when withheld."""
    if figure.exact is None:
        return None
    return float(rounded(figure.exact * 100, percent_places(figure)))


def bounds_of(figure: Figure) -> tuple[float | None, float | None]:
    """The interval in per cent as printed; Nones when there is none."""
    glyph = view(figure).glyph
    return (glyph.low, glyph.high) if glyph else (None, None)


def week(monday: int, figure: Figure, *, second: bool = False) -> Week:
    """One week of a trend: its value, or a short note that says why there is none."""
    low, high = bounds_of(figure)
    return Week(day_text(monday), percent_of(figure), low, high, gap_note(figure), second)


def gap_note(figure: Figure) -> str:
    """What stands in the gap of a chart: `n = 2`, `none`, `withheld`."""
    withheld = figure.withheld
    if withheld is None:
        return ""
    if withheld.reason is Reason.BELOW_FLOOR:
        return f"n = {number(withheld.count or 0)}"
    return "withheld" if withheld.reason is Reason.WITHHELD_FOR_PRIVACY else "none"


def by_volume(rules: Iterable[RulePrecision]) -> list[RulePrecision]:
    """Rules with the most decided verdicts first, then by id: a reader meets what is best known first."""
    return sorted(rules, key=lambda rule: (-rule.decided, rule.rule_id))


def precision_row(rule: RulePrecision) -> IntervalRow:
    """A rule whose precision is shown, as a row of the chart."""
    low, high = bounds_of(rule.precision)
    return IntervalRow(rule.rule_id, f"n {number(rule.decided)}", percent_of(rule.precision), low, high)
