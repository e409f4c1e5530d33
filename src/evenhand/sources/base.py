"""What every kind of export gives: one table at a time, in batches of raw text.

Belongs here: the shape of a batch and of a source. Does not: any one kind of export (a module each), or what the
texts mean (lake).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pyarrow as pa

from evenhand.lake.tables import Table


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some rows of one table as text, the same whatever kind of export they come from.

    `columns` are Arrow string columns in the order of `Table.source_columns`; NULL stays NULL, an integer is
    `12`, a real its shortest exact text (`12.5`, `12.0`), a boolean `true` or `false`.
    """

    columns: list[pa.StringArray]
    positions: pa.Int64Array
    """Where each row stands in the export: its rowid in SQLite, else its number from 1 (lines in NDJSON)."""
    unreadable: list[int] = field(default_factory=list)
    """Positions of rows that could not be read as text at all and are not in `columns`."""

    @property
    def rows(self) -> int:
        """Readable rows."""
        return len(self.positions)


class Source(ABC):
    """One export, read strictly: nothing in it or beside it is ever written."""

    kind: str
    """The kind of export, for the manifest: `sqlite`, `folder`."""
    label: str
    """The name to show: a file or folder name, never an address or an absolute path."""

    @abstractmethod
    def tables(self) -> tuple[str, ...]:
        """Declared tables that the export provides, in declared order."""

    @abstractmethod
    def missing_columns(self, table: Table) -> tuple[str, ...]:
        """Declared export columns that a provided table lacks; they read as NULL."""

    @abstractmethod
    def batches(self, table: Table) -> Iterator[RawBatch]:
        """The rows of a provided table, in bounded memory."""

    def close(self) -> None:
        """Let go of the export."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def text_columns(table: Table, columns: dict[str, pa.Array], rows: int) -> list[pa.StringArray]:
    """The columns of a batch in declared order, all NULL where the export has none."""
    empty = pa.nulls(rows, pa.string())
    return [columns.get(name, empty) for name in table.source_columns]


def label_of(path: Path) -> str:
    """The last part of a path, which is all that may be shown of it."""
    return path.name or path.resolve().name
