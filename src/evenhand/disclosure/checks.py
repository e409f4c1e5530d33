"""The last look before a build is published: floors respected, and nothing private in any file.

Belongs here: checks over the finished folder that stop a build. Does not: deciding what to withhold (suppression).

Source: design, section 3 "Disclosure"; fairness contract, section 1.
"""

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from evenhand.computed import Computed
from evenhand.errors import DisclosureError
from evenhand.policy import ascii_lower

_REPOSITORY = re.compile(r"[^/#\s]+/[^/#\s]+")


def check_published(computed: Computed, folder: Path) -> None:
    """Raises DisclosureError naming the file and the figure that must not go out."""
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    check_figures(document)
    stats = json.loads((folder / "v1" / "public" / "stats.json").read_text(encoding="utf-8"))
    floors = computed.context.policy.floors
    check_rule_floor(stats, floors.rule_precision)
    check_weekly_floor(stats, floors.weekly_accuracy)
    if computed.results["fleet.instance_signals"].privacy_withheld:
        check_two_instances(document, stats)
    if computed.reviews:
        check_review_names(computed.reviews.names, computed.reviews.unnamed)


def check_figures(document: dict[str, Any]) -> None:
    """Each figure has a value or one reason; a withheld one has no numerator and no interval."""
    for figure in document["figures"]:
        if (figure["value"] is None) == (figure["withheld"] is None):
            raise DisclosureError(
                f"report.json: {figure['id']} has neither a value nor a reason, or both: nothing was published"
            )
        if figure["withheld"] and (figure["interval"] or figure["numerator"] is not None):
            raise DisclosureError(
                f"report.json: {figure['id']} is withheld and still shows its evidence: nothing was published"
            )


def check_review_names(names: Collection[str], unnamed: Collection[str]) -> None:
    """No lens and no seat names a repository that is not on the allowlist: their names go out with the figures."""
    private = [name for name in unnamed if _REPOSITORY.fullmatch(name)]
    for name in names:
        if any(repository in ascii_lower(name) for repository in private):
            raise DisclosureError(
                "a lens or seat names a repository that is not on the allowlist: rename it or allow the repository; "
                "nothing was published"
            )


def check_rule_floor(stats: dict[str, Any], floor: int) -> None:
    """No precision of a rule under its floor."""
    for rule in stats["rulePrecision"]["rules"]:
        if rule["decided"] < floor and rule["precision"] is not None:
            raise DisclosureError(
                f"stats.json: {rule['ruleId']} shows a precision of {rule['decided']} verdicts: nothing was published"
            )


def check_weekly_floor(stats: dict[str, Any], floor: int) -> None:
    """No week under the floor shows its volume or its accuracy."""
    for week in stats["accuracyTrend"]:
        if week["merged"] is not None and week["merged"] + week["closed"] < floor:
            raise DisclosureError(
                f"stats.json: the week of {week['weekStart']} is under its floor: nothing was published"
            )
        if week["merged"] is None and week["accuracyPct"] is not None:
            raise DisclosureError(f"stats.json: the withheld week of {week['weekStart']} shows a percentage")


_COUNTS_OF_TWO = ("decidedCount", "accuracyCiPct", "mergePrecisionCiPct", "closePrecisionCiPct")


def check_two_instances(document: dict[str, Any], stats: dict[str, Any]) -> None:
    """At two eligible instances no count and no interval of the fleet is anywhere."""
    shown = [name for name in _COUNTS_OF_TWO if stats["fleetAccuracy"][name] is not None]
    shown += [week["weekStart"] for week in stats["fleetAccuracyTrend"] if week["verdicts"] is not None]
    shown += [
        figure["id"]
        for figure in document["figures"]
        if figure["metric"] in ("fleet.instance_signals", "fleet.fleet_trend")
        and figure["scale"] == "percent"
        and (figure["denominator"] is not None or figure["interval"] is not None)
    ]
    if shown:
        raise DisclosureError(f"with two instances {shown[0]} must not be shown: nothing was published")
