"""Recommendations for a known threshold: the loosening and the tightening loop. They report; nothing is changed.

Belongs here: which candidate may be recommended, and why the others are not. Does not: comparing (scoring), or where a
threshold is known from (policy).

Source: fairness contract, section 10, "Recommendation for a threshold" and "Known thresholds".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.backtest.decimals import number_text, printed
from evenhand.backtest.guarantee import Guarantee, certify
from evenhand.backtest.paired import Paired, paired_thresholds
from evenhand.backtest.reliability import Loosest, Reliability, loosest_threshold, reliability
from evenhand.backtest.scoring import (
    IMPROVED,
    RECALL,
    REGRESSED,
    Cell,
    Comparison,
    Direction,
    compare_thresholds,
    ordered,
)
from evenhand.errors import UsageError
from evenhand.policy import Knob, Policy, exact

LOOSENING, TIGHTENING = "loosening", "tightening"


@dataclass(frozen=True)
class Step:
    """One candidate, compared with the current value on both sides of the split."""

    value: Fraction
    visible: Comparison
    held_out: Comparison
    paired: Paired
    refusal: str
    """Why it is not recommended; '' when it is good enough."""

    def json(self, z: float) -> dict[str, Any]:
        """As the report holds it."""
        return {
            "value": printed(self.value),
            "accepted": not self.refusal,
            "refusal": self.refusal or None,
            "visible": self.visible.json(),
            "heldOut": self.held_out.json(),
            "paired": self.paired.json(z),
        }


@dataclass(frozen=True)
class Loop:
    """One direction: every candidate, smallest step first."""

    direction: str
    bound: Fraction
    steps: tuple[Step, ...]

    @property
    def recommended(self) -> Step | None:
        """The smallest step that is good enough."""
        return next((step for step in self.steps if not step.refusal), None)

    def json(self, z: float) -> dict[str, Any]:
        """As the report holds it."""
        found = self.recommended
        return {
            "recommended": None if found is None else printed(found.value),
            "bound": printed(self.bound),
            "candidates": [step.json(z) for step in self.steps],
        }


@dataclass(frozen=True)
class Recommendation:
    """What history says of one known threshold."""

    name: str
    knob: Knob
    current: Fraction
    fraction: Fraction
    visible_cases: int
    held_out_cases: int
    loops: tuple[Loop, ...]
    curve: Reliability
    loosest: Loosest | None
    guarantee: Guarantee

    def json(self, policy: Policy) -> dict[str, Any]:
        """As the report holds it."""
        z = policy.intervals.z
        return {
            "knob": self.name,
            "constant": self.knob.constant,
            "ruleId": self.knob.rule,
            "current": printed(self.current),
            "split": {
                "seed": self.knob.split_seed,
                "heldOutFraction": printed(self.fraction),
                "visibleCases": self.visible_cases,
                "heldOutCases": self.held_out_cases,
                "neededVisible": self.knob.visible_cases,
                "neededHeldOut": self.knob.held_out_cases,
            },
            **{loop.direction: loop.json(z) for loop in self.loops},
            "reliability": self.curve.json(z),
            "loosestThreshold": {
                "targetPrecision": policy.backtest.target_precision,
                "found": None if self.loosest is None else self.loosest.json(z),
            },
            "guarantee": self.guarantee.json(),
            "advisoryOnly": True,
        }


def knob_named(name: str, policy: Policy) -> Knob:
    """A known threshold; UsageError that names the known ones."""
    if name not in policy.backtest.known:
        raise UsageError(f"no threshold is known as {name!r}; known are {', '.join(policy.backtest.known)}")
    knob: Knob = getattr(policy, name)
    return knob


def recommend(
    name: str, visible: Sequence[Cell], held_out: Sequence[Cell], policy: Policy, current: Fraction | None = None
) -> Recommendation:
    """Tries every candidate of a known threshold; `current` is the value in force when it is not the shipped one."""
    knob = knob_named(name, policy)
    now = Fraction(knob.shipped) if current is None else current
    counts = (sum(cell.cases for cell in visible), sum(cell.cases for cell in held_out))
    cells = together(visible, held_out)

    def step(value: Fraction, direction: Direction | None) -> Step:
        before, after = (compare_thresholds(knob.rule, side, now, value, direction) for side in (visible, held_out))
        return Step(value, before, after, paired_thresholds(cells, now, value), _refusal(knob, counts, before, after))

    sacrifice = Direction(RECALL, exact(policy.backtest.tightening_sacrifice))
    loops = tuple(
        Loop(
            way,
            Fraction(getattr(knob, f"{way}_bound")),
            tuple(step(value, sacrifice if way == TIGHTENING else None) for value in candidates(knob, way, now)),
        )
        for way in (LOOSENING, TIGHTENING)
    )
    return Recommendation(
        name,
        knob,
        now,
        exact(policy.backtest.held_out_fraction),
        *counts,
        loops,
        reliability(cells, policy.backtest),
        loosest_threshold(cells, policy.backtest),
        certify(cells, policy.backtest),
    )


def candidates(knob: Knob, way: str, current: Fraction) -> list[Fraction]:
    """The candidates of one direction that lie beyond the current value, smallest step first, never past the bound."""
    shipped, bound = Fraction(knob.shipped), Fraction(getattr(knob, f"{way}_bound"))
    listed = [Fraction(text) for text in getattr(knob, way)]
    is_upward = any(value > shipped for value in listed)
    beyond = [value for value in listed if (value > current if is_upward else value < current)]
    within = [value for value in beyond if (value <= bound if is_upward else value >= bound)]
    return sorted(within, key=lambda value: abs(value - current))


def _refusal(knob: Knob, counts: tuple[int, int], visible: Comparison, held_out: Comparison) -> str:
    for side, have, needed in zip(
        ("visible", "held-out"), counts, (knob.visible_cases, knob.held_out_cases), strict=True
    ):
        if have < needed:
            return f"{have} {side} cases, at least {needed} are needed"
    if visible.verdict != IMPROVED:
        return f"{visible.verdict} on the visible cases"
    if held_out.verdict == REGRESSED:
        return "regressed on the held-out cases"
    return ""


def together(*sides: Sequence[Cell]) -> list[Cell]:
    """Cells of several sets as one."""
    counts: dict[Fraction | None, list[int]] = {}
    for cell in (cell for side in sides for cell in side):
        found = counts.setdefault(cell.confidence, [0, 0])
        found[0] += cell.confirmed
        found[1] += cell.reversed
    return ordered(Cell(confidence, *found) for confidence, found in counts.items())


def lines_of(recommendation: Recommendation) -> list[str]:
    """What is recommended and why not more, a line each."""
    told = [
        f"{recommendation.name} ({recommendation.knob.rule}), now {number_text(recommendation.current)}: "
        f"{recommendation.visible_cases:,} visible and {recommendation.held_out_cases:,} held-out cases."
    ]
    for loop in recommendation.loops:
        found = loop.recommended
        if found:
            told.append(
                f"{loop.direction.capitalize()} to {number_text(found.value)}: improved on the visible cases, "
                f"{found.held_out.verdict} on the held-out ones."
            )
        elif loop.steps:
            told.append(f"No {loop.direction}.")
        else:
            told.append(f"No {loop.direction}: the policy names no candidate beyond the current value.")
        told += [f"  {number_text(step.value)}: {step.refusal}." for step in loop.steps if step.refusal]
    return [*told, "Advisory only: nothing is changed."]
