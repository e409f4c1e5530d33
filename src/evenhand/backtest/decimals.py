"""Numbers of a backtest: exact rationals in, the shortest double out.

Belongs here: reading a decimal exactly and printing a rational as JSON would. Does not: what a number means.

Source: fairness contract, section 10, "Exact rationals throughout; printed as the shortest double".
"""

import re
from fractions import Fraction
from functools import lru_cache

from evenhand.canonical import canonical
from evenhand.errors import UsageError
from evenhand.stats import exact_decimal

_UNSIGNED = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")


@lru_cache(maxsize=1 << 16)
def exact_number(text: str) -> Fraction | None:
    """The exact value of a JSON number's text; None when it is beyond every double."""
    return exact_decimal(text)


def printed(value: Fraction | float | None) -> float | int | None:
    """The double nearest to a rational, as JSON prints it: a whole one as an integer, 1 and not 1.0."""
    if value is None:
        return None
    double = float(value)
    return int(double) if double.is_integer() and abs(double) < 2**53 else double


def number_text(value: Fraction | float) -> str:
    """The shortest text of the nearest double, as ECMAScript prints it: 1e-7, 0.1, 1."""
    return canonical(printed(value)).decode()


def unsigned_decimal(text: str, what: str) -> Fraction:
    """The exact value of a command-line decimal; UsageError when it is not a plain one."""
    if not _UNSIGNED.fullmatch(text):
        raise UsageError(f"{what} must be an unsigned decimal number such as 0.85, not {text[:60]!r}")
    return Fraction(text)
