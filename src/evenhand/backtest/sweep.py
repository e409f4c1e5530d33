"""A sweep: a list of comparisons, splits and scores over every rule's corpus in one go.

Belongs here: reading the plan and the shape of the answer. Does not: any rule of a comparison (scoring).

Source: interface contract, `evenhand backtest sweep`; the plan and the answers of the golden exports.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from evenhand.backtest.cases import Case, checksum, loopover_checksum
from evenhand.backtest.decimals import exact_number, printed
from evenhand.backtest.history import SignalHistory
from evenhand.backtest.rendering import comparison_text, score_text
from evenhand.backtest.scoring import Cell, Direction, cells_of, compare_thresholds, score_threshold
from evenhand.backtest.splitting import split
from evenhand.errors import UsageError
from evenhand.policy import Policy
from evenhand.timeline import DAY, iso

_KEYS = ("thresholds", "directional", "splits", "score")


@dataclass(frozen=True)
class Plan:
    """What a sweep computes for each rule."""

    thresholds: tuple[tuple[Fraction, Fraction], ...]
    directional: tuple[tuple[Fraction, Fraction, Direction], ...]
    splits: tuple[tuple[Fraction, str], ...]
    scores: tuple[Fraction, ...]


class _Exact:
    """A JSON number of a plan, exactly."""

    def __init__(self, text: str) -> None:
        self.value = exact_number(text)


def read_plan(path: Path) -> Plan:
    """The plan of a file; UsageError when it cannot be read or is none."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_float=_Exact, parse_int=_Exact)
    except OSError as error:
        raise UsageError(f"the plan {path.name!r} cannot be read: {error.strerror}; name one with --plan") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the plan {path.name!r} is not JSON: {error}") from error
    try:
        return _plan(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"the plan {path.name!r} is none: it is an object with lists under {', '.join(_KEYS)}, "
            'such as {"thresholds": [[0.5, 0.6]]}'
        ) from error


def _plan(document: dict[str, Any]) -> Plan:
    if unknown := set(document) - set(_KEYS):
        raise UsageError(f"the plan has {sorted(unknown)[0]!r}, which does not exist; known are {', '.join(_KEYS)}")
    return Plan(
        tuple((_number(old), _number(new)) for old, new in document.get("thresholds", ())),
        tuple(
            (
                _number(entry["old"]),
                _number(entry["new"]),
                Direction(entry["mustImprove"], _number(entry["maxSacrifice"])),
            )
            for entry in document.get("directional", ())
        ),
        tuple((_number(entry["fraction"]), _text(entry["seed"])) for entry in document.get("splits", ())),
        tuple(_number(threshold) for threshold in document.get("score", ())),
    )


def _number(told: _Exact) -> Fraction:
    if told.value is None:
        raise ValueError("a number of the plan is beyond every double")
    return told.value


def _text(told: Any) -> str:
    if not isinstance(told, str):
        raise TypeError("a seed is a text")
    return told


def sweep(
    source: str, policy: Policy, as_of: int, plan: Plan, rules: Iterable[str] | None = None
) -> dict[str, dict[str, Any]]:
    """The answers of a plan for every rule with an override, or for the named rules."""
    since = as_of - policy.backtest.sweep_days * DAY
    with SignalHistory(source, policy, as_of) as history:
        wanted = sorted(set(history.rules()) if rules is None else set(rules))
        answers = {rule: _answers(rule, [], plan) for rule in wanted}
        for rule, cases in history.cases():
            if rule in answers:
                answers[rule] = _answers(rule, cases, plan)
        recent = {rule: _recent(since, []) for rule in wanted}
        for rule, cases in history.cases(since):
            if rule in answers:
                recent[rule] = _recent(since, cases)
    return {rule: {**answers[rule], "sinceThirtyDays": recent[rule]} for rule in wanted}


def _recent(since: int, cases: list[Case]) -> dict[str, Any]:
    return {"sinceDate": iso(since), "caseCount": len(cases), "checksum": checksum(cases)}


def _answers(rule: str, cases: list[Case], plan: Plan) -> dict[str, Any]:
    cells = cells_of(cases)
    return {
        "caseCount": len(cases),
        "checksum": checksum(cases),
        "checksumLoopover": loopover_checksum(cases),
        "cases": [case.json() for case in cases],
        "splits": [_split(cases, seed, fraction) for fraction, seed in plan.splits],
        "thresholds": [_compared(rule, cells, old, new) for old, new in plan.thresholds],
        "directional": [_compared(rule, cells, old, new, direction) for old, new, direction in plan.directional],
        "score": [score_text(score_threshold(rule, cells, threshold)) for threshold in plan.scores],
    }


def _split(cases: list[Case], seed: str, fraction: Fraction) -> dict[str, Any]:
    visible, held_out = split(cases, seed, fraction)
    return {
        "visible": len(visible),
        "heldOut": len(held_out),
        "visibleChecksum": checksum(visible),
        "heldOutChecksum": checksum(held_out),
    }


def _compared(
    rule: str, cells: list[Cell], old: Fraction, new: Fraction, direction: Direction | None = None
) -> dict[str, Any]:
    comparison = compare_thresholds(rule, cells, old, new, direction)
    told = {"old": printed(old), "new": printed(new)}
    directed = (
        {"mustImprove": direction.must_improve, "maxSacrifice": printed(direction.most_sacrifice)} if direction else {}
    )
    return {**told, **directed, "comparison": comparison.json(), "rendered": comparison_text(comparison)}
