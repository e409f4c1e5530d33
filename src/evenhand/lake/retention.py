"""What a lake forgets with age, and what it never does.

Belongs here: the days before which events and records are dropped, and what is left of a dropped row. Does not: when
an extraction runs (writing.py), or which figure looks how far back (metrics).

Events that figures of any age read are never dropped: published surfaces and calibration runs. Of a verdict the record
itself is dropped, the one thing in it that can hold anything; what is counted stays, and in the place of the record its
digest, so that the ledger's chain is verified as before.
"""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from evenhand.canonical import sha256_hex
from evenhand.lake.ledger_json import canonical_text
from evenhand.lake.tables import AUDIT_EVENTS, DECISION_RECORDS, Table
from evenhand.timeline import DAY


@dataclass(frozen=True, slots=True)
class Retention:
    """The UTC days, as numbers, before which rows are dropped, and the families of events that never are."""

    events_from: int
    records_from: int
    event_days: int
    record_days: int
    kept_families: tuple[str, ...]

    @classmethod
    def at(cls, as_of: int, event_days: int, record_days: int, kept_families: tuple[str, ...]) -> "Retention":
        """The retention of an as-of: whole days go when they end before it minus the days."""
        return cls(as_of // DAY - event_days, as_of // DAY - record_days, event_days, record_days, kept_families)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Retention":
        """From a manifest."""
        return cls(**{**value, "kept_families": tuple(value["kept_families"])})

    def same_rule(self, other: "Retention | None") -> bool:
        """Whether the other drops by the same rule, whatever its days are."""
        return other is not None and (self.event_days, self.record_days, self.kept_families) == (
            other.event_days,
            other.record_days,
            other.kept_families,
        )

    def later(self, other: "Retention") -> "Retention":
        """What was dropped stays dropped: the later of two of the same rule."""
        return self if self.events_from >= other.events_from else other

    def drops_from(self, table: Table, day: int) -> bool:
        """Whether something of a day of a table is dropped."""
        if table is AUDIT_EVENTS:
            return day < self.events_from
        return table is DECISION_RECORDS and day < self.records_from

    def left(self, table: Table, rows: pa.Table) -> pa.Table:
        """What is left of rows of a day that is dropped."""
        if table is AUDIT_EVENTS:
            return rows.filter(pc.is_in(rows.column("family"), value_set=pa.array(self.kept_families, pa.string())))
        return _without_records(rows)


def _without_records(rows: pa.Table) -> pa.Table:
    records = rows.column("record_json")
    digests = pa.chunked_array([pa.array([_digest(text) for text in records.to_pylist()], pa.string())])
    kept = pc.coalesce(rows.column("record_content"), digests)
    place = rows.schema.get_field_index("record_content")
    rows = rows.set_column(place, rows.schema.field(place), kept)
    place = rows.schema.get_field_index("record_json")
    return rows.set_column(place, rows.schema.field(place), pa.nulls(rows.num_rows, pa.string()))


def _digest(record: str | None) -> str | None:
    """Empty for a record that was no JSON, which no digest of the ledger can equal."""
    if record is None:
        return None
    try:
        return sha256_hex(canonical_text(record))
    except (ValueError, RecursionError):
        return ""
