"""`evenhand corpus`: its sub-commands and their arguments. What a corpus is, is the backtest room's."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.commands.options import SOURCE_HELP, add_as_of, add_policy, as_of_of, command_named
from evenhand.errors import ExitCode

if TYPE_CHECKING:
    from evenhand.commands.options import Commands


def add(commands: "Commands") -> None:
    """Adds the command and its sub-commands."""
    command = command_named(commands, "corpus", "export and verify the operator's full corpora")
    parts = command.add_subparsers(dest="part", required=True, metavar="PART")
    part = command_named(parts, "export", "write every labelled case of a rule with its manifest")
    part.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    part.add_argument("--rule", required=True, metavar="ID", help="the rule")
    part.add_argument("--out", type=Path, required=True, metavar="FILE", help="a .json or .parquet file")
    add_as_of(part)
    part.add_argument("--since", metavar="ISO", help="only firings and verdicts that are both at or after this instant")
    add_policy(part)
    part.set_defaults(run=_export)
    part = command_named(parts, "verify", "check a corpus against its manifest, ours or LoopOver's")
    part.add_argument("file", type=Path, metavar="FILE")
    part.set_defaults(run=_verify)


def _export(options: argparse.Namespace) -> int:
    from evenhand.backtest.history import export_corpus
    from evenhand.policy import load_policy
    from evenhand.timeline import instant_argument

    since = None if options.since is None else instant_argument(options.since)
    manifest = export_corpus(
        options.source, load_policy(options.policy), as_of_of(options), options.rule, options.out, since
    )
    print(f"{manifest['caseCount']:,} cases of {manifest['ruleId']} to {options.out.name}: {manifest['checksum']}")
    return ExitCode.DONE


def _verify(options: argparse.Namespace) -> int:
    from evenhand.backtest.snapshot import read_corpus

    corpus = read_corpus(options.file)
    print(
        f"PASS {corpus.name}: {len(corpus.cases):,} cases of {corpus.rule_id} give the checksum {corpus.checksum} "
        f"under the {corpus.checksum_rule} rule"
    )
    return ExitCode.DONE
