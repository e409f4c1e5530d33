"""What could not be read: counted whole, listed in part.

Belongs here: counts, examples and the file `quarantine.parquet` for the operator. Does not: why a row is there
(parse.py).
"""

from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

QUARANTINE_NAME = "quarantine.parquet"
LISTED_ROWS = 1000
"""Rows listed for each table and reason; all are counted."""
EXAMPLES = 5
"""Positions shown in the manifest."""

SCHEMA = pa.schema([("table", pa.string()), ("reason", pa.string()), ("position", pa.int64())])


class Quarantine:
    """Counts and the lowest positions of each table and reason, whatever the order in which they arrive."""

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._positions: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def add(self, table: str, quarantined: dict[str, list[int]]) -> None:
        """Take the quarantined rows of one batch."""
        for reason, positions in quarantined.items():
            self.merge(table, reason, len(positions), positions)

    def merge(self, table: str, reason: str, count: int, positions: list[int]) -> None:
        """Take a count and the lowest of its positions."""
        self._counts[table, reason] += count
        listed = self._positions[table, reason]
        listed.extend(positions)
        if len(listed) > LISTED_ROWS:
            self._positions[table, reason] = sorted(listed)[:LISTED_ROWS]

    def counts(self, table: str) -> dict[str, int]:
        """Reason -> rows of a table."""
        return {reason: count for (name, reason), count in sorted(self._counts.items()) if name == table}

    def listed(self, table: str, reason: str) -> list[int]:
        """The lowest positions of a table and reason."""
        return sorted(self._positions[table, reason])[:LISTED_ROWS]

    def examples(self, table: str) -> dict[str, list[int]]:
        """Reason -> the first few positions."""
        return {reason: self.listed(table, reason)[:EXAMPLES] for reason in self.counts(table)}

    def write(self, path: Path) -> None:
        """Write the listed rows, by table, reason and position."""
        rows = [(*key, position) for key in sorted(self._counts) for position in self.listed(*key)]
        columns = list(zip(*rows, strict=True)) or [[], [], []]
        table = pa.table(
            [pa.array(list(column), kind.type) for column, kind in zip(columns, SCHEMA, strict=True)], SCHEMA
        )
        pq.write_table(table, path, compression="zstd", store_schema=False)
