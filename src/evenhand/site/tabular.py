"""What a published table is: columns with meanings, typed rows, and how a figure stands in a row.

Belongs here: the shape that every table shares. Does not: which tables there are (datasets, review_datasets), or bytes.

Source: interface contract, "The published tree".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import pyarrow as pa

from evenhand.canonical import canonical, sha256_hex
from evenhand.figures import Figure
from evenhand.site.facts import FileColumn

_INTEGER_LIMIT = 2**63
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
    "day": pa.date32(),
}


@dataclass(frozen=True)
class Dataset:
    """One published table."""

    name: str
    title: str
    columns: tuple[FileColumn, ...]
    rows: pa.Table

    @cached_property
    def row_digest(self) -> str:
        """SHA-256 of the rows, whatever file holds them: of the table's CSV text before any guard."""
        return sha256_hex(csv_text(self.rows, guarded=False).encode("utf-8"))


def columns(*described: tuple[str, str, str]) -> tuple[FileColumn, ...]:
    """Columns from (name, type, meaning)."""
    return tuple(FileColumn(name, kind, meaning) for name, kind, meaning in described)


def evidence(scale: str) -> tuple[tuple[str, str, str], ...]:
    """The columns of a figure: value, interval, and the reason when there is none."""
    return (
        ("value", "number", f"{scale}; empty when withheld"),
        ("low", "number", f"lower end of the 95 % Wilson interval, {scale}"),
        ("high", "number", f"upper end of the 95 % Wilson interval, {scale}"),
        (
            "withheld",
            "text",
            "the reason when there is no value: below_floor, not_measurable, nothing_decided, withheld_for_privacy, "
            "window_not_covered",
        ),
    )


def evidence_of(figure: Figure) -> tuple[Any, ...]:
    """The cells of a figure."""
    low, high = figure.bounds or (None, None)
    return figure.value, low, high, str(figure.withheld.reason) if figure.withheld else None


def dataset(name: str, title: str, columns: tuple[FileColumn, ...], rows: Iterable[tuple[Any, ...]]) -> Dataset:
    """A table of rows, each typed as its column says."""
    listed = list(rows)
    arrays = [
        pa.array((_typed(row[index], column.type) for row in listed), _TYPES[column.type])
        for index, column in enumerate(columns)
    ]
    return Dataset(name, title, columns, pa.table(arrays, names=[column.name for column in columns]))


def _typed(value: Any, kind: str) -> Any:
    """The value as its column holds it; a number that no column can hold is left out, as an empty cell."""
    if value is None or kind not in ("number", "integer"):
        return value
    try:
        return float(value) if kind == "number" else value if abs(value) < _INTEGER_LIMIT else None
    except OverflowError:
        return None


def csv_text(table: pa.Table, *, guarded: bool = True) -> str:
    """RFC 4180 with LF: texts always quoted, so that empty text and null differ; numbers as JSON prints them.

    A text that a spreadsheet would take for a formula is guarded by a leading `'`; so is one that begins with `'`, so
    that taking one away always gives the text back. Numbers are never guarded: -1 stays a number.
    """
    header = ",".join(table.column_names)
    columns = [_csv_column(table[name].to_pylist(), guarded) for name in table.column_names]
    return "\n".join([header, *map(",".join, zip(*columns, strict=True))]) + "\n"


def _csv_column(values: list[Any], guarded: bool) -> list[str]:
    cells: dict[Any, str] = {}
    for value in set(values):
        is_formula = guarded and isinstance(value, str) and value.startswith(_FORMULA_STARTS)
        cells[value] = _csv_value("'" + value if is_formula else value)
    return [cells[value] for value in values]


def _csv_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    if isinstance(value, date):
        return value.isoformat()
    return canonical(value).decode()
