"""Pull requests with a verdict, by state: the volume of a deployment without an allowlist.

Belongs here: that one fold. Does not: anything by repository, which may not be named here.
The one join: decision records to the present state of their pull request (contract section 4, "no allowlist").

Source: fairness contract, section 4.
"""

from dataclasses import dataclass

from evenhand.figures import NamedFigures, Source
from evenhand.metrics.outcomes.states import States
from evenhand.metrics.registry import Cells, Context, metric


@dataclass(frozen=True)
class RecordedStates:
    """States over every pull request with a verdict."""

    total: States

    def figures(self) -> NamedFigures:
        """`all/STATE`."""
        yield from self.total.figures("all", "pull requests with a verdict, of any age")


@metric(
    title="Pull requests with a verdict",
    question="How many pull requests has the gate decided on, when no repository may be named?",
    source=Source.OUTCOMES,
    tables=("decision_records", "pull_requests"),
    window="accuracy_days",
    methodology="Fairness methodology, section 4",
)
def recorded_states(cells: Cells, context: Context) -> RecordedStates:
    """cells: state merged | closed | in_review, n."""
    return RecordedStates(States.of(cells))
