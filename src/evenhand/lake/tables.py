"""The declared tables: every column of the export that is read, and every column that the lake keeps.

Belongs here: names, types, meanings, units and privacy classes, declared once. The data dictionary, the schema
checks, the leak scan and the datapackage are made from these declarations. Does not: how a column is parsed
(lake/parse.py) or which figure reads it (metrics).

Source: fairness contract section 0, and section 1 for what a typed column means.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class Privacy(StrEnum):
    """Who may see a column's values."""

    PUBLIC = "public"
    """May stand in what is published."""
    PRIVATE = "private"
    """Names a person, a pull request, an instance or a repository: the operator's eyes only."""
    SECRET = "secret"
    """Raw text that may hold anything, credentials included: never leaves the lake."""


class Kind(StrEnum):
    """How the lake stores a column, and how the text of the export becomes it."""

    TEXT = "text"
    """The text as stored."""
    INSTANT = "instant"
    """int64 microseconds since 1970-01-01 UTC; what does not parse is null and quarantined."""
    DAY = "day"
    """date32, a UTC day."""
    INTEGER = "integer"
    """int64; what does not parse is null and quarantined."""
    FLAG = "flag"
    """boolean."""
    DOUBLE = "double"
    """float64, the double of an exact decimal."""
    DECIMAL = "decimal"
    """The exact decimal text of a JSON number."""


@dataclass(frozen=True, slots=True)
class Column:
    """One typed column of the lake."""

    name: str
    kind: Kind
    meaning: str
    privacy: Privacy
    unit: str = ""
    source: str = ""
    """The column of the export that it comes from; empty: the same name."""
    derived: bool = False
    """Made from other columns or from metadata, not a column of the export itself."""

    @property
    def source_name(self) -> str:
        """The export's column that this one is read or derived from."""
        return self.source or self.name


@dataclass(frozen=True)
class Table:
    """One declared table."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    by_day: str = ""
    """The instant column whose UTC day partitions the table; empty: one file."""
    increments: str = ""
    """The instant column by which rows are only ever added, so that a later extraction reads what is new; empty: the
    rows change, and the table is read whole each time."""
    order: tuple[str, ...] = ()
    """The total order of rows within a file: what makes the same rows the same bytes."""
    required: tuple[str, ...] = ()
    """Export columns without which the table cannot be read at all."""
    essential: tuple[str, ...] = ()
    """Export columns without which its figures cannot be measured: a verdict without its reason is not a zero."""
    group: str = ""
    """The room that reads it: signals, outcomes, ledger, fleet."""

    @cached_property
    def source_columns(self) -> tuple[str, ...]:
        """The export's columns that are read, each once, in declared order."""
        return tuple(dict.fromkeys(column.source_name for column in self.columns))

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The lake's columns in order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """The declared column of that name; KeyError when there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name}.{name}")


def _text(name: str, meaning: str, privacy: Privacy) -> Column:
    return Column(name, Kind.TEXT, meaning, privacy)


def _instant(name: str, meaning: str, source: str) -> Column:
    return Column(name, Kind.INSTANT, meaning, Privacy.PRIVATE, "microseconds since 1970-01-01 UTC", source, True)


def _day(name: str, meaning: str, source: str) -> Column:
    return Column(name, Kind.DAY, meaning, Privacy.PUBLIC, "UTC day", source, True)


def _integer(name: str, meaning: str, unit: str = "", privacy: Privacy = Privacy.PRIVATE) -> Column:
    return Column(name, Kind.INTEGER, meaning, privacy, unit)


_REPOSITORY = "Repository as owner/name, ASCII letters lower-cased; published only when it is on the allowlist."
_PULL_REQUEST = "repository#number without leading zeros: the identity of a pull request."


def _metadata(name: str, meaning: str, kind: Kind = Kind.TEXT, unit: str = "") -> Column:
    return Column(name, kind, meaning, Privacy.PRIVATE, unit, "metadata_json", True)


