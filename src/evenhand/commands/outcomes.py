"""`evenhand outcomes`: its arguments. What events mean is the outcomes room's."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.commands.options import SOURCE_HELP, add_policy, command_named
from evenhand.errors import ExitCode

if TYPE_CHECKING:
    from evenhand.commands.options import Commands


def add(commands: "Commands") -> None:
    """Adds the command."""
    command = command_named(commands, "outcomes", "derive outcomes, reversals and overrides from pull-request events")
    command.add_argument(
        "events",
        nargs="+",
        type=Path,
        metavar="EVENTS",
        help="webhook deliveries or GH Archive lines, .ndjson or .ndjson.gz, in any order",
    )
    command.add_argument("--source", metavar="SOURCE", help=f"recorded actions and firings: {SOURCE_HELP}")
    command.add_argument(
        "--out", type=Path, required=True, metavar="OUT", help="an .ndjson file, or a folder that build takes as SOURCE"
    )
    add_policy(command)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from evenhand.outcomes.command import derive_outcomes
    from evenhand.policy import load_policy
    from evenhand.site.terminal import visible

    derived = derive_outcomes(options.events, options.source, options.out, load_policy(options.policy))
    for line in derived.summary().splitlines():
        print(visible(line), file=sys.stderr)
    return ExitCode.DONE
