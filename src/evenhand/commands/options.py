"""Arguments that several commands share, and what they stand for.

Belongs here: how an as-of, a policy and a list of repositories are given. Does not: what any command does with them.

Source: interface contract, "Commands".
"""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from evenhand.policy import Policy

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

DEFAULT_LAKE = Path("data/lake")
DEFAULT_OUT = Path("reports")
SOURCE_HELP = "a SQLite file, a folder with one file per table, d1:DUMP.sql, d1-json:FOLDER, postgresql://… or env:NAME"


_ADDRESS = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"]*|\w*password\w*\s*=\s*(?:'(?:[^'\\]|\\.)*'|[^\s'\"]*)", re.IGNORECASE
)


class Parser(argparse.ArgumentParser):
    """A parser whose complaints repeat no address: one that stands in the wrong place may hold a credential."""

    def error(self, message: str) -> NoReturn:
        """Usage and one sentence on standard error; exit code 2."""
        super().error(_ADDRESS.sub("(an address)", message))


def command_named(commands: "Commands", name: str, summary: str) -> argparse.ArgumentParser:
    """A parser for one command; its summary is its help as well."""
    return commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")


def add_as_of(command: argparse.ArgumentParser) -> None:
    """`--as-of`."""
    command.add_argument("--as-of", metavar="ISO", help="the instant to look back from; default: the last UTC midnight")


def add_policy(command: argparse.ArgumentParser) -> None:
    """`--policy`."""
    command.add_argument("--policy", type=Path, metavar="FILE", help="a policy.toml")


def add_scope(command: argparse.ArgumentParser) -> None:
    """`--as-of`, `--repos` and `--policy`."""
    add_as_of(command)
    command.add_argument("--repos", metavar="A/B,C/D", help="repositories that may be named; default: the policy's")
    add_policy(command)


def policy_of(options: argparse.Namespace) -> "Policy":
    """The policy of `--policy`, with the repositories of `--repos` where they are given."""
    from evenhand.policy import check_repository, load_policy

    policy = load_policy(options.policy)
    if getattr(options, "repos", None) is None:
        return policy
    chosen = policy.allowing(options.repos.split(","))
    for name in chosen.repositories.allow:
        check_repository(name, "--repos")
    return chosen


def as_of_of(options: argparse.Namespace) -> int:
    """The given as-of, or the last UTC midnight: the one place that reads a clock."""
    from evenhand.timeline import day_start, instant_argument

    if options.as_of is not None:
        return instant_argument(options.as_of)
    import time

    return day_start(time.time_ns() // 1000)


def tell(sentence: str) -> None:
    """What a person may want to know while a command works, on standard error."""
    import sys

    from evenhand.site.terminal import visible

    print(visible(sentence), file=sys.stderr)
