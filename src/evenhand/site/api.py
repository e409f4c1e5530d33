"""The API files: the figures in the shapes that LoopOver's public API has, and the operator's.

Belongs here: the mapping from results to those shapes, nulls for what is withheld or not provided. Does not: any
counting, any interval that the shape does not have, any page.

Source: fairness contract, sections 2 to 9; interface contract, "The published tree".
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from evenhand.corpus.corpora import RuleCorpus, file_stem
from evenhand.figures import Figure
from evenhand.lake.manifest import LakeManifest
from evenhand.lake.tables import TABLES
from evenhand.metrics.fleet.guarantees import plain, published
from evenhand.metrics.fleet.instance_signals import FleetAccuracy, GamingFlag, Instance
from evenhand.metrics.ledger.automation_rate import TABLES_READ as AUTOMATION_TABLES
from evenhand.metrics.ledger.review_parity import ClassParity
from evenhand.metrics.registry import Context
from evenhand.timeline import Window, day_text, iso

Results = Mapping[str, Any]

FLEET_TABLES = ("orb_instances", "orb_signals|orb_signal_rollups")


def stats(results: Results, context: Context) -> dict[str, Any]:
    """`stats.json`."""
    return {
        "generatedAt": iso(context.as_of),
        "updatedAt": iso(context.as_of),
        "totals": totals(results, context),
        "weekly": _weekly(results, context),
        "byProject": _by_project(results, context),
        "fleetAccuracy": _fleet_accuracy(results, context),
        "rulePrecision": rule_precision(results, context),
        "accuracyTrend": _accuracy_trend(results, context),
        "fleetAccuracyTrend": _fleet_trend(results, context),
        "reviewParity": _review_parity(results, context),
        "automationRate": _automation_rate(results, context),
    }


def _provided(context: Context, *tables: str) -> bool:
    return not context.missing(*tables)


def totals(results: Results, context: Context) -> dict[str, Any]:
    """Volume (own and fleet), accuracy of the own auto-actions, minutes."""
    total = results["outcomes.totals"]
    measured = total.handled.withheld is None
    return {
        "handled": total.handled.value,
        "merged": total.merged.value,
        "closed": total.closed.value,
        "commented": total.in_review.value,
        **dict.fromkeys(("ignored", "manual", "error"), 0 if measured else None),
        "reversed": total.reversed.value,
        "reviewed": total.reviewed.value,
        "filteredPct": total.filtered.value,
        "accuracyPct": results["outcomes.decision_accuracy"].accuracy.value,
        "accuracyWindowDays": context.policy.windows.accuracy_days,
        "minutesSaved": total.minutes.value,
    }


def _weekly(results: Results, context: Context) -> dict[str, Any]:
    recent = results["outcomes.recent_volume"]
    if not context.policy.repositories.allow:
        return {"reviewed": 0, "merged": 0}
    return {"reviewed": recent.reviewed.value, "merged": recent.merged.value}


def _by_project(results: Results, context: Context) -> list[dict[str, Any]]:
    if not _provided(context, "audit_events", "pull_requests"):
        return []
    accuracy = {row.repository: row.accuracy.value for row in results["outcomes.decision_accuracy"].repositories}
    rows = [(repo, states) for repo, states in results["outcomes.published_states"].repositories if states.reviewed]
    return [
        {
            "project": repo,
            "reviewed": states.reviewed,
            "merged": states.merged,
            "closed": states.closed,
            "accuracyPct": accuracy.get(repo),
        }
        for repo, states in sorted(rows, key=lambda row: (-row[1].reviewed, row[0]))
    ]


def _interval(figure: Figure) -> dict[str, Any] | None:
    return None if figure.bounds is None else {"lo": figure.bounds[0], "hi": figure.bounds[1]}


def _fleet_accuracy(results: Results, context: Context) -> dict[str, Any]:
    fleet: FleetAccuracy = results["fleet.instance_signals"]
    places = context.policy.rounding.percent_places
    known = not context.missing(*FLEET_TABLES)
    return {
        "accuracyPct": fleet.accuracy.value,
        "accuracyCiPct": _interval(fleet.accuracy),
        "mergePrecisionPct": fleet.merge_precision.value,
        "mergePrecisionCiPct": _interval(fleet.merge_precision),
        "closePrecisionPct": fleet.close_precision.value,
        "closePrecisionCiPct": _interval(fleet.close_precision),
        "coveragePct": fleet.coverage.value,
        "decidedCount": fleet.decided.value,
        "guaranteed": {arm: published(found, places) for arm, found in results["fleet.guarantees"].arms.items()},
        "instanceCount": len(fleet.eligible) if known else None,
        "basis": fleet.basis,
        "windowDays": context.policy.windows.fleet_days,
        "gamingFlagsCaught": fleet.gaming_caught.value,
    }


def rule_precision(results: Results, context: Context) -> dict[str, Any]:
    """Verdicts and precision of each rule, reversal events, and the latest backtest run."""
    run = results["signals.latest_backtest_run"].run
    reversals = results["signals.reversal_counts"]
    return {
        "windowDays": context.policy.windows.signals_days,
        "rules": [
            {
                "ruleId": rule.rule_id,
                "decided": rule.decided,
                "confirmed": rule.confirmed,
                "unrecognized": rule.unrecognized,
                "precision": rule.precision.value,
            }
            for rule in results["signals.rule_precision"].rules
            if _provided(context, "audit_events")
        ],
        "reversals": {kind: getattr(reversals, kind).value for kind in ("reopened", "reverted", "superseded")},
        "latestBacktestRun": run and {"corpusChecksum": run.corpus_checksum, "at": run.at},
    }


def _accuracy_trend(results: Results, context: Context) -> list[dict[str, Any]]:
    if not _provided(context, "audit_events", "pull_requests"):
        return []
    return [
        {
            "weekStart": day_text(week.monday),
            "merged": week.merged.value,
            "closed": week.closed.value,
            "reversed": week.reversed.value,
            "accuracyPct": week.accuracy.value,
        }
        for week in results["outcomes.weekly_trend"].weeks
    ]


def _fleet_trend(results: Results, context: Context) -> list[dict[str, Any]]:
    if not _provided(context, *FLEET_TABLES):
        return []
    return [
        {
            "weekStart": day_text(week.monday),
            "verdicts": week.verdicts.value,
            "accuracyPct": week.accuracy.value,
        }
        for week in results["fleet.fleet_trend"].weeks
    ]


def _review_parity(results: Results, context: Context) -> dict[str, Any]:
    window: Window = context.window(context.policy.windows.parity_days)
    parity, again = results["ledger.review_parity"], results["ledger.reevaluations"]
    known = _provided(context, "decision_records", "decision_records.reevaluation_reason")
    return {
        "windowStart": iso(window.start),
        "windowEnd": iso(window.end),
        "verdicts": parity.verdicts.value,
        "reevaluations": again.count if known else None,
        "reevaluationRatePct": again.rate.value,
        "byReason": [
            {"reason": reason, "count": count, "shareOfVerdictsPct": share.value}
            for reason, count, share in again.reasons
        ],
        "byAuthorClass": [_class_parity(row) for row in parity.classes],
        "byProject": [
            {"project": repo, "byAuthorClass": [_class_parity(row) for row in classes]}
            for repo, classes in parity.repositories
        ],
    }


def _class_parity(row: ClassParity) -> dict[str, Any]:
    return {
        "authorClass": row.author_class,
        "verdicts": row.verdicts,
        "pullRequests": row.pull_requests,
        "reviewsPerPr": row.reviews_per_pull_request.value,
        "findingsPerPr": row.findings_per_evaluation.value,
        "findingsBasis": row.findings_basis,
        "closeRate": row.close_rate.value,
        "holdRate": row.hold_rate.value,
    }


def _automation_rate(results: Results, context: Context) -> dict[str, Any]:
    automation = results["ledger.automation_rate"]
    known = _provided(context, *AUTOMATION_TABLES)
    return {
        "weeks": [
            {
                "weekStart": iso(week.monday),
                "decided": week.decided,
                "automated": week.automated,
                "manual": week.manual,
                "automationRatePct": week.rate.value,
                "basis": week.rate.basis,
            }
            for week in automation.weeks
            if known
        ],
        "decided": automation.decided if known else None,
        "automated": automation.automated if known else None,
        "automationRatePct": automation.rate.value,
        "provenanceHorizon": context.policy.ledger.provenance_horizon,
    }


def eval_scores(records: list[dict[str, Any]]) -> dict[str, Any]:
    """`eval-scores.json`."""
    return {"records": records}


def corpus_index(corpora: list[RuleCorpus]) -> dict[str, Any]:
    """`eval-corpus/index.json`: the file of each rule's corpus."""
    return {"rules": {corpus.rule_id: f"{file_stem(corpus.rule_id)}.json" for corpus in corpora}}


