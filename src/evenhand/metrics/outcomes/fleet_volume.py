"""The fleet's part of the volume: pull requests that other installations handled.

Belongs here: merged, closed and handled to add to the own part. Does not: any accuracy, for the fold moves the
volume alone. The one join: fleet outcomes to the published events here, to leave the overlap out.

Source: fairness contract, section 4, "Fleet part".
"""

from collections import Counter
from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric


@dataclass(frozen=True)
class FleetVolume:
    """Pull requests that the fleet adds; handled counts rows of any outcome."""

    merged: int
    closed: int
    handled: int
    basis: str

    def figures(self) -> NamedFigures:
        """`merged`, `closed`, `handled`."""
        for name in ("merged", "closed", "handled"):
            yield (
                name,
                Figure.counted(
                    getattr(self, name),
                    unit=Unit.PULL_REQUEST,
                    source=Source.OUTCOMES,
                    window=None,
                    basis=self.basis,
                ),
            )


@metric(
    title="Fleet volume",
    question="How many pull requests did other installations of the gate handle?",
    source=Source.OUTCOMES,
    tables=("orb_pr_outcomes|orb_outcome_rollups",),
    window="accuracy_days",
    methodology="Fairness methodology, section 4",
)
def fleet_volume(cells: Cells, context: Context) -> FleetVolume:
    """cells: rolled_up, outcome as stored (rolled up: merged | closed | total), n."""
    counts: Counter[tuple[bool, str | None]] = Counter()
    for cell in cells:
        counts[cell["rolled_up"], cell["outcome"]] += int(cell["n"])
    live = sum(n for (rolled_up, _), n in counts.items() if not rolled_up)
    return FleetVolume(
        counts[False, "merged"] + counts[True, "merged"],
        counts[False, "closed"] + counts[True, "closed"],
        live + counts[True, "total"],
        "registered installations, without pull requests published here",
    )
