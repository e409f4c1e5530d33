"""The split into visible and held-out cases: by a digest, so that anyone gets the same one.

Belongs here: which side a case falls on. Does not: what either side is for (recommendation).

Source: fairness contract, section 10, "Split".
"""

import hashlib
from collections.abc import Sequence
from fractions import Fraction

from evenhand.backtest.cases import Case
from evenhand.errors import UsageError

_DIGITS = 8
_GREATEST = 0xFFFFFFFF


def is_held_out(seed: str, rule_id: str, target_key: str, fraction: Fraction) -> bool:
    """Whether the first 8 hex digits of sha256(`seed:rule:target`), as a share of the greatest, lie below the fraction.

    Raises UsageError when the fraction is outside [0, 1].
    """
    if not 0 <= fraction <= 1:
        raise UsageError(f"the held-out fraction must lie between 0 and 1, not at {float(fraction):g}")
    hashed = hashlib.sha256(f"{seed}:{rule_id}:{target_key}".encode()).hexdigest()
    return int(hashed[:_DIGITS], 16) < fraction * _GREATEST


def split(cases: Sequence[Case], seed: str, fraction: Fraction) -> tuple[list[Case], list[Case]]:
    """Visible and held-out cases, each in their order; all cases of one target fall on one side."""
    visible: list[Case] = []
    held_out: list[Case] = []
    for case in cases:
        (held_out if is_held_out(seed, case.rule_id, case.target_key, fraction) else visible).append(case)
    return visible, held_out