def fleet_analytics(results: Results, context: Context) -> dict[str, Any]:
    """The operator's fleet figures, unrounded, with every instance; counts are null when no signals were provided."""
    fleet: FleetAccuracy = results["fleet.instance_signals"]
    cycle = results["fleet.cycle_times"]
    known = _provided(context, *FLEET_TABLES)
    merges, closes, holds = (
        fleet.pooled("merge_verdicts"),
        fleet.pooled("close_verdicts"),
        fleet.pooled("holds"),
    )
    confirmed = fleet.pooled("merge_confirmed") + fleet.pooled("close_confirmed")
    return {
        "windowDays": context.policy.windows.fleet_days,
        "instanceCount": len(fleet.eligible) if known else None,
        "fleet": {
            "mergePrecision": fleet.medians["merge_precision"].value,
            "closePrecision": fleet.medians["close_precision"].value,
            "fpRate": fleet.medians["false_positive_rate"].value,
            "reversalRate": fleet.medians["reversal_rate"].value,
            "decisionAccuracy": _ratio(confirmed, merges + closes),
            "decisionAccuracyMedian": fleet.medians["accuracy"].value,
            "cycleP50Ms": cycle.p50.value,
            "cycleP95Ms": cycle.p95.value,
            "pooled": {
                **{
                    key: fleet.pooled(name) if known else None
                    for key, name in (
                        ("mergeVerdicts", "merge_verdicts"),
                        ("mergeConfirmed", "merge_confirmed"),
                        ("closeVerdicts", "close_verdicts"),
                        ("closeConfirmed", "close_confirmed"),
                        ("holds", "holds"),
                        ("policyActions", "policy_actions"),
                    )
                },
                "coverage": _ratio(merges + closes, merges + closes + holds),
            },
        },
        "instances": [_instance(row) for row in fleet.instances],
        "outliers": [
            {
                "instanceId": outlier.instance_id,
                "metric": "mergePrecision",
                "value": plain(outlier.value),
                "fleetMedian": plain(outlier.fleet_median),
            }
            for outlier in fleet.outliers
        ],
        "gamingPatternFlags": [_gaming_flag(flag) for flag in fleet.gaming_flags],
        "gamingDetectionEligible": fleet.gaming_ran,
        "fleetFramingEligible": fleet.fleet_framing,
        "cycleTimeObservable": cycle.observable,
    }


