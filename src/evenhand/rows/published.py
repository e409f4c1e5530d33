"""Which rows are published behind which figures, and what their columns mean.

Belongs here: the tables, their columns, their SQL and the windows it counts over. Does not: the figures (metrics), or
how a table is written (site). Every table is in a total order that tells nothing of the export's own.

Source: fairness contract, sections 2 to 7, for what a figure counts; section 1 for what may be named.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Protocol

import pyarrow as pa

from evenhand.lake.manifest import LakeManifest
from evenhand.metrics.ledger.review_parity import author_class_of
from evenhand.metrics.registry import WHITE_SPACE, Context, registry
from evenhand.rows.ordinals import ordinal_key, with_ordinals
from evenhand.timeline import day_date

PULL_REQUEST = "pull_request"
_ORDINAL = (PULL_REQUEST, "integer", "the pull request: a number of this build alone, the same in every table")

_TYPES = {"text": pa.string(), "integer": pa.int64(), "flag": pa.bool_(), "day": pa.date32()}

Column = tuple[str, str, str]
"""Name, type, meaning."""


class Engine(Protocol):
    """Runs the SQL of a table."""

    def arrow(self, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
        """The rows of a query."""
        ...


@dataclass(frozen=True)
class RowsTable:
    """One published table of rows."""

    name: str
    title: str
    needs: tuple[str, ...]
    """Tables of the export without which it is not published, as `Context.missing` reads them."""
    window: str
    """The policy's window that its SQL counts over; empty: rows of any age."""
    columns: tuple[Column, ...]
    pooled: bool = False
    """Published only when three or more instances are pooled."""

    counted_by: str = ""
    """The metric whose own SQL counts these rows; empty: a file of this package does."""

    @property
    def sql(self) -> str:
        """Its SQL."""
        if self.counted_by:
            return registry()[self.counted_by].sql
        return files("evenhand.rows").joinpath(f"{self.name.removeprefix('rows_')}.sql").read_text(encoding="utf-8")