AUDIT_EVENTS = Table(
    "audit_events",
    "What the gate and people did, one row an event.",
    (
        _text("id", "Identity of the event; breaks ties between events of one instant.", Privacy.PRIVATE),
        _text("event_type", "Type of the event as stored, case-sensitive.", Privacy.PRIVATE),
        Column(
            "family",
            Kind.TEXT,
            "The part of the type before the first colon of a signal type, else the whole type.",
            Privacy.PUBLIC,
            source="event_type",
            derived=True,
        ),
        Column(
            "rule_id",
            Kind.TEXT,
            "Rule of a signal event; null on others.",
            Privacy.PUBLIC,
            "",
            "event_type",
            True,
        ),
        _text("actor", "Login that acted.", Privacy.PRIVATE),
        _text("target_key", "What the event is about, as stored.", Privacy.PRIVATE),
        Column("repo", Kind.TEXT, _REPOSITORY, Privacy.PRIVATE, "", "target_key", True),
        Column("pull_request", Kind.TEXT, _PULL_REQUEST, Privacy.PRIVATE, "", "target_key", True),
        _text("outcome", "Outcome of the event, e.g. completed.", Privacy.PRIVATE),
        _text("detail", "Free text detail.", Privacy.PRIVATE),
        _instant("ts_us", "When it happened.", "created_at"),
        _day("day", "UTC day of the event.", "created_at"),
        _day("week", "Monday of the event's ISO week, UTC.", "created_at"),
        Column(
            "stored_at",
            Kind.TEXT,
            "created_at as stored; kept for backtest runs alone, whose published time is the stored text.",
            Privacy.PUBLIC,
            "",
            "created_at",
            True,
        ),
        _metadata(
            "metadata_malformed",
            "The metadata is not a strict JSON object: every value is absent.",
            Kind.FLAG,
        ),
        _metadata("verdict", "metadata.verdict when text."),
        _metadata("basis", "metadata.basis when text."),
        _metadata("provenance", "metadata.provenance when text."),
        _metadata("signal_outcome", "metadata.outcome when text."),
        _metadata("confidence", "metadata.confidence when a number, as its double.", Kind.DOUBLE),
        _metadata("mode", "metadata.mode when text."),
        _metadata(
            "review_effort_minutes",
            "metadata.reviewEffortMinutes when a number, as its exact decimal text.",
            Kind.DECIMAL,
            "minutes",
        ),
        _metadata("corpus_checksum", "metadata.corpusChecksum when text."),
        _metadata("comparison_rule", "metadata.comparison.ruleId when text."),
        _metadata("comparison_verdict", "metadata.comparison.verdict when text."),
    ),
    by_day="ts_us",
    increments="ts_us",
    # By family first, so that a figure reads the row groups of its own events and passes over the others.
    order=("family", "ts_us", "event_type", "id", "target_key"),
    required=("event_type", "created_at"),
    essential=("target_key", "outcome", "metadata_json"),
    group="audit",
)

PULL_REQUESTS = Table(
    "pull_requests",
    "The latest known state of each pull request.",
    (
        _text("repo_full_name", "Repository as stored; the greatest spelling wins a tie.", Privacy.PRIVATE),
        Column("repo", Kind.TEXT, _REPOSITORY, Privacy.PRIVATE, "", "repo_full_name", True),
        _integer("number", "Number of the pull request."),
        Column("pull_request", Kind.TEXT, _PULL_REQUEST, Privacy.PRIVATE, "", "number", True),
        _text("state", "open or closed.", Privacy.PRIVATE),
        _text("author_login", "Login of the author.", Privacy.PRIVATE),
        _text("author_association", "How the author stands to the repository, as stored.", Privacy.PRIVATE),
        Column(
            "merged",
            Kind.FLAG,
            "merged_at is not null, whatever it says.",
            Privacy.PRIVATE,
            "",
            "merged_at",
            True,
        ),
        _instant("merged_us", "When it was merged.", "merged_at"),
        _day("merged_week", "Monday of the merge's week, UTC.", "merged_at"),
        _text("linked_issues_json", "Linked issues, a JSON list.", Privacy.PRIVATE),
        _instant("created_us", "When it was opened.", "created_at"),
        _instant("updated_us", "When its row last changed.", "updated_at"),
        _day("updated_week", "Monday of the last change's week, UTC.", "updated_at"),
    ),
    order=("pull_request", "updated_us", "repo_full_name"),
    required=("repo_full_name", "number"),
    essential=("state", "merged_at", "updated_at"),
    group="outcomes",
)

PULL_REQUEST_FILES = Table(
    "pull_request_files",
    "Files that a pull request touches.",
    (
        _text("repo_full_name", "Repository as stored.", Privacy.PRIVATE),
        Column("repo", Kind.TEXT, _REPOSITORY, Privacy.PRIVATE, "", "repo_full_name", True),
        _integer("pull_number", "Number of the pull request."),
        Column("pull_request", Kind.TEXT, _PULL_REQUEST, Privacy.PRIVATE, "", "pull_number", True),
        _text("path", "Path of the file.", Privacy.PRIVATE),
    ),
    order=("pull_request", "path", "repo_full_name"),
    required=("repo_full_name", "pull_number", "path"),
    group="outcomes",
)

