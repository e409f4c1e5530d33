"""A share week by week: dots with intervals, joined where weeks follow on each other, and a gap where one is withheld.

Belongs here: the specification from weeks that are already in words. Does not: which weeks are withheld: such a week
comes with a note and without a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.theme import (
    ACCENT,
    BAND,
    GAP,
    SECOND,
    SECOND_BAND,
    SOFT,
    TEXT,
    Form,
    axis,
    framed,
    specified,
)

_HEIGHT = {"wide": 210, "narrow": 190}
_TENTH = 10
_WHOLE = 100
# Below half the whole range is drawn: an axis that starts at 40 would only be harder to read.
_CUT_ABOVE = 50
# And at least a fifth of it, or a step of one case would fill the chart.
_LATEST_START = 80
_NARROW_LABELS = 6


@dataclass(frozen=True)
class Week:
    """One week by its Monday; `second` marks another basis. Without a value the note says why."""

    monday: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""
    second: bool = False


def axis_start(weeks: Sequence[Week]) -> int:
    """Where the per cent axis begins: a whole ten under everything drawn, 0 when that is below half."""
    drawn = [week.low if week.low is not None else week.value for week in weeks if week.value is not None]
    least = min((bound for bound in drawn if bound is not None), default=0.0)
    start = int(max(0.0, least - 1) // _TENTH) * _TENTH
    return min(start, _LATEST_START) if start >= _CUT_ABOVE else 0


def weekly_chart(name: str, label: str, weeks: Sequence[Week]) -> Drawing | None:
    """The chart, or None when no week has a value: a frame of gaps says nothing that the table does not."""
    if not any(week.value is not None for week in weeks):
        return None
    return Drawing(name, label, specified(lambda form: _specification(weeks, form)))


def _specification(weeks: Sequence[Week], form: Form) -> dict[str, Any]:
    import altair as alt

    start = axis_start(weeks)
    base = alt.Chart(alt.InlineData(values=_data(weeks)))
    scale = alt.Scale(domain=[start, _WHOLE], nice=False, zero=False)
    y_axis = axis(values=list(range(start, _WHOLE + 1, _step(start))), labelExpr="datum.value + ' %'", grid=True)
    mondays = [week.monday for week in weeks]
    x = alt.X(
        "monday:O",
        scale=alt.Scale(domain=mondays, paddingInner=0.35, paddingOuter=0.2),
        axis=_week_axis(mondays, form),
    )
    band = alt.X("monday:O", bandPosition=0.5, scale=alt.Scale(domain=mondays), axis=_week_axis(mondays, form))

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=scale, axis=y_axis)

    def tone(first: str, second: str) -> Any:
        return alt.condition("datum.second", alt.value(second), alt.value(first))

    shown, gaps = (
        base.transform_filter("isValid(datum.value)"),
        base.transform_filter("!isValid(datum.value)"),
    )
    with_interval = base.transform_filter("isValid(datum.low)")
    height = _HEIGHT[form.name]
    layers = [
        gaps.mark_bar(color=GAP).encode(x=x, y=alt.value(0), y2=alt.value(height)),
        gaps.mark_text(angle=270, color=SOFT, fontSize=TEXT, align="left", baseline="middle").encode(
            x=band, y=alt.value(height - 10), text="note:N"
        ),
        with_interval.mark_rule(strokeWidth=10, opacity=1).encode(
            x=band, y=y("low"), y2="high:Q", color=tone(BAND, SECOND_BAND)
        ),
        with_interval.mark_rule(strokeWidth=1.5, opacity=1).encode(
            x=band, y=y("low"), y2="high:Q", color=tone(ACCENT, SECOND)
        ),
        shown.mark_line(color=SOFT, strokeWidth=1.5).encode(x=band, y=y("value"), detail="segment:N"),
        shown.mark_point(filled=True, size=75, opacity=1).encode(x=band, y=y("value"), color=tone(ACCENT, SECOND)),
    ]
    return framed(alt.layer(*layers), form, height, left=46, right=10, top=12, bottom=30)


def _step(start: int) -> int:
    return _TENTH if start else 25


def _week_axis(mondays: Sequence[str], form: Form) -> Any:
    every = 2 if form.narrow and len(mondays) > _NARROW_LABELS else 1
    return axis(values=list(mondays)[::every], labelExpr="slice(datum.label, 5)", grid=False)


def _data(weeks: Sequence[Week]) -> list[dict[str, Any]]:
    """Weeks with the number of their unbroken run, so that no line crosses a gap."""
    rows: list[dict[str, Any]] = []
    segment = 0
    for week in weeks:
        segment += week.value is None
        rows.append(
            {
                "monday": week.monday,
                "value": week.value,
                "low": week.low,
                "high": week.high,
                "note": week.note,
                "second": week.second,
                "segment": segment,
            }
        )
    return rows
