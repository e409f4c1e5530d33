"""The Verify page: what the checker checks, which figures it cannot count again and why, and a check by hand.

Belongs here: the share of figures that follow from the published rows, each exception with its reason, and the figure
that a reader counts by hand. Does not: any checking. The exceptions are declared here and not taken from the checker,
which this room may not import; tests hold the two together on builds of every kind.

Source: fairness contract, section 1; interface contract, "evenhand verify".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.figures import Figure, Reason
from evenhand.site.pages.site import Page, Site
from evenhand.site.report import named_figures

CHECKS: tuple[tuple[str, str], ...] = (
    ("Files", "Every file that SHA256SUMS lists is there with its digest, and none is there that it does not list."),
    ("Statement", "The in-toto statement names just these files, and its signature, when there is one, is of the key."),
    ("Build", "The build’s name follows from its as-of and the digest of its data; it names its predecessor’s digest."),
    ("Data package", "Each data file has the bytes and the digest that datapackage.json states."),
    ("Rows", "CSV and Parquet hold the same rows, as many as stated, with the digest that is stated."),
    ("Corpora", "Each rule’s corpus has its checksum and is the beginning of the complete Parquet."),
    ("Records", "Each score record has its digest, commits to the corpus that is there, and never to an empty one."),
    ("Figures", "Each figure is counted again from the rows, with its interval and its floor."),
    ("Summaries", "The tables of figures show what the report says, beside counts that the rows give."),
    ("API", "Every number of stats.json is one of the report’s, or counted from the rows."),
    ("Ledger", "Each ledger row names its predecessor, the tip is the one that is stated, and the anchors bind it."),
)
"""(group of claims, what they say)."""

_FLEET_VOLUME = "all-time fleet volume: the outcomes of other installations are not published row by row"
_GUARANTEE = "an instance reports its own guarantee; its cases stay with it"
_COMPARED = "privacy: the check compares instances, whose rows are nobody else's"
_ONE_INSTANCE = "fewer than three instances: pooled rows would be one instance's own"
_NOT_PROVIDED = "not provided: "
_POOLED = {"fleet.instance_signals": "rows_fleet_signals", "fleet.fleet_trend": "rows_fleet_weeks"}
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,60}")


@dataclass(frozen=True)
class Exceptions:
    """Figures that the published rows do not give, all for one reason."""

    reason: str
    figures: tuple[str, ...]


@dataclass(frozen=True)
class ByHand:
    """The figure that a reader counts: the precision of a rule."""

    rule_id: str
    value: float
    confirmed: int
    decided: int


def exception(figure_id: str, figure: Figure, rows: frozenset[str]) -> str:
    """Why the published rows do not give a figure; empty when they do. rows: the names of the published tables."""
    metric = figure_id.partition(":")[0]
    if metric == "outcomes.fleet_volume":
        return _FLEET_VOLUME
    if metric == "fleet.guarantees":
        return _GUARANTEE
    if figure_id == "fleet.instance_signals:gaming_caught":
        return _COMPARED
    if metric in _POOLED and _POOLED[metric] not in rows:
        return _ONE_INSTANCE
    withheld = figure.withheld
    if withheld and withheld.reason is Reason.NOT_MEASURABLE and withheld.detail.startswith(_NOT_PROVIDED):
        return f"the build says that it cannot be measured: {withheld.detail}"
    return ""


def exceptions(site: Site) -> tuple[list[Exceptions], int]:
    """The exceptions by reason, and how many figures there are in all."""
    rows = frozenset(site.computed.rows)
    found: dict[str, list[str]] = {}
    total = 0
    for _, figure_id, figure in named_figures(site.computed):
        total += 1
        reason = exception(figure_id, figure, rows)
        if reason:
            found.setdefault(reason, []).append(figure_id)
    return [Exceptions(reason, tuple(ids)) for reason, ids in found.items()], total


def by_hand(site: Site) -> ByHand | None:
    """The rule with most verdicts among those whose precision is shown and whose name needs no quoting."""
    rules = [
        rule
        for rule in site.results["signals.rule_precision"].rules
        if rule.precision.value is not None and _PLAIN.fullmatch(rule.rule_id)
    ]
    if not rules or "rows_overrides" not in site.computed.rows:
        return None
    rule = max(rules, key=lambda one: (one.decided, one.rule_id))
    return ByHand(rule.rule_id, rule.precision.value, rule.confirmed, rule.decided)


def pages(site: Site) -> Iterator[Page]:
    """`verify.html`."""
    listed, total = exceptions(site)
    missing = sum(len(one.figures) for one in listed)
    yield Page(
        "verify.html",
        "verify.html",
        "Verify",
        "verify",
        {
            "checks": CHECKS,
            "exceptions": listed,
            "total": total,
            "counted_again": total - missing,
            "share": f"{int((total - missing) * 1000 / total + 0.5) / 10:.1f}\u202f%" if total else "",
            "by_hand": by_hand(site),
            "places": site.policy.rounding.precision_places,
        },
        "How to check this report without trusting who published it.",
    )