REVIEW_AUDIT = Table(
    "review_audit",
    "Review decisions beside the audit events.",
    (
        _text("id", "Identity of the row.", Privacy.PRIVATE),
        _text("project", "Repository as stored.", Privacy.PRIVATE),
        _text("target_id", "What the row is about.", Privacy.PRIVATE),
        _text("event_type", "Type of the row.", Privacy.PRIVATE),
        _text("decision", "The decision, e.g. merged.", Privacy.PRIVATE),
        _text("source", "Which writer recorded it.", Privacy.PRIVATE),
        _instant("ts_us", "When it happened.", "created_at"),
    ),
    order=("ts_us", "id"),
    required=("target_id", "event_type", "created_at"),
    group="outcomes",
)

DECISION_RECORDS = Table(
    "decision_records",
    "The gate's verdicts, one row an evaluation.",
    (
        _text("id", "Identity of the record; names a pull request.", Privacy.PRIVATE),
        _text("repo_full_name", "Repository as stored.", Privacy.PRIVATE),
        Column("repo", Kind.TEXT, _REPOSITORY, Privacy.PRIVATE, "", "repo_full_name", True),
        _integer("pull_number", "Number of the pull request."),
        Column("pull_request", Kind.TEXT, _PULL_REQUEST, Privacy.PRIVATE, "", "pull_number", True),
        _text("head_sha", "Commit that was evaluated.", Privacy.PRIVATE),
        _text("action", "What the gate did: merge, close, hold, ...", Privacy.PUBLIC),
        _text("reason_code", "Why, as a code.", Privacy.PUBLIC),
        _text("record_digest", "SHA-256 of the canonical record.", Privacy.PUBLIC),
        _text("record_json", "The record itself; null once it is past its retention.", Privacy.SECRET),
        Column(
            "record_content",
            Kind.TEXT,
            "SHA-256 of the canonical record where the record itself was dropped; empty when it was no JSON.",
            Privacy.PRIVATE,
            source="record_json",
            derived=True,
        ),
        _instant("ts_us", "When the verdict fell.", "created_at"),
        _day("day", "UTC day of the verdict.", "created_at"),
        _day("week", "Monday of the verdict's week, UTC.", "created_at"),
        _text("reevaluation_reason", "Why the pull request was evaluated again.", Privacy.PUBLIC),
        _text("supersedes_record_id", "The record that this one replaces.", Privacy.PRIVATE),
        _text("reevaluation_actor", "Login that asked for the new evaluation.", Privacy.PRIVATE),
        _integer("findings_count", "Findings of the evaluation.", "findings"),
    ),
    by_day="ts_us",
    increments="ts_us",
    order=("ts_us", "id", "pull_request", "record_digest"),
    required=("repo_full_name", "pull_number", "action", "created_at"),
    group="ledger",
)

DECISION_LEDGER = Table(
    "decision_ledger",
    "The hash chain over the decision records.",
    (
        _integer("seq", "Position in the chain, from 1.", privacy=Privacy.PUBLIC),
        _text("record_id", "The record that the row commits to.", Privacy.PRIVATE),
        _text("record_digest", "Digest of that record.", Privacy.PUBLIC),
        _text("prev_hash", "Hash of the row before.", Privacy.PUBLIC),
        _text("row_hash", "Hash of this row.", Privacy.PUBLIC),
        _text("created_at", "When the row was written, as stored: part of its hash.", Privacy.PUBLIC),
        _instant("ts_us", "When the row was written.", "created_at"),
    ),
    increments="ts_us",
    order=("seq", "row_hash"),
    required=("seq", "record_id", "record_digest", "prev_hash", "row_hash", "created_at"),
    group="ledger",
)

DECISION_LEDGER_ANCHORS = Table(
    "decision_ledger_anchors",
    "Signed statements of the chain's tip.",
    (
        _text("id", "Identity of the anchor.", Privacy.PUBLIC),
        _integer("seq", "Position that it names.", privacy=Privacy.PUBLIC),
        _text("row_hash", "Row hash that it names.", Privacy.PUBLIC),
        _text("payload_json", "The signed payload.", Privacy.PUBLIC),
        _text("signature", "Base64 of the 64-byte ECDSA P-256 signature.", Privacy.PUBLIC),
        _text("key_id", "Key that it names.", Privacy.PUBLIC),
        _text("backend", "Where it was anchored.", Privacy.PUBLIC),
        _text("backend_ref", "Reference at the backend.", Privacy.PRIVATE),
        _text("status", "What the writer said of it.", Privacy.PUBLIC),
        _instant("ts_us", "When it was made.", "created_at"),
    ),
    order=("seq", "id"),
    required=("id", "seq", "row_hash", "payload_json", "signature", "key_id"),
    group="ledger",
)

