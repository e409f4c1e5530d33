"""Raw text of an export's table -> typed columns of the lake, and what could not be read.

Belongs here: how each declared column is made from the export's text, a batch at a time and column by column.
Does not: the grammars of instants and metadata (instants.py, metadata.py), or where rows are written (writing.py).

Source: fairness contract section 1 and section 12 for the names of reasons.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake import metadata
from evenhand.lake.instants import Moments, parse_instants
from evenhand.lake.strict_json import object_members
from evenhand.lake.tables import (
    ACTION_FAMILY_PREFIX,
    LISTED_EVENT_FAMILIES,
    SIGNAL_FAMILIES,
    STORED_AT_FAMILIES,
    Kind,
    Table,
)
from evenhand.lake.text_buffers import Mask, bool_array, date32_array, int64_array, presence
from evenhand.sources.base import RawBatch
from evenhand.timeline import DAY

ARROW_TYPES = {
    Kind.TEXT: pa.string(),
    Kind.INSTANT: pa.int64(),
    Kind.DAY: pa.date32(),
    Kind.INTEGER: pa.int64(),
    Kind.FLAG: pa.bool_(),
    Kind.DOUBLE: pa.float64(),
    Kind.DECIMAL: pa.string(),
}

MOST_SPANS = 32
UNREADABLE_ROW = "unreadable_row"
EMPTY_RULE_ID = "empty_rule_id"


def schema_of(table: Table) -> pa.Schema:
    """The lake's Arrow schema of a table."""
    return pa.schema([pa.field(column.name, ARROW_TYPES[column.kind]) for column in table.columns])


Days = npt.NDArray[np.int64]

UNDATED = -(2**31)
"""The day number of a row whose own instant is unknown: before every day."""


@dataclass
class ParsedBatch:
    """Typed rows, and why others are not among them or lack a value."""

    rows: pa.Table
    quarantined: dict[str, list[int]] = field(default_factory=dict)
    """Reason -> positions of rows in the export."""
    malformed: int = 0
    """Rows with malformed metadata or payload, those that are set aside too."""
    malformed_listed: int = 0
    """Those of them whose event type a figure reads."""
    days: "RowDays | None" = None
    """For a table that only grows: the days of all these rows, to count them by."""


@dataclass(frozen=True)
class RowDays:
    """The UTC days, by a table's own instant, of the rows of a batch that were read, kept, set aside or malformed."""

    read: Days
    kept: Days
    malformed: Days
    malformed_listed: Days
    quarantined: dict[str, Days]


class _Columns:
    """The columns of one batch while they are made: raw texts by name, reasons, and which rows are set aside."""

    def __init__(self, table: Table, raw: RawBatch) -> None:
        self.raw = dict(zip(table.source_columns, raw.columns, strict=True))
        self.count = raw.rows
        self.keep: Mask = np.ones(raw.rows, dtype=np.bool_)
        self.bad: dict[str, Mask] = {}
        self.made: dict[str, pa.Array] = {}

    def report(self, reason: str, rows: Mask, set_aside: bool = False) -> None:
        """Count rows under a reason, and leave them out of the lake when they are set aside."""
        if rows.any():
            self.bad[reason] = self.bad.get(reason, np.zeros(self.count, dtype=np.bool_)) | rows
        if set_aside:
            self.keep &= ~rows

    def instant(self, source: str, *, required: bool = False) -> tuple[Moments, Mask]:
        """The instants of a column; where one is required, a row without it is set aside."""
        moments, known, bad = parse_instants(self.raw[source])
        self.report(f"unparseable_{source}", ~known if required else bad, set_aside=required)
        return moments, known

    def integer(self, source: str, *, required: bool = False, minimum: int | None = None) -> tuple[Moments, Mask]:
        """The integers of a column, with what is below the minimum counted as unparseable."""
        values, known = parse_integers(self.raw[source])
        if minimum is not None:
            known &= values >= minimum
        bad = ~known if required else presence(self.raw[source]) & ~known
        self.report(f"unparseable_{source}", bad, set_aside=required)
        return values, known


