"""Typed rows on their way to their files: bucketed by day in temporary Arrow files, in bounded memory.

Belongs here: which rows go together, and where they wait. Does not: their order within a file, or the files of the
lake (assembly.py).
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.parse import schema_of
from evenhand.lake.tables import Table
from evenhand.timeline import DAY

FLUSH_ROWS = 262_144
FLUSH_BYTES = 96 << 20
"""Rows wait in memory until there are this many of them or this much of them."""

RUN_ROWS = 500
"""Rows that come in runs of one day this long on average stay in their order; shorter runs are sorted by day first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of one bucket: one record batch of a temporary file."""

    file: str
    batch: int
    rows: int
    size: int


Buckets = dict[int, list[Piece]]
"""UTC day number -> its pieces; 0 for a table that is one file."""


class Stage:
    """The waiting rows of one table in one process."""

    def __init__(self, table: Table, folder: Path, process: int) -> None:
        self._table = table
        self._folder = folder
        self._process = process
        self._waiting: list[pa.Table] = []
        self._rows = 0
        self._size = 0
        self._files = 0
        self.buckets: defaultdict[int, list[Piece]] = defaultdict(list)

    def add(self, rows: pa.Table) -> None:
        """Take typed rows."""
        if rows.num_rows == 0:
            return
        self._waiting.append(rows)
        self._rows += rows.num_rows
        self._size += rows.nbytes
        if self._rows >= FLUSH_ROWS or self._size >= FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if not self._waiting:
            return
        rows = pa.concat_tables(self._waiting)
        self._waiting, self._rows, self._size = [], 0, 0
        path = self._folder / f"{self._table.name}-{self._process}-{self._files}.arrow"
        self._files += 1
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema_of(self._table)) as writer:
            for number, (bucket, batch) in enumerate(self._bucketed(rows)):
                writer.write_batch(batch)
                self.buckets[bucket].append(Piece(path.name, number, batch.num_rows, batch.nbytes))

    def _bucketed(self, rows: pa.Table) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Record batches of one day each. Rows that come by day already are cut and not copied."""
        if not self._table.by_day:
            yield from ((0, batch) for batch in rows.to_batches())
            return
        days = instants(rows, self._table.by_day) // DAY
        runs = 1 + np.count_nonzero(days[1:] != days[:-1])
        if runs > rows.num_rows // RUN_ROWS:
            order = np.argsort(days, kind="stable")
            rows, days = rows.combine_chunks().take(pa.array(order)), days[order]
        starts = np.flatnonzero(np.concatenate(([True], days[1:] != days[:-1])))
        ends = np.append(starts[1:], len(days))
        for start, end in zip(starts, ends, strict=True):
            for batch in rows.slice(start, end - start).to_batches():
                yield int(days[start]), batch


def instants(rows: pa.Table, name: str) -> npt.NDArray[np.int64]:
    """The values of an instant column; where one is null, whatever lies under it."""
    chunks = [
        np.frombuffer(chunk.buffers()[1], dtype=np.int64)[chunk.offset : chunk.offset + len(chunk)]
        for chunk in rows.column(name).chunks
    ]
    return np.concatenate(chunks)


class StagedFiles:
    """The temporary files of all processes, each opened once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._readers: dict[str, pa.ipc.RecordBatchFileReader] = {}

    def batch(self, piece: Piece) -> pa.RecordBatch:
        """The rows of one piece, read into memory: a mapped file would count as memory for good."""
        if piece.file not in self._readers:
            self._readers[piece.file] = pa.ipc.open_file(pa.OSFile(str(self.folder / piece.file), "rb"))
        return self._readers[piece.file].get_batch(piece.batch)


def bounds(rows: pa.Table, name: str) -> tuple[int, int] | None:
    """Least and greatest value of an integer column; None when it has none."""
    found = pc.min_max(rows.column(name)).as_py()
    return None if found["min"] is None else (found["min"], found["max"])
