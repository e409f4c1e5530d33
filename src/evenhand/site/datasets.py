"""The published tables: the counts behind the pages, as CSV and Parquet, and the complete corpora.

Belongs here: which tables there are, their columns with meanings, their rows, and their bytes. Does not: any
counting, or what a page shows.

Source: interface contract, "The published tree"; fairness contract, section 3 "The Parquet snapshot is complete".
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.computed import Computed
from evenhand.corpus.corpora import RuleCorpus, cases_of_rules, file_stem
from evenhand.figures import Figure
from evenhand.metrics.ledger.review_parity import ClassParity
from evenhand.rows.published import TABLES as ROWS
from evenhand.site.facts import FileColumn
from evenhand.site.report import named_figures
from evenhand.site.review_datasets import review_datasets
from evenhand.site.tabular import Dataset, columns, csv_text, dataset, evidence, evidence_of
from evenhand.timeline import day_date, iso

_ROW_GROUP = 64 * 1024


def datasets(computed: Computed) -> Iterator[Dataset]:
    """Every published table of counts, in the order of the data page."""
    yield _rule_precision(computed)
    yield _repositories(computed)
    yield _weekly(computed)
    yield _fleet_weekly(computed)
    yield _parity(computed)
    yield _reevaluations(computed)
    yield _automation(computed)
    yield _figures(computed)
    for table in ROWS:
        if table.name in computed.rows:
            rows = computed.rows[table.name]
            described = (column for column in table.columns if column[0] in rows.column_names)
            yield Dataset(table.name, table.title, columns(*described), rows)
    if computed.reviews:
        yield from review_datasets(computed.reviews)


_RULE_PRECISION = columns(
    ("rule_id", "text", "the rule"),
    ("confirmed", "integer", "verdicts that let the firing stand"),
    ("reversed", "integer", "verdicts that undid it"),
    ("decided", "integer", "confirmed and reversed"),
    ("implicit", "integer", "confirmed by nobody undoing it"),
    ("unrecognized", "integer", "verdicts that say neither"),
    *evidence("share of decided that was confirmed"),
    ("explicit_value", "number", "the same without implicit confirmations"),
    ("explicit_low", "number", "lower end of its interval"),
    ("explicit_high", "number", "upper end of its interval"),
    ("explicit_withheld", "text", "the reason when it has no value"),
    ("corpus_cases", "integer", "labelled cases of the rule, a case a firing"),
    ("corpus_truncated", "flag", "whether the JSON corpus is a prefix"),
    ("corpus_checksum", "text", "SHA-256 of the canonical JSON of its cases"),
)


def _rule_precision(computed: Computed) -> Dataset:
    corpora = {corpus.rule_id: corpus for corpus in computed.corpora}
    rules = computed.results["signals.rule_precision"].rules
    return dataset(
        "rule_precision",
        "Verdicts and precision of each rule",
        _RULE_PRECISION,
        (
            (
                rule.rule_id,
                rule.confirmed,
                rule.reversed,
                rule.decided,
                rule.implicit,
                rule.unrecognized,
                *evidence_of(rule.precision),
                *evidence_of(rule.explicit),
                *_commitment(corpora.get(rule.rule_id)),
            )
            for rule in rules
        ),
    )


def _commitment(corpus: RuleCorpus | None) -> tuple[Any, ...]:
    return (corpus.total, corpus.truncated, corpus.checksum) if corpus else (None, None, None)


_REPOSITORIES = columns(
    ("repository", "text", "owner/name, lower-cased"),
    ("reviewed", "integer", "published pull requests of any age"),
    ("merged", "integer", "of them merged"),
    ("closed", "integer", "of them closed unmerged"),
    ("in_review", "integer", "of them neither"),
    ("auto_actioned", "integer", "pull requests merged or closed by the gate in the window"),
    ("reversed", "integer", "of them undone by a person"),
    *evidence("percent of auto-actioned that was not undone"),
)


def _repositories(computed: Computed) -> Dataset:
    states = dict(computed.results["outcomes.published_states"].repositories)
    rows = computed.results["outcomes.decision_accuracy"].repositories
    return dataset(
        "repositories",
        "Volume and accuracy of each repository",
        _REPOSITORIES,
        (
            (
                row.repository,
                *_states(states.get(row.repository)),
                row.auto_actioned,
                row.reversed,
                *evidence_of(row.accuracy),
            )
            for row in rows
        ),
    )


def _states(states: Any) -> tuple[int, int, int, int]:
    return (states.reviewed, states.merged, states.closed, states.in_review) if states else (0, 0, 0, 0)


_WEEKLY = columns(
    ("week_start", "day", "Monday, UTC"),
    ("merged", "integer", "pull requests merged in the week"),
    ("closed", "integer", "pull requests closed unmerged in the week"),
    ("reversed", "integer", "of the week's auto-actioned ones, undone later"),
    (
        "auto_actioned",
        "integer",
        "pull requests auto-actioned in the week; empty when the percentage is withheld",
    ),
    *evidence("percent of the week's auto-actions that was not undone"),
)


def _weekly(computed: Computed) -> Dataset:
    weeks = computed.results["outcomes.weekly_trend"].weeks
    return dataset(
        "weekly",
        "Volume and accuracy of each week",
        _WEEKLY,
        (
            (
                day_date(week.monday),
                week.merged.value,
                week.closed.value,
                week.reversed.value,
                week.accuracy.denominator if week.accuracy.withheld is None else None,
                *evidence_of(week.accuracy),
            )
            for week in weeks
        ),
    )


_FLEET_WEEKLY = columns(
    ("week_start", "day", "Monday, UTC"),
    ("verdicts", "integer", "merge and close verdicts of registered instances"),
    *evidence("percent of verdicts that was confirmed"),
)


def _fleet_weekly(computed: Computed) -> Dataset:
    weeks = computed.results["fleet.fleet_trend"].weeks
    return dataset(
        "fleet_weekly",
        "Verdicts and accuracy of the fleet by week",
        _FLEET_WEEKLY,
        ((day_date(week.monday), week.verdicts.value, *evidence_of(week.accuracy)) for week in weeks),
    )


_PARITY = columns(
    ("scope", "text", "all, or a repository of the allowlist"),
    ("author_class", "text", "maintainer, contributor or unknown"),
    ("verdicts", "integer", "evaluations"),
    ("pull_requests", "integer", "distinct pull requests evaluated"),
    ("reviews_per_pull_request", "number", "evaluations a pull request"),
    ("findings_basis", "integer", "evaluations that carry a count of findings"),
    ("findings_per_evaluation", "number", "mean findings over those"),
    *((f"close_{name}", kind, meaning) for name, kind, meaning in evidence("percent of evaluations that closed")),
    *((f"hold_{name}", kind, meaning) for name, kind, meaning in evidence("percent of evaluations that held")),
)


def _parity(computed: Computed) -> Dataset:
    parity = computed.results["ledger.review_parity"]
    scopes = (("all", parity.classes), *parity.repositories)
    return dataset(
        "parity",
        "Treatment of author classes",
        _PARITY,
        ((scope, *_class_parity(row)) for scope, classes in scopes for row in classes),
    )


def _class_parity(row: ClassParity) -> tuple[Any, ...]:
    return (
        row.author_class,
        row.verdicts,
        row.pull_requests,
        row.reviews_per_pull_request.value,
        row.findings_basis,
        row.findings_per_evaluation.value,
        *evidence_of(row.close_rate),
        *evidence_of(row.hold_rate),
    )


_REEVALUATIONS = columns(
    ("reason", "text", "why the pull request was evaluated again"),
    ("count", "integer", "evaluations"),
    *evidence("percent of all evaluations"),
)


def _reevaluations(computed: Computed) -> Dataset:
    reasons = computed.results["ledger.reevaluations"].reasons
    return dataset(
        "reevaluations",
        "Re-evaluations by reason",
        _REEVALUATIONS,
        ((reason, count, *evidence_of(share)) for reason, count, share in reasons),
    )


_AUTOMATION = columns(
    ("week_start", "day", "Monday, UTC, of the pull request's first verdict"),
    ("decided", "integer", "pull requests with a merge, close or hold"),
    ("automated", "integer", "of them decided without a person"),
    ("manual", "integer", "of them with a person's hand"),
    ("basis", "text", "full, or holds_only before it was recorded who asked for a new evaluation"),
    *evidence("percent of decided that was automated"),
)


def _automation(computed: Computed) -> Dataset:
    weeks = computed.results["ledger.automation_rate"].weeks
    return dataset(
        "automation",
        "Automation rate by week",
        _AUTOMATION,
        (
            (
                day_date(week.monday),
                week.decided,
                week.automated,
                week.manual,
                week.rate.basis,
                *evidence_of(week.rate),
            )
            for week in weeks
        ),
    )


_ROOMS = "signals, outcomes, ledger or fleet"
_ROOMS_WITH_REVIEWS = "signals, outcomes, ledger, fleet, reviews or seats"

_FIGURES = columns(
    ("id", "text", "METRIC:NAME, stable between builds"),
    ("source", "text", _ROOMS),
    ("scale", "text", "percent, ratio, count, mean, minutes"),
    ("numerator", "number", "counted successes or the total; empty when withheld"),
    ("denominator", "integer", "how many they are counted of"),
    ("unit", "text", "what is counted"),
    *evidence("in its scale"),
    ("window_start", "text", "first instant of the window, UTC; empty: any age"),
    ("window_end", "text", "first instant after the window, UTC"),
    ("basis", "text", "what the figure rests on"),
    ("covered_days", "integer", "days of the window that the source covers; empty: all of it"),
)


def _figures(computed: Computed) -> Dataset:
    return dataset(
        "figures",
        "Every figure with its evidence",
        _figure_columns(with_reviews=computed.reviews is not None),
        (_figure_row(name, figure) for _, name, figure in named_figures(computed)),
    )


def _figure_columns(*, with_reviews: bool) -> tuple[FileColumn, ...]:
    if not with_reviews:
        return _FIGURES
    told = {"source": _ROOMS_WITH_REVIEWS, "scale": "percent, ratio, count, mean, minutes or score"}
    return tuple(replace(column, meaning=told.get(column.name, column.meaning)) for column in _FIGURES)


def _figure_row(name: str, figure: Figure) -> tuple[Any, ...]:
    shown = figure.as_json()
    window = figure.window
    return (
        name,
        str(figure.source),
        str(figure.scale),
        shown["numerator"],
        shown["denominator"],
        str(figure.unit),
        *evidence_of(figure),
        iso(window.start) if window else None,
        iso(window.end) if window else None,
        figure.basis or None,
        figure.covered_days,
    )


CASE_COLUMNS = columns(
    ("rule_id", "text", "the rule"),
    ("fired_day", "day", "UTC day of the firing"),
    ("decided_day", "day", "UTC day of the verdict"),
    ("outcome", "text", "what the firing did"),
    ("label", "text", "confirmed or reversed"),
    ("confidence", "number", "the rule's own confidence, when it gave a number"),
)


def write_datasets(computed: Computed, directory: Path) -> list[tuple[str, Dataset]]:
    """Writes `data/NAME.csv`, `data/NAME.parquet` and `data/corpus/…`; returns each path with its table."""
    data = directory / "data"
    (data / "corpus").mkdir(parents=True)
    written: list[tuple[str, Dataset]] = []
    for table in datasets(computed):
        (data / f"{table.name}.csv").write_text(csv_text(table.rows), encoding="utf-8", newline="")
        write_parquet(table.rows, data / f"{table.name}.parquet")
        written += [(f"data/{table.name}.csv", table), (f"data/{table.name}.parquet", table)]
    return written + list(_write_corpora(computed, data / "corpus"))


def _write_corpora(computed: Computed, folder: Path) -> Iterator[tuple[str, Dataset]]:
    write_parquet(computed.cases, folder / "all_rules.parquet")
    yield (
        "data/corpus/all_rules.parquet",
        Dataset("all_rules", "Complete corpus of every rule", CASE_COLUMNS, computed.cases),
    )
    for corpus, rows in cases_of_rules(computed.cases, computed.corpora):
        stem = file_stem(corpus.rule_id)
        write_parquet(rows, folder / f"{stem}.parquet")
        yield f"data/corpus/{stem}.parquet", Dataset(stem, f"Complete corpus of {corpus.rule_id}", CASE_COLUMNS, rows)


def write_parquet(table: pa.Table, path: Path) -> None:
    """The same rows as the same bytes: one chunk, fixed row groups, no schema of this library in the footer."""
    pq.write_table(table.combine_chunks(), path, compression="zstd", row_group_size=_ROW_GROUP, store_schema=False)