def parse_batch(
    table: Table, raw: RawBatch, since_day: int | None = None, *, with_undated: bool = False
) -> ParsedBatch:
    """The typed rows of one raw batch; with `since_day` only those that are known to be of that UTC day or later.

    `with_undated` keeps, beside those, the ones of no day.

    Reasons are `unparseable_<column of the export>`, `empty_rule_id` and `unreadable_row`. A row is set aside when
    it lacks what gives it a place in any figure: its time, or the number of its pull request; otherwise the value
    alone is null.
    """
    columns = _Columns(table, raw)
    _MAKERS[table.name](columns)
    arrays = [
        columns.made[column.name] if column.name in columns.made else columns.raw[column.name]
        for column in table.columns
    ]
    days = _own_days(columns.made[table.increments]) if table.increments else None
    unreadable = list(raw.unreadable)
    malformed, listed = _malformed(table, columns)
    if since_day is not None:
        assert days is not None
        asked = (days >= since_day) | (days == UNDATED) if with_undated else days >= since_day
        columns.keep &= asked
        columns.bad = {reason: rows & asked for reason, rows in columns.bad.items()}
        malformed, listed = malformed & asked, listed & asked
        unreadable = unreadable if with_undated else []
    rows = _kept(pa.RecordBatch.from_arrays(arrays, schema=schema_of(table)), columns.keep)
    found = {reason: np.flatnonzero(bad) for reason, bad in columns.bad.items()}
    found = {reason: where for reason, where in found.items() if len(where)}
    quarantined: dict[str, list[int]] = {}
    if found:
        positions = raw.locate()
        quarantined = {reason: [positions[row] for row in where] for reason, where in found.items()}
    if unreadable:
        quarantined[UNREADABLE_ROW] = unreadable
    parsed = ParsedBatch(rows, quarantined, int(malformed.sum()), int(listed.sum()))
    if days is not None:
        by_reason = {reason: days[where] for reason, where in found.items()}
        read = days if since_day is None else days[asked]
        if unreadable:
            by_reason[UNREADABLE_ROW] = np.full(len(unreadable), UNDATED)
            read = np.concatenate((read, by_reason[UNREADABLE_ROW]))
        kept = days if columns.keep.all() else days[columns.keep]
        parsed.days = RowDays(read, kept, days[malformed], days[listed], by_reason)
    return parsed


def _own_days(moments: pa.Int64Array) -> Days:
    values = np.frombuffer(moments.buffers()[1], dtype=np.int64)[: len(moments)] // DAY
    return values if moments.null_count == 0 else np.where(presence(moments), values, UNDATED)


def _malformed(table: Table, columns: _Columns) -> tuple[Mask, Mask]:
    """Which rows hold no strict JSON object where one belongs, and which of them a figure would read.

    All readable rows count, those that are set aside for another reason too (contract section 12).
    """
    if table.name == "audit_events":
        malformed = columns.made["metadata_malformed"]
        listed = pc.and_(malformed, _is_listed(columns.made["family"]))
        return mask_of(malformed), mask_of(listed)
    if table.name == "orb_risk_control_arms":
        payloads = columns.raw["payload_json"].to_pylist()
        malformed_payloads = np.array([object_members(payload or "") is None for payload in payloads], dtype=np.bool_)
        return malformed_payloads, malformed_payloads
    none = np.zeros(columns.count, dtype=np.bool_)
    return none, none


def _kept(rows: pa.RecordBatch, keep: Mask) -> pa.Table:
    """The rows that stay. When few go, the spans between them are taken as they are, without a copy."""
    gone = np.flatnonzero(~keep)
    if len(gone) > MOST_SPANS:
        return pa.Table.from_batches([rows.filter(pa.array(keep))])
    starts, ends = [0, *(gone + 1).tolist()], [*gone.tolist(), len(keep)]
    spans = [rows.slice(start, end - start) for start, end in zip(starts, ends, strict=True) if end > start]
    return pa.Table.from_batches(spans, rows.schema)


