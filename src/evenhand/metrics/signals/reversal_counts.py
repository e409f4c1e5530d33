"""Reversal events by kind: how often a decision was undone, and in which of the three ways.

Belongs here: the three counts beside rule precision. Does not: which pull request was reversed
(outcomes/decision_accuracy), for these count events, not pull requests.

Source: fairness contract, section 2, "`reversals`".
"""

from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric, sums


@dataclass(frozen=True)
class ReversalCounts:
    """Events of each kind in the window."""

    reopened: Figure
    reverted: Figure
    superseded: Figure

    def figures(self) -> NamedFigures:
        """`reopened`, `reverted`, `superseded`."""
        yield "reopened", self.reopened
        yield "reverted", self.reverted
        yield "superseded", self.superseded


@metric(
    title="Reversal events",
    question="How often was a decision reopened, reverted or superseded?",
    source=Source.SIGNALS,
    tables=("audit_events",),
    window="signals_days",
    methodology="Fairness methodology, section 2",
)
def reversal_counts(cells: Cells, context: Context) -> ReversalCounts:
    """cells: kind reopened | reverted | superseded, n. A kind that never came is a measured zero."""
    found = sums(cells, "kind", "n")
    window = context.window(context.policy.windows.signals_days)

    def count(kind: str) -> Figure:
        return Figure.counted(*found.get(kind, (0,)), unit=Unit.EVENT, source=Source.SIGNALS, window=window)

    return ReversalCounts(count("reopened"), count("reverted"), count("superseded"))
