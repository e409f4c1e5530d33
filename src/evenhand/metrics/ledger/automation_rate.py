"""Automation rate: how many pull requests the gate decided without a person.

Belongs here: the fold by the week of a pull request's first verdict. Does not: whether the decision was right.

Source: fairness contract, section 7, "Automation rate".
"""

from collections import defaultdict
from dataclasses import dataclass

from evenhand.figures import Figure, NamedFigures, Source, Unit
from evenhand.metrics.registry import Cells, Context, metric
from evenhand.timeline import WEEK, Window, day_date, day_text, instant_argument, week_start

TABLES_READ = (
    "decision_records",
    "decision_records.reevaluation_reason",
    "decision_records.reevaluation_actor",
)


@dataclass(frozen=True)
class AutomationWeek:
    """Pull requests whose first verdict fell in one week."""

    monday: int
    decided: int
    automated: int
    manual: int
    rate: Figure


@dataclass(frozen=True)
class AutomationRate:
    """Weeks with a decided pull request, oldest first, and the sums over them."""

    weeks: tuple[AutomationWeek, ...]
    decided: int
    automated: int
    rate: Figure

    def figures(self) -> NamedFigures:
        """`all/rate` and `YYYY-MM-DD/rate`."""
        yield "all/rate", self.rate
        for week in self.weeks:
            yield f"{day_text(week.monday)}/rate", week.rate


@metric(
    title="Automation rate",
    question="How many pull requests were decided without a person?",
    source=Source.LEDGER,
    tables=TABLES_READ,
    window="automation_days",
    methodology="Fairness methodology, section 7",
)
def automation_rate(cells: Cells, context: Context) -> AutomationRate:
    """cells: week date, decided 0 | 1, acted 0 | 1, manual 0 | 1, n pull requests.

    A pull request that was never decided counts nowhere. Manual beats automated: one merged after a hold is manual.
    """
    sums: dict[object, dict[str, int]] = defaultdict(lambda: {"decided": 0, "automated": 0, "manual": 0})
    for cell in cells:
        if not cell["decided"]:
            continue
        into = sums[cell["week"]]
        into["decided"] += cell["n"]
        into["manual"] += cell["n"] * cell["manual"]
        into["automated"] += cell["n"] if cell["acted"] and not cell["manual"] else 0
    span = context.window(context.policy.windows.automation_days)
    mondays = range(week_start(span.start), context.as_of, WEEK)
    weeks = tuple(
        _week(monday, sums[day_date(monday)], span, context) for monday in mondays if day_date(monday) in sums
    )
    decided, automated = sum(week.decided for week in weeks), sum(week.automated for week in weeks)
    horizon = instant_argument(context.policy.ledger.provenance_horizon)
    reduced = sum(week.monday < horizon for week in weeks)
    basis = f"{reduced} of {len(weeks)} weeks on the reduced basis (holds only)" if reduced else "full"
    return AutomationRate(weeks, decided, automated, _rate(automated, decided, span, basis, context))


def _week(monday: int, sums: dict[str, int], span: Window, context: Context) -> AutomationWeek:
    # Before the horizon nobody recorded who asked for a new evaluation: only holds show a person's hand.
    basis = "full" if monday >= instant_argument(context.policy.ledger.provenance_horizon) else "holds_only"
    window = Window(max(monday, span.start), min(monday + WEEK, context.as_of))
    rate = _rate(sums["automated"], sums["decided"], window, basis, context)
    return AutomationWeek(monday, sums["decided"], sums["automated"], sums["manual"], rate)


def _rate(automated: int, decided: int, window: Window, basis: str, context: Context) -> Figure:
    return Figure.proportion(
        automated,
        decided,
        unit=Unit.PULL_REQUEST,
        source=Source.LEDGER,
        window=window,
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        basis=basis,
        nothing=context.missing("decision_records"),
    )
