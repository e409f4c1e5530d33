"""`evenhand backtest`: its sub-commands and their arguments. What a backtest says is the backtest room's."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.commands.options import SOURCE_HELP, add_as_of, add_policy, as_of_of, command_named
from evenhand.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from evenhand.commands.options import Commands


FORMATS = ("text", "json", "markdown")


def add(commands: "Commands") -> None:
    """Adds the command and its sub-commands."""
    command = command_named(commands, "backtest", "ask whether a rule change would have been right on history")
    parts = command.add_subparsers(dest="part", required=True, metavar="PART")
    _add_threshold(parts)
    _add_diff(parts)
    _add_logic(parts)
    _add_sweep(parts)
    _add_track_record(parts)
    _add_recommend(parts)


def _add_format(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--format", choices=FORMATS, default="text", metavar="FORMAT", help="text (default), json, markdown"
    )


def _add_record(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--record", type=Path, metavar="FILE", help="append the run to this .ndjson file, which track-record reads"
    )
    part.add_argument("--recorded-at", metavar="ISO", help="when the run happened; default: now")


def _add_threshold(parts: "Commands") -> None:
    part = command_named(parts, "threshold", "compare two thresholds of a rule on a corpus")
    part.add_argument("corpus", type=Path, metavar="CORPUS", help="a file of `evenhand corpus export`")
    part.add_argument("--rule", required=True, metavar="ID", help="the rule")
    part.add_argument("--old", required=True, metavar="X", help="the threshold in force")
    part.add_argument("--new", required=True, metavar="Y", help="the threshold to test")
    part.add_argument("--must-improve", choices=("precision", "recall"), metavar="AXIS", help="precision or recall")
    part.add_argument("--max-sacrifice", metavar="Z", help="how much of the other axis may be given for it; default 0")
    _add_format(part)
    _add_record(part)
    add_policy(part)
    part.set_defaults(run=_threshold)


def _add_diff(parts: "Commands") -> None:
    part = command_named(parts, "diff", "test the known thresholds that a unified diff changes; runs nothing of it")
    part.add_argument("corpora", type=Path, nargs="+", metavar="CORPUS", help="files of `evenhand corpus export`")
    part.add_argument("--diff", type=Path, required=True, metavar="FILE", help="a unified diff; - for standard input")
    _add_format(part)
    _add_record(part)
    add_policy(part)
    part.set_defaults(run=_diff)


def _add_logic(parts: "Commands") -> None:
    part = command_named(parts, "logic", "replay two versions of a detection over captured context, shut in")
    part.add_argument("corpus", type=Path, metavar="CORPUS", help="a file of `evenhand corpus export`")
    part.add_argument("--rule", required=True, metavar="ID", help="the rule")
    part.add_argument("--base", type=Path, required=True, metavar="DIR", help="the folder of the version in force")
    part.add_argument("--head", type=Path, required=True, metavar="DIR", help="the folder of the version to test")
    part.add_argument(
        "--entry",
        required=True,
        metavar="FILE:FUNCTION",
        help="a function of a Python file in both, or FILE: an executable that answers JSON lines",
    )
    part.add_argument("--timeout", type=float, metavar="S", help="seconds for each version; default: the policy's")
    part.add_argument("--base-revision", metavar="TEXT", help="what the base is called; default: a digest of its files")
    part.add_argument("--head-revision", metavar="TEXT", help="what the head is called; default: a digest of its files")
    part.add_argument("--fail-open", action="store_true", help="exit 0 with a notice when a replay cannot be run")
    _add_format(part)
    _add_record(part)
    add_policy(part)
    part.set_defaults(run=_logic)


def _add_sweep(parts: "Commands") -> None:
    part = command_named(parts, "sweep", "run a list of comparisons, splits and scores over every rule's corpus")
    part.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    add_as_of(part)
    part.add_argument("--plan", type=Path, required=True, metavar="FILE", help="what to run, JSON")
    part.add_argument("--rule", action="append", metavar="ID", help="only this rule; may be given again")
    add_policy(part)
    part.set_defaults(run=_sweep)


def _add_track_record(parts: "Commands") -> None:
    part = command_named(parts, "track-record", "count what recorded backtests said, rule by rule")
    part.add_argument("source", metavar="SOURCE", help=f"{SOURCE_HELP}, or a .ndjson file of --record")
    add_as_of(part)
    part.add_argument("--json", action="store_true", help="print JSON")
    add_policy(part)
    part.set_defaults(run=_track_record)


def _add_recommend(parts: "Commands") -> None:
    part = command_named(parts, "recommend", "say whether history speaks for moving a known threshold; changes nothing")
    part.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    part.add_argument("--knob", required=True, metavar="NAME", help="a known threshold, such as satisfaction_floor")
    part.add_argument("--current", metavar="X", help="the value in force; default: the shipped one")
    add_as_of(part)
    part.add_argument("--json", action="store_true", help="print JSON")
    add_policy(part)
    part.set_defaults(run=_recommend)


def _threshold(options: argparse.Namespace) -> int:
    from evenhand.backtest.decimals import unsigned_decimal
    from evenhand.backtest.recording import THRESHOLD_RUN
    from evenhand.backtest.scoring import Direction
    from evenhand.backtest.snapshot import read_corpus, with_rule
    from evenhand.backtest.threshold import run_threshold
    from evenhand.backtest.words import markdown_of, text_of
    from evenhand.policy import load_policy

    if options.max_sacrifice is not None and options.must_improve is None:
        raise UsageError("--max-sacrifice says what may be given for an axis: name the axis with --must-improve")
    policy = load_policy(options.policy)
    old, new = unsigned_decimal(options.old, "--old"), unsigned_decimal(options.new, "--new")
    direction = None
    if options.must_improve is not None:
        direction = Direction(options.must_improve, unsigned_decimal(options.max_sacrifice or "0", "--max-sacrifice"))
    run = run_threshold(with_rule(read_corpus(options.corpus), options.rule), old, new, policy, direction)
    document = run.json(policy)
    _record(options, THRESHOLD_RUN, [document])
    _tell(options.format, document, lambda: text_of(run, policy), lambda: markdown_of(run, policy))
    return ExitCode.DONE


def _diff(options: argparse.Namespace) -> int:
    from evenhand.backtest.diff import read_diff, run_diff
    from evenhand.backtest.recording import THRESHOLD_RUN
    from evenhand.backtest.snapshot import read_corpus
    from evenhand.backtest.words import diff_markdown, diff_text
    from evenhand.policy import load_policy

    policy = load_policy(options.policy)
    run = run_diff([read_corpus(path) for path in options.corpora], read_diff(options.diff), policy)
    document = run.json(policy)
    _record(options, THRESHOLD_RUN, document["runs"])
    _tell(options.format, document, lambda: diff_text(run, policy), lambda: diff_markdown(run, policy))
    return ExitCode.DONE


def _logic(options: argparse.Namespace) -> int:
    from evenhand.backtest.logic import refuse_withheld, run_logic
    from evenhand.backtest.recording import LOGIC_RUN
    from evenhand.backtest.sandbox import SandboxError
    from evenhand.backtest.snapshot import CorpusError, read_corpus, with_rule
    from evenhand.backtest.words import logic_markdown, logic_text, skip_notice
    from evenhand.policy import load_policy

    if options.timeout is not None and not 0 < options.timeout < float("inf"):
        raise UsageError("--timeout must be a number of seconds above 0")
    policy = load_policy(options.policy)
    refuse_withheld(options.rule, policy.backtest)
    try:
        run = run_logic(
            with_rule(read_corpus(options.corpus), options.rule),
            options.base,
            options.head,
            options.entry,
            policy,
            seconds=options.timeout,
            revisions=(options.base_revision, options.head_revision),
        )
    except (SandboxError, CorpusError) as error:
        if not options.fail_open:
            raise
        why = str(error)
        _tell(options.format, {"skipped": why}, lambda: f"Skipped, and no verdict: {why}.\n", lambda: skip_notice(why))
        return ExitCode.DONE
    document = run.json(policy)
    _record(options, LOGIC_RUN, [document])
    _tell(options.format, document, lambda: logic_text(run, policy), lambda: logic_markdown(run, policy))
    return ExitCode.DONE


def _record(options: argparse.Namespace, event_type: str, documents: list[dict[str, Any]]) -> None:
    """Appends runs to the file of `--record`, at the given instant or now: the one other place that reads a clock."""
    if options.record is None:
        return
    from evenhand.backtest.recording import append_event, run_event
    from evenhand.timeline import instant_argument

    if options.recorded_at is None:
        import time

        at = time.time_ns() // 1000
    else:
        at = instant_argument(options.recorded_at)
    for document in documents:
        append_event(options.record, run_event(event_type, document, at))


def _tell(form: str, document: dict[str, Any], text: Callable[[], str], markdown: Callable[[], str]) -> None:
    from evenhand.canonical import pretty
    from evenhand.site.terminal import visible

    if form == "json":
        print(pretty(document), end="")
    elif form == "markdown":
        print(markdown(), end="")
    else:
        print("\n".join(map(visible, text().split("\n"))), end="")


def _sweep(options: argparse.Namespace) -> int:
    from evenhand.backtest.sweep import read_plan, sweep
    from evenhand.canonical import pretty
    from evenhand.policy import load_policy

    plan = read_plan(options.plan)
    print(pretty(sweep(options.source, load_policy(options.policy), as_of_of(options), plan, options.rule)), end="")
    return ExitCode.DONE


def _track_record(options: argparse.Namespace) -> int:
    import shutil
    import tempfile

    from evenhand.canonical import pretty
    from evenhand.computed import Computation
    from evenhand.lake.extraction import extract
    from evenhand.policy import load_policy
    from evenhand.site import api
    from evenhand.site.terminal import track_record_table
    from evenhand.timeline import iso

    as_of = as_of_of(options)
    with tempfile.TemporaryDirectory(prefix="evenhand-") as scratch:
        source = options.source
        if source.endswith(".ndjson") and Path(source).is_file():
            # A file of recorded runs is the audit events of an export that holds nothing else.
            (Path(scratch) / "runs").mkdir()
            shutil.copyfile(source, Path(scratch) / "runs" / "audit_events.ndjson")
            source = f"{scratch}/runs"
        lake_dir = Path(scratch) / "lake"
        extract(source, lake_dir)
        with Computation(lake_dir, load_policy(options.policy), as_of) as computation:
            results = {"signals.track_record": computation.result("signals.track_record")}
            document = {"generatedAt": iso(as_of), **api.track_record(results, computation.context)}
    print(pretty(document) if options.json else track_record_table(document), end="")
    return ExitCode.DONE


def _recommend(options: argparse.Namespace) -> int:
    from evenhand.backtest.decimals import unsigned_decimal
    from evenhand.backtest.guarantee import arm_guarantees, arm_rules
    from evenhand.backtest.history import SignalHistory
    from evenhand.backtest.recommendation import knob_named, lines_of, recommend
    from evenhand.backtest.scoring import cells_of
    from evenhand.backtest.splitting import split
    from evenhand.backtest.words import evidence_lines, guarantee_line
    from evenhand.canonical import pretty
    from evenhand.policy import exact, load_policy
    from evenhand.timeline import iso

    policy, as_of = load_policy(options.policy), as_of_of(options)
    knob = knob_named(options.knob, policy)
    current = None if options.current is None else unsigned_decimal(options.current, "--current")
    arms = {rule for rules in arm_rules(policy.backtest).values() for rule in rules}
    with SignalHistory(options.source, policy, as_of, {knob.rule, *arms}) as history:
        by_rule = dict(history.cases(with_metadata=False))
    cases = by_rule.get(knob.rule, [])
    guarantees = arm_guarantees({rule: cells_of(found) for rule, found in by_rule.items()}, policy.backtest)
    visible, held_out = split(cases, knob.split_seed, exact(policy.backtest.held_out_fraction))
    found = recommend(options.knob, cells_of(visible), cells_of(held_out), policy, current)
    told = {arm: guarantee.json() for arm, guarantee in guarantees.items()}
    document = {"generatedAt": iso(as_of), **found.json(policy), "arms": told}
    lines = [*lines_of(found), *evidence_lines(found.curve, found.loosest, found.guarantee, policy)]
    lines += [f"{arm.capitalize()} arm: {guarantee_line(one, policy)}" for arm, one in guarantees.items()]
    print(pretty(document) if options.json else "\n".join(lines) + "\n", end="")
    return ExitCode.DONE
