"""Whether the files of the compatible API, and the summary tables, say what the figures and the rows say.

Belongs here: `stats.json` field by field, and each summary table row by row. Does not: the figures (figures), or the
corpora and records (tables).
"""

from collections.abc import Callable, Iterable
from typing import Any

from evenhand.verify.build import Build
from evenhand.verify.claims import Claims
from evenhand.verify.plain import NotReadableError, canonical

Row = dict[str, Any]


def check_stats(build: Build, claims: Claims) -> None:
    """Every number of `stats.json` is a figure of the report, or counted from the rows."""
    stats = build.document("v1/public/stats.json")
    figures = {figure["id"]: figure["value"] for figure in build.document("report.json")["figures"]}
    as_of = build.document("report.json")["asOf"]
    claims.equal("api: instants", (as_of, as_of), (stats["generatedAt"], stats["updatedAt"]))
    _check_totals(stats, figures, claims)
    _check_rules(stats, figures, build, claims)
    _check_trends(stats, figures, claims)
    _check_fleet(stats, figures, claims)
    _check_parity(stats, figures, build, claims)
    _check_automation(stats, figures, build, claims)


def _same(claims: Claims, name: str, expected: object, found: object) -> None:
    claims.equal(f"api: {name}", canonical(expected), canonical(found))


_TOTALS = {
    "handled": "handled",
    "merged": "merged",
    "closed": "closed",
    "commented": "in_review",
    "reviewed": "reviewed",
    "reversed": "reversed",
    "filteredPct": "filtered",
    "minutesSaved": "minutes",
}


def _check_totals(stats: Row, figures: Row, claims: Claims) -> None:
    for field, name in _TOTALS.items():
        _same(claims, f"totals.{field}", figures[f"outcomes.totals:{name}"], stats["totals"][field])
    _same(
        claims, "totals.accuracyPct", figures["outcomes.decision_accuracy:all/accuracy"], stats["totals"]["accuracyPct"]
    )
    for project in stats["byProject"]:
        name = project["project"]
        states = {
            state: figures[f"outcomes.published_states:{name}/{state}"] for state in ("merged", "closed", "in_review")
        }
        expected = {
            "project": name,
            "reviewed": sum(states.values()),
            "merged": states["merged"],
            "closed": states["closed"],
            "accuracyPct": figures.get(f"outcomes.decision_accuracy:{name}/accuracy"),
        }
        _same(claims, f"byProject.{name}", expected, project)


def _check_rules(stats: Row, figures: Row, build: Build, claims: Claims) -> None:
    expected: dict[str, Row] = {}
    for row in build.rows("rows_overrides") if _has(build, "rows_overrides") else ():
        if row["excluded"]:
            continue
        of = expected.setdefault(row["rule_id"], {"confirmed": 0, "reversed": 0, "unrecognized": 0})
        of[row["verdict"]] += row["n"]
    rules = [
        {
            "ruleId": rule,
            "decided": of["confirmed"] + of["reversed"],
            "confirmed": of["confirmed"],
            "unrecognized": of["unrecognized"],
            "precision": figures.get(f"signals.rule_precision:{rule}/precision"),
        }
        for rule, of in sorted(expected.items())
    ]
    _same(claims, "rulePrecision.rules", rules, stats["rulePrecision"]["rules"])
    for kind, number in (stats["rulePrecision"]["reversals"] or {}).items():
        _same(claims, f"rulePrecision.reversals.{kind}", figures[f"signals.reversal_counts:{kind}"], number)


