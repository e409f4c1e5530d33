"""Published corpora: each rule's labelled cases, capped as JSON and whole as a snapshot, with their checksums.

Belongs here: pairing (by its SQL), redaction to UTC days, order, cap and checksum. Does not: what a score record
commits to (records), or where a file is put (site).

Source: fairness contract, section 3.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib.resources import files
from json import dumps
from typing import Any, Protocol

import pyarrow as pa

from evenhand.canonical import canonical, sha256_hex
from evenhand.metrics.registry import Context
from evenhand.timeline import Window

# Safe on every file system, and equal only when the rules are: lower case, and no name that a system reserves.
_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
_REMEMBERED = 1 << 16
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9]|index|all_rules|rule-.*)")


class CorpusEngine(Protocol):
    """Runs the statements of the pairing and returns its rows."""

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        """A statement without rows."""
        ...

    def arrow(self, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
        """The rows of a query."""
        ...


@dataclass(frozen=True)
class RuleCorpus:
    """One rule's corpus: how many cases it has, and the canonical texts of the published ones."""

    rule_id: str
    total: int
    votes: int
    """Overrides that label some case: several firings can share one, and one without a firing labels none."""
    cap: int
    window: Window
    cases: tuple[str, ...]

    @property
    def truncated(self) -> bool:
        """Whether the JSON corpus is a prefix; the snapshot never is."""
        return self.total > self.cap

    @property
    def checksum(self) -> str:
        """SHA-256 of the canonical JSON of the published cases."""
        return sha256_hex(("[" + ",".join(self.cases) + "]").encode())

    def json(self) -> str:
        """The corpus file: one case a line, each in its canonical form."""
        head = {
            "ruleId": self.rule_id,
            "windowDays": _whole(self.window.days),
            "caseCount": len(self.cases),
            "truncated": self.truncated,
            "readFailed": False,
            "checksum": self.checksum,
        }
        opening = dumps(head, ensure_ascii=False, indent=2)[:-2]
        return opening + ',\n  "cases": [\n' + ",\n".join(self.cases) + ("\n" if self.cases else "") + "]\n}\n"


def _whole(days: float) -> int | float:
    return int(days) if days == int(days) else days


def file_stem(rule_id: str) -> str:
    """A file name for a rule id, which is untrusted text: itself when harmless, else a digest of it."""
    if _PLAIN_NAME.fullmatch(rule_id) and not _RESERVED.fullmatch(rule_id):
        return rule_id
    return "rule-" + sha256_hex(rule_id.encode())[:16]


def statement(name: str) -> str:
    """One of the SQL files of this package."""
    return files("evenhand.corpus").joinpath(f"{name}.sql").read_text(encoding="utf-8")


def pair(engine: CorpusEngine, context: Context) -> pa.Table:
    """Runs the pairing: every case of every rule, ordered by rule and then in the published order.

    Columns rule_id, fired_day, decided_day, outcome, label, confidence (null when absent).
    """
    parameters = _parameters(context)
    for one in statement("pairing").split(";\n"):
        if one.strip():
            engine.run(one, parameters)
    return engine.arrow(statement("snapshot"), parameters).combine_chunks()


def _parameters(context: Context) -> dict[str, Any]:
    window = context.window(context.policy.windows.signals_days)
    return {"window_start_us": window.start, "window_end_us": window.end}


def published_corpora(engine: CorpusEngine, cases: pa.Table, context: Context) -> list[RuleCorpus]:
    """The corpus of every rule with an override row in the window, ordered by rule id, out of the paired cases."""
    rules = engine.arrow(statement("rules"), _parameters(context)).to_pylist()
    window = context.window(context.policy.windows.signals_days)
    cap = context.policy.corpus.json_cases
    corpora, start = [], 0
    for rule in rules:
        texts = tuple(_case_texts(cases.slice(start, min(rule["cases"], cap))))
        corpora.append(RuleCorpus(rule["rule_id"], rule["cases"], rule["votes"], cap, window, texts))
        start += rule["cases"]
    return corpora


def cases_of_rules(cases: pa.Table, corpora: list[RuleCorpus]) -> Iterator[tuple[RuleCorpus, pa.Table]]:
    """Each rule's corpus with all its cases: they lie in the order of the rules, so a rule is one slice."""
    start = 0
    for corpus in corpora:
        yield corpus, cases.slice(start, corpus.total)
        start += corpus.total


def _case_texts(cases: pa.Table) -> Iterator[str]:
    columns = [cases[name].to_pylist() for name in cases.column_names]
    for row in zip(*columns, strict=True):
        yield case_text(*row)


def case_text(rule_id: str, fired: date, decided: date, outcome: str, label: str, confidence: float | None) -> str:
    """The canonical JSON of one case, keys in order; a hundred times the speed of the general encoder."""
    metadata = "" if confidence is None else f'"metadata":{{"confidence":{_number(confidence)}}},'
    return (
        f'{{"decidedAt":"{_day(decided)}","firedAt":"{_day(fired)}","label":{_string(label)},{metadata}'
        f'"outcome":{_string(outcome)},"ruleId":{_string(rule_id)}}}'
    )


@lru_cache(maxsize=_REMEMBERED)
def _day(day: date) -> str:
    return f"{day.isoformat()}T00:00:00.000Z"


@lru_cache(maxsize=_REMEMBERED)
def _string(text: str) -> str:
    return canonical(text).decode()


@lru_cache(maxsize=_REMEMBERED)
def _number(value: float) -> str:
    return canonical(value).decode()
