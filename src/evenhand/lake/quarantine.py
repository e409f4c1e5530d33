"""The file `quarantine.parquet`: the rows that could not be read, for the operator.

Belongs here: how many are listed, and the form of the list. Does not: why a row is there (parse.py), or the
counts, which stand in the manifest.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

QUARANTINE_NAME = "quarantine.parquet"
LISTED_ROWS = 1000
"""Rows listed for each table and reason, the first in the export; all are counted."""
EXAMPLES = 5
"""Positions shown in the manifest."""

SCHEMA = pa.schema([("table", pa.string()), ("reason", pa.string()), ("position", pa.int64())])


def write_quarantine(path: Path, positions: dict[str, dict[str, list[int]]]) -> None:
    """Write table -> reason -> positions as rows in that order. No value is repeated: it may be a secret."""
    rows = [
        (table, reason, position)
        for table, reasons in sorted(positions.items())
        for reason, listed in sorted(reasons.items())
        for position in listed
    ]
    columns = [pa.array([row[number] for row in rows], kind.type) for number, kind in enumerate(SCHEMA)]
    pq.write_table(pa.table(columns, schema=SCHEMA), path, compression="zstd", store_schema=False)
