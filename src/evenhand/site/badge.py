"""`badge.json` and `badge.svg`: one figure with its interval and its n, to be shown elsewhere.

Belongs here: the decision accuracy of a build in a line. Does not: the figure itself, or any judgement: the badge has
one colour, for a low figure is no failure and a high one no merit.

Source: interface contract, "The published tree"; the keys schemaVersion, label, message and color are those that
services which draw badges read.
"""

import html
from typing import Any

from evenhand.canonical import pretty
from evenhand.figures import Figure
from evenhand.timeline import iso

FIGURE = "outcomes.decision_accuracy:all/accuracy"
_LABEL = "gate decisions that stood"
_COLOR = "#33587a"
_CHARACTER, _MARGIN, _HEIGHT = 6.4, 8, 20


def message(figure: Figure) -> str:
    """`92.4 % (88.1–95.3), n = 210`, or the reason why there is none, such as `not measurable`."""
    if figure.withheld is not None:
        return str(figure.withheld.reason).replace("_", " ")
    bounds = f" ({figure.bounds[0]}–{figure.bounds[1]})" if figure.bounds else ""
    counted = f", n = {figure.denominator:,d}" if figure.denominator is not None else ""
    return f"{figure.value} %{bounds}{counted}"


def badge_json(figure: Figure, build_id: str, as_of: int) -> str:
    """`badge.json`."""
    shown = figure.as_json()
    told: dict[str, Any] = {
        "schemaVersion": 1,
        "label": _LABEL,
        "message": message(figure),
        "color": _COLOR.removeprefix("#"),
        "figure": FIGURE,
        "value": shown["value"],
        "interval": shown["interval"],
        "n": shown["denominator"],
        "withheld": shown["withheld"],
        "asOf": iso(as_of),
        "build": build_id,
    }
    return pretty(told)


def badge_svg(figure: Figure) -> str:
    """`badge.svg`, without script, style sheet or font of its own."""
    text = message(figure)
    left, right = (round(len(words) * _CHARACTER + 2 * _MARGIN) for words in (_LABEL, text))
    whole = html.escape(f"{_LABEL}: {text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img" '
        f'aria-label="{whole}"><title>{whole}</title>\n'
        f'<rect width="{left}" height="{_HEIGHT}" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{_COLOR}"/>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_words(_LABEL, 0, left)}{_words(text, left, right)}</g></svg>\n"
    )


def _words(text: str, start: int, width: int) -> str:
    inner = width - 2 * _MARGIN
    return f'<text x="{start + width / 2}" y="14" textLength="{inner}">{html.escape(text)}</text>'
