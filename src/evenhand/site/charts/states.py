"""Bars of shares that make up a whole: the evidence states of each lens and seat.

Belongs here: the specification of such bars from shares that are already in per cent. Does not: which rows there are,
or which are withheld (pages): a withheld row is never given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.theme import (
    ACCENT,
    BAND,
    INK,
    LINE,
    ROLES,
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
_ROW = {"wide": 28, "narrow": 46}
_BAR = {"wide": 14, "narrow": 14}
_TOP = 30
_WHOLE = 100
_HAIR = 0.3

COLOURS = (ACCENT, BAND, LINE, SECOND_BAND, SECOND)
"""Of the segments in their order, from what held to what did not."""
SEGMENT_ROLES = tuple(ROLES[colour] for colour in COLOURS)


@dataclass(frozen=True)
class StackRow:
    """One bar: its segments in per cent, in the order of the colours. A heading has none."""

    label: str
    note: str = ""
    segments: tuple[float, ...] = ()


def stacked_chart(name: str, label: str, rows: Sequence[StackRow]) -> Drawing | None:
    """Bars from the top on an axis from 0 to 100 %; None when no row has segments."""
    if not any(row.segments for row in rows):
        return None
    return Drawing(name, label, specified(lambda form: _specification(rows, form)))


def _specification(rows: Sequence[StackRow], form: Form) -> dict[str, Any]:
    import altair as alt

    left, right = (14, 22) if form.narrow else (214, 62)
    across = form.width - left - right
    order = list(range(len(rows)))
    y = alt.Y("row:O", axis=None, scale=alt.Scale(domain=order, paddingInner=0, paddingOuter=0))
    x = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, _WHOLE], nice=False, zero=True),
        axis=axis(orient="top", values=[0, 25, 50, 75, _WHOLE], labelExpr="datum.value + ' %'", grid=True),
    )
    down = 9 if form.narrow else 0
    bars = alt.Chart(alt.InlineData(values=_segments(rows)))
    layers = [
        bars.transform_filter(f"datum.segment == {number}")
        .mark_bar(color=colour, size=_BAR[form.name], yOffset=down, opacity=1)
        .encode(x=x, x2="end:Q", y=y)
        for number, colour in enumerate(COLOURS)
    ]
    labels = alt.Chart(alt.InlineData(values=_labels(rows, form)))
    headings, named = labels.transform_filter("datum.heading"), labels.transform_filter("!datum.heading")
    text: dict[str, Any] = {"color": INK, "fontSize": TEXT, "baseline": "middle"}
    edge = 10
    if form.narrow:
        layers += [
            headings.mark_text(align="left", fontWeight="bold", dy=4, **text).encode(
                x=alt.value(-edge), y=y, text="label:N"
            ),
            named.mark_text(align="left", dy=-10, **text).encode(x=alt.value(-edge), y=y, text="label:N"),
            named.mark_text(align="right", dy=-10, **{**text, "color": SOFT}).encode(
                x=alt.value(across + edge), y=y, text="note:N"
            ),
        ]
    else:
        layers += [
            headings.mark_text(align="left", fontWeight="bold", **text).encode(x=alt.value(-210), y=y, text="label:N"),
            named.mark_text(align="right", **text).encode(x=alt.value(-14), y=y, text="label:N"),
            named.mark_text(align="right", **{**text, "color": SOFT}).encode(
                x=alt.value(across + 58), y=y, text="note:N"
            ),
        ]
    return framed(alt.layer(*layers), form, _ROW[form.name] * len(rows), left=left, right=right, top=_TOP, bottom=10)


def _segments(rows: Sequence[StackRow]) -> list[dict[str, Any]]:
    """Start and end of each segment, a hair apart; the last ends at 100 whatever rounding did to the others."""
    made = []
    for index, row in enumerate(rows):
        start = 0.0
        for number, size in enumerate(row.segments):
            end = _WHOLE if number == len(row.segments) - 1 else round(start + size, 1)
            if end > start:
                drawn = end if end == _WHOLE else max(start, round(end - _HAIR, 1))
                made.append({"row": index, "segment": number, "start": start, "end": drawn})
            start = end
    return made


def _labels(rows: Sequence[StackRow], form: Form) -> list[dict[str, Any]]:
    return [
        {
            "row": index,
            "heading": not row.segments,
            "label": shortened(row.label, _NAME_COLUMNS[form.name]),
            "note": row.note,
        }
        for index, row in enumerate(rows)
    ]
