"""The latest backtest run: which corpus the rules were last tested on, and when.

Belongs here: the choice of that one run. Does not: what runs said (signals/backtest_runs, backtest).

Source: fairness contract, section 2, "`latestBacktestRun`".
"""

from dataclasses import dataclass

from evenhand.canonical import digest
from evenhand.figures import NamedFigures, Source
from evenhand.metrics.registry import Cells, Context, metric

_EMPTY_CORPUS = digest([])


@dataclass(frozen=True)
class BacktestRun:
    """A run's corpus checksum and its time as stored."""

    corpus_checksum: str
    at: str


@dataclass(frozen=True)
class LatestBacktestRun:
    """The run, or None when there was none on a corpus that holds anything."""

    run: BacktestRun | None

    def figures(self) -> NamedFigures:
        """None: a checksum is not a number."""
        return iter(())


@metric(
    title="Latest backtest run",
    question="On which corpus was a rule change last tested?",
    source=Source.SIGNALS,
    tables=("audit_events",),
    window="signals_days",
    methodology="Fairness methodology, section 2",
)
def latest_backtest_run(cells: Cells, context: Context) -> LatestBacktestRun:
    """cells: at most one row of corpus_checksum, stored_at."""
    for cell in cells:
        if cell["corpus_checksum"] != _EMPTY_CORPUS:
            return LatestBacktestRun(BacktestRun(cell["corpus_checksum"], cell["stored_at"]))
    return LatestBacktestRun(None)