def _check_trends(stats: Row, figures: Row, claims: Claims) -> None:
    for week in stats["accuracyTrend"] or ():
        start = week["weekStart"]
        expected = {"weekStart": start}
        for field, name in (
            ("merged", "merged"),
            ("closed", "closed"),
            ("reversed", "reversed"),
            ("accuracyPct", "accuracy"),
        ):
            expected[field] = figures.get(f"outcomes.weekly_trend:{start}/{name}")
        _same(claims, f"accuracyTrend.{start}", expected, week)
    for week in stats["fleetAccuracyTrend"] or ():
        start = week["weekStart"]
        expected = {
            "weekStart": start,
            "verdicts": figures.get(f"fleet.fleet_trend:{start}/verdicts"),
            "accuracyPct": figures.get(f"fleet.fleet_trend:{start}/accuracy"),
        }
        _same(claims, f"fleetAccuracyTrend.{start}", expected, week)


_FLEET = {
    "accuracyPct": "pooled/accuracy",
    "mergePrecisionPct": "pooled/merge_precision",
    "closePrecisionPct": "pooled/close_precision",
    "coveragePct": "pooled/coverage",
    "decidedCount": "pooled/decided",
    "gamingFlagsCaught": "gaming_caught",
}


def _check_fleet(stats: Row, figures: Row, claims: Claims) -> None:
    for field, name in _FLEET.items():
        _same(
            claims, f"fleetAccuracy.{field}", figures[f"fleet.instance_signals:{name}"], stats["fleetAccuracy"][field]
        )


