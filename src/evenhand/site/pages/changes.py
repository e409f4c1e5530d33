"""What changed since the build before: headline figures before and now, and rules that came, went or moved.

Belongs here: the comparison of this build's figures with the published ones of its predecessor. Does not: restatements
of past periods (their own page). A figure that is withheld now does not show what it was before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.figures import Figure, Scale, Withheld
from evenhand.figures import Reason as WithheldReason
from evenhand.site.pages.site import Site
from evenhand.site.pages.wording import FigureView, reason_words, view
from evenhand.site.report import named_figures

HEADLINES = (
    ("outcomes.decision_accuracy:all/accuracy", "Decision accuracy"),
    ("fleet.instance_signals:pooled/accuracy", "Fleet accuracy"),
    ("ledger.automation_rate:all/rate", "Decided without a person"),
    ("ledger.reevaluations:rate", "Re-evaluations"),
    ("outcomes.totals:reviewed", "Pull requests reviewed"),
)
"""(figure id, what it is called) of the figures that are compared."""

LISTED_RULES = 8
_PRECISION = "signals.rule_precision:"


@dataclass(frozen=True)
class Change:
    """One figure before and now, in words."""

    label: str
    before: str
    now: FigureView


@dataclass(frozen=True)
class RuleChange:
    """A rule whose precision moved out of its former interval, or came to be shown, or no longer is."""

    rule_id: str
    what: str


@dataclass(frozen=True)
class Changes:
    """Everything of note; empty tuples when nothing changed."""

    previous_id: str
    headlines: tuple[Change, ...]
    unchanged: int
    rules: tuple[RuleChange, ...]
    more_rules: int


def changes(site: Site) -> Changes | None:
    """The comparison with the predecessor, or None when this is the first build."""
    facts = site.facts
    if facts.previous_id is None:
        return None
    now = {figure_id: figure for _, figure_id, figure in named_figures(site.computed)}
    compared = [
        (label, facts.previous_figures[figure_id], now[figure_id])
        for figure_id, label in HEADLINES
        if figure_id in now and figure_id in facts.previous_figures
    ]
    moved = [
        Change(label, _before(before, figure), view(figure))
        for label, before, figure in compared
        if _differs(before, figure)
    ]
    rules = _rules(now, facts.previous_figures)
    return Changes(
        facts.previous_id,
        tuple(moved),
        len(compared) - len(moved),
        tuple(rules[:LISTED_RULES]),
        max(0, len(rules) - LISTED_RULES),
    )


def _differs(before: Mapping[str, Any], figure: Figure) -> bool:
    published = figure.as_json()
    return any(before.get(key) != published[key] for key in ("value", "interval", "withheld"))


def _before(before: Mapping[str, Any], figure: Figure) -> str:
    if figure.withheld is not None and before.get("value") is not None:
        return "shown"
    return published_words(before)


def published_words(entry: Mapping[str, Any]) -> str:
    """A published figure in words, from its JSON."""
    withheld = entry.get("withheld")
    if withheld:
        reason = WithheldReason(withheld["reason"])
        return reason_words(Withheld(reason, withheld.get("floor"), withheld.get("n"), withheld.get("detail", "")))
    value, scale = entry["value"], Scale(entry["scale"])
    if scale in (Scale.PERCENT, Scale.RATIO):
        shown = value * 100 if scale is Scale.RATIO else value
        return f"{shown:.1f}\u202f%"
    return f"{value:,}"


def _rules(now: Mapping[str, Figure], before: Mapping[str, Mapping[str, Any]]) -> list[RuleChange]:
    """Precision figures alone: a rule is told by its id between the metric's name and `/precision`."""
    ids = sorted(key for key in {*now, *before} if key.startswith(_PRECISION) and key.endswith("/precision"))
    found = (
        (key.removeprefix(_PRECISION).removesuffix("/precision"), _rule_change(now.get(key), before.get(key)))
        for key in ids
    )
    return [RuleChange(rule_id, what) for rule_id, what in found if what]


def _rule_change(figure: Figure | None, before: Mapping[str, Any] | None) -> str:
    if figure is None:
        return "no longer has a verdict in the window"
    if before is None:
        return "is new: it had no verdict in the former window"
    if figure.withheld is not None:
        return f"no longer shown: {view(figure).plain}" if before.get("value") is not None else ""
    if before.get("value") is None:
        return f"is shown for the first time: {view(figure).plain}"
    interval = before.get("interval")
    value = figure.value
    if interval and value is not None and not interval["low"] <= value <= interval["high"]:
        return f"left its former interval: {published_words(before)} before, {view(figure).plain} now"
    return ""
