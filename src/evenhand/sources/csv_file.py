"""One table as CSV with a header line.

Belongs here: fields, quotes and NULLs: an unquoted empty field is NULL and `""` the empty text (contract section
0). A row with another number of fields than the header is unreadable. Does not: what a text means (lake).
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv as pc_csv

from evenhand.errors import SourceError
from evenhand.lake.tables import Table
from evenhand.sources.base import RawBatch, batch_without, text_columns
from evenhand.sources.open_text import open_bytes, refuse_unpacked
from evenhand.sources.utf8 import readable_rows

_LARGEST_RECORD = 16 << 20
"""Bytes that are parsed at a time: a record has to fit into them."""


class _CountingQuotes(io.RawIOBase):
    """The bytes of a file, with the quotes among them counted: an odd number leaves a field open at the end."""

    def __init__(self, file: BinaryIO, path: Path, label: str) -> None:
        self._file = file
        self._path, self._label = path, label
        self.quotes = self._unpacked = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self.quotes += data.count(b'"')
        self._unpacked += len(data)
        refuse_unpacked(self._path, self._label, self._unpacked)
        return data


class CsvFile:
    """A `.csv` or `.csv.gz` file."""

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self.label = label

    def columns(self) -> set[str]:
        """The names in the header."""
        with open_bytes(self.path, self.label) as file:
            reader = self._open(file, {}, [])
            return set(reader.schema.names)

    def batches(self, table: Table) -> Iterator[RawBatch]:
        """The rows, a block of the file at a time; positions are record numbers after the header."""
        short: list[int] = []
        with open_bytes(self.path, self.label) as file:
            counting = _CountingQuotes(file, self.path, self.label)
            reader = self._open(counting, dict.fromkeys(table.source_columns, pa.binary()), short)
            first = 1
            while (block := self._next(reader)) is not None:
                names = [name for name in table.source_columns if name in block.schema.names]
                positions = _positions(first, block.num_rows, short)
                first += block.num_rows + len(short)
                columns, bad = readable_rows([block.column(name) for name in names])
                yield batch_without(table, dict(zip(names, columns, strict=True)), positions, bad, short)
                short.clear()
            if counting.quotes % 2:
                raise SourceError(f"{self.label} ends inside a quoted field, so it is cut off: export it again")
            if short:
                yield RawBatch(text_columns(table, {}, 0), 0, list, list(short))

    def _next(self, reader: pc_csv.CSVStreamingReader) -> pa.RecordBatch | None:
        try:
            return reader.read_next_batch()
        except StopIteration:
            return None
        except pa.ArrowInvalid as error:
            raise SourceError(f"{self.label} is no readable CSV ({error}): export it again") from error

    def _open(self, file: object, types: dict[str, pa.DataType], short: list[int]) -> pc_csv.CSVStreamingReader:
        def set_aside(row: pc_csv.InvalidRow) -> str:
            short.append(row.number)
            return "skip"

        try:
            reader = pc_csv.open_csv(
                file,
                read_options=pc_csv.ReadOptions(use_threads=False, block_size=_LARGEST_RECORD),
                parse_options=pc_csv.ParseOptions(newlines_in_values=True, invalid_row_handler=set_aside),
                convert_options=pc_csv.ConvertOptions(
                    check_utf8=False,
                    column_types=types,
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
            names = reader.schema.names
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            raise SourceError(f"{self.label} is no readable CSV ({error}): export it again") from error
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SourceError(f"{self.label} names the column {twice[0]} twice: leave one of them")
        return reader


def _positions(first: int, rows: int, short: list[int]) -> list[int]:
    """Record numbers of a block's rows, those of rows that were set aside left out."""
    gaps = {number - 1 for number in short}
    return [number for number in range(first, first + rows + len(short)) if number not in gaps]
