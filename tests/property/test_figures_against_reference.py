"""The pipeline and the naive reference agree on every figure of random exports, whatever the dirt and the edges.

The default run takes the same few seeds each time. `EVENHAND_FUZZ=1000 pytest …` takes that many, and
`EVENHAND_FUZZ_FIRST=N` starts at seed N. A disagreement is reported with the smallest export that still shows it.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import reference
from support.exports import write_sqlite
from support.golden import Difference, compare, differences
from support.pipeline import publish
from support.random_exports import RandomExport, random_export

from evenhand.policy import policy_from

EXAMPLES = int(os.environ.get("EVENHAND_FUZZ", "40"))
FIRST = int(os.environ.get("EVENHAND_FUZZ_FIRST", "0"))
GROUP = 8
SECONDS_TO_SHRINK = 60.0

Tables = dict[str, list[dict[str, Any]]]


@pytest.mark.parametrize("first", range(FIRST, FIRST + EXAMPLES, GROUP))
def test_the_pipeline_and_the_reference_agree(first: int, tmp_path: Path) -> None:
    for seed in range(first, min(first + GROUP, FIRST + EXAMPLES)):
        export = random_export(seed)
        if disagreements(export, export.tables, tmp_path):
            tables = shrunk(export, tmp_path)
            rows = {name: rows for name, rows in tables.items() if rows}
            pytest.fail(
                f"seed {seed}, as of {export.as_of}, repos {export.repos}, cap {export.json_cases}:\n{rows}\n"
                f"(path, reference, pipeline): {disagreements(export, tables, tmp_path)}"
            )


def disagreements(export: RandomExport, tables: Tables, scratch: Path) -> list[Difference]:
    """Every field in which the two differ."""
    path = scratch / "export.sqlite"
    path.unlink(missing_ok=True)
    write_sqlite(path, tables)
    policy = policy_from({"corpus": {"json_cases": export.json_cases}})
    try:
        published = publish(path, export.as_of, export.repos, policy)
        parts = published.parts
    except Exception as error:
        return [("pipeline", "figures", repr(error))]
    right = reference.figures(tables, export.as_of, export.repos, export.json_cases)
    found = differences(right, parts)
    compare("quarantined", right["quarantined"], published.operator["quality"]["quarantined"], found)
    return found


def shrunk(export: RandomExport, scratch: Path) -> Tables:
    """Rows left out, halves first, for as long as some field still differs."""
    tables = {name: list(rows) for name, rows in export.tables.items()}
    until = time.monotonic() + SECONDS_TO_SHRINK
    size = max(len(rows) for rows in tables.values())
    while size:
        for name, start in _places(tables, size):
            if time.monotonic() > until:
                return tables
            without = {**tables, name: tables[name][:start] + tables[name][start + size :]}
            if disagreements(export, without, scratch):
                tables = without
        size //= 2
    return tables


def _places(tables: Tables, size: int) -> Iterator[tuple[str, int]]:
    for name in sorted(tables, key=lambda name: -len(tables[name])):
        for start in range(len(tables[name]) - len(tables[name]) % size, -1, -size):
            if tables[name][start : start + size]:
                yield name, start
