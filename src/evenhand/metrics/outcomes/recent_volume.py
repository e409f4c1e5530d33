"""Recent volume: pull requests first published, and published ones merged, in the last days.

Belongs here: the two counts. Does not: their history (volume_trend).
The one join: published events to the merge time of their pull request.

Source: fairness contract, section 4, "`weekly`".
"""

from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric


@dataclass(frozen=True)
class RecentVolume:
    """Counts of the window."""

    reviewed: Figure
    merged: Figure

    def figures(self) -> NamedFigures:
        """`reviewed` and `merged`."""
        yield "reviewed", self.reviewed
        yield "merged", self.merged


@metric(
    title="Pull requests lately",
    question="How many pull requests were newly reviewed, and how many merged, in the last days?",
    source=Source.OUTCOMES,
    tables=("audit_events", "pull_requests"),
    window="volume_days",
    methodology="Fairness methodology, section 4",
)
def recent_volume(cells: Cells, context: Context) -> RecentVolume:
    """cells: one row of reviewed, merged."""
    window = context.window(context.policy.windows.volume_days)
    [cell] = cells

    def count(name: str) -> Figure:
        return Figure.counted(cell[name], unit=Unit.PULL_REQUEST, source=Source.OUTCOMES, window=window)

    return RecentVolume(count("reviewed"), count("merged"))
