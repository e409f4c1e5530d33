"""The registry that the command line and the pipeline both walk: every metric with its SQL and its fold.

Belongs here: what a metric is, what it is given, and how one is run. Does not: any rule of any metric.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib.resources import files
from typing import Any, Protocol

from evenhand.figures import Figure, NamedFigures, Source
from evenhand.lake.tables import TABLES
from evenhand.policy import Policy
from evenhand.timeline import WEEK, Window, day_date, trend_weeks

Cells = list[dict[str, Any]]
"""What a counting query returns: small rows of names and integers."""


def sums(cells: Cells, key: str, *counts: str) -> dict[Any, tuple[int, ...]]:
    """Counts summed by a key: cells may come in any order, and one of them split into several."""
    totals: dict[Any, tuple[int, ...]] = {}
    for cell in cells:
        so_far = totals.get(cell[key], (0,) * len(counts))
        totals[cell[key]] = tuple(total + int(cell[name]) for total, name in zip(so_far, counts, strict=True))
    return totals


class Engine(Protocol):
    """Runs SQL over a lake."""

    def cells(self, sql: str, parameters: Mapping[str, Any]) -> Cells:
        """The rows of a counting query."""
        ...


@dataclass(frozen=True)
class Context:
    """What a fold may know beside its cells: the policy, as-of, and which tables the export provided."""

    policy: Policy
    as_of: int
    provided: frozenset[str]
    lacking: frozenset[str] = frozenset()
    """Columns that provided tables lack, as `table.column`."""
    earliest: Mapping[str, int] = field(default_factory=dict)
    """Table of things that happen -> the instant of its earliest row, where it has one."""

    def missing(self, *tables: str) -> str:
        """`not provided: a, b` for those of the tables that the export does not hold, else ''.

        `a|b` asks for one of the two, `a.column` for a column of a table that is there.
        """
        absent = [name for table in tables for name in self._absent(table)]
        return f"not provided: {', '.join(absent)}" if absent else ""

    def _absent(self, named: str) -> list[str]:
        """What is not there of a table or of one of several, down to the columns that give it its meaning."""
        if "." in named:
            return [named] if named in self.lacking else []
        alternatives = named.split("|")
        there = [table for table in alternatives if table in self.provided]
        if not there:
            return [" or ".join(alternatives)]
        needed = [f"{table}.{column}" for table in there for column in TABLES[table].essential]
        return [column for column in needed if column in self.lacking]

    def begins(self, *tables: str) -> int | None:
        """From when on the export tells what some tables hold: the latest beginning; None when nothing says so.

        Of `a|b` the one tells what the other does not: live rows, and what older ones were rolled up to.
        """
        beginnings = []
        for table in tables:
            known = [self.earliest[name] for name in table.split("|") if name in self.earliest]
            if known:
                beginnings.append(min(known))
        return max(beginnings, default=None)

    def window(self, days: int) -> Window:
        """`[as_of - days, as_of)`."""
        return Window.days_before(self.as_of, days)

    def weeks(self) -> list[int]:
        """Monday midnights of the trend's weeks, oldest first."""
        return trend_weeks(self.as_of, self.policy.windows.trend_weeks)

    def week_window(self, monday: int) -> Window:
        """The part of a week that lies before as-of; the week that starts at as-of is kept whole and empty."""
        return Window(monday, min(monday + WEEK, self.as_of) if self.as_of > monday else monday + WEEK)


class Result(Protocol):
    """What a fold returns: figures by name, in a shape of the metric's own."""

    def figures(self) -> NamedFigures:
        """Every figure with a name that is stable and unique within the metric."""
        ...


Fold = Callable[[Cells, Context], Any]


@dataclass(frozen=True)
class Metric:
    """One registered statistic."""

    name: str
    title: str
    question: str
    source: Source
    tables: tuple[str, ...]
    """Tables without which it cannot be measured; `a|b`: one of the two."""
    window: str
    """The policy's window in days (`signals_days`), or `trend_weeks`."""
    sql: str
    sql_file: str
    fold: Fold
    operator_only: bool
    methodology: str
    """Where the rule comes from."""
    floors: tuple[str, ...] = ()
    """The policy's floors below which its figures are withheld."""

    def compute(self, engine: Engine, context: Context) -> Any:
        """Count, then fold. Without a needed table every figure says so: unknown is never 0."""
        result = self.fold(engine.cells(self.sql, self.parameters(context)), context)
        absent = context.missing(*self.tables)
        if absent:
            return with_figures(result, lambda figure: figure.not_measurable(absent))
        begins = context.begins(*self.tables)
        return with_figures(result, lambda figure: figure.covered_from(begins))

    def span(self, context: Context) -> Window:
        """The window that the SQL counts over."""
        if self.window == "trend_weeks":
            return Window(context.weeks()[0], max(context.as_of, context.weeks()[0] + 1))
        return context.window(getattr(context.policy.windows, self.window))

    def parameters(self, context: Context) -> dict[str, Any]:
        """The SQL's parameters: the window in microseconds and in UTC days, and as-of."""
        span = self.span(context)
        return {
            "window_start_us": span.start,
            "window_end_us": span.end,
            "window_start_day": day_date(span.start),
            "as_of_us": context.as_of,
            "as_of_day": day_date(context.as_of),
            "implicit_basis": context.policy.signals.implicit_basis,
            "least_signals": context.policy.floors.instance_signals,
            "maintainer_request": context.policy.ledger.maintainer_request,
            "white_space": WHITE_SPACE,
        }


