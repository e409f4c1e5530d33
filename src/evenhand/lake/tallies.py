"""The file `tallies.json`: what was found in the tables that only grow, by UTC day.

Belongs here: the file and its two directions. Does not: what is counted (work.py). A later extraction takes over the
counts of the days that it does not read again.
"""

import json
from pathlib import Path

from evenhand.lake.work import Tally

TALLIES_NAME = "tallies.json"


def write_tallies(path: Path, tallies: dict[str, Tally]) -> None:
    """Write the counts of some tables, day by day."""
    told = {
        name: {str(day): vars(counts) | {"counts": dict(sorted(counts.counts.items()))} for day, counts in ordered}
        for name, ordered in ((name, sorted(tally.periods.items())) for name, tally in sorted(tallies.items()))
    }
    path.write_text(json.dumps(told, sort_keys=True) + "\n", encoding="utf-8")


def read_tallies(path: Path) -> dict[str, Tally]:
    """The counts that an earlier extraction wrote."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return {name: Tally.from_json({"periods": periods, "buckets": {}}) for name, periods in told.items()}
