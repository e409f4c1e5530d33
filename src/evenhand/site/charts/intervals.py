"""Rows of dots with their intervals: precision per rule, and parity as paired intervals.

Belongs here: the specification of one such chart from rows that are already in words. Does not: which rows there
are, in what order, or which are withheld (pages): a withheld row is never given.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.theme import (
    ACCENT,
    BAND,
    INK,
    SECOND,
    SECOND_BAND,
    SOFT,
    TEXT,
    Form,
    axis,
    framed,
    specified,
)
from evenhand.site.text import shortened

_NAME_COLUMNS = {"wide": 30, "narrow": 40}
_ROW = {"wide": 24, "narrow": 40}
_TOP = 30


@dataclass(frozen=True)
class IntervalRow:
    """One dot. low, high: None where the interval is withheld. A heading has a label and nothing else."""

    label: str
    note: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    second: bool = False

    @property
    def heading(self) -> bool:
        """Whether the row only names the rows below it."""
        return self.value is None


def interval_chart(name: str, label: str, rows: Sequence[IntervalRow], *, end: int = 100, step: int = 25) -> Drawing:
    """Rows from the top, on a per cent axis from 0 to `end`."""
    return Drawing(name, label, specified(lambda form: _specification(rows, form, end, step)))


def _specification(rows: Sequence[IntervalRow], form: Form, end: int, step: int) -> dict[str, Any]:
    import altair as alt

    data = alt.InlineData(values=[_datum(index, row, form) for index, row in enumerate(rows)])
    base = alt.Chart(data)
    left, right = (14, 22) if form.narrow else (214, 62)
    across = form.width - left - right
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    down = 9 if form.narrow else 0

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, end], nice=False, zero=True), axis=_axis(end, step))

    shown = base.transform_filter("isValid(datum.value)")
    with_interval = base.transform_filter("isValid(datum.low)")

    def tone(first: str, second: str) -> Any:
        return alt.condition("datum.second", alt.value(second), alt.value(first))

    layers = [
        with_interval.mark_rule(strokeWidth=9, opacity=1, yOffset=down).encode(
            x=x("low"), x2="high:Q", y=y, color=tone(BAND, SECOND_BAND)
        ),
        with_interval.mark_rule(strokeWidth=1.5, opacity=1, yOffset=down).encode(
            x=x("low"), x2="high:Q", y=y, color=tone(ACCENT, SECOND)
        ),
        shown.mark_point(filled=True, size=70, opacity=1, yOffset=down).encode(
            x=x("value"), y=y, color=tone(ACCENT, SECOND)
        ),
        *_labels(alt, base, y, across, form),
    ]
    return framed(alt.layer(*layers), form, _ROW[form.name] * len(rows), left=left, right=right, top=_TOP, bottom=10)


def _labels(alt: Any, base: Any, y: Any, across: int, form: Form) -> list[Any]:
    """Names and notes: beside the rows where there is room, above each row where there is not."""
    headings = base.transform_filter("datum.heading")
    named = base.transform_filter("!datum.heading")
    text = {"color": INK, "fontSize": TEXT, "baseline": "middle"}
    if form.narrow:
        edge = 10
        return [
            headings.mark_text(align="left", fontWeight="bold", dy=4, **text).encode(
                x=alt.value(-edge), y=y, text="label:N"
            ),
            named.mark_text(align="left", dy=-8, **text).encode(x=alt.value(-edge), y=y, text="label:N"),
            named.mark_text(align="right", dy=-8, **{**text, "color": SOFT}).encode(
                x=alt.value(across + edge), y=y, text="note:N"
            ),
        ]
    return [
        headings.mark_text(align="left", fontWeight="bold", **text).encode(x=alt.value(-210), y=y, text="label:N"),
        named.mark_text(align="right", **text).encode(x=alt.value(-14), y=y, text="label:N"),
        named.mark_text(align="right", **{**text, "color": SOFT}).encode(x=alt.value(across + 58), y=y, text="note:N"),
    ]


def _axis(end: int, step: int) -> Any:
    return axis(orient="top", values=list(range(0, end + 1, step)), labelExpr="datum.value + ' %'", grid=True)


def _datum(index: int, row: IntervalRow, form: Form) -> dict[str, Any]:
    return {
        **asdict(row),
        "row": index,
        "heading": row.heading,
        "label": shortened(row.label, _NAME_COLUMNS[form.name]),
    }
