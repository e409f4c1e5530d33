"""The total order of rows within a file: what makes the same rows the same bytes.

Belongs here: sorting rows, in memory or on disk. Does not: which rows belong together (staging.py).
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.tables import Table
from evenhand.lake.text_buffers import presence


def total_order(table: Table) -> list[str]:
    """The declared order and then every other column, so that only equal rows tie."""
    return list(dict.fromkeys((*table.order, *table.column_names)))


def sort_rows(table: Table, rows: pa.Table) -> pa.Table:
    """The rows in total order: nulls first, texts by code point."""
    rows = rows.combine_chunks()
    if rows.num_rows < 2:
        return rows
    order = _order_by_first(table, rows)
    indices = _full_order(table, rows) if order is None else pa.array(order)
    columns = [
        column if column.null_count == len(column) else column.take(indices)
        for column in (rows.column(name).chunk(0) for name in rows.column_names)
    ]
    return pa.Table.from_arrays(columns, schema=rows.schema)


def _full_order(table: Table, rows: pa.Table) -> pa.Array:
    keys = [(name, "ascending", "at_start") for name in total_order(table)]
    return pc.sort_indices(rows, sort_keys=keys)


def _order_by_first(table: Table, rows: pa.Table) -> np.ndarray | None:
    """The total order when the first column is an integer: by it alone, and only ties by the rest.

    Comparing one int64 column is many times cheaper than all columns, and instants rarely tie.
    """
    first = rows.column(total_order(table)[0]).chunk(0)
    if first.type != pa.int64():
        return None
    values = np.frombuffer(first.buffers()[1], dtype=np.int64)[first.offset : first.offset + len(first)]
    if first.null_count:
        # Nulls come first. A stored -2**63 would tie with them, which costs a comparison and nothing else.
        values = np.where(presence(first), values, np.iinfo(np.int64).min)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    is_same = ordered[1:] == ordered[:-1]
    if bool(is_same.any()):
        is_tied = np.concatenate((is_same, [False])) | np.concatenate(([False], is_same))
        places = np.flatnonzero(is_tied)
        tied = order[places]
        among = _full_order(table, rows.take(pa.array(tied)))
        order[places] = tied[np.asarray(among.to_pylist())]
    return order


def sorted_on_disk(
    table: Table, batches: Iterator[pa.RecordBatch], schema: pa.Schema, scratch: Path, memory_limit: str
) -> Iterator[pa.RecordBatch]:
    """The rows in the same total order for what memory cannot hold: DuckDB sorts, spilling into `scratch`."""
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        connection.execute("SET threads = 1")
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SET memory_limit = '{memory_limit}'")
        connection.execute("SET temp_directory = ?", [str(scratch)])
        connection.execute("SET preserve_insertion_order = false")
        connection.register("unsorted", pa.RecordBatchReader.from_batches(schema, batches))
        keys = ", ".join(f'"{name}" ASC NULLS FIRST' for name in total_order(table))
        columns = ", ".join(f'"{name}"' for name in table.column_names)
        for batch in connection.sql(f"SELECT {columns} FROM unsorted ORDER BY {keys}").to_arrow_reader(65_536):
            yield pa.RecordBatch.from_arrays(
                [column.cast(kind.type) for column, kind in zip(batch.columns, schema, strict=True)],
                schema=schema,
            )
    finally:
        connection.close()
