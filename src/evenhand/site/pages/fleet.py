"""The fleet: what registered instances reported, pooled; and what cannot be told of so few of them.

Belongs here: pooled figures, the anti-gaming check, guarantees and the weekly trend. Does not: any number, id or
median of an instance: of an odd number of instances a median is one instance's own rate (operator).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.figures import Figure
from evenhand.metrics.fleet.guarantees import Guarantee, plain
from evenhand.metrics.fleet.instance_signals import FleetAccuracy
from evenhand.policy import exact
from evenhand.site.api import FLEET_TABLES
from evenhand.site.charts.counts import count_chart
from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.weeks import axis_start, weekly_chart
from evenhand.site.pages.series import week
from evenhand.site.pages.site import Page, Site
from evenhand.stats import rounded


@dataclass(frozen=True)
class GuaranteeRow:
    """A published guarantee in words."""

    arm: str
    alpha: str
    threshold: str
    coverage: Figure
    n: str
    backfilled: str


def pages(site: Site) -> Iterator[Page]:
    """`fleet.html`."""
    fleet: FleetAccuracy = site.results["fleet.instance_signals"]
    weeks = site.results["fleet.fleet_trend"].weeks
    kinds = verdict_kinds(fleet)
    yield Page(
        "fleet.html",
        "fleet.html",
        "Fleet",
        "fleet",
        {
            "fleet": fleet,
            "missing": site.context.missing(*FLEET_TABLES),
            "floor": site.policy.floors.instance_signals,
            "framing": site.policy.fleet.framing_instances,
            "checking": site.policy.fleet.gaming_instances,
            "figures": [
                ("Decision accuracy", "merge and close verdicts that were confirmed", fleet.accuracy),
                (
                    "Merge precision",
                    "merge verdicts after which the pull request was merged and not reverted",
                    fleet.merge_precision,
                ),
                ("Close precision", "close verdicts after which it stayed closed", fleet.close_precision),
                ("Coverage", "verdicts that merged or closed, of those and the holds", fleet.coverage),
                ("Verdicts", "merge and close verdicts, pooled", fleet.decided),
            ],
            "kinds": kinds,
            "distribution": site.chart("fleet-verdicts", lambda: _distribution(kinds)),
            "weeks": weeks,
            "chart": site.chart("fleet-weekly", lambda: _weekly(site)),
            "start": axis_start([week(row.monday, row.accuracy) for row in weeks]),
            "weekly_floor": site.policy.floors.weekly_fleet,
            "guarantees": _guarantees(site),
            "gaming": _gaming_words(site),
        },
        "What registered instances of the gate reported, pooled.",
    )


def verdict_kinds(fleet: FleetAccuracy) -> list[tuple[str, int]]:
    """Pooled verdicts by kind; nothing when there are too few instances to pool without telling of one."""
    if not fleet.fleet_framing or fleet.privacy_withheld:
        return []
    merges, closes = fleet.pooled("merge_verdicts"), fleet.pooled("close_verdicts")
    merged, closed = fleet.pooled("merge_confirmed"), fleet.pooled("close_confirmed")
    return [
        ("Merge, confirmed", merged),
        ("Merge, not confirmed", merges - merged),
        ("Close, confirmed", closed),
        ("Close, not confirmed", closes - closed),
        ("Hold", fleet.pooled("holds")),
        ("Policy action, not scored", fleet.pooled("policy_actions")),
    ]


def _distribution(kinds: list[tuple[str, int]]) -> Drawing | None:
    return count_chart(
        "fleet-verdicts", "Pooled verdicts of eligible instances by kind. The table has the numbers.", kinds
    )


def _weekly(site: Site) -> Drawing | None:
    weeks = site.results["fleet.fleet_trend"].weeks
    shown = sum(row.accuracy.exact is not None for row in weeks)
    return weekly_chart(
        "fleet-weekly",
        f"Weekly fleet accuracy: {shown} of {len(weeks)} weeks have a value. The table has the numbers.",
        [week(row.monday, row.accuracy) for row in weeks],
    )


def _guarantees(site: Site) -> list[GuaranteeRow]:
    arms: dict[str, Guarantee | None] = site.results["fleet.guarantees"].arms
    places = site.policy.rounding.percent_places
    return [
        GuaranteeRow(
            arm,
            f"{plain(100 * found.alpha):g}",
            f"{plain(found.threshold):g}",
            found.coverage_figure,
            f"{plain(found.n):,}",
            "not stated"
            if found.backfilled is None
            else f"{float(rounded(100 * found.backfilled, places)):.{places}f}\u202f%",
        )
        for arm, found in arms.items()
        if found is not None
    ]


def _gaming_words(site: Site) -> dict[str, str]:
    """The numbers of the anti-gaming check, from the policy in force."""
    fleet = site.policy.fleet
    return {
        "volume": f"{fleet.gaming_volume_factor:g}",
        "difference": f"{float(100 * exact(fleet.gaming_precision_difference)):g}",
        "share": f"{float(100 * exact(fleet.gaming_reversal_share)):g}\u202f%",
        "ceiling": f"{float(100 * exact(fleet.gaming_reversal_ceiling)):g}\u202f%",
    }
