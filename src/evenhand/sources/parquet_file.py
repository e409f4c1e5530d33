"""One table as Parquet.

Belongs here: the text of each Parquet type. Does not: what a text means (lake).
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.errors import SourceError
from evenhand.lake.tables import Table
from evenhand.sources.base import RawBatch, batch_without
from evenhand.sources.utf8 import readable_rows
from evenhand.sources.values import real_text

_ROWS_PER_BATCH = 16_384
_FREELY = 1 << 30
_ROWS_FREELY = 10_000_000
_TIMES = 300
"""What unpacks to so many times its size, or holds so many rows a byte, past what may be had freely, is no export."""


class ParquetFile:
    """A `.parquet` file."""

    def __init__(self, path: Path, label: str) -> None:
        self.path = path
        self.label = label

    def columns(self) -> set[str]:
        """The names in the file's schema."""
        with self._open() as file:
            return set(file.schema_arrow.names)

    def batches(self, table: Table) -> Iterator[RawBatch]:
        """The rows, `_ROWS_PER_BATCH` at a time; positions are row numbers from 1."""
        with self._open() as file:
            names = [name for name in table.source_columns if name in file.schema_arrow.names]
            first = 1
            try:
                for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH, columns=names, use_threads=False):
                    positions = list(range(first, first + batch.num_rows))
                    first += batch.num_rows
                    raw = [self._bytes(name, batch.column(name)) for name in names]
                    columns, bad = readable_rows(raw)
                    yield batch_without(table, dict(zip(names, columns, strict=True)), positions, bad)
            except (pa.ArrowException, OSError) as error:
                raise SourceError(f"{self.label} is damaged ({error}): export it again") from error

    def _open(self) -> pq.ParquetFile:
        try:
            file = pq.ParquetFile(self.path)
            self._refuse_bomb(file.metadata)
            return file
        except (pa.ArrowException, OSError) as error:
            raise SourceError(f"{self.label} is cut off or no Parquet file: export it again") from error

    def _refuse_bomb(self, metadata: pq.FileMetaData) -> None:
        """SourceError when a small file says that it holds more than any export packs into it."""
        size = self.path.stat().st_size
        unpacked = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
        if unpacked > max(_FREELY, _TIMES * size) or metadata.num_rows > max(_ROWS_FREELY, _TIMES * size):
            raise SourceError(
                f"{self.label} unpacks to {metadata.num_rows:,} rows and {unpacked >> 20:,} MB, more than {_TIMES} "
                "times its size, as no export does: export it again"
            )

    def _bytes(self, name: str, column: pa.Array) -> pa.BinaryArray:
        """A column of any scalar type as the bytes of its texts."""
        kind = column.type
        if pa.types.is_dictionary(kind):
            return self._bytes(name, column.dictionary_decode())
        if pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_null(kind):
            return column.cast(pa.binary())
        if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
            return column.cast(pa.binary())
        if (
            pa.types.is_integer(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_decimal(kind)
            or pa.types.is_date(kind)
        ):
            return column.cast(pa.string()).cast(pa.binary())
        if pa.types.is_floating(kind):
            texts = [None if value is None else real_text(value) for value in column.to_pylist()]
            return pa.array(texts, pa.string()).cast(pa.binary())
        if pa.types.is_timestamp(kind):
            return _timestamp_texts(column)
        raise SourceError(f"{self.label}: the column {name} has the type {kind}: export it as text")


def _timestamp_texts(column: pa.Array) -> pa.BinaryArray:
    """Timestamps as `YYYY-MM-DDTHH:MM:SS.mmmZ`, with six or nine digits where three would lose something."""
    nanoseconds = column.cast(pa.timestamp("ns", tz=column.type.tz)).cast(pa.int64()).to_pylist()
    return pa.array([None if value is None else _timestamp_text(value) for value in nanoseconds], pa.binary())


def _timestamp_text(nanoseconds: int) -> bytes:
    from evenhand.timeline import to_datetime

    seconds, fraction = divmod(nanoseconds, 1_000_000_000)
    digits = f"{fraction:09d}"
    while len(digits) > 3 and digits.endswith("000"):
        digits = digits[:-3]
    return (to_datetime(seconds * 1_000_000).strftime("%Y-%m-%dT%H:%M:%S.") + digits + "Z").encode()
