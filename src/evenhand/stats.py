"""Intervals, medians, nearest-rank percentiles and exact rounding.

Belongs here: statistics that more than one figure uses, on integers and exact rationals.
Does not: which figure uses which (metrics), or floors (policy).

Sources: Wilson, JASA 22 (1927), 209-212, closed form; fairness contract section 1, "Rounding".
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, isfinite, sqrt

Rational = Fraction | int


def wilson(successes: int, of: int, z: float) -> tuple[float, float] | None:
    """Wilson score interval of a proportion, clamped to [0, 1]; None when `of` is 0.

    59 of 60: Wald would claim [0.951, 1.016]; Wilson says [0.911, 0.997].
    """
    if of == 0:
        return None
    if not 0 <= successes <= of:
        raise ValueError(f"{successes} of {of} is not a proportion")
    share = successes / of
    z2 = z * z
    centre = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = z * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    # At the ends the bound is exactly 0 or 1; the closed form misses it by a few ulps.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == of else min(1.0, centre + half)
    return low, high


def rounded(value: Rational | float, places: int) -> float | int:
    """Half away from zero, on the exact rational: 201/400 is 50.25 % and rounds to 50.3.

    A whole result comes back as an int, so that it prints as 80 and not 80.0.
    """
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} cannot be rounded")
    exact = Fraction(value)
    scaled = abs(exact) * 10**places
    whole = scaled.numerator * 2 // scaled.denominator
    whole = (whole + 1) // 2
    signed = whole if exact >= 0 else -whole
    result = Fraction(signed, 10**places)
    return int(result) if result.denominator == 1 else float(result)


def percent(numerator: int, denominator: int, places: int) -> float | int | None:
    """The percentage of two counts, rounded; None when the denominator is 0."""
    return None if denominator == 0 else rounded(Fraction(100 * numerator, denominator), places)


def median(values: Sequence[Fraction]) -> Fraction | None:
    """The middle value, or the mean of the middle two; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def nearest_rank(total: int, percentile: int) -> int:
    """The 1-based rank `ceil(percentile / 100 * total)` of the nearest-rank percentile, at least 1."""
    return max(1, ceil(Fraction(percentile * total, 100)))


def exact_decimal(text: str) -> Fraction | None:
    """The exact rational of a JSON number's text; None when its double is not finite.

    A number whose double is 0 is 0: 1e-999999999 would otherwise need a billion digits.
    """
    double = float(text)
    if not isfinite(double):
        return None
    return Fraction(Decimal(text)) if double else Fraction(0)
