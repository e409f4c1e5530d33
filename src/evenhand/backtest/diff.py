"""Known thresholds that a unified diff changes, found by reading it as text; nothing of it is ever run.

Belongs here: the strict form of a line that sets a name, and what is ambiguous. Does not: which names are known
(policy), or the backtest of a change (threshold).

Source: fairness contract, section 10, "Diff form".
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from evenhand.backtest.decimals import number_text, printed
from evenhand.backtest.snapshot import Corpus
from evenhand.backtest.threshold import ThresholdRun, run_threshold
from evenhand.errors import UsageError
from evenhand.policy import Knob, Policy

_WORDS = r"(?:(?:export|const|let|final|static)[ \t]+)*"
_TYPE = r"(?:[ \t]*:[ \t]*[A-Za-z_][\w.]*(?:<[\w., ]*>)?(?:\[\])*)?"
_NUMBER = r"([0-9]{1,30}(?:\.[0-9]{1,30})?)"
_LARGEST_DIFF = 64 << 20


@dataclass(frozen=True, slots=True)
class Changed:
    """A known threshold that the diff changes once, unmistakably."""

    name: str
    knob: Knob
    old: Fraction
    new: Fraction


@dataclass(frozen=True, slots=True)
class Skipped:
    """A known threshold that the diff touches and that is not tested, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class DiffRun:
    """What a diff changes, and the backtest of each change on each corpus."""

    runs: tuple[tuple[Changed, ThresholdRun], ...]
    skipped: tuple[Skipped, ...]

    def json(self, policy: Policy) -> dict[str, Any]:
        """As a document."""
        return {
            "runs": [
                {
                    "knob": changed.name,
                    "constant": changed.knob.constant,
                    "scale": changed.knob.scale,
                    **run.json(policy),
                }
                for changed, run in self.runs
            ],
            "skipped": [{"knob": entry.name, "why": entry.why} for entry in self.skipped],
            "advisoryOnly": True,
        }


def read_diff(path: Path) -> str:
    """The text of a diff file, `-` for standard input; UsageError when it cannot be read."""
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(_LARGEST_DIFF + 1)
        else:
            with path.open("rb") as file:
                data = file.read(_LARGEST_DIFF + 1)
    except OSError as error:
        raise UsageError(f"the diff {path.name!r} cannot be read: {error.strerror}; name one with --diff") from error
    if len(data) > _LARGEST_DIFF:
        raise UsageError(f"the diff {path.name!r} is larger than {_LARGEST_DIFF >> 20} MB: give the change alone")
    return data.decode("utf-8", errors="replace")


def changes(diff: str, policy: Policy) -> tuple[list[Changed], list[Skipped]]:
    """Known thresholds that the diff changes, and those that it touches ambiguously, in the policy's order."""
    removed, added = _changed_lines(diff)
    found: list[Changed] = []
    skipped: list[Skipped] = []
    for name in policy.backtest.known:
        knob: Knob = getattr(policy, name)
        outcome = _change(name, knob, removed, added)
        if isinstance(outcome, Changed):
            found.append(outcome)
        elif outcome is not None:
            skipped.append(outcome)
    return found, skipped


def _changed_lines(diff: str) -> tuple[list[str], list[str]]:
    """Removed and added lines without their sign. Only a line feed ends a line, as in a diff."""
    removed, added = [], []
    for line in diff.split("\n"):
        if line.startswith("-") and not line.startswith("---"):
            removed.append(line[1:].rstrip("\r"))
        elif line.startswith("+") and not line.startswith("+++"):
            added.append(line[1:].rstrip("\r"))
    return removed, added


def _change(name: str, knob: Knob, removed: Sequence[str], added: Sequence[str]) -> Changed | Skipped | None:
    constant = re.escape(knob.constant)
    named = re.compile(rf"(?<!\w){constant}(?!\w)", re.ASCII)
    sets = re.compile(rf"(?<!\w){constant}[ \t]*(?:[-+*/%&|^?]{{0,3}}=(?![=>])|:)", re.ASCII)
    strict = re.compile(rf"[ \t]*{_WORDS}{constant}{_TYPE}[ \t]*[=:][ \t]*{_NUMBER}[ \t]*[;,]?[ \t]*", re.ASCII)
    before = [line for line in removed if sets.search(line)]
    after = [line for line in added if sets.search(line)]
    if not before and not after:
        if any(map(named.search, removed)) and any(map(named.search, added)):
            return Skipped(name, f"{knob.constant} is named on changed lines, but none of them sets it")
        return None
    if len(before) != 1 or len(after) != 1:
        lines = f"{len(before)} removed and {len(after)} added lines"
        return Skipped(name, f"{knob.constant} is set on {lines}; only one of each is clear")
    old, new = strict.fullmatch(before[0]), strict.fullmatch(after[0])
    if old is None or new is None:
        return Skipped(name, f"{knob.constant} is not set to a plain number; nothing of the diff is run to find out")
    was, becomes = Fraction(old.group(1)) / knob.scale, Fraction(new.group(1)) / knob.scale
    if was == becomes:
        return Skipped(name, f"{knob.constant} keeps its value {number_text(was)}")
    return Changed(name, knob, was, becomes)


def run_diff(corpora: Sequence[Corpus], diff: str, policy: Policy) -> DiffRun:
    """Each change on every corpus of a rule that it decides; a rule without a corpus is skipped and said."""
    found, skipped = changes(diff, policy)
    runs: list[tuple[Changed, ThresholdRun]] = []
    for change in found:
        for rule in change.knob.diff_rules:
            fitting = [corpus for corpus in corpora if corpus.rule_id == rule]
            if not fitting:
                skipped.append(Skipped(change.name, f"no corpus of {rule} was given"))
            runs += [(change, run_threshold(corpus, change.old, change.new, policy)) for corpus in fitting]
    return DiffRun(tuple(runs), tuple(skipped))


def summary_lines(run: DiffRun) -> list[str]:
    """What was found and what was not tested, a line each."""
    tested = {changed.name: changed for changed, _ in run.runs}
    told = [
        f"{changed.name}: {changed.knob.constant} {printed(changed.old)} -> {printed(changed.new)}"
        for changed in tested.values()
    ]
    told += [f"Skipped {entry.name}: {entry.why}." for entry in run.skipped]
    return told or ["The diff sets no known threshold."]
