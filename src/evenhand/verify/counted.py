"""What counting again gives: a number with its counts, or the reason why it cannot be given.

Belongs here: these two alone. Does not: any counting (recount, reviews).
"""

from dataclasses import dataclass
from fractions import Fraction


class NotDerivableError(Exception):
    """The published rows do not give this figure; says why, in the words of the Verify page."""


@dataclass(frozen=True)
class Counted:
    """What was counted: a share, a mean, a number. `value` is exact."""

    value: Fraction | None
    numerator: int | None
    denominator: int | None


def count(number: int) -> Counted:
    """A number of things."""
    return Counted(Fraction(number), number, None)


def ratio(numerator: int, denominator: int) -> Counted:
    """A share or a mean; nothing of nothing has no value."""
    return Counted(Fraction(numerator, denominator) if denominator else None, numerator, denominator)
