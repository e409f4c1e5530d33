"""From pages to files: the template environment, and the writing of HTML, assets and chart specifications.

Belongs here: how a page becomes bytes, the same for every page. Does not: what a page says (its module, templates).
"""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evenhand.lake.tables import TABLES
from evenhand.site.pages import wording
from evenhand.site.pages.site import OPERATOR_NAVIGATION, Page, Site, navigation
from evenhand.site.report import anchor
from evenhand.site.text import isolated, visible
from evenhand.timeline import day_text, iso, to_datetime

_PACKAGE = Path(__file__).parent.parent
_KILO = 1000


@cache
def environment() -> Environment:
    """Templates with every value escaped; an unknown name is an error, not a blank."""
    built = Environment(
        loader=FileSystemLoader(_PACKAGE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    built.filters.update(
        name=isolated,
        visible=visible,
        number=wording.number,
        view=wording.view,
        day=day_text,
        anchor=anchor,
        size=size_words,
        tuple_of=tuple,
    )
    built.globals.update(counted=wording.counted)
    return built


def size_words(count: int) -> str:
    """`1.2 MB`, in powers of a thousand."""
    if count < _KILO:
        return f"{count} bytes"
    for unit in ("kB", "MB", "GB"):
        shown = count / _KILO
        if shown < _KILO or unit == "GB":
            return f"{shown:.1f} {unit}"
        count = round(shown)
    raise AssertionError


def instant_words(moment: int) -> str:
    """`2026-11-30 00:00 UTC`."""
    return to_datetime(moment).strftime("%Y-%m-%d %H:%M UTC")


def html(page: Page, site: Site) -> str:
    """The page as text."""
    return environment().get_template(page.template).render(page=page, site=site, frame=_frame(site), **page.content)


def _frame(site: Site) -> dict[str, Any]:
    """What stands on every page."""
    return {
        "title": site.policy.site.title,
        "source_label": site.policy.site.source_label,
        "as_of": instant_words(site.context.as_of),
        "as_of_iso": iso(site.context.as_of),
        "build_id": site.facts.build_id,
        "previous_id": site.facts.previous_id,
        "rows_read": site.rows_read,
        "quarantined": site.quarantined,
        "not_provided": len(site.not_provided),
        "tables": len(TABLES),
        "navigation": navigation(site),
        "operator_navigation": OPERATOR_NAVIGATION if site.operator else (),
    }


def write(pages: list[Page], site: Site, directory: Path) -> None:
    """Every page, the assets, and the specification of every chart that a page shows."""
    paths = [page.path for page in pages]
    if len(set(paths)) != len(paths):
        raise ValueError("two pages have one path")
    for page in pages:
        _write(directory / page.path, html(page, site))
    for asset in sorted((_PACKAGE / "assets").iterdir()):
        _write(directory / "assets" / asset.name, asset.read_text(encoding="utf-8"))
    for drawing in site.drawings:
        for path, text in drawing.files().items():
            _write(directory / path, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