@dataclass(frozen=True)
class Combination:
    """A statistic made of other metrics' results, without rows of its own."""

    name: str
    title: str
    question: str
    source: Source
    needs: tuple[str, ...]
    combine: Callable[[Mapping[str, Any], Context], Any]
    methodology: str
    operator_only: bool = False
    floors: tuple[str, ...] = ()

    def compute(self, needed: Mapping[str, Any], context: Context) -> Any:
        """Combine, and note how much of each window the export covers."""
        begins = context.begins(
            *(table for name in self.needs if name in _REGISTRY for table in _REGISTRY[name].tables)
        )
        return with_figures(self.combine(needed, context), lambda figure: figure.covered_from(begins))


def with_figures(result: Any, change: Callable[[Figure], Figure]) -> Any:
    """The same result with every figure in it changed, wherever it stands."""
    if isinstance(result, Figure):
        return change(result)
    if is_dataclass(result) and not isinstance(result, type):
        return replace(
            result,
            **{entry.name: with_figures(getattr(result, entry.name), change) for entry in fields(result)},
        )
    if isinstance(result, tuple):
        return tuple(with_figures(item, change) for item in result)
    if isinstance(result, dict):
        return {key: with_figures(item, change) for key, item in result.items()}
    return result


WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace()) + "\ufeff"
"""What a text may hold and still be blank."""

_REGISTRY: dict[str, Metric] = {}
_COMBINATIONS: dict[str, Combination] = {}

_MODULES = (
    "signals.rule_precision",
    "signals.reversal_counts",
    "signals.latest_backtest_run",
    "signals.calibration_trend",
    "signals.backtest_runs",
    "signals.track_record",
    "outcomes.published_states",
    "outcomes.recorded_states",
    "outcomes.fleet_volume",
    "outcomes.review_minutes",
    "outcomes.recent_volume",
    "outcomes.decision_accuracy",
    "outcomes.volume_trend",
    "outcomes.accuracy_trend",
    "ledger.review_parity",
    "ledger.reevaluations",
    "ledger.automation_rate",
    "fleet.instance_signals",
    "fleet.cycle_times",
    "fleet.guarantees",
    "fleet.fleet_trend",
)

_COMBINATION_MODULES = ("outcomes.totals", "outcomes.weekly_trend")


def metric(
    *,
    title: str,
    question: str,
    source: Source,
    tables: Sequence[str],
    window: str,
    methodology: str,
    operator_only: bool = False,
    floors: Sequence[str] = (),
) -> Callable[[Fold], Fold]:
    """Registers a fold with the SQL file of the same name beside its module."""

    def register(fold: Fold) -> Fold:
        package, module = fold.__module__.rsplit(".", 1)
        room = package.rsplit(".", 1)[1]
        sql_file = f"{room}/{module}.sql"
        sql = files(package).joinpath(f"{module}.sql").read_text(encoding="utf-8")
        name = f"{room}.{module}"
        _REGISTRY[name] = Metric(
            name,
            title,
            question,
            source,
            tuple(tables),
            window,
            sql,
            sql_file,
            fold,
            operator_only,
            methodology,
            tuple(floors),
        )
        return fold

    return register


def combination(
    *,
    title: str,
    question: str,
    source: Source,
    needs: Sequence[str],
    methodology: str,
    floors: Sequence[str] = (),
) -> Callable[[Callable[[Mapping[str, Any], Context], Any]], Callable[[Mapping[str, Any], Context], Any]]:
    """Registers a statistic that is made of other metrics' results."""

    def register(
        combine: Callable[[Mapping[str, Any], Context], Any],
    ) -> Callable[[Mapping[str, Any], Context], Any]:
        package, module = combine.__module__.rsplit(".", 1)
        name = f"{package.rsplit('.', 1)[1]}.{module}"
        _COMBINATIONS[name] = Combination(
            name, title, question, source, tuple(needs), combine, methodology, floors=tuple(floors)
        )
        return combine

    return register


def combinations() -> dict[str, Combination]:
    """Every combination by name."""
    for module in _COMBINATION_MODULES:
        importlib.import_module(f"evenhand.metrics.{module}")
    return {name: _COMBINATIONS[name] for name in _COMBINATION_MODULES}


def registry() -> dict[str, Metric]:
    """Every metric by name, in the order in which a reader meets them."""
    for module in _MODULES:
        importlib.import_module(f"evenhand.metrics.{module}")
    return {name: _REGISTRY[name] for name in _MODULES}
