"""A logic backtest: two versions of a detection, replayed over the captured context of a corpus.

Belongs here: which cases can be replayed, what an answer predicts, and what a run says. Does not: running code
(sandbox), or the statistics (scoring, paired).

Source: fairness contract, section 10, "Logic backtest".
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.backtest.cases import Case
from evenhand.backtest.paired import Paired, paired_predictions
from evenhand.backtest.rendering import comparison_text
from evenhand.backtest.sandbox import Entry, SandboxError, Version, copied, run_jailed
from evenhand.backtest.scoring import Comparison, compare, score_predictions
from evenhand.backtest.snapshot import Corpus
from evenhand.errors import EvenhandError
from evenhand.policy import Backtest, Policy, ascii_lower

_REVISION_DIGITS = 12


class WithheldContextError(EvenhandError):
    """A rule whose context must not be replayed."""


@dataclass(frozen=True)
class LogicRun:
    """What two versions say of the same cases."""

    corpus: Corpus
    entry: str
    replayed: int
    skipped: int
    raised: tuple[int, int]
    """Cases in which the old and the new version raised an exception: they predict reversed."""
    revisions: tuple[str, str]
    comparison: Comparison
    paired: Paired

    def json(self, policy: Policy) -> dict[str, Any]:
        """As a document."""
        return {
            "ruleId": self.corpus.rule_id,
            "corpusChecksum": self.corpus.checksum,
            "checksumRule": self.corpus.checksum_rule,
            "entry": self.entry,
            "baseRevision": self.revisions[0],
            "headRevision": self.revisions[1],
            "replayed": self.replayed,
            "skipped": self.skipped,
            "raised": {"base": self.raised[0], "head": self.raised[1]},
            "comparison": self.comparison.json(),
            "rendered": comparison_text(self.comparison),
            "paired": self.paired.json(policy.intervals.z),
            "advisoryOnly": True,
        }


def refuse_withheld(rule: str, policy: Backtest) -> None:
    """Raises WithheldContextError for a rule whose context never leaves the export."""
    if ascii_lower(rule) in {ascii_lower(name) for name in policy.context_rules_withheld}:
        raise WithheldContextError(f"{rule} is never replayed: its context holds secrets; test another rule")


def replayable(cases: Sequence[Case], policy: Backtest) -> tuple[list[Case], int]:
    """Cases with every replayed field as a non-blank text, and how many lack one."""
    kept = [case for case in cases if all(_text(case, name) for name in policy.replayed_fields)]
    return kept, len(cases) - len(kept)


def _text(case: Case, name: str) -> str:
    value = (case.metadata or {}).get(name)
    return value if isinstance(value, str) and value.strip() else ""


def run_logic(
    corpus: Corpus,
    base: Path,
    head: Path,
    entry_text: str,
    policy: Policy,
    *,
    seconds: float | None = None,
    revisions: tuple[str | None, str | None] = (None, None),
) -> LogicRun:
    """Replays both versions on the same cases.

    Raises WithheldContextError for a rule about secrets, UsageError for folders or an entry that do not fit, and
    SandboxError when a version cannot be run to its end.
    """
    rules = policy.backtest
    refuse_withheld(corpus.rule_id, rules)
    entry = Entry.parse(entry_text)
    cases, skipped = replayable(corpus.cases, rules)
    asked = b"".join(
        json.dumps({"id": number, **{name: _text(case, name) for name in rules.replayed_fields}}).encode() + b"\n"
        for number, case in enumerate(cases)
    )
    limit = float(rules.logic_seconds if seconds is None else seconds)
    with copied("base", base, entry, rules) as old, copied("head", head, entry, rules) as new:
        answers = [
            _answers(version, run_jailed(version, entry, asked, rules, limit) if cases else b"", len(cases), rules)
            for version in (old, new)
        ]
        told = (
            revisions[0] or f"content {old.digest[:_REVISION_DIGITS]}",
            revisions[1] or f"content {new.digest[:_REVISION_DIGITS]}",
        )
    labels = [case.is_reversed for case in cases]
    rule = corpus.rule_id
    before, after = (score_predictions(rule, zip(found.predicts_reversed, labels, strict=True)) for found in answers)
    pairs = zip(answers[0].predicts_reversed, answers[1].predicts_reversed, labels, strict=True)
    return LogicRun(
        corpus,
        entry_text,
        len(cases),
        skipped,
        (answers[0].raised, answers[1].raised),
        told,
        compare(before, after),
        paired_predictions(pairs),
    )


@dataclass(frozen=True)
class _Answers:
    predicts_reversed: tuple[bool, ...]
    raised: int


def _answers(version: Version, output: bytes, expected: int, policy: Backtest) -> _Answers:
    """The prediction of each case: only the one status predicts confirmed, anything else, an exception too, reversed.

    Raises SandboxError when an answer is missing, comes twice or is no answer: a guess would be a verdict of its own.
    """
    found: dict[int, dict[str, Any]] = {}
    for line in output.splitlines():
        if not line.strip():
            continue
        try:
            answer = json.loads(line)
            number = answer["id"]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise SandboxError(
                f"the replay of {version.name} answered with a line that is no answer: each is one JSON object with "
                "the id of its case"
            ) from error
        if type(number) is not int or not 0 <= number < expected or number in found:
            raise SandboxError(f"the replay of {version.name} answered for a case that was not asked, or twice")
        found[number] = answer
    if len(found) != expected:
        raise SandboxError(f"the replay of {version.name} answered {len(found)} of {expected} cases")
    return _Answers(
        tuple(found[number].get("status") != policy.unaddressed for number in range(expected)),
        sum("error" in answer for answer in found.values()),
    )
