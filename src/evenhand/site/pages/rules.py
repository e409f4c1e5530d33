"""The rules: all of them in one table, and a page for each.

Belongs here: precision per rule with its verdicts and its corpus. Does not: the counting (metrics/signals, corpus).
Of a rule below its floor a page shows n alone: the split would be read as the percentage that n cannot bear.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evenhand.corpus.corpora import RuleCorpus, file_stem
from evenhand.figures import Figure
from evenhand.metrics.signals.rule_precision import RulePrecision
from evenhand.site.charts.drawing import Drawing
from evenhand.site.charts.intervals import interval_chart
from evenhand.site.pages.series import by_volume, precision_row
from evenhand.site.pages.site import Page, Site
from evenhand.site.pages.wording import counted
from evenhand.site.text import visible

CHARTED_RULES = 30
"""Rows of the chart; with more it would be longer than it is clear, and the table has all."""


@dataclass(frozen=True)
class RuleRow:
    """One rule as the tables show it. confirmed, reversed, implicit: None below the floor."""

    rule_id: str
    path: str
    precision: Figure | None
    """None for a rule whose verdicts in the window all have a provenance that is left out: it has a corpus alone."""
    explicit: Figure | None
    decided: int
    confirmed: int | None
    reversed: int | None
    implicit: int | None
    unrecognized: int
    score_gate: bool
    corpus: RuleCorpus | None


@dataclass(frozen=True)
class Reconciliation:
    """From a rule's votes to its cases: minus votes that label none, plus further firings that share one."""

    row: RuleRow
    decided: int
    without_firing: int
    further_firings: int
    cases: int
    published: int
    truncated: bool


def pages(site: Site) -> Iterator[Page]:
    """`rules.html`, then `rules/STEM.html` for every rule with an override in the window."""
    rows = rule_rows(site)
    precisions = site.results["signals.rule_precision"].rules
    ordered = [rows[rule.rule_id] for rule in by_volume(precisions)]
    withheld = sum(rule.precision.withheld is not None for rule in precisions)
    yield Page(
        "rules.html",
        "rules.html",
        "Rules",
        "rules",
        {
            "rows": ordered,
            "unattributable": [
                row for row in rows.values() if row.rule_id not in {rule.rule_id for rule in precisions}
            ],
            "withheld": withheld,
            "charted": min(CHARTED_RULES, len(ordered) - withheld),
            "chart": site.chart("rule-precision", lambda: precision_drawing(precisions)),
            "floor": site.policy.floors.rule_precision,
            "days": site.policy.windows.signals_days,
            "missing": site.context.missing("audit_events"),
            "reversals": site.results["signals.reversal_counts"],
            "backtest": site.results["signals.latest_backtest_run"].run,
        },
        "How often people let each rule’s firings stand, with intervals and counts.",
    )
    for row in rows.values():
        yield _rule_page(row, site)


def rule_rows(site: Site) -> dict[str, RuleRow]:
    """Every rule that has a precision or a corpus, by id, in the order of ids."""
    precisions = {rule.rule_id: rule for rule in site.results["signals.rule_precision"].rules}
    corpora = {corpus.rule_id: corpus for corpus in site.computed.corpora}
    return {
        rule_id: _row(rule_id, precisions.get(rule_id), corpora.get(rule_id))
        for rule_id in sorted({*precisions, *corpora})
    }


def _row(rule_id: str, rule: RulePrecision | None, corpus: RuleCorpus | None) -> RuleRow:
    path = f"rules/{file_stem(rule_id)}.html"
    if rule is None:
        return RuleRow(rule_id, path, None, None, 0, None, None, None, 0, False, corpus)
    split = rule.precision.withheld is None
    return RuleRow(
        rule_id,
        path,
        rule.precision,
        rule.explicit,
        rule.decided,
        rule.confirmed if split else None,
        rule.reversed if split else None,
        rule.implicit if split else None,
        rule.unrecognized,
        rule.score_gate,
        corpus,
    )


def precision_drawing(rules: tuple[RulePrecision, ...]) -> Drawing | None:
    """The rules with the most verdicts as dots with intervals; None when none is shown."""
    shown = [rule for rule in by_volume(rules) if rule.precision.withheld is None][:CHARTED_RULES]
    if not shown:
        return None
    return interval_chart(
        "rule-precision",
        f"Precision of {counted(len(shown), 'rule')} with 95\u202f% intervals, the most decided first. The table"
        f" has the numbers.",
        [precision_row(rule) for rule in shown],
    )


def reconciled(row: RuleRow) -> Reconciliation:
    """The four numbers of one rule: decided - without firing + further firings = cases."""
    corpus = row.corpus
    votes, total, published = (corpus.votes, corpus.total, len(corpus.cases)) if corpus else (0, 0, 0)
    return Reconciliation(
        row,
        row.decided,
        row.decided - votes,
        total - votes,
        total,
        published,
        corpus.truncated if corpus else False,
    )


def _rule_page(row: RuleRow, site: Site) -> Page:
    stem = file_stem(row.rule_id)
    records = {record["workUnit"]["ruleId"]: record for record in site.computed.records}
    content: dict[str, Any] = {
        "row": row,
        "record": records.get(row.rule_id),
        "json_path": f"v1/public/eval-corpus/{stem}.json",
        "parquet_path": f"data/corpus/{stem}.parquet",
        "floor": site.policy.floors.rule_precision,
        "days": site.policy.windows.signals_days,
        "reconciled": reconciled(row),
        "weeks": _calibration(row.rule_id, site),
    }
    return Page(row.path, "rule.html", visible(row.rule_id), "rules", content)


def _calibration(rule_id: str, site: Site) -> list[Any]:
    """The rule week by week, in the operator's edition alone."""
    if not site.operator:
        return []
    return list(dict(site.results["signals.calibration_trend"].rules).get(rule_id, ()))
