"""The confidence of a copy, exactly: what it states, its seat's record, its evidence.

Belongs here: the one formula and its rounding. Does not: the seat's score (seats.py) or which copy a mechanism takes
its confidence from (mechanisms.py). A confidence is an int that counts its last decimal: 90 is 0.90.

Source: What a review means, section 4 (confidence of a copy).
"""

from decimal import Decimal
from fractions import Fraction

from evenhand.evidence.rules import Rules, State


def confidence_of(
    stated: Decimal | int | None, seat_weight: Fraction | None, state: State, contradicted: bool, rules: Rules
) -> int:
    """The rounded confidence. 0.145 on a green suite is 15 hundredths; its double would round to 14.

    A proven copy keeps its floor even when its seat does badly; a verified contradiction counts after the floor,
    so that 1.0 becomes 0.2.
    """
    # Numerator and denominator apart: a Fraction would reduce at every step, a million times in a large export.
    above, below = rules.unstated_confidence if stated is None else stated.as_integer_ratio()
    for factor in (rules.multiplier[state], seat_weight):
        if factor is not None:
            above, below = above * factor.numerator, below * factor.denominator
    above = min(above, below)
    if state is State.PROVEN and above * rules.proven_floor.denominator < rules.proven_floor.numerator * below:
        above, below = rules.proven_floor.as_integer_ratio()
    if contradicted:
        above *= rules.contradiction_multiplier.numerator
        below *= rules.contradiction_multiplier.denominator
    return half_away(above * rules.whole_confidence, below)


def contradicted_once(confidence: int, rules: Rules) -> int:
    """What a contradiction of another copy makes of a rounded confidence."""
    factor = rules.contradiction_multiplier
    return half_away(confidence * factor.numerator, factor.denominator)


def half_away(above: int, below: int) -> int:
    """The nearest whole number to a quotient, half upwards, never below 0: a seat may be contested more than right."""
    return max(0, (2 * above + below) // (2 * below))


def percent_of(confidence: int, rules: Rules) -> int:
    """A confidence as a whole percentage."""
    return half_away(100 * confidence, rules.whole_confidence)
