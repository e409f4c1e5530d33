"""From a chart's specification to the SVG that stands in the page.

Belongs here: calling the renderer, and turning its SVG into one that follows the page's colours and holds nothing
that a strict content policy refuses. Does not: any specification.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from evenhand.canonical import pretty
from evenhand.site.charts.theme import FORMS, ROLES

_SVG = "http://www.w3.org/2000/svg"
_LONG_DECIMAL = re.compile(r"[0-9]+\.[0-9]{3,}")
# Names and roles inside would be read out mark by mark; the drawing has one label and a table beside it.
_DROPPED = ("role", "class", "style", "pointer-events", "font-family", "opacity")


@dataclass(frozen=True)
class Drawing:
    """A chart in both of its shapes: specifications by form, and what it shows in a sentence."""

    name: str
    label: str
    specifications: Mapping[str, Mapping[str, Any]]

    def files(self) -> dict[str, str]:
        """Path below the build's folder -> text of the specification."""
        return {self.path(form): pretty(specification) for form, specification in self.specifications.items()}

    def path(self, form: str = "wide") -> str:
        """Where the specification of a form is written."""
        return f"charts/{self.name}{'' if form == 'wide' else '-' + form}.vl.json"

    def svg(self, form: str) -> Markup:
        """The drawing of one form, to stand in a page."""
        return drawn(json.dumps(self.specifications[form], sort_keys=True, ensure_ascii=False), self.label, form)

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that exist, in order."""
        return tuple(form.name for form in FORMS if form.name in self.specifications)


@lru_cache(maxsize=64)
def drawn(specification: str, label: str, form: str) -> Markup:
    """The SVG of a specification. Cached: the operator's pages show the public charts again."""
    import vl_convert

    return Markup(restyled(vl_convert.vegalite_to_svg(specification), label, form))


def restyled(svg: str, label: str, form: str) -> str:
    """The renderer's SVG with roles for colours, one label for the whole, and no inline style."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        _clean(element)
    _drop_empty(root)
    width, height = root.attrib.pop("width"), root.attrib.pop("height")
    drawing = ElementTree.Element(
        "svg",
        {
            "class": f"chart {form}",
            "viewBox": f"0 0 {width} {height}",
            "width": width,
            "height": height,
            "role": "img",
            "aria-label": label,
        },
    )
    drawing.extend(list(root))
    return ElementTree.tostring(drawing, encoding="unicode")


def _clean(element: ElementTree.Element) -> None:
    element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    opacity = element.get("opacity")
    for name, value in element.attrib.items():
        element.attrib[name] = _LONG_DECIMAL.sub(lambda match: f"{float(match[0]):.2f}", value)
    for name in [name for name in element.attrib if name in _DROPPED or name.startswith("aria-")]:
        del element.attrib[name]
    if opacity not in (None, "1"):
        element.set("opacity", str(opacity))
    classes = []
    for attribute in ("fill", "stroke"):
        role = ROLES.get((element.get(attribute) or "").lower())
        if role:
            del element.attrib[attribute]
            classes.append(f"{attribute}-{role}")
    if classes:
        element.set("class", " ".join(classes))


def _drop_empty(parent: ElementTree.Element) -> None:
    """Frames that draw nothing: hidden paths, and groups that hold nothing."""
    for child in list(parent):
        _drop_empty(child)
        hidden = child.tag == "path" and (
            "fill" not in child.attrib and "stroke" not in child.attrib and "class" not in child.attrib
        )
        hidden = hidden or child.get("fill") == "transparent"
        if hidden or (child.tag == "g" and not len(child)) or child.get("display") == "none":
            parent.remove(child)
