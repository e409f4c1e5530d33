"""The statistics over reviews that the build and the pipeline both walk: each counts, then folds.

Belongs here: what a statistic is, and how its shares are made. Does not: any rule of one.
"""

import importlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.evidence.analytics.population import Population
from evenhand.figures import Figure, Source, Unit
from evenhand.metrics.registry import Cells, Context
from evenhand.timeline import Window

Count = Callable[[Population], Cells]
Fold = Callable[[Cells, Context], Any]

SEATS_PROVIDED = "seats"
"""In `Context.provided`: whether seat records were given."""


@dataclass(frozen=True)
class Statistic:
    """One statistic over reviews. floors: fields of [reviews] in the policy. window: '' for records of any age."""

    name: str
    title: str
    question: str
    rule: str
    source: Source
    window: str
    floors: tuple[str, ...]
    count: Count
    fold: Fold
    methodology: str = "What a review means"
    operator_only: bool = False

    def compute(self, population: Population, context: Context) -> Any:
        """The figures of a population."""
        return self.fold(self.count(population), context)

    @property
    def counting(self) -> str:
        """The code that counted."""
        return inspect.getsource(self.count)

    @property
    def file(self) -> str:
        """Where that code stands."""
        return f"evidence/analytics/{self.name.rsplit('.', 1)[1]}.py"


_MODULES = (
    "coverage",
    "evidence_states",
    "severity",
    "first_pass",
    "reliability",
    "fix_plans",
    "seat_calibration",
)
_STATISTICS: dict[str, Statistic] = {}


def statistic(
    *,
    count: Count,
    title: str,
    question: str,
    rule: str,
    source: Source = Source.REVIEWS,
    window: str = "window_days",
    floors: Sequence[str] = (),
) -> Callable[[Fold], Fold]:
    """Registers a fold under the name of its module."""

    def register(fold: Fold) -> Fold:
        module = fold.__module__.rsplit(".", 1)[1]
        name = f"reviews.{module}"
        _STATISTICS[name] = Statistic(name, title, question, rule, source, window, tuple(floors), count, fold)
        return fold

    return register


def statistics() -> dict[str, Statistic]:
    """Every statistic by name, in the order in which a reader meets them."""
    for module in _MODULES:
        importlib.import_module(f"evenhand.evidence.analytics.{module}")
    return {f"reviews.{module}": _STATISTICS[f"reviews.{module}"] for module in _MODULES}


def span(context: Context) -> Window:
    """The window of reviews."""
    return context.window(context.policy.reviews.window_days)


def share(
    count: int,
    of: int,
    context: Context,
    *,
    unit: Unit,
    floor: int,
    source: Source = Source.REVIEWS,
    any_age: bool = False,
) -> Figure:
    """A share with its interval, withheld under its floor."""
    return Figure.proportion(
        count,
        of,
        unit=unit,
        source=source,
        window=None if any_age else span(context),
        z=context.policy.intervals.z,
        places=context.policy.rounding.percent_places,
        floor=floor,
    )


def counted(
    count: int, context: Context, *, unit: Unit, source: Source = Source.REVIEWS, any_age: bool = False
) -> Figure:
    """A count; a measured zero is a value."""
    return Figure.counted(count, unit=unit, source=source, window=None if any_age else span(context))
