"""`evenhand backfill`: its arguments, and what it says. The rule is the backfill room's."""

import argparse
import sys
from typing import TYPE_CHECKING

from evenhand.commands.options import SOURCE_HELP, add_policy, command_named
from evenhand.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from evenhand.backfill.decisions import Backfill
    from evenhand.commands.options import Commands
    from evenhand.policy import Policy


def add(commands: "Commands") -> None:
    """Adds the command."""
    command = command_named(commands, "backfill", "firings and verdicts from decisions of before they were recorded")
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    command.add_argument("--as-of", metavar="ISO", help="leave out what ended at or after this instant")
    command.add_argument("--apply", action="store_true", help="write the rows into SOURCE; without it they are printed")
    add_policy(command)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from evenhand.backfill.decisions import line, plan
    from evenhand.policy import load_policy
    from evenhand.sources import open_source
    from evenhand.timeline import instant_argument

    policy = load_policy(options.policy)
    as_of = None if options.as_of is None else instant_argument(options.as_of)
    with open_source(options.source, policy) as source:
        kind, label = source.kind, source.label
        if options.apply and kind not in ("sqlite", "postgresql"):
            raise UsageError(
                f"{label} is no database: --apply writes into a SQLite file or PostgreSQL; leave it out to see the rows"
            )
        found = plan(source, as_of)
    if options.apply:
        added = _write(options.source, kind, found, policy)
        present = 2 * len(found.decisions) - added
        print(f"wrote {added:,} rows into {label}; {present:,} were there already", file=sys.stderr)
    else:
        for row in found.rows():
            sys.stdout.write(line(row))
        print(f"would write up to {2 * len(found.decisions):,} rows into {label}; --apply writes them", file=sys.stderr)
    for reason, count in sorted(found.skipped.items()):
        print(f"skipped {count:,}: {reason}", file=sys.stderr)
    return ExitCode.DONE


def _write(spec: str, kind: str, found: "Backfill", policy: "Policy") -> int:
    if kind == "postgresql":
        from evenhand.backfill.writing_postgresql import write_postgresql
        from evenhand.sources import database_address

        return write_postgresql(database_address(spec), policy, found.rows())
    from evenhand.backfill.writing import write_sqlite
    from evenhand.sources import local_path

    path = local_path(spec)
    assert path is not None
    return write_sqlite(path, found.rows())
