"""The total order of rows within a file: what makes the same rows the same bytes.

Belongs here: sorting one table in memory. Does not: which rows belong together (writing.py).
"""

import pyarrow as pa
import pyarrow.compute as pc

from evenhand.lake.tables import Table


def total_order(table: Table) -> list[str]:
    """The declared order and then every other column, so that only equal rows tie."""
    return list(dict.fromkeys((*table.order, *table.column_names)))


def sort_rows(table: Table, rows: pa.Table) -> pa.Table:
    """The rows in total order, nulls first, texts by code point."""
    keys = [(name, "ascending", "at_start") for name in total_order(table)]
    return rows.take(pc.sort_indices(rows, sort_keys=keys)).combine_chunks()
