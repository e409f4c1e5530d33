"""A folder with one file per table as an export.

Belongs here: which file holds which table. Does not: how a kind of file is read (ndjson_file.py, csv_file.py,
parquet_file.py), or what a text means (lake).
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from evenhand.errors import SourceError
from evenhand.lake.tables import READABLE, TABLES, Table
from evenhand.sources.base import Fingerprint, Part, RawBatch, Source, label_of
from evenhand.sources.csv_file import CsvFile
from evenhand.sources.ndjson_file import NdjsonFile
from evenhand.sources.parquet_file import ParquetFile


class TableFile(Protocol):
    """One table in one file."""

    path: Path

    def __init__(self, path: Path, label: str) -> None: ...

    def columns(self) -> set[str] | None:
        """The columns that it names; None when there is nothing to tell them from."""

    def batches(self, table: Table) -> Iterator[RawBatch]:
        """Its rows."""


class FolderSource(Source):
    """An export in a folder with one Parquet, NDJSON or CSV file per table; other files are ignored."""

    kind = "folder"
    readers: dict[str, type[TableFile]] = {  # noqa: RUF012 - a declaration, never changed
        ".parquet": ParquetFile,
        ".ndjson": NdjsonFile,
        ".ndjson.gz": NdjsonFile,
        ".csv": CsvFile,
        ".csv.gz": CsvFile,
    }

    def __init__(self, path: Path) -> None:
        self.path = path
        self.label = label_of(path)
        self._files = {name: file for name in READABLE if (file := self._find(name)) is not None}
        if not self._files:
            raise SourceError(
                f"the folder {self.label} has no file of a known table, e.g. audit_events{next(iter(self.readers))}"
            )

        self._fingerprint = Fingerprint.of(tuple(file.path for file in self._files.values()))

    def address(self) -> str:
        """The path."""
        return str(self.path.resolve())

    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.path.stat().st_size for file in self._files.values())

    def check_unchanged(self) -> None:
        """By identity, size and time of change of the files."""
        self._fingerprint.check(self.label)

    def _find(self, table: str) -> TableFile | None:
        found = [suffix for suffix in self.readers if os.path.lexists(self.path / (table + suffix))]
        if len(found) > 1:
            names = " and ".join(table + suffix for suffix in found)
            raise SourceError(f"the folder {self.label} has {names}: leave one file for each table")
        if not found:
            return None
        if not (self.path / (table + found[0])).is_file():
            raise SourceError(
                f"{table}{found[0]} in the folder {self.label} is no readable file: export it again, or remove it"
            )
        return self.readers[found[0]](self.path / (table + found[0]), f"{self.label}/{table}{found[0]}")

    def tables(self) -> tuple[str, ...]:
        """The files that name a declared table."""
        return tuple(name for name in TABLES if name in self._files)

    def has(self, table: Table) -> bool:
        """Whether there is a file of it."""
        return table.name in self._files

    def missing_columns(self, table: Table) -> tuple[str, ...]:
        """Declared columns that the file does not name."""
        provided = self._files[table.name].columns()
        # An NDJSON file without a single line names no columns, and lacks none.
        return tuple(name for name in table.source_columns if provided is not None and name not in provided)

    def batches(self, table: Table, part: Part = None) -> Iterator[RawBatch]:
        """The rows of the file."""
        return self._files[table.name].batches(table)
