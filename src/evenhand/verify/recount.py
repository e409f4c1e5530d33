"""Every published figure counted again from the published rows.

Belongs here: for each name of a figure, what is counted of which rows. Does not: comparing (figures). A figure that
cannot be counted again says why in its place. Figures over reviews are counted beside (reviews).

Source: fairness contract, sections 2 to 7, written again from the contract alone.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from evenhand.verify.build import Build
from evenhand.verify.counted import Counted, NotDerivableError, count, ratio
from evenhand.verify.reviews import is_over_reviews, recount_reviews

Row = dict[str, Any]


def recount(build: Build, figure: dict[str, Any]) -> Counted:
    """The figure as the rows give it.

    Raises NotDerivableError with the reason, or NotReadableError when the rows are missing or damaged.
    """
    metric, _, name = figure["id"].partition(":")
    if is_over_reviews(metric):
        return recount_reviews(build, metric, name)
    if metric not in _METRICS:
        raise NotDerivableError(_REASONS.get(metric, "no rule to count it again is known"))
    return _METRICS[metric](build, name)


FLEET_VOLUME = "all-time fleet volume: the outcomes of other installations are not published row by row"
_GUARANTEE = "an instance reports its own guarantee; its cases stay with it"
_ONE_INSTANCE = "fewer than three instances: pooled rows would be one instance's own"
_REASONS = {"outcomes.fleet_volume": FLEET_VOLUME, "fleet.guarantees": _GUARANTEE}


def _rule_precision(build: Build, name: str) -> Counted:
    rule, _, kind = name.rpartition("/")
    votes = [row for row in build.rows("rows_overrides") if row["rule_id"] == rule and not row["excluded"]]
    if kind == "explicit_precision":
        votes = [row for row in votes if row["basis"] == "explicit" or row["verdict"] != "confirmed"]
    confirmed = _sum(votes, lambda row: row["verdict"] == "confirmed")
    return ratio(confirmed, confirmed + _sum(votes, lambda row: row["verdict"] == "reversed"))


def _sum(rows: Iterable[Row], which: Callable[[Row], bool]) -> int:
    return sum(row["n"] for row in rows if which(row))


def _reversal_counts(build: Build, name: str) -> Counted:
    return count(_sum(build.rows("rows_reversals"), lambda row: row["kind"] == name))


def _published_states(build: Build, name: str) -> Counted:
    repository, _, state = name.rpartition("/")
    return count(
        sum(
            row["published"] and row["state"] == state and repository in ("all", row["repository"])
            for row in build.rows("rows_pull_requests")
        )
    )


def _recorded_states(build: Build, name: str) -> Counted:
    state = name.rpartition("/")[2]
    return count(sum(row["recorded"] and row["state"] == state for row in build.rows("rows_pull_requests")))


def _recent_volume(build: Build, name: str) -> Counted:
    flag = {"reviewed": "reviewed_lately", "merged": "merged_lately"}[name]
    return count(sum(row[flag] for row in build.rows("rows_pull_requests")))


def _decision_accuracy(build: Build, name: str) -> Counted:
    repository = name.rpartition("/")[0]
    acted = [
        row
        for row in build.rows("rows_pull_requests")
        if row["auto_actioned"] and repository in ("all", row["repository"])
    ]
    return ratio(sum(not row["reversed"] for row in acted), len(acted))


def _totals(build: Build, name: str) -> Counted:
    """The own part from the rows; the fleet's part is what the build states of it."""
    named = bool(build.policy["repositories"]["allow"])
    part = "published" if named else "recorded"
    own = [row for row in build.rows("rows_pull_requests") if row[part]]
    states = {state: sum(row["state"] == state for row in own) for state in ("merged", "closed", "in_review")}
    merged, closed = states["merged"] + _fleet(build, "merged"), states["closed"] + _fleet(build, "closed")
    reviewed = merged + closed + states["in_review"]
    if name == "reversed":
        return count(sum(row["reversed"] for row in own_actions(build)) if named else 0)
    if name == "filtered":
        return ratio(reviewed - merged, reviewed)
    if name == "minutes":
        minutes = _minutes(build, own if named else [{**row, "minutes": None} for row in own])
        return Counted(minutes if reviewed else Fraction(0), None, reviewed)
    return count(
        {
            "handled": len(own) + _fleet(build, "handled"),
            "merged": merged,
            "closed": closed,
            "in_review": states["in_review"],
            "reviewed": reviewed,
        }[name]
    )


def own_actions(build: Build) -> list[Row]:
    """Auto-actioned pull requests of the window."""
    return [row for row in build.rows("rows_pull_requests") if row["auto_actioned"]]


def _fleet(build: Build, what: str) -> int:
    for figure in build.document("report.json")["figures"]:
        if figure["id"] == f"outcomes.fleet_volume:{what}":
            return int(figure["value"] or 0)
    return 0


