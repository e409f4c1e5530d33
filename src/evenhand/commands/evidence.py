"""`evenhand evidence`: its arguments. What reviews mean is the evidence room's."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.commands.options import add_policy, command_named
from evenhand.errors import ExitCode

if TYPE_CHECKING:
    from evenhand.commands.options import Commands


def add(commands: "Commands") -> None:
    """Adds the command."""
    command = command_named(commands, "evidence", "say what reviews mean: states, confidence, mechanisms, fix plans")
    command.add_argument("reviews", type=Path, metavar="REVIEWS", help="a review export, .ndjson or .json")
    command.add_argument("--seats", type=Path, metavar="FILE", help="seat records, .ndjson")
    command.add_argument("--deliver", choices=("all", "proven-only"), default="all", help="which patches are offered")
    command.add_argument(
        "--format",
        choices=("json", "markdown", "html", "annotations", "plan"),
        default="json",
        metavar="FORMAT",
        help="json (default), markdown, html, annotations or plan",
    )
    command.add_argument("--out", type=Path, metavar="PATH", help="a file; for html a folder; default: standard output")
    add_policy(command)
    command.add_argument("--sweep", action="store_true", help="cleanup goes to one branch a repository and day")
    command.add_argument("--strict", action="store_true", help="exit 3 when there were bad records")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from evenhand.evidence.command import run
    from evenhand.policy import load_policy

    bad = run(
        options.reviews,
        options.seats,
        load_policy(options.policy).evidence,
        deliver=options.deliver,
        form=options.format,
        out=options.out,
        sweep=options.sweep,
    )
    return ExitCode.STRICT if options.strict and bad else ExitCode.DONE
