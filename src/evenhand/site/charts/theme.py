"""The look that all charts share: colours as roles, sizes, and the frame that no font can move.

Belongs here: what makes two charts look like one hand drew them. Does not: any one chart, or the colours themselves
in a browser: the style sheet gives each role its colour, light, dark and printed.

Every chart has a fixed frame (autosize none, paddings stated, labels as text at stated places), so that its layout
needs no measuring of text and comes out the same on a machine with other fonts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

ACCENT = "#0a6b63"
SECOND = "#8a5a00"
BAND = "#cee1e0"
SECOND_BAND = "#e8deca"
INK = "#1d2226"
SOFT = "#5b6570"
LINE = "#e3dfd6"
GAP = "#efeae0"

ROLES = {
    ACCENT: "accent",
    SECOND: "second",
    BAND: "band",
    SECOND_BAND: "second-band",
    INK: "ink",
    SOFT: "soft",
    LINE: "line",
    GAP: "gap",
}
"""Colour in the specification -> role; in the page the role is a class and the style sheet has the colour."""

TEXT = 12
FONT = "sans-serif"


@dataclass(frozen=True)
class Form:
    """One of the two shapes in which each chart is drawn."""

    name: str
    width: int
    """Of the whole drawing, in pixels of the page: text in it is never shrunk below its size."""
    narrow: bool


WIDE = Form("wide", 780, False)
NARROW = Form("narrow", 330, True)
FORMS = (WIDE, NARROW)


def specified(build: Callable[[Form], dict[str, Any]]) -> Mapping[str, dict[str, Any]]:
    """A chart's specification in each form.

    Altair checks each piece against its schema as it is made, which takes ten times as long as the rest; the tests
    check every chart whole.
    """
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        return {form.name: build(form) for form in FORMS}


def framed(
    chart: "alt.LayerChart | alt.FacetChart",
    form: Form,
    height: int,
    *,
    left: int,
    right: int,
    top: int,
    bottom: int,
) -> dict[str, Any]:
    """The specification of a chart in its fixed frame."""
    import altair as alt

    finished = chart.properties(
        width=form.width - left - right,
        height=height,
        autosize=alt.AutoSizeParams(type="none"),
        padding={"left": left, "right": right, "top": top, "bottom": bottom},
    ).configure(
        font=FONT,
        background="transparent",
        view=alt.ViewConfig(stroke=None),
        text=alt.MarkConfig(fontSize=TEXT, color=INK, limit=0),
    )
    return dict(finished.to_dict(validate=False))


def axis(**options: Any) -> "alt.Axis":
    """An axis whose labels neither overlap-check, flush nor cut: all of these measure text."""
    import altair as alt

    standard: dict[str, Any] = {
        "title": None,
        "labelOverlap": False,
        "labelFlush": False,
        "labelLimit": 0,
        "labelBound": False,
        "labelAngle": 0,
        "labelFontSize": TEXT,
        "labelColor": SOFT,
        "domain": False,
        "ticks": False,
        "gridColor": LINE,
        "labelPadding": 8,
    }
    return alt.Axis(**{**standard, **options})