ORB_INSTANCES = Table(
    "orb_instances",
    "Installations of the gate that report signals.",
    (
        _text("instance_id", "Identity of the instance.", Privacy.PRIVATE),
        Column("registered", Kind.FLAG, "Whether its operator registered it.", Privacy.PRIVATE),
    ),
    order=("instance_id", "registered"),
    required=("instance_id", "registered"),
    group="fleet",
)

ORB_SIGNALS = Table(
    "orb_signals",
    "One row a decided pull request of an instance, while it is live.",
    (
        _text("instance_id", "Instance that reported it.", Privacy.PRIVATE),
        _text("gate_verdict", "The gate's verdict: merge, close or a hold.", Privacy.PRIVATE),
        _text("outcome", "What happened: merged or closed.", Privacy.PRIVATE),
        _text("reversal_flag", "none, reopened, reverted or superseded.", Privacy.PRIVATE),
        _text(
            "gate_reasoncode_bucket",
            "Bucket of the reason; policy_action is scored nowhere.",
            Privacy.PRIVATE,
        ),
        _integer("time_to_close_ms", "Time from opening to the end.", "milliseconds"),
        _instant("decided_us", "When the gate decided; null when not given.", "decision_timestamp"),
        Column(
            "decided_given",
            Kind.FLAG,
            "decision_timestamp is present, whether it parses or not.",
            Privacy.PRIVATE,
            "",
            "decision_timestamp",
            True,
        ),
        _instant("received_us", "When the signal arrived.", "received_at"),
        _day("received_day", "UTC day of arrival.", "received_at"),
        _day(
            "trend_day",
            "UTC day of the decision, else of arrival; null when the decision does not parse.",
            "received_at",
        ),
        _day("trend_week", "Monday of that day's week.", "received_at"),
    ),
    order=(
        "received_us",
        "instance_id",
        "gate_verdict",
        "outcome",
        "reversal_flag",
        "gate_reasoncode_bucket",
        "time_to_close_ms",
        "decided_us",
    ),
    required=("instance_id", "received_at"),
    essential=("gate_verdict", "outcome", "reversal_flag", "gate_reasoncode_bucket"),
    group="fleet",
)

ORB_SIGNAL_ROLLUPS = Table(
    "orb_signal_rollups",
    "Counts of signals that are no longer live, by instance and day.",
    (
        _text("instance_id", "Instance.", Privacy.PRIVATE),
        Column("day", Kind.DAY, "UTC day.", Privacy.PRIVATE, "UTC day"),
        Column("week", Kind.DAY, "Monday of that day's week.", Privacy.PRIVATE, "UTC day", "day", True),
        _text("gate_verdict", "The gate's verdict; '' stands for null.", Privacy.PRIVATE),
        _text("outcome", "merged or closed.", Privacy.PRIVATE),
        _text("reversal_flag", "none, reopened, reverted or superseded.", Privacy.PRIVATE),
        _text("gate_reasoncode_bucket", "Bucket of the reason; '' stands for null.", Privacy.PRIVATE),
        _integer("n", "Signals.", "signals"),
    ),
    order=("day", "instance_id", "gate_verdict", "outcome", "reversal_flag", "gate_reasoncode_bucket", "n"),
    required=("instance_id", "day", "n"),
    essential=("gate_verdict", "outcome", "reversal_flag", "gate_reasoncode_bucket"),
    group="fleet",
)

ORB_PR_OUTCOMES = Table(
    "orb_pr_outcomes",
    "How pull requests of fleet installations ended.",
    (
        _text("repository_full_name", "Repository as stored.", Privacy.PRIVATE),
        Column("repo", Kind.TEXT, _REPOSITORY, Privacy.PRIVATE, "", "repository_full_name", True),
        _integer("pr_number", "Number of the pull request."),
        Column("pull_request", Kind.TEXT, _PULL_REQUEST, Privacy.PRIVATE, "", "pr_number", True),
        _integer("installation_id", "Installation that reported it."),
        _text("outcome", "merged or closed.", Privacy.PRIVATE),
        _instant("occurred_us", "When it ended.", "occurred_at"),
        _day("occurred_week", "Monday of that week, UTC.", "occurred_at"),
    ),
    order=("occurred_us", "pull_request", "repository_full_name", "outcome", "installation_id"),
    required=("repository_full_name", "pr_number", "outcome", "occurred_at"),
    essential=("installation_id",),
    group="outcomes",
)