TABLES = (
    RowsTable(
        "rows_overrides",
        "Human verdicts by rule, day, verdict and basis",
        ("audit_events",),
        "signals_days",
        (
            ("rule_id", "text", "the rule"),
            ("day", "day", "UTC day of the verdict"),
            ("verdict", "text", "confirmed, reversed or unrecognized"),
            ("basis", "text", "implicit: confirmed by nobody undoing it; else explicit"),
            ("excluded", "flag", "copied from another rule's verdicts, and counted nowhere"),
            ("n", "integer", "verdicts"),
        ),
    ),
    RowsTable(
        "rows_reversals",
        "Reversal events by kind and day",
        ("audit_events",),
        "signals_days",
        (
            ("kind", "text", "reopened, reverted or superseded"),
            ("day", "day", "UTC day of the event"),
            ("n", "integer", "events"),
        ),
    ),
    RowsTable(
        "rows_pull_requests",
        "Pull requests with their state, weeks, reversal and minutes",
        ("audit_events|decision_records",),
        "accuracy_days",
        (
            _ORDINAL,
            ("repository", "text", "owner/name when it may be named, else other"),
            ("published", "flag", "the gate published its surface, in a repository that may be named"),
            ("recorded", "flag", "the gate recorded a verdict on it"),
            ("state", "text", "merged, closed (unmerged) or in_review"),
            ("merged_week", "day", "Monday of the merge's week, of published ones, within the trend's weeks"),
            ("closed_week", "day", "Monday of the week it was closed in, of published ones, within the trend's weeks"),
            ("reviewed_lately", "flag", "first published within the days of the lately reviewed"),
            ("merged_lately", "flag", "published, and merged within the days of the lately reviewed"),
            ("auto_actioned", "flag", "merged or closed by the gate in the window of decision accuracy"),
            ("reversed", "flag", "auto-actioned, and undone at or after the first action"),
            (
                "minutes",
                "text",
                "recorded minutes of review, a number an event; empty: none, which counts the flat ones",
            ),
        ),
    ),
    RowsTable(
        "rows_auto_actions",
        "Pull requests auto-actioned in a week of the trend",
        ("audit_events",),
        "trend_weeks",
        (
            ("week", "day", "Monday of the action's week"),
            ("repository", "text", "owner/name, lower-cased"),
            _ORDINAL,
            ("reversed", "flag", "undone at or after the first action of the week"),
        ),
    ),
    RowsTable(
        "rows_verdicts",
        "Verdicts of the parity window, one row each",
        ("decision_records", "pull_requests", "pull_requests.author_association"),
        "parity_days",
        (
            ("day", "day", "UTC day of the verdict"),
            ("author_class", "text", "maintainer, contributor or unknown"),
            ("repository", "text", "owner/name when it may be named, else other"),
            ("action", "text", "merge, close, hold or other"),
            ("findings", "integer", "findings of the evaluation; empty when it carries none"),
            ("reevaluation_reason", "text", "why it was evaluated again; empty: it was not"),
            _ORDINAL,
        ),
    ),
    RowsTable(
        "rows_automation",
        "Pull requests with a verdict, by week and how they were decided",
        ("decision_records",),
        "automation_days",
        (
            ("week", "day", "Monday of the first verdict's week"),
            ("decided", "flag", "some verdict merges, closes or holds"),
            ("automated", "flag", "decided, some verdict merges or closes, and no person"),
            ("manual", "flag", "some verdict holds, names who asked, or was asked for by a maintainer"),
            ("n", "integer", "pull requests"),
        ),
        counted_by="ledger.automation_rate",
    ),
    RowsTable(
        "rows_ledger",
        "The decision ledger's chain",
        ("decision_ledger",),
        "",
        (
            ("seq", "integer", "position in the chain, from 1"),
            ("prev_hash", "text", "hash of the row before"),
            ("row_hash", "text", "hash of this row, over its record's id among others"),
            ("record_digest", "text", "digest of the record that the row commits to"),
            ("created_at", "text", "when the row was written, as stored: part of its hash"),
            ("record_id", "text", "the record; published only when the policy says so, for it names a pull request"),
        ),
    ),
    RowsTable(
        "rows_fleet_outcomes",
        "What the fleet adds to the weekly volume",
        ("orb_pr_outcomes", "orb_github_installations"),
        "trend_weeks",
        (
            ("week", "day", "Monday of the outcome's week"),
            ("outcome", "text", "merged or closed"),
            ("n", "integer", "pull requests of registered installations that are not published here"),
        ),
    ),
    RowsTable(
        "rows_fleet_signals",
        "Signals pooled over eligible instances",
        ("orb_signals|orb_signal_rollups", "orb_instances"),
        "fleet_days",
        (
            ("verdict", "text", "merge, close or hold"),
            ("confirmed", "flag", "whether the outcome bore it out; empty for a hold"),
            ("n", "integer", "signals"),
        ),
        pooled=True,
    ),
    RowsTable(
        "rows_fleet_weeks",
        "Merge and close verdicts pooled by week",
        ("orb_signals|orb_signal_rollups", "orb_instances"),
        "trend_weeks",
        (
            ("week", "day", "Monday of the decision's week"),
            ("confirmed", "flag", "whether the outcome bore it out"),
            ("n", "integer", "verdicts of registered instances"),
        ),
        pooled=True,
    ),
)


BEHIND: dict[str, tuple[str, ...]] = {
    "signals.rule_precision": ("rows_overrides",),
    "signals.reversal_counts": ("rows_reversals",),
    "outcomes.published_states": ("rows_pull_requests",),
    "outcomes.recorded_states": ("rows_pull_requests",),
    "outcomes.recent_volume": ("rows_pull_requests",),
    "outcomes.decision_accuracy": ("rows_pull_requests",),
    "outcomes.totals": ("rows_pull_requests",),
    "outcomes.weekly_trend": ("rows_pull_requests", "rows_auto_actions", "rows_fleet_outcomes"),
    "ledger.review_parity": ("rows_verdicts",),
    "ledger.reevaluations": ("rows_verdicts",),
    "ledger.automation_rate": ("rows_automation",),
    "fleet.instance_signals": ("rows_fleet_signals",),
    "fleet.fleet_trend": ("rows_fleet_weeks",),
}
"""Metric -> the published rows that its figures can be counted from again."""


