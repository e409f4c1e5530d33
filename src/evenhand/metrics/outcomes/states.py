"""States of pull requests: merged, closed unmerged, or in review. Shared by the two ways of knowing them.

Belongs here: the counts by state and their type. Does not: which pull requests are counted (the two metrics).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.figures import Figure, NamedFigures, Source, Unit


@dataclass(frozen=True)
class States:
    """Counts of pull requests by present state."""

    merged: int
    closed: int
    in_review: int

    @property
    def reviewed(self) -> int:
        """All of them."""
        return self.merged + self.closed + self.in_review

    @classmethod
    def of(cls, cells: Iterable[dict[str, Any]]) -> "States":
        """cells: state merged | closed | in_review, n."""
        counts: Counter[str] = Counter()
        for cell in cells:
            counts[cell["state"]] += cell["n"]
        return cls(counts["merged"], counts["closed"], counts["in_review"])

    def figures(self, prefix: str, basis: str) -> NamedFigures:
        """`PREFIX/merged`, `closed`, `in_review`: counts of any age, so without a window."""
        for name in ("merged", "closed", "in_review"):
            yield (
                f"{prefix}/{name}",
                Figure.counted(
                    getattr(self, name),
                    unit=Unit.PULL_REQUEST,
                    source=Source.OUTCOMES,
                    window=None,
                    basis=basis,
                ),
            )
