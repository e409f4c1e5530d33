"""The command line: arguments in, one of the rooms called, one sentence out when it refuses.

Belongs here: parsing arguments and choosing exit codes. Does not: any work; heavy libraries are imported inside the
command that needs them, so that help comes at once.

Source: interface contract, "Commands".
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand import __version__
from evenhand.commands import backfill, backtest, corpus, evidence, outcomes, serve, verify
from evenhand.commands.options import (
    DEFAULT_LAKE,
    DEFAULT_OUT,
    SOURCE_HELP,
    Parser,
    add_as_of,
    add_scope,
    as_of_of,
    command_named,
    policy_of,
    tell,
)
from evenhand.errors import EvenhandError, ExitCode, UsageError

if TYPE_CHECKING:
    from evenhand.commands.options import Commands


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except EvenhandError as error:
        if options.debug:
            raise
        _refuse(options.command, str(error))
        return int(error.exit_code)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; what it did not want is not a failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.DONE)
    except KeyboardInterrupt:
        _refuse(options.command, "interrupted; nothing was published or changed")
        return int(ExitCode.FAILED)
    except OSError as error:
        if options.debug:
            raise
        _refuse(options.command, _os_sentence(error))
        return int(ExitCode.FAILED)
    except Exception as error:
        if options.debug:
            raise
        what = f"it ended with an error that it does not know ({type(error).__name__}: {error})"
        _refuse(options.command, f"{what}; run it again with --debug for where, and tell us")
        return int(ExitCode.FAILED)


def _refuse(command: str, sentence: str) -> None:
    """One sentence on standard error, with everything that could steer a terminal made visible."""
    from evenhand.site.terminal import visible

    print(f"evenhand {command}: {visible(' '.join(sentence.split()))}", file=sys.stderr)


def _os_sentence(error: OSError) -> str:
    where = f" at {error.filename}" if error.filename else ""
    return f"the system refused{where}: {error.strerror or error}; nothing was published"


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = Parser(
        prog="evenhand",
        description="Fairness figures for an automated code-review gate, each with its evidence.",
    )
    parser.add_argument("--version", action="version", version=f"evenhand {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_sample(commands)
    _add_build(commands)
    _add_extract(commands)
    _add_figures(commands)
    _add_api(commands)
    evidence.add(commands)
    verify.add(commands)
    serve.add(commands)
    outcomes.add(commands)
    backfill.add(commands)
    backtest.add(commands)
    corpus.add(commands)
    return parser


def _add_sample(commands: "Commands") -> None:
    command = command_named(commands, "sample", "write a realistic synthetic export")
    command.add_argument("directory", type=Path, metavar="DIR")
    command.add_argument("--days", type=int, metavar="N", help="days that it covers (default 120)")
    command.add_argument("--events", type=int, metavar="N", help="about how many audit events (default 4700)")
    command.add_argument("--seed", type=int, metavar="S", help="same seed, same bytes (default 7)")
    add_as_of(command)
    command.add_argument("--unique-metadata", action="store_true", help="long, unique metadata, for measuring")
    command.set_defaults(run=_sample)


def _add_build(commands: "Commands") -> None:
    command = command_named(commands, "build", "extract, compute, check and publish")
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    add_scope(command)
    command.add_argument("--lake", type=Path, default=DEFAULT_LAKE, metavar="DIR")
    command.add_argument("--out", type=Path, default=DEFAULT_OUT, metavar="DIR", help="where builds are published")
    command.add_argument("--operator", type=Path, metavar="DIR", help="also write the operator's pages there")
    command.add_argument("--anchor-keys", type=Path, metavar="FILE", help="public keys of the ledger's anchors")
    command.add_argument("--content-waiver", metavar="T", help="FROM-TO:REASON: records that may differ, by position")
    command.add_argument(
        "--unchained-waiver", metavar="T", help="FROM_ISO..TO_ISO|MAX|REASON: records that may lie outside the chain"
    )
    command.add_argument("--sign", type=Path, metavar="KEY", help="a private key (PEM) for the statement")
    command.add_argument("--restate", metavar="TEXT", help="why a past as-of is built anew")
    command.add_argument("--reviews", type=Path, metavar="FILE", help="a review export: adds figures over its reviews")
    command.add_argument("--seats", type=Path, metavar="FILE", help="seat records beside the reviews")
    command.add_argument("--strict", action="store_true", help="exit 3 when rows or records were set aside")
    command.set_defaults(run=_build)


def _add_extract(commands: "Commands") -> None:
    command = command_named(commands, "extract", "read an export into a lake")
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    command.add_argument("--lake", type=Path, default=DEFAULT_LAKE, metavar="DIR")
    command.add_argument("--full", action="store_true", help="read everything anew")
    command.add_argument("--strict", action="store_true", help="exit 3 when rows were quarantined")
    command.set_defaults(run=_extract)


def _add_figures(commands: "Commands") -> None:
    command = command_named(commands, "figures", "print the figures of a lake without publishing")
    command.add_argument("--lake", type=Path, default=DEFAULT_LAKE, metavar="DIR")
    add_scope(command)
    command.add_argument("--json", action="store_true", help="print report.json")
    command.set_defaults(run=_figures)


def _add_api(commands: "Commands") -> None:
    command = command_named(commands, "api", "write only the API files")
    command.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    add_scope(command)
    command.add_argument("--anchor-keys", type=Path, metavar="FILE", help="public keys of the ledger's anchors")
    command.add_argument("--out", type=Path, required=True, metavar="DIR")
    command.set_defaults(run=_api)


def _sample(options: argparse.Namespace) -> int:
    from evenhand.sample import DEFAULT_DAYS, DEFAULT_EVENTS, DEFAULT_SEED, write_sample
    from evenhand.timeline import to_datetime

    try:
        write_sample(
            options.directory,
            days=DEFAULT_DAYS if options.days is None else options.days,
            events=DEFAULT_EVENTS if options.events is None else options.events,
            seed=DEFAULT_SEED if options.seed is None else options.seed,
            as_of=to_datetime(as_of_of(options)),
            unique_metadata=options.unique_metadata,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    return ExitCode.DONE


def _build(options: argparse.Namespace) -> int:
    from evenhand.build import build
    from evenhand.metrics.ledger.anchors import read_keys
    from evenhand.metrics.ledger.waivers import Waivers
    from evenhand.site.signing import SigningKey

    outcome = build(
        options.source,
        policy=policy_of(options),
        as_of=as_of_of(options),
        lake_dir=options.lake,
        out=options.out,
        operator=options.operator,
        restate=options.restate,
        reviews=options.reviews,
        seats=options.seats,
        anchor_keys=read_keys(options.anchor_keys) if options.anchor_keys else {},
        waivers=Waivers.declared(options.content_waiver, options.unchained_waiver),
        signing=SigningKey(options.sign) if options.sign else None,
        say=tell,
    )
    print(outcome.summary(), end="")
    set_aside = outcome.quarantined or outcome.bad_records
    return ExitCode.STRICT if options.strict and set_aside else ExitCode.DONE


def _extract(options: argparse.Namespace) -> int:
    from evenhand.lake.extraction import extract
    from evenhand.site.terminal import extraction_table

    manifest = extract(options.source, options.lake, full=options.full, say=tell)
    print(extraction_table(manifest), end="")
    quarantined = any(table.quarantined for table in manifest.tables.values())
    return ExitCode.STRICT if options.strict and quarantined else ExitCode.DONE


def _figures(options: argparse.Namespace) -> int:
    from evenhand.canonical import pretty
    from evenhand.computed import compute
    from evenhand.site.report import report
    from evenhand.site.terminal import figures_table

    computed = compute(options.lake, policy_of(options), as_of_of(options), with_rows=False)
    document = report(computed)
    print(pretty(document) if options.json else figures_table(document), end="")
    return ExitCode.DONE


def _api(options: argparse.Namespace) -> int:
    import tempfile
    from dataclasses import replace

    from evenhand.computed import Computation
    from evenhand.lake.extraction import extract
    from evenhand.metrics.ledger.anchors import read_keys
    from evenhand.overlap import refuse_overlap
    from evenhand.site.api_files import write_operator, write_public

    policy, as_of = policy_of(options), as_of_of(options)
    keys = read_keys(options.anchor_keys) if options.anchor_keys else {}
    refuse_overlap(options.out, source=options.source)
    if (options.out / "v1").exists():
        raise UsageError(f"{options.out} already holds API files: name an empty folder with --out")
    with tempfile.TemporaryDirectory(prefix="evenhand-") as scratch:
        lake_dir = Path(scratch) / "lake"
        extract(options.source, lake_dir)
        with Computation(lake_dir, policy, as_of) as computation:
            computed = computation.computed(with_rows=False)
            # Afterwards and not beside it: hashing in Python would keep the counting waiting for the interpreter.
            computed = replace(computed, ledger=computation.ledger(keys))
        write_public(computed, options.out)
        write_operator(computed, options.out)
    return ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())
