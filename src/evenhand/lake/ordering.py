"""The total order of rows within a file: what makes the same rows the same bytes.

Belongs here: sorting rows, in memory or on disk. Does not: which rows belong together (staging.py).
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.duck import in_memory
from evenhand.lake.tables import Table
from evenhand.lake.text_buffers import presence

_FEW_TEXTS = 4096


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
    """The total order by an integer column that leads it, or follows one text of few values; only ties by the rest.

    Comparing integers is many times cheaper than all columns, and instants rarely tie.
    """
    keys = _leading_integers(table, rows)
    if not keys:
        return None
    order = np.lexsort(keys[::-1])
    ordered = [key[order] for key in keys]
    is_same = np.logical_and.reduce([key[1:] == key[:-1] for key in ordered])
    if bool(is_same.any()):
        is_tied = np.concatenate((is_same, [False])) | np.concatenate(([False], is_same))
        places = np.flatnonzero(is_tied)
        tied = order[places]
        among = _full_order(table, rows.take(pa.array(tied)))
        order[places] = tied[np.asarray(among.to_pylist())]
    return order


def _leading_integers(table: Table, rows: pa.Table) -> list[np.ndarray]:
    first, second = (rows.column(name).chunk(0) for name in total_order(table)[:2])
    instants = _integers(first)
    if instants is not None:
        return [instants]
    ranks, instants = _ranks(first), _integers(second)
    return [] if ranks is None or instants is None else [ranks, instants]


def _integers(column: pa.Array) -> np.ndarray | None:
    """An int64 column, nulls first; None for any other."""
    if column.type != pa.int64():
        return None
    values = np.frombuffer(column.buffers()[1], dtype=np.int64)[column.offset : column.offset + len(column)]
    if column.null_count:
        # A stored -2**63 would tie with a null, which costs a comparison and nothing else.
        values = np.where(presence(column), values, np.iinfo(np.int64).min)
    return values


def _ranks(column: pa.Array) -> np.ndarray | None:
    """The rank of each text among the distinct ones, by code point, nulls first; None when there are many."""
    if not pa.types.is_string(column.type):
        return None
    encoded = pc.dictionary_encode(column)
    distinct = encoded.dictionary.to_pylist()
    if len(distinct) > _FEW_TEXTS:
        return None
    place = {text: rank for rank, text in enumerate(sorted(distinct))}
    ranks = np.array([place[text] for text in distinct] + [-1], dtype=np.int64)
    indices = pc.fill_null(encoded.indices, len(distinct)).cast(pa.int64())
    return ranks[np.frombuffer(indices.buffers()[1], dtype=np.int64)[indices.offset : indices.offset + len(indices)]]


def sorted_on_disk(
    table: Table, batches: Iterator[pa.RecordBatch], schema: pa.Schema, scratch: Path, memory_limit: str
) -> Iterator[pa.RecordBatch]:
    """The rows in the same total order for what memory cannot hold: DuckDB sorts, spilling into `scratch`."""
    connection = in_memory(threads=1)
    try:
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
