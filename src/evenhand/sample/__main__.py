"""`python -m evenhand.sample DIR`: the generator on its own.

Only arguments and exit codes live here; the main command line has its own `sample` command over the same
`write_sample`.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from evenhand.sample import DEFAULT_DAYS, DEFAULT_EVENTS, DEFAULT_SEED, write_sample


def main(argv: list[str] | None = None) -> int:
    """Run the generator; 0 when the sample is written, 2 when the arguments cannot give one."""
    parser = argparse.ArgumentParser(prog="python -m evenhand.sample", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--days", type=int, default=DEFAULT_DAYS)
    parser.add_argument("--events", type=int, default=DEFAULT_EVENTS)
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--as-of", type=datetime.fromisoformat, default=_last_midnight(), metavar="ISO")
    parser.add_argument("--unique-metadata", action="store_true", help="long, unique, escaped metadata on every row")
    arguments = parser.parse_args(argv)
    try:
        write_sample(
            arguments.directory,
            days=arguments.days,
            events=arguments.events,
            seed=arguments.seed,
            as_of=arguments.as_of,
            unique_metadata=arguments.unique_metadata,
        )
    except ValueError as error:
        print(f"evenhand.sample: {error}", file=sys.stderr)
        return 2
    return 0


def _last_midnight() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


if __name__ == "__main__":
    sys.exit(main())
