"""The named repositories: what the gate did in each, and how much of it stood.

Belongs here: the rows of the allowlist, and the totals that they are part of. Does not: any repository beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.figures import Figure
from evenhand.metrics.outcomes.states import States
from evenhand.site.pages.site import Page, Site


@dataclass(frozen=True)
class RepositoryRow:
    """One repository. states: None when no pull request was published there, or states are not known."""

    name: str
    states: States | None
    auto_actioned: int
    reversed: int
    accuracy: Figure


def pages(site: Site) -> Iterator[Page]:
    """`repositories.html`."""
    accuracy = site.results["outcomes.decision_accuracy"]
    states = dict(site.results["outcomes.published_states"].repositories)
    known = not site.context.missing("audit_events", "pull_requests")
    rows = [
        RepositoryRow(
            row.repository,
            states.get(row.repository) if known else None,
            row.auto_actioned,
            row.reversed,
            row.accuracy,
        )
        for row in accuracy.repositories
    ]
    rows.sort(key=lambda row: (-(row.states.reviewed if row.states else 0), row.name))
    yield Page(
        "repositories.html",
        "repositories.html",
        "Repositories",
        "repositories",
        {
            "rows": rows,
            "accuracy": accuracy,
            "totals": site.results["outcomes.totals"],
            "recent": site.results["outcomes.recent_volume"],
            "states_known": known,
            "events_known": not site.context.missing("audit_events"),
        },
        "Pull requests and decision accuracy of each repository that may be named.",
    )
