"""`Figure`: a published number that cannot exist without its evidence.

Belongs here: the type that every published number has, the closed set of reasons why one is missing, and its JSON
form. Does not: how a figure is counted (metrics) or worded for a reader (site).

Source: fairness contract section 1, "Floors are not secrets", and the design, section 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from evenhand.stats import rounded, wilson
from evenhand.timeline import DAY, Window


class Unit(StrEnum):
    """What is counted."""

    EVALUATION = "evaluation"
    PULL_REQUEST = "pull request"
    OVERRIDE = "override"
    FIRING = "firing"
    INSTANCE = "instance"
    SIGNAL = "signal"
    EVENT = "event"
    RUN = "backtest run"
    CASE = "case"
    REVIEW = "review"
    MECHANISM = "mechanism"
    COPY = "copy"
    SUGGESTION = "suggestion"
    FIX = "fix"
    RECORD = "record"


class Source(StrEnum):
    """The rooms that never mix: four of an audit export, and what a review export and its seat records tell."""

    SIGNALS = "signals"
    OUTCOMES = "outcomes"
    LEDGER = "ledger"
    FLEET = "fleet"
    REVIEWS = "reviews"
    SEATS = "seats"


class Reason(StrEnum):
    """Why a figure has no value: exactly one of these."""

    BELOW_FLOOR = "below_floor"
    NOT_MEASURABLE = "not_measurable"
    NOTHING_DECIDED = "nothing_decided"
    WITHHELD_FOR_PRIVACY = "withheld_for_privacy"
    READ_FAILED = "read_failed"
    WINDOW_NOT_COVERED = "window_not_covered"


class Scale(StrEnum):
    """In what the value is expressed."""

    PERCENT = "percent"
    RATIO = "ratio"
    COUNT = "count"
    MEAN = "mean"
    SCORE = "score"
    MINUTES = "minutes"
    MILLISECONDS = "milliseconds"


@dataclass(frozen=True, slots=True)
class Withheld:
    """Why there is no value, in a form a reader and a program can use.

    floor: the floor that was missed, with `count` what there was. detail: what exactly is missing,
    e.g. "no auto-action was recorded" or "not provided: decision_records".
    """

    reason: Reason
    floor: int | None = None
    count: int | None = None
    detail: str = ""

    def __post_init__(self) -> None:
        if (self.reason is Reason.BELOW_FLOOR) != (self.floor is not None and self.count is not None):
            raise ValueError(f"{self.reason} and a floor of {self.floor} with n = {self.count} do not go together")

    def as_json(self) -> dict[str, Any]:
        """Reason and, where they exist, floor, n and detail."""
        given = {
            "reason": str(self.reason),
            "floor": self.floor,
            "n": self.count,
            "detail": self.detail or None,
        }
        return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval in the figure's own scale, unrounded ratios inside."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its counts, or exactly one reason why there is none.

    numerator, denominator: integers for proportions, means and counts (a count has no denominator);
    None where showing them is what must not happen, or where there is nothing to count.
    """

    scale: Scale
    unit: Unit
    source: Source
    window: Window | None
    numerator: int | Fraction | None
    denominator: int | None
    exact: Fraction | None
    places: int | None
    interval: Interval | None = None
    basis: str = ""
    withheld: Withheld | None = None
    interval_withheld: Withheld | None = None
    covered_days: int | None = None
    """Days of the window that the source covers, when it does not cover all of it."""

    def __post_init__(self) -> None:
        if (self.exact is None) == (self.withheld is None):
            raise ValueError("a figure has a value or one reason why it has none, never both or neither")
        if self.exact is not None and self.numerator is None and not self.interval_withheld and not self.basis:
            raise ValueError("a figure with a value carries its counts, or says why they are withheld")
        if self.withheld is not None and self.interval is not None:
            raise ValueError("a withheld figure has no interval")

    @classmethod
    def proportion(
        cls,
        numerator: int,
        of: int,
        *,
        unit: Unit,
        source: Source,
        window: Window | None,
        z: float,
        places: int,
        scale: Scale = Scale.PERCENT,
        floor: int = 0,
        basis: str = "",
        nothing: str = "",
    ) -> "Figure":
        """A share with its Wilson interval.

        Of nothing it is `nothing_decided`, or `not_measurable` when `nothing` says what was not there;
        under `floor` it is `below_floor`, and the counts stay.
        """
        withheld = None
        if of == 0 and nothing:
            withheld = Withheld(Reason.NOT_MEASURABLE, detail=nothing)
        elif of < floor:
            withheld = Withheld(Reason.BELOW_FLOOR, floor, of)
        elif of == 0:
            withheld = Withheld(Reason.NOTHING_DECIDED)
        bounds = wilson(numerator, of, z)
        shown = withheld is None and bounds is not None
        return cls(
            scale,
            unit,
            source,
            window,
            numerator,
            of,
            Fraction(numerator, of) if shown else None,
            places,
            Interval(*bounds, "wilson") if shown and bounds else None,
            basis,
            withheld,
        )

    @classmethod
    def counted(cls, count: int, *, unit: Unit, source: Source, window: Window | None, basis: str = "") -> "Figure":
        """A plain count: a measured zero is a value."""
        return cls(Scale.COUNT, unit, source, window, count, None, Fraction(count), 0, None, basis)

    @classmethod
    def mean(
        cls,
        total: int | Fraction,
        of: int,
        *,
        unit: Unit,
        source: Source,
        window: Window | None,
        places: int,
        basis: str = "",
        nothing: str = "",
    ) -> "Figure":
        """A total over a count; of nothing it is `not_measurable`."""
        if of == 0:
            return cls.missing(
                Reason.NOT_MEASURABLE,
                scale=Scale.MEAN,
                unit=unit,
                source=source,
                window=window,
                detail=nothing,
                basis=basis,
            )
        return cls(Scale.MEAN, unit, source, window, total, of, Fraction(total) / of, places, None, basis)

    @classmethod
    def statistic(
        cls,
        value: Fraction | None,
        of: int,
        *,
        scale: Scale,
        unit: Unit,
        source: Source,
        window: Window | None,
        places: int | None,
        basis: str,
        nothing: str = "",
    ) -> "Figure":
        """A median, a percentile or a total of `of` values; `basis` says which. None of nothing."""
        if value is None:
            return cls.missing(
                Reason.NOT_MEASURABLE,
                scale=scale,
                unit=unit,
                source=source,
                window=window,
                detail=nothing,
                basis=basis,
            )
        return cls(scale, unit, source, window, None, of, value, places, None, basis)

    @classmethod
    def missing(
        cls,
        reason: Reason,
        *,
        scale: Scale,
        unit: Unit,
        source: Source,
        window: Window | None,
        detail: str = "",
        basis: str = "",
        floor: int | None = None,
        count: int | None = None,
    ) -> "Figure":
        """A figure without a value, for one reason; under a floor it keeps its n."""
        withheld = Withheld(reason, floor, count, detail)
        return cls(scale, unit, source, window, None, count, None, None, None, basis, withheld)

    def without_counts(self, detail: str) -> "Figure":
        """The same value with its counts and interval withheld for privacy.

        At two instances an interval beside its percentage gives the count back.
        """
        if self.withheld is not None:
            return replace(self, numerator=None, denominator=None)
        withheld = Withheld(Reason.WITHHELD_FOR_PRIVACY, detail=detail)
        return replace(self, numerator=None, denominator=None, interval=None, interval_withheld=withheld)

    def not_measurable(self, detail: str) -> "Figure":
        """The same figure without a value, because what it counts was not there to count."""
        return Figure.missing(
            Reason.NOT_MEASURABLE,
            scale=self.scale,
            unit=self.unit,
            source=self.source,
            window=self.window,
            detail=detail,
            basis=self.basis,
        )

    def hidden(self, detail: str) -> "Figure":
        """The same figure withheld altogether for privacy."""
        return Figure.missing(
            Reason.WITHHELD_FOR_PRIVACY,
            scale=self.scale,
            unit=self.unit,
            source=self.source,
            window=self.window,
            detail=detail,
            basis=self.basis,
        )

    def covered_from(self, earliest: int | None) -> "Figure":
        """The same figure with how much of its window a source covers whose earliest row has this instant.

        A source that begins inside the window is noted. One that begins only after it has nothing to say of it: what
        has no value is then `window_not_covered`, and a count, which the compatible API gives as 0, covers 0 days.
        """
        if earliest is None or self.window is None or earliest <= self.window.start:
            return self
        if earliest >= self.window.end and self.exact is None:
            return Figure.missing(
                Reason.WINDOW_NOT_COVERED,
                scale=self.scale,
                unit=self.unit,
                source=self.source,
                window=self.window,
                basis=self.basis,
            )
        return replace(self, covered_days=max(0, -((earliest - self.window.end) // DAY)))

    @property
    def value(self) -> float | int | None:
        """The value as published: in its scale, rounded half away from zero; None when withheld."""
        return None if self.exact is None else self._scaled(self.exact)

    @property
    def bounds(self) -> tuple[float | int, float | int] | None:
        """The interval as published, in the figure's scale and decimals."""
        if self.interval is None:
            return None
        return self._scaled(self.interval.low), self._scaled(self.interval.high)

    def _scaled(self, ratio: Fraction | float) -> float | int:
        factor = 100 if self.scale is Scale.PERCENT else 1
        if self.places is None:
            exact = Fraction(ratio) * factor
            return int(exact) if exact.denominator == 1 else exact.numerator / exact.denominator
        return rounded(Fraction(ratio) * factor, self.places)

    def as_json(self) -> dict[str, Any]:
        """Value and evidence as `report.json` holds them."""
        bounds = self.bounds
        return {
            "value": self.value,
            "scale": str(self.scale),
            "numerator": _count(self.numerator) if self.withheld is None else None,
            "denominator": self.denominator,
            "unit": str(self.unit),
            "interval": None
            if bounds is None or self.interval is None
            else {"low": bounds[0], "high": bounds[1], "method": self.interval.method},
            "intervalWithheld": self.interval_withheld.as_json() if self.interval_withheld else None,
            "window": self.window.as_json() if self.window else None,
            "source": str(self.source),
            "basis": self.basis or None,
            "withheld": self.withheld.as_json() if self.withheld else None,
            **({} if self.covered_days is None else {"coveredDays": self.covered_days}),
        }


def _count(value: int | Fraction | None) -> int | float | None:
    if value is None or isinstance(value, int):
        return value
    return int(value) if value.denominator == 1 else value.numerator / value.denominator


NamedFigures = Iterator[tuple[str, Figure]]
"""Pairs of a stable name within a metric and its figure."""
