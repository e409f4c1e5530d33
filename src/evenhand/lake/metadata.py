"""The typed values of audit_events.metadata_json.

Belongs here: which members the lake keeps, and reading many texts at once, each distinct text once.
Does not: the JSON grammar (strict_json.py), or which figure reads a value.

Source: fairness contract section 1, "Metadata" (D4, D23, D24).
"""

import math
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.strict_json import number_value, object_members, text_value

TEXT_MEMBERS = {
    "verdict": "verdict",
    "basis": "basis",
    "provenance": "provenance",
    "signal_outcome": "outcome",
    "mode": "mode",
    "corpus_checksum": "corpusChecksum",
}
"""Lake column -> member of the metadata, kept when it is a JSON string."""
COMPARISON_MEMBERS = {"comparison_rule": "ruleId", "comparison_verdict": "verdict"}
"""Lake column -> member of `metadata.comparison`, kept when both are what they should be."""

COLUMNS: dict[str, pa.DataType] = {
    "metadata_malformed": pa.bool_(),
    "verdict": pa.string(),
    "basis": pa.string(),
    "provenance": pa.string(),
    "signal_outcome": pa.string(),
    "confidence": pa.float64(),
    "mode": pa.string(),
    "review_effort_minutes": pa.string(),
    "corpus_checksum": pa.string(),
    "comparison_rule": pa.string(),
    "comparison_verdict": pa.string(),
}
"""Every column made from metadata, in the order of the table's declaration."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the lake keeps of one metadata text; every value is absent when it is malformed."""

    metadata_malformed: bool = False
    verdict: str | None = None
    basis: str | None = None
    provenance: str | None = None
    signal_outcome: str | None = None
    confidence: float | None = None
    mode: str | None = None
    review_effort_minutes: str | None = None
    corpus_checksum: str | None = None
    comparison_rule: str | None = None
    comparison_verdict: str | None = None


MALFORMED = Metadata(metadata_malformed=True)


def read_metadata(text: str | None) -> Metadata:
    """The reference: one text, strictly."""
    members = None if text is None else object_members(text)
    if members is None:
        return MALFORMED
    comparison = members.get("comparison", "null")
    inner = object_members(comparison) if comparison.startswith("{") else None
    texts = {column: text_value(members.get(member)) for column, member in TEXT_MEMBERS.items()}
    compared = {
        column: text_value((inner or {}).get(member)) for column, member in COMPARISON_MEMBERS.items()
    }
    return Metadata(
        confidence=finite_double(number_value(members.get("confidence"))),
        review_effort_minutes=number_value(members.get("reviewEffortMinutes")),
        **texts,
        **compared,
    )


def finite_double(decimal: str | None) -> float | None:
    """The double of a JSON number; None when it is beyond every double, as 1e400 is: it cannot be printed."""
    if decimal is None:
        return None
    double = float(decimal)
    return double if math.isfinite(double) else None


def parse_metadata(column: pa.StringArray) -> dict[str, pa.Array]:
    """Every column of COLUMNS for a column of metadata texts; equal to read_metadata on each."""
    encoded = pc.dictionary_encode(column)
    rows = [read_metadata(text) for text in encoded.dictionary.to_pylist()]
    rows.append(MALFORMED)  # what NULL stands for
    indices = pc.fill_null(encoded.indices, len(rows) - 1)
    return {
        name: pa.array([getattr(row, name) for row in rows], kind).take(indices)
        for name, kind in COLUMNS.items()
    }


def parse_metadata_strictly(column: pa.StringArray) -> dict[str, pa.Array]:
    """The same without any short cut, for tests to compare with."""
    rows = [read_metadata(text) for text in column.to_pylist()]
    return {name: pa.array([getattr(row, name) for row in rows], kind) for name, kind in COLUMNS.items()}
