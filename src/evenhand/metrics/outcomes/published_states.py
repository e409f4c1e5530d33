"""Published pull requests by repository and state: what the gate has reviewed in the open.

Belongs here: the counts over pull requests whose public surface was published. Does not: the fleet's part
(fleet_volume), or a deployment that names no repository (recorded_states).
The one join: published events to the present state of their pull request.

Source: fairness contract, section 4, "Published" and "State".
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from evenhand.figures import NamedFigures, Source
from evenhand.metrics.outcomes.states import States
from evenhand.metrics.registry import Cells, Context, metric


@dataclass(frozen=True)
class PublishedStates:
    """States of each repository, by name; `total` over all of them."""

    repositories: tuple[tuple[str, States], ...]
    total: States

    def figures(self) -> NamedFigures:
        """`all/STATE` and `REPOSITORY/STATE`."""
        yield from self.total.figures("all", "published pull requests of any age")
        for repository, states in self.repositories:
            yield from states.figures(repository, "published pull requests of any age")


@metric(
    title="Pull requests reviewed in the open",
    question="How many pull requests has the gate reviewed, and how did they end?",
    source=Source.OUTCOMES,
    tables=("audit_events", "pull_requests"),
    window="accuracy_days",
    methodology="Fairness methodology, section 4",
)
def published_states(cells: Cells, context: Context) -> PublishedStates:
    """cells: repo, state merged | closed | in_review, n."""
    by_repository: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for cell in cells:
        by_repository[cell["repo"]].append(cell)
    repositories = tuple((repo, States.of(by_repository[repo])) for repo in sorted(by_repository))
    return PublishedStates(repositories, States.of(cells))
