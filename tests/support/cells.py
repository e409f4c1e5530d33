"""Counting queries' rows written as small text tables, and the folds that turn them into figures."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import Any

from evenhand.figures import Reason, Withheld
from evenhand.lake.tables import TABLES
from evenhand.metrics.registry import Cells, Context, registry
from evenhand.policy import Policy, policy_from
from evenhand.timeline import instant_argument

AS_OF = "2026-06-10T00:00:00Z"
"""A Wednesday. The trend's weeks start on 2026-04-20 and end with that of 2026-06-08."""

_WORDS = {"null": None, "true": True, "false": False, "''": ""}


def cells(table: str) -> Cells:
    """A text table as rows: whole numbers, days, null, true and false are what they look like, the rest is text."""
    lines = [line.split() for line in table.strip().splitlines() if line.strip()]
    if not lines:
        return []
    names, *rows = lines
    return [dict(zip(names, map(_value, row), strict=True)) for row in rows]


def _value(word: str) -> Any:
    if word in _WORDS:
        return _WORDS[word]
    if re.fullmatch(r"-?\d+", word):
        return int(word)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", word):
        return date.fromisoformat(word)
    return word


def context(
    *, repos: Iterable[str] = (), as_of: str = AS_OF, without: Iterable[str] = (), **policy: dict[str, Any]
) -> Context:
    """What folds know: an allowlist, an as-of, tables that were not provided, and policy values by table."""
    chosen: Policy = policy_from(policy).allowing(list(repos))
    return Context(chosen, instant_argument(as_of), frozenset(TABLES) - frozenset(without))


def fold(metric: str, table: str | Cells, within: Context | None = None) -> Any:
    """The figures that a metric makes of its cells."""
    rows = cells(table) if isinstance(table, str) else table
    return registry()[metric].fold(rows, within or context())


def withheld(*, below_floor: int | None = None, n: int | None = None, reason: str = "", detail: str = "") -> Withheld:
    """The reason that a figure is expected to give."""
    if below_floor is not None:
        return Withheld(Reason.BELOW_FLOOR, below_floor, n)
    return Withheld(Reason(reason), detail=detail)


def undetailed(reason: Withheld | None) -> Withheld | None:
    """A reason without its words."""
    return None if reason is None else replace(reason, detail="")
