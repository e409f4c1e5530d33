"""Where the instances of a fleet lie: one dot an instance on each measure, a tick at the median. For the operator only.

Belongs here: the specification from rates. Does not: the rates; and no public page may ask for this chart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.theme import ACCENT, INK, SECOND, TEXT, Form, axis, framed, specified

_ROW = {"wide": 40, "narrow": 52}
_END = 100


@dataclass(frozen=True)
class Measure:
    """A measure with one rate in per cent for each instance, and their median."""

    label: str
    rates: tuple[float, ...]
    median: float | None


def distribution_chart(name: str, label: str, measures: Sequence[Measure]) -> Drawing | None:
    """The strips, or None when no instance has a rate."""
    if not any(measure.rates for measure in measures):
        return None
    return Drawing(name, label, specified(lambda form: _specification(measures, form)))


def _specification(measures: Sequence[Measure], form: Form) -> dict[str, Any]:
    import altair as alt

    labels = [{"row": index, "label": measure.label} for index, measure in enumerate(measures)]
    dots = [{"row": index, "rate": rate} for index, measure in enumerate(measures) for rate in measure.rates]
    medians = [
        {"row": index, "rate": measure.median} for index, measure in enumerate(measures) if measure.median is not None
    ]
    left, right = (14, 22) if form.narrow else (214, 30)
    rows = list(range(len(measures)))
    y = alt.Y("row:O", axis=None, scale=alt.Scale(domain=rows, paddingInner=0, paddingOuter=0))
    x = alt.X(
        "rate:Q",
        scale=alt.Scale(domain=[0, _END], nice=False),
        axis=axis(orient="top", values=[0, 25, 50, 75, _END], labelExpr="datum.value + ' %'", grid=True),
    )
    down = 8 if form.narrow else 0
    name_at = {"align": "left", "dy": -12} if form.narrow else {"align": "right"}
    layers = [
        alt.Chart(alt.InlineData(values=dots))
        .mark_point(filled=True, size=80, opacity=0.6, color=ACCENT, yOffset=down)
        .encode(x=x, y=y),
        alt.Chart(alt.InlineData(values=medians))
        .mark_tick(color=SECOND, thickness=2.5, size=24, opacity=1, yOffset=down)
        .encode(x=x, y=y),
        alt.Chart(alt.InlineData(values=labels))
        .mark_text(**name_at, color=INK, fontSize=TEXT, baseline="middle")
        .encode(x=alt.value(-10 if form.narrow else -14), y=y, text="label:N"),
    ]
    return framed(alt.layer(*layers), form, _ROW[form.name] * len(measures), left=left, right=right, top=30, bottom=8)