def published_rows(
    engine: Engine, context: Context, manifest: LakeManifest, *, eligible_instances: int
) -> dict[str, pa.Table]:
    """Every table that this build publishes, by name, in a total order of its own columns.

    A table whose needs the export does not provide is left out, as its figures are; pooled tables are left out below
    the number of instances from which pooled counts give nobody away.
    """
    found: dict[str, pa.Table] = {}
    for table in TABLES:
        too_few = table.pooled and eligible_instances < context.policy.fleet.framing_instances
        if too_few or context.missing(*table.needs):
            continue
        found[table.name] = _shape(table, engine.arrow(table.sql, _parameters(table, context)), context)
    numbered = with_ordinals(found, PULL_REQUEST, ordinal_key(manifest))
    return {table.name: _ordered(numbered[table.name]) for table in TABLES if table.name in numbered}


def _parameters(table: RowsTable, context: Context) -> dict[str, Any]:
    if not table.window:
        return {}
    policy = context.policy
    start = (
        context.weeks()[0]
        if table.window == "trend_weeks"
        else context.window(getattr(policy.windows, table.window)).start
    )
    return {
        "window_start_us": start,
        "window_end_us": context.as_of,
        "window_start_day": day_date(start),
        "as_of_us": context.as_of,
        "as_of_day": day_date(context.as_of),
        "trend_start_us": context.weeks()[0],
        "recent_start_us": context.window(policy.windows.volume_days).start,
        "implicit_basis": policy.signals.implicit_basis,
        "least_signals": policy.floors.instance_signals,
        "maintainer_request": policy.ledger.maintainer_request,
        "white_space": WHITE_SPACE,
    }


def _shape(table: RowsTable, rows: pa.Table, context: Context) -> pa.Table:
    """The rows with what may not be published made into what may."""
    derive = _DERIVED.get(table.name)
    rows = derive(rows, context) if derive else rows
    columns = [
        column for column in table.columns if column[0] != "record_id" or context.policy.ledger.publish_record_ids
    ]
    arrays = [
        rows.column(name).cast(_TYPES[kind]) if name != PULL_REQUEST else rows.column(name) for name, kind, _ in columns
    ]
    return pa.table(arrays, names=[name for name, _, _ in columns])


def _classed(rows: pa.Table, context: Context) -> pa.Table:
    encoded = rows.column("association").combine_chunks().dictionary_encode()
    maintainers = context.policy.ledger.maintainer_associations
    classes = [author_class_of(text, maintainers) for text in encoded.dictionary.to_pylist()]
    unknown = author_class_of(None, maintainers)
    told = pa.array(
        [unknown if index is None else classes[index] for index in encoded.indices.to_pylist()], pa.string()
    )
    return rows.append_column("author_class", told)


def _automated(rows: pa.Table, _: Context) -> pa.Table:
    listed = rows.to_pylist()
    flags = {
        "decided": [bool(row["decided"]) for row in listed],
        "automated": [bool(row["decided"] and row["acted"] and not row["manual"]) for row in listed],
        "manual": [bool(row["manual"]) for row in listed],
    }
    return pa.table(
        {
            "week": rows.column("week"),
            **{name: pa.array(values, pa.bool_()) for name, values in flags.items()},
            "n": rows.column("n"),
        }
    )


_DERIVED: dict[str, Callable[[pa.Table, Context], pa.Table]] = {
    "rows_verdicts": _classed,
    "rows_automation": _automated,
}


def _ordered(rows: pa.Table) -> pa.Table:
    return rows.sort_by([(name, "ascending") for name in rows.column_names]).combine_chunks()
