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
    base = rules.unstated_confidence if stated is None else Fraction(stated)
    confidence = base * rules.multiplier[state]
    if seat_weight is not None:
        confidence *= seat_weight
    confidence = min(Fraction(1), confidence)
    if state is State.PROVEN:
        confidence = max(confidence, rules.proven_floor)
    if contradicted:
        confidence *= rules.contradiction_multiplier
    return half_away(confidence * rules.whole_confidence)


def contradicted_once(confidence: int, rules: Rules) -> int:
    """What a contradiction of another copy makes of a rounded confidence."""
    return half_away(confidence * rules.contradiction_multiplier)


def half_away(value: Fraction) -> int:
    """The nearest whole number, half upwards, never below 0: a seat may be contested more often than it was right."""
    doubled = 2 * value.numerator + value.denominator
    return max(0, doubled // (2 * value.denominator))


def percent_of(confidence: int, rules: Rules) -> int:
    """A confidence as a whole percentage."""
    return half_away(Fraction(100 * confidence, rules.whole_confidence))