def _ratio(numerator: int, denominator: int) -> int | float | None:
    return plain(Fraction(numerator, denominator)) if denominator else None


def _plain(value: Fraction | None) -> int | float | None:
    return None if value is None else plain(value)


def _instance(row: Instance) -> dict[str, Any]:
    return {
        "instanceId": row.instance_id,
        "decided": row.decided,
        "mergePrecision": _plain(row.merge_precision),
        "closePrecision": _plain(row.close_precision),
        "fpRate": _plain(row.false_positive_rate),
        "fnRate": _plain(row.false_negative_rate),
        "reversalRate": _plain(row.reversal_rate),
        "decisionAccuracy": _plain(row.accuracy),
        "policyActions": row.policy_actions,
        "counts": {
            "mergeVerdicts": row.merge_verdicts,
            "mergeConfirmed": row.merge_confirmed,
            "closeVerdicts": row.close_verdicts,
            "closeConfirmed": row.close_confirmed,
            "holds": row.holds,
        },
    }


def _gaming_flag(flag: GamingFlag) -> dict[str, Any]:
    return {
        "instanceId": flag.instance.instance_id,
        "decided": flag.instance.decided,
        "mergePrecision": _plain(flag.instance.merge_precision),
        "reversalRate": _plain(flag.instance.reversal_rate),
        "fleetMedianDecided": plain(flag.median_decided),
        "fleetMergePrecision": plain(flag.median_merge_precision),
        "fleetReversalRate": plain(flag.median_reversal_rate),
    }


