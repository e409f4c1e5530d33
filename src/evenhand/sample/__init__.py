"""A synthetic audit export of a believable review gate, for trying Evenhand without anybody's data.

Here is only the entry point; the modules beside it each hold one concern. Nothing here reads a clock or an
environment variable: the same arguments write the same bytes.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

DEFAULT_DAYS = 120
DEFAULT_EVENTS = 4_700  # as in data/sample: every feature shows, and the export stays small enough to keep
DEFAULT_SEED = 7
MIN_EVENTS = 1_000
MOST_DAYS = 3_650
MOST_EVENTS = 100_000_000


def write_sample(
    directory: Path, *, days: int, events: int, seed: int, as_of: datetime, unique_metadata: bool = False
) -> None:
    """Write a whole sample into `directory`, replacing the files of an earlier one.

    `events` is how many `audit_events` rows to aim for; the rows that come out differ by a few percent.
    `unique_metadata` makes every metadata text long, unique and full of escapes: a parser's worst case.
    """
    _check(days=days, events=events, seed=seed, as_of=as_of)
    # numpy and cryptography are slow to import, and the command line imports this module for its defaults
    from evenhand.sample.build import build_sample

    build_sample(Path(directory), days=days, events=events, seed=seed, as_of=as_of, unique_metadata=unique_metadata)


def _check(*, days: int, events: int, seed: int, as_of: datetime) -> None:
    if not 1 <= days <= MOST_DAYS:
        raise ValueError(f"a sample covers at least one day and at most {MOST_DAYS:,}, not {days}")
    if events > MOST_EVENTS:
        raise ValueError(f"a sample has at most {MOST_EVENTS:,} events, not {events:,}")
    if events < MIN_EVENTS:
        raise ValueError(f"a sample needs at least {MIN_EVENTS} events to show every feature, not {events}")
    if seed < 0:
        raise ValueError(f"the seed must not be negative, but is {seed}")
    if as_of.tzinfo is None:
        raise ValueError("the as-of instant needs a time zone, for example 2026-11-01T00:00:00Z")
