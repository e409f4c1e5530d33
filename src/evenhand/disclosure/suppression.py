"""Suppression: withholding what would give an instance away, across metrics.

Belongs here: the withholdings that one metric alone cannot decide. Does not: sampling floors (metrics) or the
check of what was published (later in this package).

Source: fairness contract, section 1 "Floors are not secrets", section 6 D34 and D35.
"""

from collections.abc import Mapping
from typing import Any

_SIGNAL_TABLES = frozenset({"orb_signals", "orb_signal_rollups"})


def withhold(results: dict[str, Any]) -> dict[str, Any]:
    """The same results, with the weekly fleet counts withheld at exactly two eligible instances.

    With two, either one subtracts its own week from the pooled one and knows the other's.
    """
    if not results["fleet.instance_signals"].privacy_withheld:
        return results
    return {**results, "fleet.fleet_trend": results["fleet.fleet_trend"].without_counts()}


def hidden_tables(results: Mapping[str, Any]) -> frozenset[str]:
    """Tables whose numbers of rows are withheld: at two eligible instances they are the pooled counts again."""
    return _SIGNAL_TABLES if results["fleet.instance_signals"].privacy_withheld else frozenset()
