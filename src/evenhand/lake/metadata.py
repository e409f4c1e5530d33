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

BULK_TEXTS = 300
"""Fewer texts are read one by one (70 microseconds each) before DuckDB is even loaded."""


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
    compared = (object_members(comparison) if comparison.startswith("{") else None) or {}
    return Metadata(
        verdict=text_value(members.get("verdict")),
        basis=text_value(members.get("basis")),
        provenance=text_value(members.get("provenance")),
        signal_outcome=text_value(members.get("outcome")),
        confidence=finite_double(number_value(members.get("confidence"))),
        mode=text_value(members.get("mode")),
        review_effort_minutes=exact_decimal(number_value(members.get("reviewEffortMinutes"))),
        corpus_checksum=text_value(members.get("corpusChecksum")),
        comparison_rule=text_value(compared.get("ruleId")),
        comparison_verdict=text_value(compared.get("verdict")),
    )


def exact_decimal(decimal: str | None) -> str | None:
    """The decimal text of a JSON number as it stands there, minus zero as zero."""
    return "0" if decimal == "-0" else decimal


def finite_double(decimal: str | None) -> float | None:
    """The double of a JSON number; None when it is beyond every double, as 1e400 is: it cannot be printed.

    Minus zero is zero, which is how ECMAScript prints it.
    """
    if decimal is None:
        return None
    double = float(decimal)
    return double + 0.0 if math.isfinite(double) else None


def parse_metadata(column: pa.StringArray) -> dict[str, pa.Array]:
    """Every column of COLUMNS for a column of metadata texts; equal to read_metadata on each.

    Each distinct text is read once, unless nearly all are distinct.
    """
    if column.null_count == 0 and _hardly_repeats(column):
        return _read(column)
    encoded = pc.dictionary_encode(column)
    read = _read(encoded.dictionary)
    if encoded.null_count:
        absent = parse_metadata_strictly(pa.array([None], pa.string()))
        read = {name: pa.concat_arrays([read[name], absent[name]]) for name in COLUMNS}
    # A NULL is sent to the place after the last text.
    indices = pc.fill_null(encoded.indices, len(encoded.dictionary))
    return {name: taken(read[name], indices) for name in COLUMNS}


def _hardly_repeats(column: pa.StringArray) -> bool:
    """Whether nearly all of the first texts differ, so that finding the distinct ones would cost more than it saves."""
    first = column.slice(0, 1024)
    return bool(pc.count_distinct(first).as_py() * 10 > len(first) * 9)


def _read(texts: pa.StringArray) -> dict[str, pa.Array]:
    """Texts that are all present: few one by one, many in bulk."""
    if len(texts) < BULK_TEXTS:
        return parse_metadata_strictly(texts)
    from evenhand.lake.metadata_bulk import read_many

    return read_many(texts)


def taken(column: pa.Array, indices: pa.Array) -> pa.Array:
    """The values of a column at some places; a column without a value costs nothing."""
    if column.null_count == len(column):
        return pa.nulls(len(indices), column.type)
    return column.take(indices)


def parse_metadata_strictly(column: pa.StringArray) -> dict[str, pa.Array]:
    """The same one text at a time."""
    rows = [read_metadata(text) for text in column.to_pylist()]
    return {name: pa.array([getattr(row, name) for row in rows], kind) for name, kind in COLUMNS.items()}
