"""The methodology: generated from the registry, the SQL that ran and the policy in force, so that it cannot drift.

Belongs here: every metric's rule with its window, floors and query, and every policy value. Does not: any rule of its
own: what is not in the registry, the SQL or the policy cannot be said here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from evenhand.backtest.history import statement as backtest_statement
from evenhand.corpus.corpora import statement
from evenhand.evidence.analytics.registry import Statistic, span
from evenhand.metrics.registry import Metric
from evenhand.policy import REVIEW_TABLES, PolicyField
from evenhand.site.pages.differences import DIFFERENCES
from evenhand.site.pages.site import Page, Site
from evenhand.site.pages.wording import counted, window_words
from evenhand.site.report import Entry, entries

_PRIVATE_VALUES = {("owners", "logins"), ("bots", "logins")}
"""Policy values that name people: the operator's alone."""

CORPUS_STATEMENTS = (
    ("pairing", "A firing and the override that labels it"),
    ("rules", "Which rules have a corpus"),
    ("snapshot", "The complete snapshot"),
)

BACKTEST_STATEMENTS = (
    ("lake_signals", "Firings and overrides of the whole history"),
    ("pairing", "A firing and the override that labels it, over the whole history"),
    ("claims", "Cases by what they claim"),
    ("target_claims", "Cases of one rule by target, for the split"),
)
"""For the operator alone, as the pages that they give."""


@dataclass(frozen=True)
class Floor:
    """A floor in force."""

    name: str
    value: int
    meaning: str
    unit: str
    table: str = "floors"


@dataclass(frozen=True)
class Method:
    """One metric as the page states it."""

    name: str
    title: str
    question: str
    source: str
    authority: str
    window: str
    floors: tuple[Floor, ...]
    tables: tuple[str, ...]
    sql: str
    sql_file: str
    made_of: tuple[tuple[str, str], ...]
    operator_only: bool
    rule: str = ""
    """In words, where no query says it."""
    code: str = ""
    code_file: str = ""


@dataclass(frozen=True)
class PolicyRow:
    """One policy value in words."""

    name: str
    value: str
    default: str
    differs: bool
    meaning: str
    unit: str
    source: str

    @property
    def is_choice(self) -> bool:
        """Whether the published rules leave it open, so that the value is this report's own."""
        return self.meaning.endswith("a choice") or ", a choice" in self.meaning


def pages(site: Site) -> Iterator[Page]:
    """`methodology.html` and `differences.html`."""
    with_reviews = site.computed.reviews is not None
    shown = [entry for entry in entries(with_reviews=with_reviews) if site.operator or not entry.operator_only]
    in_use = (field for field in site.policy.described() if with_reviews or field.table not in REVIEW_TABLES)
    rows = [_policy_row(field, site) for field in in_use]
    yield Page(
        "methodology.html",
        "methodology.html",
        "Methodology",
        "methodology",
        {
            "methods": [_method(entry, site) for entry in shown],
            "hidden": sum(entry.operator_only for entry in entries()) if not site.operator else 0,
            "views": _views(),
            "corpus": [(name, title, statement(name)) for name, title in CORPUS_STATEMENTS],
            "backtest": [(name, title, backtest_statement(name)) for name, title in BACKTEST_STATEMENTS]
            if site.operator
            else [],
            "policy": rows,
            "choices": [row for row in rows if row.is_choice],
            "differing": sum(row.differs for row in rows),
            "z": f"{site.policy.intervals.z:g}",
            "floors_rule": site.policy.floors.rule_precision,
            "json_cases": site.policy.corpus.json_cases,
        },
        "How every figure is counted: window, floor, the query that ran, and the policy in force.",
    )
    yield Page(
        "differences.html",
        "differences.html",
        "Differences from LoopOver",
        "methodology",
        {"differences": DIFFERENCES},
        "Where this report counts otherwise than LoopOver’s running system, and why.",
    )


@cache
def _views() -> str:
    return files("evenhand.lake").joinpath("views.sql").read_text(encoding="utf-8")


def _method(entry: Entry, site: Site) -> Method:
    if isinstance(entry, Statistic):
        return _statistic(entry, site)
    floors = {field.name: field for field in site.policy.described() if field.table == "floors"}
    is_metric = isinstance(entry, Metric)
    return Method(
        entry.name,
        entry.title,
        entry.question,
        str(entry.source),
        entry.methodology,
        _window(entry, site) if isinstance(entry, Metric) else "",
        tuple(Floor(name, floors[name].value, floors[name].meaning, floors[name].unit) for name in entry.floors),
        tuple(name.replace("|", " or ") for name in entry.tables) if isinstance(entry, Metric) else (),
        entry.sql if isinstance(entry, Metric) else "",
        entry.sql_file if isinstance(entry, Metric) else "",
        () if is_metric else tuple((name, _title(name)) for name in getattr(entry, "needs", ())),
        entry.operator_only,
    )


def _statistic(entry: Statistic, site: Site) -> Method:
    """A statistic over reviews: counted by code, for reviews are records and not tables."""
    fields = {field.name: field for field in site.policy.described() if field.table == "reviews"}
    return Method(
        entry.name,
        entry.title,
        entry.question,
        str(entry.source),
        entry.methodology,
        f"{window_words(span(site.context))}, by the end of a review"
        if entry.window
        else "of any age: no time is recorded",
        tuple(
            Floor(name, fields[name].value, fields[name].meaning, fields[name].unit, "reviews") for name in entry.floors
        ),
        (),
        "",
        "",
        (),
        entry.operator_only,
        entry.rule,
        entry.counting,
        entry.file,
    )


def _title(name: str) -> str:
    return next(entry.title for entry in entries() if entry.name == name)


def _window(entry: Metric, site: Site) -> str:
    """What the query reads of time: by its own text, for a count of any age has no start."""
    if "$window_start" not in entry.sql:
        return "any age, before as-of"
    span = entry.span(site.context)
    if entry.window == "trend_weeks":
        weeks = site.policy.windows.trend_weeks
        return f"{counted(weeks, 'week')}, from Mondays 00:00 UTC, ending in the week that holds as-of"
    return window_words(span)


def _policy_row(field: PolicyField, site: Site) -> PolicyRow:
    hidden = not site.operator and (field.table, field.name) in _PRIVATE_VALUES
    return PolicyRow(
        f"{field.table}.{field.name}",
        _hidden(field.value) if hidden else value_words(field.value),
        value_words(field.default),
        field.value != field.default,
        field.meaning,
        field.unit,
        field.source,
    )


def _hidden(value: Any) -> str:
    return f"{counted(len(value), 'entry', 'entries')}, not published" if value else "none"


def value_words(value: Any) -> str:
    """A policy value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {', '.join(logins)}" for key, logins in sorted(value.items())) or "none"
    if isinstance(value, tuple | list):
        return ", ".join(value) or "none"
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value}"