ORB_OUTCOME_ROLLUPS = Table(
    "orb_outcome_rollups",
    "Sums of older outcomes by account.",
    (
        _text("account_login", "Account.", Privacy.PRIVATE),
        _integer("merged", "Merged pull requests.", "pull requests"),
        _integer("closed", "Closed, unmerged pull requests.", "pull requests"),
        _integer("total", "All pull requests.", "pull requests"),
    ),
    order=("account_login", "merged", "closed", "total"),
    required=("merged", "closed", "total"),
    group="outcomes",
)

ORB_GITHUB_INSTALLATIONS = Table(
    "orb_github_installations",
    "Installations and whether they are registered.",
    (
        _integer("installation_id", "Identity of the installation."),
        _text("account_login", "Account.", Privacy.PRIVATE),
        Column("registered", Kind.FLAG, "Whether it is registered.", Privacy.PRIVATE),
    ),
    order=("installation_id", "account_login", "registered"),
    required=("installation_id", "registered"),
    group="outcomes",
)

ORB_RISK_CONTROL_ARMS = Table(
    "orb_risk_control_arms",
    "Finite-sample guarantees that instances computed.",
    (
        _text("instance_id", "Instance.", Privacy.PRIVATE),
        _text("arm", "close or merge.", Privacy.PUBLIC),
        _text("payload_json", "The guarantee, a JSON object.", Privacy.SECRET),
        _instant("updated_us", "When it was computed.", "updated_at"),
    ),
    order=("arm", "instance_id", "updated_us", "payload_json"),
    required=("instance_id", "arm", "payload_json"),
    group="fleet",
)

REVIEW_TARGETS = Table(
    "review_targets",
    "Historical decisions, from before firings were recorded.",
    (
        _text("kind", "What the target is, e.g. pull_request.", Privacy.PRIVATE),
        _text("repo", "Repository as stored.", Privacy.PRIVATE),
        _text("number", "Number of the pull request.", Privacy.PRIVATE),
        _text("verdict", "The decision, e.g. close.", Privacy.PRIVATE),
        _text("status", "How it stands: open, closed, merged.", Privacy.PRIVATE),
        _text("confidence", "Confidence of the decision.", Privacy.PRIVATE),
        _text(
            "decision_json",
            "The decision, a JSON object; its confidence counts where the column has none.",
            Privacy.SECRET,
        ),
        _text("terminal_at", "When it ended.", Privacy.PRIVATE),
    ),
    required=("repo", "number", "verdict", "status", "terminal_at"),
    group="signals",
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        AUDIT_EVENTS,
        PULL_REQUESTS,
        PULL_REQUEST_FILES,
        REVIEW_AUDIT,
        DECISION_RECORDS,
        DECISION_LEDGER,
        DECISION_LEDGER_ANCHORS,
        ORB_INSTANCES,
        ORB_SIGNALS,
        ORB_SIGNAL_ROLLUPS,
        ORB_PR_OUTCOMES,
        ORB_OUTCOME_ROLLUPS,
        ORB_GITHUB_INSTALLATIONS,
        ORB_RISK_CONTROL_ARMS,
    )
}
"""Every declared table by name, in the order in which they are extracted."""

READABLE: dict[str, Table] = {**TABLES, REVIEW_TARGETS.name: REVIEW_TARGETS}
"""Every table that a source can give the rows of; what is not declared above is read for a backfill alone."""

HAPPENINGS = ("audit_events", "decision_records", "orb_signals", "orb_signal_rollups", "orb_pr_outcomes")
"""Tables of things that happen, whose earliest row says from when on an export tells of them."""

LISTED_EVENT_FAMILIES = (
    "signal.rule_fired",
    "signal.human_override",
    "reversal_reopened",
    "reversal_reverted",
    "reversal_superseded",
    "owner_reopen_pending_reversal",
    "pr_outcome",
    "github_app.pr_public_surface_published",
    "calibration.threshold_backtest_run",
    "calibration.logic_backtest_run",
    "calibration.counterfactual_backtest_run",
)
"""Families that a figure reads; the actions `agent.action.<class>` come beside them (contract section 0)."""

ACTION_FAMILY_PREFIX = "agent.action."
MENTION_FAMILY = "outcomes.uncorroborated_mention"
"""A revert that the body of a pull request speaks of and nothing bears out; counted in data quality alone."""
MENTION_REASONS = ("other_form", "never_merged", "merge_not_recorded")
"""Its detail: not the form that counts; in one that never merged; of one whose merge was not recorded."""
SIGNAL_FAMILIES = ("signal.rule_fired", "signal.human_override")
STORED_AT_FAMILIES = LISTED_EVENT_FAMILIES[-3:]