def _check_parity(stats: Row, figures: Row, build: Build, claims: Claims) -> None:
    parity = stats["reviewParity"]
    if parity["verdicts"] is None or not _has(build, "rows_verdicts"):
        claims.skip("api: reviewParity", "the verdicts and their authors were not provided")
        return
    verdicts = build.rows("rows_verdicts")
    _same(claims, "reviewParity.verdicts", figures["ledger.review_parity:verdicts"], parity["verdicts"])
    claims.equal(
        "api: reviewParity: totals against classes",
        parity["verdicts"],
        sum(row["verdicts"] for row in parity["byAuthorClass"]),
    )
    reasons: dict[str, int] = {}
    for row in verdicts:
        if row["reevaluation_reason"] is not None:
            reasons[row["reevaluation_reason"]] = reasons.get(row["reevaluation_reason"], 0) + 1
    _same(claims, "reviewParity.reevaluations", sum(reasons.values()), parity["reevaluations"])
    _same(
        claims, "reviewParity.reevaluationRatePct", figures["ledger.reevaluations:rate"], parity["reevaluationRatePct"]
    )
    by_reason = [
        {"reason": reason, "count": n, "shareOfVerdictsPct": figures.get(f"ledger.reevaluations:reason/{reason}")}
        for reason, n in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]
    _same(claims, "reviewParity.byReason", by_reason, parity["byReason"])
    _same(claims, "reviewParity.byAuthorClass", _classes(verdicts, "all", figures), parity["byAuthorClass"])
    named: dict[str, list[Row]] = {}
    for row in verdicts:
        if row["repository"] != "other":
            named.setdefault(row["repository"], []).append(row)
    by_project = [
        {"project": name, "byAuthorClass": _classes(of, name, figures)}
        for name, of in sorted(named.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    _same(claims, "reviewParity.byProject", by_project, parity["byProject"])


def _classes(verdicts: list[Row], where: str, figures: Row) -> list[Row]:
    found = []
    for author_class in ("maintainer", "contributor", "unknown"):
        of = [row for row in verdicts if row["author_class"] == author_class]
        if of:
            prefix = f"ledger.review_parity:{where}/{author_class}"
            found.append(
                {
                    "authorClass": author_class,
                    "verdicts": len(of),
                    "pullRequests": len({row["pull_request"] for row in of}),
                    "reviewsPerPr": figures[f"{prefix}/reviews_per_pull_request"],
                    "findingsPerPr": figures[f"{prefix}/findings_per_evaluation"],
                    "findingsBasis": sum(row["findings"] is not None for row in of),
                    "closeRate": figures[f"{prefix}/close_rate"],
                    "holdRate": figures[f"{prefix}/hold_rate"],
                }
            )
    return found


def _check_automation(stats: Row, figures: Row, build: Build, claims: Claims) -> None:
    told = stats["automationRate"]
    if not _has(build, "rows_automation"):
        claims.skip("api: automationRate", "the verdicts were not provided")
        return
    weeks: dict[str, Row] = {}
    for row in build.rows("rows_automation"):
        of = weeks.setdefault(row["week"], {"decided": 0, "automated": 0, "manual": 0})
        for name in of:
            # A person's pull request that was never decided counts nowhere.
            of[name] += row["n"] if row[name] and row["decided"] else 0
    weeks = {week: of for week, of in weeks.items() if of["decided"]}
    found = [
        {name: week[name] for name in ("weekStart", "decided", "automated", "manual", "automationRatePct")}
        for week in told["weeks"]
    ]
    expected = [
        {
            "weekStart": f"{week}T00:00:00.000Z",
            **of,
            "automationRatePct": figures.get(f"ledger.automation_rate:{week}/rate"),
        }
        for week, of in sorted(weeks.items())
    ]
    _same(claims, "automationRate.weeks", expected, found)
    for name in ("decided", "automated"):
        _same(claims, f"automationRate.{name}", sum(of[name] for of in weeks.values()), told[name])
    _same(
        claims,
        "automationRate.automationRatePct",
        figures["ledger.automation_rate:all/rate"],
        told["automationRatePct"],
    )


def _has(build: Build, name: str) -> bool:
    return f"data/{name}.parquet" in build.table_paths()


def check_summaries(build: Build, claims: Claims) -> None:
    """Each summary table shows the report's value, bounds and reason beside the rows' counts."""
    figures = {figure["id"]: figure for figure in build.document("report.json")["figures"]}
    for table, name_of in _SUMMARIES.items():
        if not _has(build, table):
            continue
        try:
            rows = build.rows(table)
        except NotReadableError as error:
            claims.fail(f"summary: {table}", "a readable table", str(error))
            continue
        for row in rows:
            for name in name_of(row):
                _check_summary(f"summary: {table}: {name}", row, figures.get(name), claims)


def _check_summary(name: str, row: Row, figure: Row | None, claims: Claims) -> None:
    if figure is None:
        claims.fail(name, "a figure of the report", "none")
        return
    interval = figure["interval"] or {"low": None, "high": None}
    reason = figure["withheld"]["reason"] if figure["withheld"] else None
    claims.equal(
        name,
        canonical([figure["value"], interval["low"], interval["high"], reason]),
        canonical([row["value"], row["low"], row["high"], row["withheld"]]),
    )


_SUMMARIES: dict[str, Callable[[Row], Iterable[str]]] = {
    "rule_precision": lambda row: [f"signals.rule_precision:{row['rule_id']}/precision"],
    "repositories": lambda row: [f"outcomes.decision_accuracy:{row['repository']}/accuracy"],
    "weekly": lambda row: [f"outcomes.weekly_trend:{row['week_start']}/accuracy"],
    "fleet_weekly": lambda row: [f"fleet.fleet_trend:{row['week_start']}/accuracy"],
}


def check_counts(build: Build, claims: Claims) -> None:
    """The counts of the summary of rules are those of the rows."""
    if not (_has(build, "rule_precision") and _has(build, "rows_overrides")):
        return
    expected: dict[str, Row] = {}
    for row in build.rows("rows_overrides"):
        if row["excluded"]:
            continue
        of = expected.setdefault(row["rule_id"], {"confirmed": 0, "reversed": 0, "unrecognized": 0, "implicit": 0})
        of[row["verdict"]] += row["n"]
        if row["verdict"] == "confirmed" and row["basis"] == "implicit":
            of["implicit"] += row["n"]
    found = {
        row["rule_id"]: {name: row[name] for name in ("confirmed", "reversed", "unrecognized", "implicit")}
        for row in build.rows("rule_precision")
    }
    for rule in sorted(expected.keys() | found.keys()):
        claims.equal(
            f"summary: rule_precision: counts of {rule}", canonical(expected.get(rule)), canonical(found.get(rule))
        )
