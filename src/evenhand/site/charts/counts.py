"""Counts as bars: how the fleet's verdicts are distributed over their kinds.

Belongs here: the specification of labelled bars from counts. Does not: the counts, or whether they may be shown.
"""

from collections.abc import Sequence
from typing import Any

from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.theme import ACCENT, INK, SOFT, TEXT, Form, axis, framed, specified

_ROW = {"wide": 30, "narrow": 44}


def count_chart(name: str, label: str, rows: Sequence[tuple[str, int]]) -> Drawing | None:
    """A bar for each (label, count), or None when all are 0."""
    if not any(count for _, count in rows):
        return None
    return Drawing(name, label, specified(lambda form: _specification(rows, form)))


def _specification(rows: Sequence[tuple[str, int]], form: Form) -> dict[str, Any]:
    import altair as alt

    values = [
        {"row": index, "label": label, "count": count, "text": f"{count:,d}"}
        for index, (label, count) in enumerate(rows)
    ]
    base = alt.Chart(alt.InlineData(values=values))
    left, right = (4, 60) if form.narrow else (214, 70)
    most = max(count for _, count in rows)
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    x = alt.X(
        "count:Q",
        scale=alt.Scale(domain=[0, most], nice=False, zero=True),
        axis=axis(labels=False, grid=False),
    )
    text: dict[str, Any] = {"color": INK, "fontSize": TEXT, "baseline": "middle"}
    down = 8 if form.narrow else 0
    name_at = {"align": "left", "dy": -9} if form.narrow else {"align": "right"}
    layers = [
        base.mark_bar(color=ACCENT, size=14, yOffset=down).encode(x=x, y=y),
        base.mark_text(align="left", dx=8, dy=down, **{**text, "color": SOFT}).encode(x=x, y=y, text="text:N"),
        base.mark_text(**name_at, **text).encode(x=alt.value(0 if form.narrow else -14), y=y, text="label:N"),
    ]
    return framed(alt.layer(*layers), form, _ROW[form.name] * len(rows), left=left, right=right, top=8, bottom=8)