def calibration_trend(results: Results, context: Context) -> dict[str, Any]:
    """The operator's weekly calibration trend and backtest runs; empty when no events were provided."""
    return {
        "rules": [
            {"ruleId": rule_id, "weeks": [_rule_week(week) for week in weeks]}
            for rule_id, weeks in results["signals.calibration_trend"].rules
        ],
        "backtestRuns": [
            {
                "weekStart": day_text(week.monday),
                "runs": week.runs.value,
                "regressed": week.regressed,
                "improved": week.improved,
                "unchanged": week.unchanged,
            }
            for week in results["signals.backtest_runs"].weeks
            if _provided(context, "audit_events")
        ],
    }


def track_record(results: Results, context: Context) -> dict[str, Any]:
    """The operator's track record of tested rule changes; null and empty when no events were provided."""
    record = results["signals.track_record"]
    provided = _provided(context, "audit_events")
    return {
        "totalRuns": record.total.value if provided else None,
        "regressedRuns": record.regressed.numerator if provided else None,
        "regressedRate": _plain(record.regressed.exact),
        "perRule": {
            rule.rule_id: {
                "total": rule.total,
                "regressed": rule.regressed,
                "improved": rule.improved,
                "unchanged": rule.unchanged,
            }
            for rule in record.rules
            if provided
        },
    }


def _rule_week(week: Any) -> dict[str, Any]:
    confirmed, overturned = week.decided_shown or (None, None)
    return {
        "weekStart": day_text(week.monday),
        "fired": week.fired,
        "confirmed": confirmed,
        "reversed": overturned,
        "precisionPct": week.precision.value,
        "unrecognized": week.unrecognized,
    }


def quality(manifest: LakeManifest, hidden: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Rows read, kept and set aside, by table and reason; malformed metadata; what was not provided.

    Of hidden tables the numbers are null: they would give a withheld count back.
    """
    provided = {name: manifest.table(name) for name in TABLES if manifest.table(name).provided}
    malformed = {name: table.malformed_metadata for name, table in provided.items() if table.malformed_metadata}
    listed = {
        name: table.malformed_metadata_listed for name, table in provided.items() if table.malformed_metadata_listed
    }
    return {
        "rowsRead": {name: None if name in hidden else table.rows_read for name, table in provided.items()},
        "rowsKept": {name: None if name in hidden else table.rows_kept for name, table in provided.items()},
        "quarantined": {
            name: dict(sorted(table.quarantined.items()))
            for name, table in provided.items()
            if table.quarantined and name not in hidden
        },
        "malformed": malformed,
        "malformedListed": listed,
        "notProvided": [name for name in TABLES if name not in provided],
        "missingColumns": {name: table.missing_columns for name, table in provided.items() if table.missing_columns},
    }
