"""Minutes of review: what the reviews of published pull requests would have cost a person.

Belongs here: the exact sum over published pull requests. Does not: the fleet's flat minutes (site/api), for they
need no rows.

Source: fairness contract, section 4, "minutesSaved".
"""

from dataclasses import dataclass
from fractions import Fraction

from evenhand.figures import NamedFigures, Source
from evenhand.metrics.registry import Cells, Context, metric
from evenhand.stats import exact_decimal


@dataclass(frozen=True)
class ReviewMinutes:
    """Exact minutes over the published pull requests; stated: how many carried a usable number."""

    minutes: Fraction
    pull_requests: int
    stated: int

    def figures(self) -> NamedFigures:
        """None of its own: the total with the fleet's part is a figure of the overview."""
        return iter(())


@metric(
    title="Minutes of review",
    question="How many minutes of a person's review time do the reviews stand for?",
    source=Source.OUTCOMES,
    tables=("audit_events",),
    window="accuracy_days",
    methodology="Fairness methodology, section 4",
)
def review_minutes(cells: Cells, context: Context) -> ReviewMinutes:
    """cells: recorded numbers of the pull request, minutes decimal text or null, n rows.

    Three published pull requests with 5, 10.5 and nothing usable are worth 5 + 10.5 + 20 = 35.5.
    """
    flat = context.policy.outcomes.minutes_per_review
    minutes, unstated, stated_rows = Fraction(0), 0, Fraction(0)
    for cell in cells:
        if cell["recorded"] == 0:
            unstated += cell["n"]
        else:
            minutes += (exact_decimal(cell["minutes"]) or 0) * Fraction(cell["n"], cell["recorded"])
            stated_rows += Fraction(cell["n"], cell["recorded"])
    return ReviewMinutes(minutes + flat * unstated, unstated + int(stated_rows), int(stated_rows))
