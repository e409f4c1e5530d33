"""Suppression: withholding what would give an instance away, across metrics.

Belongs here: the withholdings that one metric alone cannot decide, and those that the policy adds because the attacker
found a way round (complementary suppression). Does not: sampling floors (metrics), the attacks (attacker), or the check
of what was published (checks).

Source: fairness contract, section 1 "Floors are not secrets", section 6 D34 and D35.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from evenhand.metrics.fleet.fleet_trend import FleetTrend
from evenhand.metrics.fleet.instance_signals import FleetAccuracy
from evenhand.timeline import day_text

POOLED, TREND = "fleet.instance_signals", "fleet.fleet_trend"
SHARES = ("merge_precision", "close_precision", "accuracy", "coverage")

Counts = tuple[int, int]
"""Numerator and denominator."""

FURTHER = "withheld further: beside other builds it would tell the counts of two instances"

_SIGNAL_TABLES = frozenset({"orb_signals", "orb_signal_rollups"})


def withhold(results: dict[str, Any], further: Sequence[str] = ()) -> dict[str, Any]:
    """The same results, with what must not be shown withheld at exactly two eligible instances.

    The weekly fleet counts: with two, either one subtracts its own week from the pooled one and knows the other's. And
    the percentages that `further` names (ids of figures, `*` for any text), however the two came to be eligible.
    """
    fleet: FleetAccuracy = results[POOLED]
    if not fleet.privacy_withheld:
        return results
    hidden = {
        name: getattr(fleet, name).hidden(FURTHER)
        for name in SHARES
        if withheld_further(f"{POOLED}:pooled/{name}", further)
    }
    trend: FleetTrend = results[TREND].without_counts()
    weeks = tuple(
        replace(week, accuracy=week.accuracy.hidden(FURTHER))
        if withheld_further(_week_id(week.monday), further)
        else week
        for week in trend.weeks
    )
    return {**results, POOLED: replace(fleet, **hidden), TREND: FleetTrend(weeks)}


def withheld_further(figure: str, further: Sequence[str]) -> bool:
    """Whether the policy's list names a figure."""
    return any(fnmatchcase(figure, pattern) for pattern in further)


def _week_id(monday: int) -> str:
    return f"{TREND}:{day_text(monday)}/accuracy"


def fleet_counts(results: Mapping[str, Any]) -> dict[str, Counts]:
    """The counts behind the fleet's percentages, by the id of the figure, before anything is withheld."""
    fleet: FleetAccuracy = results[POOLED]
    merge = (fleet.pooled("merge_confirmed"), fleet.pooled("merge_verdicts"))
    close = (fleet.pooled("close_confirmed"), fleet.pooled("close_verdicts"))
    both = (merge[0] + close[0], merge[1] + close[1])
    shares = dict(zip(SHARES, (merge, close, both, (both[1], both[1] + fleet.pooled("holds"))), strict=True))
    counts = {f"{POOLED}:pooled/{name}": pair for name, pair in shares.items()}
    for week in results[TREND].weeks:
        part, whole = week.accuracy.numerator, week.accuracy.denominator
        if isinstance(part, int) and whole is not None:
            counts[_week_id(week.monday)] = (part, whole)
    return counts


def hidden_tables(results: Mapping[str, Any]) -> frozenset[str]:
    """Tables whose numbers of rows are withheld: at two eligible instances they are the pooled counts again."""
    return _SIGNAL_TABLES if results[POOLED].privacy_withheld else frozenset()
