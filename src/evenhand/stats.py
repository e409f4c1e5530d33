"""Intervals, exact tests, medians, nearest-rank percentiles and exact rounding.

Belongs here: statistics that more than one figure uses, on integers and exact rationals.
Does not: which figure uses which (metrics), or floors (policy).

Sources: Wilson, JASA 22 (1927), 209-212, closed form; Newcombe, Statistics in Medicine 17 (1998), 873-890 (independent
shares, method 10) and 2635-2650 (paired shares, method 10); McNemar's exact test; Clopper and Pearson, Biometrika 26
(1934), 404-413; fairness contract section 1, "Rounding".
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


def newcombe(before: tuple[int, int], after: tuple[int, int], z: float) -> tuple[float, float] | None:
    """Newcombe's interval of the change between two independent shares, after minus before; None of nothing.

    before, after: (successes, of).
    """
    first, second = wilson(*before, z), wilson(*after, z)
    if first is None or second is None:
        return None
    was, now = before[0] / before[1], after[0] / after[1]
    low = now - was - sqrt((now - second[0]) ** 2 + (first[1] - was) ** 2)
    high = now - was + sqrt((second[1] - now) ** 2 + (was - first[0]) ** 2)
    return max(-1.0, low), min(1.0, high)


def newcombe_paired(both: int, only_before: int, only_after: int, neither: int, z: float) -> tuple[float, float] | None:
    """Newcombe's interval of the change of a share over the same cases, after minus before; None of nothing.

    The four counts are of cases that succeed both times, before alone, after alone, and never.
    """
    of = both + only_before + only_after + neither
    now, was = wilson(both + only_after, of, z), wilson(both + only_before, of, z)
    if now is None or was is None:
        return None
    after, before = (both + only_after) / of, (both + only_before) / of
    phi = _corrected_correlation(both, only_after, only_before, neither)
    change = after - before
    down = (after - now[0]) ** 2 - 2 * phi * (after - now[0]) * (was[1] - before) + (was[1] - before) ** 2
    up = (now[1] - after) ** 2 - 2 * phi * (now[1] - after) * (before - was[0]) + (before - was[0]) ** 2
    return max(-1.0, change - sqrt(max(0.0, down))), min(1.0, change + sqrt(max(0.0, up)))


def _corrected_correlation(both: int, first: int, second: int, neither: int) -> float:
    """Newcombe's continuity-corrected phi: a positive one is brought nearer to 0."""
    of = both + first + second + neither
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins == 0:
        return 0.0
    product = both * neither - first * second
    corrected = max(product - of / 2, 0.0) if product > 0 else float(product)
    return float(corrected / sqrt(margins))


def mcnemar_exact(one_way: int, other_way: int) -> float:
    """The two-sided exact p of so many cases that changed one way and the other: 1 when none did."""
    from scipy.special import bdtr

    changed = one_way + other_way
    if one_way == other_way:
        return 1.0
    return min(1.0, 2 * float(bdtr(float(min(one_way, other_way)), changed, 0.5)))


def clopper_pearson_upper(failures: int, of: int, level: float) -> float:
    """The one-sided upper bound of a share: it lies above with a chance of at most `level`. 1 of nothing."""
    from scipy.special import betaincinv

    if failures >= of:
        return 1.0
    return float(betaincinv(failures + 1, of - failures, 1 - level))


def significant(value: float, digits: int = 6) -> float | int:
    """A double cut to some significant digits, so that it prints the same whatever computed its last bits."""
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short


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
