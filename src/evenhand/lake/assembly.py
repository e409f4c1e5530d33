"""The finished Parquet files of a lake, each from the pieces of its bucket.

Belongs here: sorting a bucket and writing it so that the same rows give the same bytes.
Does not: which rows are in a bucket (staging.py) or where the lake goes (writing.py).
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evenhand.lake.manifest import LakeFile
from evenhand.lake.ordering import sort_rows, sorted_on_disk
from evenhand.lake.parse import schema_of
from evenhand.lake.retention import Retention
from evenhand.lake.staging import Piece, StagedFiles
from evenhand.lake.tables import Table
from evenhand.timeline import DAY

ROW_GROUP_ROWS = 16_384
"""Few enough that a reader of one family of events passes over most of a busy day."""
IN_MEMORY_BYTES = 64 << 20
"""A larger bucket is sorted on disk."""

_UNIQUE = {
    "id",
    "ts_us",
    "record_id",
    "record_digest",
    "record_json",
    "head_sha",
    "prev_hash",
    "row_hash",
    "created_at",
    "seq",
    "payload_json",
    "signature",
}


_FEW_WORDS = {
    "family",
    "rule_id",
    "repo",
    "outcome",
    "day",
    "week",
    "stored_at",
    "metadata_malformed",
    "verdict",
    "basis",
    "provenance",
    "signal_outcome",
    "mode",
    "corpus_checksum",
    "comparison_rule",
    "comparison_verdict",
}
"""Columns of a few words, which their dictionary has made small already."""

_PRUNED = {"family", "ts_us", "received_us", "occurred_us", "seq"}
"""Columns whose least and greatest values let a reader pass over row groups."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """One file of the lake to be, and what goes into it."""

    table: Table
    path: str
    day: str
    pieces: list[Piece]
    carried: str = ""
    """A file of the earlier lake whose rows go into it too."""
    carried_before_day: int | None = None
    """Of those rows only what lies before this day; None: all of them."""
    carries_undated: bool = True
    """Whether what has no instant is among them."""
    carried_bytes: int = 0
    retention: Retention | None = None
    """What is left of its rows when its day is past its retention."""

    @property
    def size(self) -> int:
        """Bytes of its rows in memory."""
        return sum(piece.size for piece in self.pieces) + self.carried_bytes

    def rows(self, staged: StagedFiles) -> Iterator[pa.Table]:
        """Its rows, as they come."""
        schema = schema_of(self.table)
        for piece in self.pieces:
            yield self._left(pa.Table.from_batches([staged.batch(piece)], schema))
        if self.carried:
            with pq.ParquetFile(self.carried) as file:
                for batch in file.iter_batches(ROW_GROUP_ROWS):
                    rows = pa.Table.from_batches([batch]).select(schema.names).cast(schema)
                    yield self._left(self._before(rows))

    def _before(self, rows: pa.Table) -> pa.Table:
        if self.carried_before_day is None:
            return rows
        moments = rows.column(self.table.increments)
        return rows.filter(pc.fill_null(pc.less(moments, self.carried_before_day * DAY), self.carries_undated))

    def _left(self, rows: pa.Table) -> pa.Table:
        return rows if self.retention is None else self.retention.left(self.table, rows)


def assemble(bucket: Bucket, staged: StagedFiles, building: Path, memory_limit: str) -> LakeFile | None:
    """Write one Parquet file, sorted in total order; whoever asked for it has it put on disk (sync).

    None, and no file, when nothing is left of its rows.
    """
    schema = schema_of(bucket.table)
    target = building / bucket.path
    if bucket.size <= IN_MEMORY_BYTES:
        rows = pa.concat_tables([schema.empty_table(), *bucket.rows(staged)]).combine_chunks()
        if rows.num_rows == 0:
            return None
        count = write_rows(target, schema, iter([sort_rows(bucket.table, rows)]))
    else:
        scratch = staged.folder / (bucket.path.replace("/", "-") + ".sorting")
        scratch.mkdir()
        unsorted = (batch for rows in bucket.rows(staged) for batch in rows.to_batches())
        ordered = sorted_on_disk(bucket.table, unsorted, schema, scratch, memory_limit)
        count = write_rows(target, schema, (pa.Table.from_batches([batch]) for batch in ordered))
        if count == 0:
            target.unlink()
            return None
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return LakeFile(bucket.path, count, digest, bucket.day)


def sync(path: Path) -> None:
    """Wait until a file or folder is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _repeating(schema: pa.Schema) -> list[str]:
    """Columns that a dictionary makes smaller; identities, instants, digests and records hardly repeat."""
    return [name for name in schema.names if name not in _UNIQUE]


def write_rows(target: Path, schema: pa.Schema, tables: Iterator[pa.Table]) -> int:
    """Write sorted rows in row groups of ROW_GROUP_ROWS, however they arrive; how many there were."""
    count = 0
    waiting: list[pa.Table] = []
    waiting_rows = 0
    with pq.ParquetWriter(
        target,
        schema,
        # What a dictionary has made small, zstd makes hardly smaller, and its start costs more than the writing.
        compression={name: "none" if name in _FEW_WORDS else "zstd" for name in schema.names},
        compression_level={name: 1 for name in schema.names if name not in _FEW_WORDS},
        use_dictionary=_repeating(schema),
        write_statistics=[name for name in schema.names if name in _PRUNED],
        store_schema=False,
    ) as writer:
        for table in tables:
            count += table.num_rows
            waiting.append(table)
            waiting_rows += table.num_rows
            if waiting_rows < ROW_GROUP_ROWS:
                continue
            rows = pa.concat_tables(waiting).combine_chunks()
            whole = waiting_rows - waiting_rows % ROW_GROUP_ROWS
            for start in range(0, whole, ROW_GROUP_ROWS):
                writer.write_table(rows.slice(start, ROW_GROUP_ROWS).combine_chunks(), ROW_GROUP_ROWS)
            waiting, waiting_rows = [rows.slice(whole)], waiting_rows - whole
        if waiting_rows:
            writer.write_table(pa.concat_tables(waiting).combine_chunks(), ROW_GROUP_ROWS)
    return count
