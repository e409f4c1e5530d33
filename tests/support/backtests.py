"""Small corpora for tests: cases in one short call, and an export's cases by rule."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from support.exports import write_sqlite

from evenhand.backtest.cases import Case
from evenhand.backtest.history import SignalHistory
from evenhand.backtest.snapshot import Corpus, corpus_manifest, verify, write_corpus
from evenhand.policy import Policy
from evenhand.timeline import instant_argument

AS_OF = "2026-06-10T00:00:00Z"


def case(label: str, confidence: str | None = None, number: int = 1, rule: str = "slop", **metadata: Any) -> Case:
    """One case of `slop`; its confidence is a decimal text."""
    exact = None if confidence is None else Fraction(confidence)
    told = metadata if exact is None else {"confidence": float(exact), **metadata}
    return Case(
        rule,
        f"acme/widgets#{number}",
        "blocker",
        label,
        "2026-05-01T00:00:00Z",
        "2026-05-02T00:00:00Z",
        told or None,
        exact,
    )


def several(*groups: tuple[str, str | None, int], rule: str = "slop") -> list[Case]:
    """(label, confidence, how many) as cases on targets of their own."""
    wanted = [(label, confidence) for label, confidence, count in groups for _ in range(count)]
    return [case(label, confidence, number, rule) for number, (label, confidence) in enumerate(wanted, 1)]


def corpus(cases: Iterable[Case], rule: str = "slop") -> Corpus:
    """A verified corpus of these cases."""
    listed = list(cases)
    manifest = corpus_manifest(
        listed, rule, as_of=instant_argument(AS_OF), since=None, kind="sqlite", label="export.sqlite"
    )
    return verify("corpus.json", manifest, [one.json() for one in listed])


def corpus_file(path: Path, cases: Iterable[Case], rule: str = "slop") -> Path:
    """The same as a file."""
    listed = list(cases)
    write_corpus(path, corpus(listed, rule).manifest, listed)
    return path


def history_cases(
    tmp_path: Path, *events: Any, since: str | None = None, policy: Policy | None = None
) -> dict[str, list[Case]]:
    """The full cases of an export of these events, by rule."""
    export = tmp_path / "export.sqlite"
    export.unlink(missing_ok=True)
    write_sqlite(export, {"audit_events": events})
    with SignalHistory(str(export), policy or Policy(), instant_argument(AS_OF)) as history:
        return dict(history.cases(None if since is None else instant_argument(since)))