def _minutes(build: Build, own: list[Row]) -> Fraction:
    flat = build.policy["outcomes"]["minutes_per_review"]
    total = Fraction(flat * _fleet(build, "handled"))
    for row in own:
        stated = [Fraction(text) for text in (row["minutes"] or "").split()]
        total += sum(stated, Fraction(0)) / len(stated) if stated else flat
    return total


def _weekly_trend(build: Build, name: str) -> Counted:
    week, _, what = name.rpartition("/")
    if what in ("merged", "closed"):
        own = sum(row[f"{what}_week"] == week for row in build.rows("rows_pull_requests"))
        fleet = 0
        if "data/rows_fleet_outcomes.parquet" in build.table_paths():
            fleet = _sum(build.rows("rows_fleet_outcomes"), lambda row: row["week"] == week and row["outcome"] == what)
        return count(own + fleet)
    acted = [row for row in build.rows("rows_auto_actions") if row["week"] == week]
    reversed_ = sum(row["reversed"] for row in acted)
    return count(reversed_) if what == "reversed" else ratio(len(acted) - reversed_, len(acted))


def _review_parity(build: Build, name: str) -> Counted:
    verdicts = build.rows("rows_verdicts")
    if name == "verdicts":
        return count(len(verdicts))
    rest, _, what = name.rpartition("/")
    repository, _, author_class = rest.rpartition("/")
    of = [row for row in verdicts if row["author_class"] == author_class and repository in ("all", row["repository"])]
    if what == "reviews_per_pull_request":
        return ratio(len(of), len({row["pull_request"] for row in of}))
    if what == "findings_per_evaluation":
        counted = [row["findings"] for row in of if row["findings"] is not None]
        return ratio(sum(counted), len(counted))
    action = {"close_rate": "close", "hold_rate": "hold"}[what]
    return ratio(sum(row["action"] == action for row in of), len(of))


def _reevaluations(build: Build, name: str) -> Counted:
    verdicts = build.rows("rows_verdicts")
    if name == "rate":
        return ratio(sum(row["reevaluation_reason"] is not None for row in verdicts), len(verdicts))
    reason = name.removeprefix("reason/")
    return ratio(sum(row["reevaluation_reason"] == reason for row in verdicts), len(verdicts))


def _automation_rate(build: Build, name: str) -> Counted:
    week = name.rpartition("/")[0]
    of = [row for row in build.rows("rows_automation") if week in ("all", row["week"])]
    return ratio(_sum(of, lambda row: row["automated"]), _sum(of, lambda row: row["decided"]))


def _instance_signals(build: Build, name: str) -> Counted:
    if name == "gaming_caught":
        raise NotDerivableError("privacy: the check compares instances, whose rows are nobody else's")
    if "data/rows_fleet_signals.parquet" not in build.table_paths():
        raise NotDerivableError(_ONE_INSTANCE)
    signals = build.rows("rows_fleet_signals")

    def confirmed(*verdicts: str) -> int:
        return _sum(signals, lambda row: row["verdict"] in verdicts and row["confirmed"] is True)

    def of(*verdicts: str) -> int:
        return _sum(signals, lambda row: row["verdict"] in verdicts)

    decided = of("merge", "close")
    return {
        "pooled/accuracy": lambda: ratio(confirmed("merge", "close"), decided),
        "pooled/merge_precision": lambda: ratio(confirmed("merge"), of("merge")),
        "pooled/close_precision": lambda: ratio(confirmed("close"), of("close")),
        "pooled/coverage": lambda: ratio(decided, decided + of("hold")),
        "pooled/decided": lambda: count(decided),
    }[name]()


def _fleet_trend(build: Build, name: str) -> Counted:
    if "data/rows_fleet_weeks.parquet" not in build.table_paths():
        raise NotDerivableError(_ONE_INSTANCE)
    week, _, what = name.rpartition("/")
    of = [row for row in build.rows("rows_fleet_weeks") if row["week"] == week]
    verdicts = _sum(of, lambda row: True)
    return count(verdicts) if what == "verdicts" else ratio(_sum(of, lambda row: row["confirmed"]), verdicts)


_METRICS: dict[str, Callable[[Build, str], Counted]] = {
    "signals.rule_precision": _rule_precision,
    "signals.reversal_counts": _reversal_counts,
    "outcomes.published_states": _published_states,
    "outcomes.recorded_states": _recorded_states,
    "outcomes.recent_volume": _recent_volume,
    "outcomes.decision_accuracy": _decision_accuracy,
    "outcomes.totals": _totals,
    "outcomes.weekly_trend": _weekly_trend,
    "ledger.review_parity": _review_parity,
    "ledger.reevaluations": _reevaluations,
    "ledger.automation_rate": _automation_rate,
    "fleet.instance_signals": _instance_signals,
    "fleet.fleet_trend": _fleet_trend,
}
