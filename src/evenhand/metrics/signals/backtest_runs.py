"""Backtest runs per week: how many rule changes were tested, and what the tests said. For the operator only.

Belongs here: the weekly counts. Does not: the track record per rule (backtest).

Source: fairness contract, section 9, "Backtest runs".
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric
from evenhand.timeline import day_date, day_text


@dataclass(frozen=True)
class BacktestWeek:
    """Runs of one week; a verdict that is neither regressed nor improved counts as unchanged."""

    monday: int
    runs: Figure
    regressed: int
    improved: int
    unchanged: int


@dataclass(frozen=True)
class BacktestRuns:
    """All weeks of the trend, oldest first."""

    weeks: tuple[BacktestWeek, ...]

    def figures(self) -> NamedFigures:
        """`YYYY-MM-DD/runs`."""
        for week in self.weeks:
            yield f"{day_text(week.monday)}/runs", week.runs


@metric(
    title="Backtest runs",
    question="How many rule changes were tested, and what came of it?",
    source=Source.SIGNALS,
    tables=("audit_events",),
    window="trend_weeks",
    methodology="Fairness methodology, section 9",
    operator_only=True,
)
def backtest_runs(cells: Cells, context: Context) -> BacktestRuns:
    """cells: week date, verdict text or null, n."""
    counts: Counter[tuple[object, str]] = Counter()
    for cell in cells:
        verdict = cell["verdict"] if cell["verdict"] in ("regressed", "improved") else "unchanged"
        counts[cell["week"], verdict] += cell["n"]
    return BacktestRuns(tuple(_week(counts, monday, context) for monday in context.weeks()))


def _week(counts: Counter[tuple[object, str]], monday: int, context: Context) -> BacktestWeek:
    day = day_date(monday)
    regressed, improved, unchanged = (counts[day, verdict] for verdict in ("regressed", "improved", "unchanged"))
    runs = Figure.counted(
        regressed + improved + unchanged,
        unit=Unit.RUN,
        source=Source.SIGNALS,
        window=context.week_window(monday),
    )
    return BacktestWeek(monday, runs, regressed, improved, unchanged)
