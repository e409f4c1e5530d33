"""Calibration of every rule over the history of a lake: curves, recommendations and guarantees for the operator.

Belongs here: counting cells in a lake and handing them to the statistics. Does not: any statistic (reliability,
recommendation, guarantee), or reading an export (history).

A lake keeps a confidence as its double; it counts here as the shortest decimal of that double, which is what was
written unless somebody wrote more than fifteen digits.

Source: fairness contract, section 10; section 6, "guaranteed[arm]".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from evenhand.backtest.cases import REVERSED
from evenhand.backtest.guarantee import Guarantee, arm_guarantees, certify
from evenhand.backtest.history import EARLIEST, pairing_statements, statement
from evenhand.backtest.recommendation import Recommendation, knob_named, recommend
from evenhand.backtest.reliability import Loosest, Reliability, loosest_threshold, reliability
from evenhand.backtest.scoring import Cell, ordered
from evenhand.backtest.splitting import is_held_out
from evenhand.metrics.registry import Cells, Context
from evenhand.policy import exact


class CountingEngine(Protocol):
    """Runs the statements of the pairing and returns the cells of a counting query."""

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """A statement without rows."""
        ...

    def cells(self, sql: str, parameters: Mapping[str, Any]) -> Cells:
        """The rows of a counting query."""
        ...


@dataclass(frozen=True)
class RuleCalibration:
    """What one rule's claims are worth."""

    rule_id: str
    cases: int
    curve: Reliability
    loosest: Loosest | None
    guarantee: Guarantee


@dataclass(frozen=True)
class Calibration:
    """Every rule with a labelled case, every known threshold, and each arm's guarantee."""

    rules: tuple[RuleCalibration, ...]
    recommendations: tuple[Recommendation, ...]
    arms: dict[str, Guarantee]

    def rule(self, rule_id: str) -> RuleCalibration | None:
        """One rule; None without a labelled case."""
        return next((found for found in self.rules if found.rule_id == rule_id), None)


def calibrate(engine: CountingEngine, context: Context) -> Calibration:
    """Pairs the whole history before as-of and folds it."""
    parameters = {"since_us": EARLIEST, "as_of_us": context.as_of}
    prepared = [one for one in statement("lake_signals").split(";\n") if one.strip()]
    for one in (*prepared, *pairing_statements()):
        engine.run(one, parameters)
    by_rule: dict[str, list[dict[str, Any]]] = {}
    for cell in engine.cells(statement("claims"), {}):
        by_rule.setdefault(cell["rule_id"], []).append(cell)
    cells = {rule: _folded(found) for rule, found in sorted(by_rule.items())}
    policy = context.policy.backtest
    rules = tuple(
        RuleCalibration(
            rule,
            sum(cell.cases for cell in found),
            reliability(found, policy),
            loosest_threshold(found, policy),
            certify(found, policy),
        )
        for rule, found in cells.items()
    )
    recommended = tuple(_recommended(engine, name, context) for name in policy.known)
    return Calibration(rules, recommended, arm_guarantees(cells, policy))


def _recommended(engine: CountingEngine, name: str, context: Context) -> Recommendation:
    knob = knob_named(name, context.policy)
    fraction = exact(context.policy.backtest.held_out_fraction)
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for cell in engine.cells(statement("target_claims"), {"rule_id": knob.rule}):
        sides[is_held_out(knob.split_seed, knob.rule, cell["target_key"], fraction)].append(cell)
    return recommend(name, _folded(sides[0]), _folded(sides[1]), context.policy)


def _folded(cells: Iterable[dict[str, Any]]) -> list[Cell]:
    counts: dict[float | None, list[int]] = {}
    for cell in cells:
        counts.setdefault(cell["confidence"], [0, 0])[cell["label"] == REVERSED] += cell["n"]
    return ordered(
        Cell(None if confidence is None else _decimal(confidence), *found) for confidence, found in counts.items()
    )


@lru_cache(maxsize=1 << 16)
def _decimal(confidence: float) -> Fraction:
    return Fraction(repr(confidence))