def _is_listed(family: pa.StringArray) -> pa.BooleanArray:
    listed = pc.is_in(family, value_set=pa.array(LISTED_EVENT_FAMILIES, pa.string()))
    return pc.fill_null(pc.or_(listed, pc.starts_with(family, ACTION_FAMILY_PREFIX)), False)


# --- texts ----------------------------------------------------------------------------------------------------


def parse_integers(column: pa.StringArray) -> tuple[Moments, Mask]:
    """int64 values and which of them are known: digits with an optional minus, or a real with a zero fraction.

    `12`, `-3`, `12.0` are integers; `+12`, `1e3`, `12.5`, ` 12` and what lies beyond 64 bits are not.
    """
    values = np.zeros(len(column), dtype=np.int64)
    short = pc.fill_null(pc.match_substring_regex(column, r"^-?[0-9]{1,18}(?:\.0+)?$"), False)
    known = mask_of(short)
    rows = np.flatnonzero(known)
    if len(rows):
        texts = pc.replace_substring_regex(column.take(pa.array(rows)), r"\.0+$", "")
        values[rows] = np.frombuffer(texts.cast(pa.int64()).buffers()[1], dtype=np.int64)[: len(rows)]
    long = pc.fill_null(pc.match_substring_regex(column, r"^-?[0-9]{19,}(?:\.0+)?$"), False)
    for row in np.flatnonzero(mask_of(long)):
        text = column[int(row)].as_py().split(".")[0]
        digits = text.lstrip("-").lstrip("0") or "0"
        if len(digits) <= 19 and -(2**63) <= (number := int(digits) * (-1 if text[0] == "-" else 1)) < 2**63:
            values[row], known[row] = number, True
    return values, known


def parse_flags(column: pa.StringArray) -> tuple[Mask, Mask]:
    """Booleans and which are known: NULL, 0, f, false are false; t, true and any other integer are true."""
    encoded = pc.dictionary_encode(column)
    values = [flag_of(text) for text in encoded.dictionary.to_pylist()] + [False]
    indices = pc.fill_null(encoded.indices, len(values) - 1)
    picked = np.frombuffer(indices.buffers()[1], dtype=np.int32)[: len(column)]
    flags = np.array([bool(value) for value in values])[picked]
    known = np.array([value is not None for value in values])[picked]
    return flags, known


def flag_of(text: str) -> bool | None:
    """One flag; None when the text is neither a truth value nor an integer."""
    lowered = text.lower()
    if lowered in ("t", "true"):
        return True
    if lowered in ("f", "false"):
        return False
    values, known = parse_integers(pa.array([text], pa.string()))
    return bool(values[0]) if known[0] else None


def mask_of(column: pa.BooleanArray) -> Mask:
    """A boolean column without nulls as a numpy mask."""
    if len(column) == 0:
        return np.zeros(0, dtype=np.bool_)
    bits = np.unpackbits(np.frombuffer(column.buffers()[1], dtype=np.uint8), bitorder="little")
    return bits[column.offset : column.offset + len(column)].astype(np.bool_)


def split_target_keys(column: pa.StringArray) -> tuple[pa.StringArray, pa.StringArray]:
    """Repository and pull request of target keys; both null unless the key names a pull request.

    A key names one when it has exactly one `#`, something before it and only ASCII digits after it:
    `A/b#007` is (a/b, a/b#7), `a/b#7#c0ffee` is neither.
    """
    encoded = pc.dictionary_encode(column)
    parts = pc.extract_regex(encoded.dictionary, r"^(?P<repo>[^#]+)#(?P<number>[0-9]+)$")
    repo = pc.ascii_lower(pc.struct_field(parts, [0]))
    number = without_leading_zeros(pc.struct_field(parts, [1]))
    is_pull_request = pc.is_valid(parts)
    empty = pa.scalar(None, pa.string())
    repo = pc.if_else(is_pull_request, repo, empty)
    pull_request = pc.if_else(is_pull_request, pc.binary_join_element_wise(repo, number, "#"), empty)
    return repo.take(encoded.indices), pull_request.take(encoded.indices)


