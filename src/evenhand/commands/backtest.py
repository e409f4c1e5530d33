"""`evenhand backtest`: its sub-commands and their arguments. What a backtest says is the backtest room's."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.commands.options import SOURCE_HELP, add_as_of, add_policy, as_of_of, command_named
from evenhand.errors import ExitCode

if TYPE_CHECKING:
    from evenhand.commands.options import Commands


def add(commands: "Commands") -> None:
    """Adds the command and its sub-commands."""
    command = command_named(commands, "backtest", "ask whether a rule change would have been right on history")
    parts = command.add_subparsers(dest="part", required=True, metavar="PART")
    _add_sweep(parts)


def _add_sweep(parts: "Commands") -> None:
    part = command_named(parts, "sweep", "run a list of comparisons, splits and scores over every rule's corpus")
    part.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    add_as_of(part)
    part.add_argument("--plan", type=Path, required=True, metavar="FILE", help="what to run, JSON")
    part.add_argument("--rule", action="append", metavar="ID", help="only this rule; may be given again")
    add_policy(part)
    part.set_defaults(run=_sweep)


def _sweep(options: argparse.Namespace) -> int:
    from evenhand.backtest.sweep import read_plan, sweep
    from evenhand.canonical import pretty
    from evenhand.policy import load_policy

    plan = read_plan(options.plan)
    print(pretty(sweep(options.source, load_policy(options.policy), as_of_of(options), plan, options.rule)), end="")
    return ExitCode.DONE
