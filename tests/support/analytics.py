"""Figures over reviews for tests: folds of small tables, and whole exports reviewed as of an instant."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.cells import cells
from support.reviews import Json, text_of

from evenhand.evidence.analytics.registry import SEATS_PROVIDED, statistics
from evenhand.evidence.analytics.reviewed import Reviewed, reviewed
from evenhand.figures import Figure
from evenhand.metrics.registry import Context
from evenhand.policy import Policy, policy_from
from evenhand.timeline import instant_argument

AS_OF = "2026-04-01T00:00:00Z"
"""A month after the reviews that `support.reviews` makes."""


def fold(name: str, table: str, *, repos: Sequence[str] = ("acme/widgets",), seats: bool = True, **policy: Any) -> Any:
    """What a statistic makes of counted cells."""
    chosen = policy_from(policy).allowing(list(repos))
    provided = frozenset({SEATS_PROVIDED} if seats else ())
    return statistics()[f"reviews.{name}"].fold(cells(table), Context(chosen, instant_argument(AS_OF), provided))


def reviewed_of(
    *reviews: Json | str, seats: Sequence[Json | str] | None = None, as_of: str = AS_OF, policy: Policy | None = None
) -> Reviewed:
    """Everything computed of some reviews as they stand in files."""
    chosen = policy or Policy().allowing(["acme/widgets"])
    with tempfile.TemporaryDirectory() as scratch:
        file, seat_file = Path(scratch) / "reviews.ndjson", Path(scratch) / "seats.ndjson"
        file.write_text(text_of(reviews), encoding="utf-8")
        seat_file.write_text(text_of(seats or ()), encoding="utf-8")
        return reviewed(file, None if seats is None else seat_file, chosen, instant_argument(as_of), keep=True)


def figures(result: Any) -> dict[str, Figure]:
    """The figures of a result by name."""
    found = list(result.figures())
    assert len(dict(found)) == len(found), "two figures have one name"
    return dict(found)


def counts_of(found: Reviewed, name: str) -> dict[str, Any]:
    """The numerator of each figure of a statistic that is not 0, by name."""
    return {key: one.numerator for key, one in figures(found.results[f"reviews.{name}"]).items() if one.numerator}
