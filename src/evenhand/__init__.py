"""Fairness figures for an automated code-review gate, each with its evidence.

Belongs here: the version, and the one function that a notebook starts with. Does not: anything that would make
`import evenhand` slow; heavy libraries are imported when they are needed.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from evenhand.analyst import Lake


def open_lake(directory: Any, policy: Any = None, repos: list[str] | None = None) -> "Lake":
    """Opens a lake for analysis; see `evenhand.analyst.open_lake`."""
    from evenhand.analyst import open_lake as opening

    return opening(directory, policy, repos)


__all__ = ["__version__", "open_lake"]
