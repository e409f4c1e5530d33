"""What came of what was said with a confidence: points with intervals beside the line on which both would be equal.

Belongs here: the specification from points in per cent. Does not: which points there are, or which are withheld
(pages).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.theme import ACCENT, BAND, SECOND, SECOND_BAND, SOFT, TEXT, Form, axis, framed, specified

_HEIGHT = {"wide": 320, "narrow": 250}
_WHOLE = 100
_TICKS = [0, 25, 50, 75, _WHOLE]


@dataclass(frozen=True)
class Point:
    """One bin: mean confidence, the share that held, its interval.

    run: points of one unbroken run are joined. second: of the second curve.
    """

    confidence: float
    held: float
    low: float
    high: float
    run: int = 0
    second: bool = False


def reliability_chart(name: str, label: str, points: Sequence[Point]) -> Drawing | None:
    """Both curves; None when no bin has a share."""
    if not points:
        return None
    return Drawing(name, label, specified(lambda form: _specification(points, form)))


def _specification(points: Sequence[Point], form: Form) -> dict[str, Any]:
    import altair as alt

    height = _HEIGHT[form.name]
    left, right = 46, 26
    across = form.width - left - right
    scale = alt.Scale(domain=[0, _WHOLE], nice=False, zero=True)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis(values=_TICKS, labelExpr="datum.value + ' %'", grid=True))

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=scale, axis=axis(values=_TICKS, labelExpr="datum.value + ' %'", grid=True))

    ends = alt.Chart(alt.InlineData(values=[{"confidence": 0, "held": 0}, {"confidence": _WHOLE, "held": _WHOLE}]))
    layers = [ends.mark_line(color=SOFT, strokeWidth=1.5, strokeDash=[5, 4]).encode(x=x("confidence"), y=y("held"))]
    for second, colour, band in ((False, ACCENT, BAND), (True, SECOND, SECOND_BAND)):
        drawn = [asdict(point) for point in points if point.second is second]
        base = alt.Chart(alt.InlineData(values=drawn))
        layers += [
            base.mark_rule(strokeWidth=9, opacity=1, color=band).encode(x=x("confidence"), y=y("low"), y2="high:Q"),
            base.mark_rule(strokeWidth=1.5, opacity=1, color=colour).encode(x=x("confidence"), y=y("low"), y2="high:Q"),
            base.mark_line(strokeWidth=1.5, color=colour).encode(x=x("confidence"), y=y("held"), detail="run:N"),
            base.mark_point(filled=True, size=75, opacity=1, color=colour).encode(x=x("confidence"), y=y("held")),
        ]
    words: dict[str, Any] = {"color": SOFT, "fontSize": TEXT, "baseline": "middle"}
    at = alt.Chart(alt.InlineData(values=[{}]))
    layers += [
        at.mark_text(text="confidence", align="right", **words).encode(x=alt.value(across), y=alt.value(height + 34)),
        at.mark_text(text="held", align="left", **words).encode(x=alt.value(-36), y=alt.value(-14)),
    ]
    return framed(alt.layer(*layers), form, height, left=left, right=right, top=28, bottom=48)
