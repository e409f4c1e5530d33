"""Restatements: every figure of a past period that differs from what was published before, with the cause.

Belongs here: weeks that were over at the as-of of the build before, and every figure when an as-of is built anew. Does
not: what changed because time went on (changes). The cause is told from what both builds say of themselves: another
policy, other code, rows that left the window or the lake, and else rows that came late. When policy and code both
differ, both are named, for the figures alone cannot tell them apart.

Source: design, section 3 "Old builds stay"; interface contract, "The published tree".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.canonical import canonical
from evenhand.figures import Figure
from evenhand.site.facts import Compared
from evenhand.site.pages.changes import published_words
from evenhand.site.pages.site import Page, Site
from evenhand.site.report import named_figures
from evenhand.timeline import WEEK, day_text, iso, parse_instant

WEEKLY = ("outcomes.weekly_trend", "ledger.automation_rate", "fleet.fleet_trend")
"""Metrics whose figures are named by the week that they are about."""
_COMPARED = ("value", "numerator", "denominator", "interval", "withheld")
_WORDS_ALONE = ("site",)
"""Tables of the policy that change no figure."""

LATE_ROWS = "late rows: rows about this week came after the build before"
RETENTION = "retention: rows of this week lie outside the window now, or are no longer kept"
SHOWN_BEFORE = "shown before, withheld now"


@dataclass(frozen=True)
class Restatement:
    """One figure before and now, in words. causes: one, or several that cannot be told apart."""

    figure_id: str
    before: str
    now: str
    causes: tuple[str, ...]


def restatements(site: Site, compared: Compared | None, policy: Mapping[str, Any]) -> list[Restatement]:
    """Every restated figure, in the order of the report. policy: as this build's own build.json has it."""
    if compared is None:
        return []
    causes = declared_causes(compared, policy, site.facts.versions)
    anew = compared.as_of == site.context.as_of
    found = []
    for entry, figure_id, figure in named_figures(site.computed):
        monday = _monday(figure_id) if entry.name in WEEKLY else None
        over = monday is not None and monday + WEEK <= compared.as_of
        before = compared.figures.get(figure_id)
        if before is None or not (over or anew):
            continue
        now = figure.as_json()
        if all(before.get(name) == now[name] for name in _COMPARED):
            continue
        found.append(Restatement(figure_id, *_in_words(before, now), causes or (cause(before, figure, monday),)))
    return found


def declared_causes(compared: Compared, policy: Mapping[str, Any], versions: Mapping[str, str]) -> tuple[str, ...]:
    """What the two builds say of themselves: each field of the policy and each version that differs."""
    changed = [
        f"{table}.{name} {_shown(before)} → {_shown(now)}"
        for table in sorted({*policy, *compared.policy} - {*_WORDS_ALONE})
        for name in sorted({*policy.get(table, {}), *compared.policy.get(table, {})})
        if not _same(before := compared.policy.get(table, {}).get(name), now := policy.get(table, {}).get(name))
    ]
    code = [
        f"{name} {compared.versions.get(name, 'none')} → {versions.get(name, 'none')}"
        for name in sorted({*versions, *compared.versions})
        if versions.get(name) != compared.versions.get(name)
    ]
    causes = []
    if changed:
        causes.append(f"policy change: {', '.join(changed)}")
    if code:
        causes.append(f"code change: {', '.join(code)}")
    return tuple(causes)


def _same(before: Any, now: Any) -> bool:
    """Whether two values are the same once they are written: a tuple is read back as a list."""
    return canonical(before) == canonical(now)


def _shown(value: Any) -> str:
    """A short form: lists of repositories and the like would fill the page."""
    if isinstance(value, list | tuple | dict):
        return f"({len(value)} entries)"
    return "none" if value is None else str(value)


def cause(before: Mapping[str, Any], figure: Figure, monday: int | None) -> str:
    """Why a figure differs when policy and code are the same: fewer rows are left of it, or others came late."""
    cut_off = monday is not None and figure.window is not None and monday < figure.window.start
    was, now = before.get("denominator"), figure.denominator
    fewer = isinstance(was, int) and isinstance(now, int) and now < was
    return RETENTION if cut_off or fewer else LATE_ROWS


def _in_words(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str]:
    """A figure that is withheld now does not show what it was."""
    hidden = now["value"] is None and before.get("value") is not None
    return SHOWN_BEFORE if hidden else _with_n(before), _with_n(now)


def _with_n(entry: Mapping[str, Any]) -> str:
    words = published_words(entry)
    shown = entry.get("value") is not None and isinstance(entry.get("denominator"), int)
    return f"{words} (n\u00a0=\u00a0{entry['denominator']:,d})" if shown else words


def _monday(figure_id: str) -> int | None:
    """The instant at which the week begins that a figure is named by; None for a figure of no week."""
    return parse_instant(f"{figure_id.partition(':')[2].partition('/')[0]}T00:00:00Z")


def pages(site: Site) -> Iterator[Page]:
    """`restatements.html`."""
    compared = site.facts.compared
    listed = restatements(site, compared, site.facts.policy)
    yield Page(
        "restatements.html",
        "restatements.html",
        "Restatements",
        "data",
        {
            "listed": listed,
            "compared": compared,
            "compared_as_of": day_text(compared.as_of) if compared else "",
            "anew": compared is not None and compared.as_of == site.context.as_of,
            "restated": site.facts.restated,
            "builds": [
                (build, iso(build.as_of), build.build_id == site.facts.build_id)
                for build in reversed(site.facts.builds)
            ],
        },
        "Figures of past periods that differ from what was published before, and why.",
    )
