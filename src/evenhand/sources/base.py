"""What every kind of export gives: one table at a time, in batches of raw text.

Belongs here: the shape of a batch and of a source. Does not: any one kind of export (a module each), or what the
texts mean (lake).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from evenhand.errors import BusySourceError
from evenhand.lake.tables import Table

Part = tuple[int, int] | str | None
"""A share of a table's rows: rowids above the first and up to the second; a date, for the rows of that UTC day and
later, or OF_NO_DAY and a date, for the rows of no day that that share leaves out; None for all of them."""

OF_NO_DAY = "undated "
"""Begins the name of the share of the rows whose own instant is none, or such as only a reader of texts can tell."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a table that only grows had been read, and what tells whether it is still the same table."""

    lowest: int
    highest: int
    """Keys of the first and the last row."""
    rows: int
    samples: dict[int, str]
    """Key -> digest of what never changes in that row, for some rows spread over the table."""

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Mark":
        """From a manifest; JSON has made texts of the keys."""
        samples = {int(key): digest for key, digest in value["samples"].items()}
        return cls(value["lowest"], value["highest"], value["rows"], samples)


@dataclass(frozen=True, slots=True)
class DayMark:
    """How far a table without row numbers had been read: what each UTC day of its own instant held."""

    days: dict[str, int]
    """Date -> rows."""
    of_no_day: int
    """Rows that the source gives no day of the calendar to."""
    samples: dict[int, str]
    """Place of a row -> digest of what never changes in it, for one row of some days."""
    sample_days: dict[int, str]
    """Place of such a row -> its day."""

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(self.days.values()) + self.of_no_day

    def since(self, day: str) -> int:
        """Rows of a day and later ones."""
        return sum(rows for date, rows in self.days.items() if date >= day)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "DayMark":
        """From a manifest."""
        samples = {int(place): digest for place, digest in value["samples"].items()}
        sample_days = {int(place): day for place, day in value["sample_days"].items()}
        return cls(value["days"], value["of_no_day"], samples, sample_days)


AnyMark = Mark | DayMark


def mark_from_json(value: dict[str, Any]) -> AnyMark:
    """A mark of either kind."""
    return DayMark.from_json(value) if "days" in value else Mark.from_json(value)


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Some rows of one table as text, the same whatever kind of export they come from.

    `columns` are Arrow string columns in the order of `Table.source_columns`; NULL stays NULL, an integer is
    `12`, a real its shortest exact text (`12.5`, `12.0`), a boolean `true` or `false`.
    """

    columns: list[pa.StringArray]
    rows: int
    """Readable rows: the length of each column."""
    locate: Callable[[], list[int]]
    """Where each readable row stands in the export: its rowid in SQLite, else its number from 1 (lines in NDJSON).

    Asked only when a row of the batch is quarantined.
    """
    unreadable: list[int] = field(default_factory=list)
    """Positions of rows that could not be read as text at all and are not in `columns`."""


class Source(ABC):
    """One export, read strictly: nothing in it or beside it is ever written."""

    kind: str
    """The kind of export, for the manifest: `sqlite`, `folder`."""
    label: str
    """The name to show: a file or folder name, never an address or an absolute path."""

    @abstractmethod
    def tables(self) -> tuple[str, ...]:
        """Declared tables that the export provides, in declared order."""

    def has(self, table: Table) -> bool:
        """Whether the rows of a table can be read, of one too that no extraction reads."""
        return table.name in self.tables()

    @abstractmethod
    def missing_columns(self, table: Table) -> tuple[str, ...]:
        """Declared export columns that a provided table lacks; they read as NULL."""

    @abstractmethod
    def batches(self, table: Table, part: Part = None) -> Iterator[RawBatch]:
        """The rows of a provided table, or one part of them, in bounded memory."""

    def parts(self, table: Table) -> list[Part]:
        """Shares of a table that can be read apart, by another process too; together they are all of it."""
        return [None]

    @abstractmethod
    def address(self) -> str:
        """The argument of open_source that opens the same export in another process; never shown or stored."""

    @abstractmethod
    def size(self) -> int:
        """Bytes of the export, about: what decides whether a second process is worth its start."""

    def mark(self, table: Table) -> AnyMark | None:
        """How far the table goes, by a key that only grows or by days; None when it has neither or is empty."""
        return None

    @abstractmethod
    def check_unchanged(self) -> None:
        """Raise BusySourceError when the export was written to since it was opened."""

    def close(self) -> None:  # noqa: B027 - most sources hold nothing open between two batches
        """Let go of the export."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RowNumbered(Source):
    """An export whose rows have numbers that only grow, so that a later extraction goes on above the last of them."""

    @abstractmethod
    def digests(self, table: Table, keys: Collection[int]) -> dict[int, str]:
        """For those numbers that have a row: a digest of what never changes in it."""

    @abstractmethod
    def rows_above(self, table: Table, key: int) -> int:
        """How many rows lie above a number."""

    @abstractmethod
    def parts_above(self, table: Table, key: int) -> list[Part]:
        """Shares of the rows above a number."""

    @abstractmethod
    def parts_since(self, table: Table, key: int, day: str) -> list[Part]:
        """Shares that hold, among others, every row up to a number whose instant, as text, is at or after a date."""


class DayCounted(Source):
    """An export whose rows can be counted by UTC day, so that a later extraction goes on from a day."""

    @abstractmethod
    def digests(self, table: Table, keys: Collection[int]) -> dict[int, str]:
        """For those remembered places that have a row: a digest of what never changes in it."""

    @abstractmethod
    def parts_from_day(self, table: Table, day: str, has_undated: bool) -> list[Part]:
        """Shares of the rows of a UTC day and later, and of those of no day if there can be any."""


def text_columns(table: Table, columns: dict[str, pa.StringArray], rows: int) -> list[pa.StringArray]:
    """The columns of a batch in declared order, all NULL where the export has none."""
    empty = pa.nulls(rows, pa.string())
    return [columns.get(name, empty) for name in table.source_columns]


def batch_without(
    table: Table,
    columns: dict[str, pa.StringArray],
    positions: list[int],
    bad: list[int],
    unreadable: Sequence[int] = (),
) -> RawBatch:
    """A batch of columns that some rows, given by their numbers in it, have already been left out of."""
    gone = set(bad)
    kept = [position for row, position in enumerate(positions) if row not in gone]
    texts = text_columns(table, columns, len(kept))
    return RawBatch(texts, len(kept), lambda: kept, [positions[row] for row in bad] + list(unreadable))


def label_of(path: Path) -> str:
    """The last part of a path, which is all that may be shown of it."""
    return path.name or path.resolve().name


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells that files were not written to: their identity, size and time of change."""

    paths: tuple[Path, ...]
    marks: tuple[tuple[int, int, int] | None, ...]

    @classmethod
    def of(cls, paths: tuple[Path, ...]) -> "Fingerprint":
        """The present state of some files; a file that is not there is a state too."""
        return cls(paths, tuple(_mark(path) for path in paths))

    def check(self, label: str) -> None:
        """Raise BusySourceError when any of the files is another one or was written to."""
        if Fingerprint.of(self.paths) != self:
            raise BusySourceError(f"{label} was written to while it was read: try again, or export a copy")


def _mark(path: Path) -> tuple[int, int, int] | None:
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns
