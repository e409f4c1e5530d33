"""The operator's own pages: calibration by week, instances, backtests, and where quarantined rows stand.

Belongs here: what may not be published. Does not: the public pages, which the operator's edition holds as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.lake.tables import TABLES
from evenhand.metrics.fleet.instance_signals import FleetAccuracy, Instance
from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.instances import Measure, distribution_chart
from evenhand.site.pages import calibration
from evenhand.site.pages.series import percent_of
from evenhand.site.pages.site import Page, Site
from evenhand.site.pages.wording import number
from evenhand.stats import rounded

_MEASURES = (
    ("Decision accuracy", "accuracy", "accuracy"),
    ("Merge precision", "merge_precision", "merge_precision"),
    ("Close precision", "close_precision", "close_precision"),
    ("Reversal rate", "reversal_rate", "reversal_rate"),
)
"""(label, property of an instance, name of its median)."""


@dataclass(frozen=True)
class InstanceRow:
    """One instance with its rates in words."""

    instance: Instance
    eligible: bool
    outlier: bool
    gaming: bool
    rates: tuple[str, ...]


@dataclass(frozen=True)
class QuarantineRow:
    """One reason of one table with the first positions in the export."""

    table: str
    reason: str
    count: int
    positions: str


def pages(site: Site) -> Iterator[Page]:
    """Only for the operator's edition; asked for in another one it is an error."""
    if not site.operator:
        raise ValueError("the operator's pages belong to the operator's edition alone")
    yield _calibration(site)
    yield _instances(site)
    yield calibration.page(site)
    yield _quarantine(site)


def _calibration(site: Site) -> Page:
    return Page(
        "calibration.html",
        "operator/calibration.html",
        "Calibration by week",
        "calibration",
        {
            "rules": site.results["signals.calibration_trend"].rules,
            "floor": site.policy.floors.weekly_calibration,
            "mondays": site.context.weeks(),
        },
    )


def _instances(site: Site) -> Page:
    fleet: FleetAccuracy = site.results["fleet.instance_signals"]
    outliers = {row.instance_id for row in fleet.outliers}
    gaming = {flag.instance.instance_id for flag in fleet.gaming_flags}
    places = site.policy.rounding.percent_places
    return Page(
        "instances.html",
        "operator/instances.html",
        "Instances",
        "instances",
        {
            "rows": [
                InstanceRow(
                    row,
                    row in fleet.eligible,
                    row.instance_id in outliers,
                    row.instance_id in gaming,
                    tuple(_rate(row, rate, places) for _, rate, _ in _MEASURES),
                )
                for row in fleet.instances
            ],
            "measures": [label for label, _, _ in _MEASURES],
            "medians": list(fleet.medians.items()),
            "cycle": site.results["fleet.cycle_times"],
            "chart": site.chart("instances", lambda: _distribution(fleet, places)),
            "floor": site.policy.floors.instance_signals,
        },
    )


def _distribution(fleet: FleetAccuracy, places: int) -> Drawing | None:
    label = f"Rates of {len(fleet.eligible)} eligible instances, one dot each, with medians. The table has the numbers."
    return distribution_chart("instances", label, _measures(fleet, places))


def _rate(row: Instance, name: str, places: int) -> str:
    rate = getattr(row, name)
    return "" if rate is None else f"{float(rounded(rate * 100, places)):.{places}f}"


def _measures(fleet: FleetAccuracy, places: int) -> list[Measure]:
    return [
        Measure(
            label,
            tuple(
                float(rounded(rate * 100, places)) for row in fleet.eligible if (rate := getattr(row, name)) is not None
            ),
            percent_of(fleet.medians[median]),
        )
        for label, name, median in _MEASURES
    ]


def _quarantine(site: Site) -> Page:
    manifest = site.computed.manifest
    rows = [
        QuarantineRow(name, reason, count, ", ".join(map(number, manifest.table(name).examples.get(reason, []))))
        for name in TABLES
        for reason, count in sorted(manifest.table(name).quarantined.items())
    ]
    return Page("quarantine.html", "operator/quarantine.html", "Quarantined rows", "quarantine", {"rows": rows})
