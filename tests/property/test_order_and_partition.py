"""Figures do not depend on how rows or cells come: any order of the rows, any order and any split of the cells."""

import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support.exports import write_sqlite
from support.golden import GOLDEN, Case
from support.pipeline import publish
from support.random_exports import random_export

from evenhand.computed import Computation
from evenhand.metrics.registry import Cells, registry
from evenhand.policy import Policy

ONE_ROW = ("outcomes.recent_volume", "fleet.cycle_times", "signals.latest_backtest_run")
"""Metrics whose query returns one row: there is nothing to order or split."""
ROWS = ("fleet.guarantees",)
"""Metrics whose cells are rows of the export: they have an order, and no counts to split."""


@pytest.mark.parametrize("seed", range(9000, 9004))
def test_any_order_of_the_rows_publishes_the_same(seed: int, tmp_path: Path) -> None:
    export = random_export(seed)
    first = publish(write_sqlite(tmp_path / "first", export.tables), export.as_of, export.repos)
    draw = random.Random(seed)
    shuffled = {name: draw.sample(rows, len(rows)) for name, rows in export.tables.items()}
    second = publish(write_sqlite(tmp_path / "second", shuffled), export.as_of, export.repos)
    assert second.parts == first.parts
    assert second.report == first.report
    assert second.computed.cases.equals(first.computed.cases)


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Cells], Any]]:
    """The cells of every metric on one of the large golden exports."""
    case = Case(GOLDEN / "fairness" / "open-07")
    published = case.publish(tmp_path_factory.mktemp("cells"))
    lake = next(tmp_path_factory.getbasetemp().glob("cells*/export.sqlite.lake"))
    policy: Policy = published.computed.context.policy
    with Computation(lake, policy, published.computed.context.as_of) as computation:
        context = computation.context
        engine = computation._engine
        yield {name: engine.cells(m.sql, m.parameters(context)) for name, m in registry().items()}, context


@pytest.mark.parametrize("name", registry())
def test_cells_fold_to_the_same_figures_in_any_order(name: str, cells: tuple[dict[str, Cells], Any]) -> None:
    rows, context = cells[0][name], cells[1]
    fold, draw = registry()[name].fold, random.Random(name)
    for _ in range(5):
        assert fold(draw.sample(rows, len(rows)), context) == fold(rows, context)


@pytest.mark.parametrize("name", [name for name in registry() if name not in (*ONE_ROW, *ROWS)])
def test_cells_fold_to_the_same_figures_however_they_are_split(name: str, cells: tuple[dict[str, Cells], Any]) -> None:
    rows, context = cells[0][name], cells[1]
    fold, draw = registry()[name].fold, random.Random(name)
    assert rows, "the golden export has rows for every metric"
    for _ in range(5):
        assert fold(list(split(rows, draw)), context) == fold(rows, context)


NOT_ADDITIVE = ("decided", "acted", "manual", "recorded", "registered", "rolled_up")
"""Integer or boolean cells that are part of the key of some metrics."""


def split(rows: Cells, draw: random.Random) -> Iterator[dict[str, Any]]:
    """Each cell in one to three parts whose counts add up to it, all of them shuffled."""
    parts = [part for row in rows for part in _parts(row, draw)]
    yield from draw.sample(parts, len(parts))


def _parts(row: dict[str, Any], draw: random.Random) -> list[dict[str, Any]]:
    counts = [name for name, value in row.items() if isinstance(value, int | Decimal) and not _is_key(row, name)]
    parts: list[dict[str, Any]] = [dict(row) for _ in range(draw.randrange(1, 4))]
    for name in counts:
        cuts = sorted(draw.randint(0, int(row[name])) for _ in parts[1:])
        for part, low, high in zip(parts, [0, *cuts], [*cuts, int(row[name])], strict=True):
            part[name] = high - low
    return parts


def _is_key(row: dict[str, Any], name: str) -> bool:
    # `decided` is a count of the fleet's instances and a yes or no of the automation rate.
    return isinstance(row[name], bool) or (name in NOT_ADDITIVE and "instance_id" not in row)
