"""What a published table is: columns with meanings, typed rows, and how a figure stands in a row.

Belongs here: the shape that every table shares. Does not: which tables there are (datasets, review_datasets), or bytes.

Source: interface contract, "The published tree".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from evenhand.figures import Figure
from evenhand.site.facts import FileColumn

_INTEGER_LIMIT = 2**63

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
            "the reason when there is no value: below_floor, not_measurable, nothing_decided, withheld_for_privacy",
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
