"""Reverts that bodies of pull requests speak of and nothing bears out: a count for the data-quality page.

Belongs here: folding the reasons into the known ones. Does not: any figure, for such a mention counts nowhere.

Source: fairness contract section 13, "an uncorroborated revert claim"; outcomes/rules/reverting.py writes the rows.
"""

from importlib.resources import files

from evenhand.engines.duckdb import DuckEngine
from evenhand.lake.tables import MENTION_REASONS

OTHER = "other"


def uncorroborated_mentions(engine: DuckEngine, as_of: int) -> dict[str, int]:
    """Reason -> pull requests, before as-of; a reason that is none of the known ones is never repeated."""
    sql = files("evenhand.metrics.outcomes").joinpath("uncorroborated_mentions.sql").read_text(encoding="utf-8")
    counts: dict[str, int] = {}
    for row in engine.cells(sql, {"as_of_us": as_of}):
        reason = row["reason"] if row["reason"] in MENTION_REASONS else OTHER
        counts[reason] = counts.get(reason, 0) + row["n"]
    return dict(sorted(counts.items()))