def without_leading_zeros(digits: pa.StringArray) -> pa.StringArray:
    """`007` -> `7`, `000` -> `0`."""
    return pc.replace_substring_regex(digits, r"^0+([0-9])", r"\1")


def repositories(column: pa.StringArray) -> pa.StringArray:
    """Repository names with ASCII letters lower-cased; an empty name is none."""
    encoded = pc.dictionary_encode(column)
    names = encoded.dictionary
    lowered = pc.if_else(pc.equal(names, ""), pa.scalar(None, pa.string()), pc.ascii_lower(names))
    return lowered.take(encoded.indices)


def days_of(moments: Moments, known: Mask) -> pa.Date32Array:
    """UTC days of instants."""
    return date32_array(moments // DAY, known)


def weeks_of(moments: Moments, known: Mask) -> pa.Date32Array:
    """Mondays of the weeks of instants."""
    return date32_array(monday(moments // DAY), known)


def monday(days: Moments) -> Moments:
    """Day numbers of the Mondays at or before days: 1970-01-01, day 0, was a Thursday, so its Monday is -3."""
    return days - (days + 3) % 7


# --- tables ---------------------------------------------------------------------------------------------------


def _pull_request(columns: _Columns, repository: str, number: str) -> None:
    """repo, the number and pull_request from a repository and a number column; rows without a number are set aside."""
    values, known = columns.integer(number, required=True, minimum=0)
    numbers = int64_array(values, known)
    repo = repositories(columns.raw[repository])
    columns.made["repo"] = repo
    columns.made[number] = numbers
    columns.made["pull_request"] = pc.binary_join_element_wise(repo, numbers.cast(pa.string()), "#")


def _moment(columns: _Columns, source: str, name: str, *, required: bool = False) -> tuple[Moments, Mask]:
    moments, known = columns.instant(source, required=required)
    columns.made[name] = int64_array(moments, known)
    return moments, known


def _audit_events(columns: _Columns) -> None:
    made, raw = columns.made, columns.raw
    types = pc.dictionary_encode(raw["event_type"])
    rules = [rule_of(text) for text in types.dictionary.to_pylist()]
    made["family"] = pa.array([family for family, _ in rules], pa.string()).take(types.indices)
    made["rule_id"] = pa.array([rule for _, rule in rules], pa.string()).take(types.indices)
    columns.report(EMPTY_RULE_ID, mask_of(pc.fill_null(pc.equal(made["rule_id"], ""), False)), set_aside=True)
    made["repo"], made["pull_request"] = split_target_keys(raw["target_key"])
    moments, known = _moment(columns, "created_at", "ts_us", required=True)
    made["day"] = days_of(moments, known)
    made["week"] = weeks_of(moments, known)
    is_run = pc.fill_null(pc.is_in(made["family"], value_set=pa.array(STORED_AT_FAMILIES, pa.string())), False)
    made["stored_at"] = pc.if_else(is_run, raw["created_at"], pa.scalar(None, pa.string()))
    made.update(metadata.parse_metadata(raw["metadata_json"]))


def rule_of(event_type: str) -> tuple[str, str | None]:
    """Family and rule of an event type: `signal.rule_fired:x` -> (signal.rule_fired, x); others have no rule."""
    family, colon, rule = event_type.partition(":")
    if colon and family in SIGNAL_FAMILIES:
        return family, rule
    return event_type, None


def _pull_requests(columns: _Columns) -> None:
    _pull_request(columns, "repo_full_name", "number")
    merged, is_merged_known = _moment(columns, "merged_at", "merged_us")
    present = presence(columns.raw["merged_at"])
    columns.made["merged"] = bool_array(present, np.ones(columns.count, dtype=np.bool_))
    columns.made["merged_week"] = weeks_of(merged, is_merged_known)
    _moment(columns, "created_at", "created_us")
    columns.made["updated_week"] = weeks_of(*_moment(columns, "updated_at", "updated_us"))


def _pull_request_files(columns: _Columns) -> None:
    _pull_request(columns, "repo_full_name", "pull_number")


def _review_audit(columns: _Columns) -> None:
    _moment(columns, "created_at", "ts_us", required=True)


def _decision_records(columns: _Columns) -> None:
    _pull_request(columns, "repo_full_name", "pull_number")
    moments, known = _moment(columns, "created_at", "ts_us", required=True)
    columns.made["day"] = days_of(moments, known)
    columns.made["week"] = weeks_of(moments, known)
    columns.made["record_content"] = pa.nulls(columns.count, pa.string())
    columns.made["findings_count"] = int64_array(*columns.integer("findings_count"))


def _decision_ledger(columns: _Columns) -> None:
    columns.made["seq"] = int64_array(*columns.integer("seq", required=True))
    _moment(columns, "created_at", "ts_us")


def _decision_ledger_anchors(columns: _Columns) -> None:
    columns.made["seq"] = int64_array(*columns.integer("seq"))
    _moment(columns, "created_at", "ts_us")


def _orb_instances(columns: _Columns) -> None:
    flags, known = parse_flags(columns.raw["registered"])
    columns.report("unparseable_registered", ~known, set_aside=True)
    columns.made["registered"] = bool_array(flags, known)


def _orb_signals(columns: _Columns) -> None:
    made = columns.made
    made["time_to_close_ms"] = int64_array(*columns.integer("time_to_close_ms"))
    decided, is_decided_known = _moment(columns, "decision_timestamp", "decided_us")
    is_decided_given = presence(columns.raw["decision_timestamp"])
    made["decided_given"] = bool_array(is_decided_given, np.ones(columns.count, dtype=np.bool_))
    received, is_received_known = _moment(columns, "received_at", "received_us", required=True)
    made["received_day"] = days_of(received, is_received_known)
    # Given but unreadable: in no week of the trend, although the signal itself counts.
    trend = np.where(is_decided_known, decided, received)
    is_trend_known = is_decided_known | (~is_decided_given & is_received_known)
    made["trend_day"] = days_of(trend, is_trend_known)
    made["trend_week"] = weeks_of(trend, is_trend_known)


def _orb_signal_rollups(columns: _Columns) -> None:
    moments, known = columns.instant("day", required=True)
    columns.made["day"] = days_of(moments, known)
    columns.made["week"] = weeks_of(moments, known)
    columns.made["n"] = int64_array(*columns.integer("n", required=True, minimum=0))


def _orb_pr_outcomes(columns: _Columns) -> None:
    _pull_request(columns, "repository_full_name", "pr_number")
    columns.made["installation_id"] = int64_array(*columns.integer("installation_id"))
    columns.made["occurred_week"] = weeks_of(*_moment(columns, "occurred_at", "occurred_us", required=True))


def _orb_outcome_rollups(columns: _Columns) -> None:
    for name in ("merged", "closed", "total"):
        values, known = columns.integer(name, minimum=0)
        # NULL stays null, which a sum passes over; a text that is no number sets the row aside.
        columns.keep &= known | ~presence(columns.raw[name])
        columns.made[name] = int64_array(values, known)


def _orb_github_installations(columns: _Columns) -> None:
    columns.made["installation_id"] = int64_array(*columns.integer("installation_id", required=True))
    _orb_instances(columns)


def _orb_risk_control_arms(columns: _Columns) -> None:
    _moment(columns, "updated_at", "updated_us")


_MAKERS: dict[str, Callable[[_Columns], None]] = {
    "audit_events": _audit_events,
    "pull_requests": _pull_requests,
    "pull_request_files": _pull_request_files,
    "review_audit": _review_audit,
    "decision_records": _decision_records,
    "decision_ledger": _decision_ledger,
    "decision_ledger_anchors": _decision_ledger_anchors,
    "orb_instances": _orb_instances,
    "orb_signals": _orb_signals,
    "orb_signal_rollups": _orb_signal_rollups,
    "orb_pr_outcomes": _orb_pr_outcomes,
    "orb_outcome_rollups": _orb_outcome_rollups,
    "orb_github_installations": _orb_github_installations,
    "orb_risk_control_arms": _orb_risk_control_arms,
}
