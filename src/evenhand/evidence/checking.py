"""From one JSON value to a checked record, or to the one reason why it is bad.

Belongs here: which fields there must be, of which type, out of which words. Does not: files and lines (reading.py).
One bad finding makes the whole review bad: a review that silently lost a finding would read as cleaner than it was.

Source: What a review means, section 1 (input).
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from sys import float_info
from typing import Any, TypeVar

from evenhand.evidence import records as kinds
from evenhand.evidence.records import Instant
from evenhand.timeline import parse_instant

Record = Mapping[str, Any]
Word = TypeVar("Word", bound=StrEnum)
Made = TypeVar("Made")

_MISSING = object()
_LARGEST_BITS = float_info.max_exp
_LONGEST_SHOWN = 40
# Digits below a microsecond that are read: more would only make a hostile text slow.
_FINEST = 30
_DATE_LENGTH = len("2026-11-01")
_OFFSET = re.compile(r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$", re.ASCII)
_FINER = re.compile(r"\.[0-9]{6}([0-9]+)", re.ASCII)


class BadRecordError(Exception):
    """Why a record cannot be read, with the path of the field."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path} {problem}" if path else problem)
        self.path = path
        self.problem = problem

    def inside(self, path: str) -> "BadRecordError":
        """The same reason, seen from the record that holds the field."""
        return BadRecordError(f"{path}.{self.path}" if self.path else path, self.problem)


class NumberText(str):
    """The exact text of a JSON number with a fraction or an exponent, which is not a JSON text."""

    __slots__ = ()


def review_of(value: Any) -> kinds.Review:
    """The review of one JSON value; BadRecordError when it is none."""
    record = _object(value, "the record")
    findings = _each(record, "findings", _finding)
    _unique([finding.finding_id for finding in findings])
    fix_pr = _optional(record, "fix_pr", lambda inner: _word(inner, "state", _PULL_STATES))
    return kinds.Review(
        _text(record, "review_id"),
        _text(record, "account"),
        _text(record, "repo"),
        _whole(record, "pull_number"),
        _text(record, "head_sha"),
        _text(record, "head_ref"),
        _text(record, "base_ref"),
        _truth(record, "head_is_fork"),
        _word(record, "source_state", _PULL_STATES),
        _word(record, "pass", _PASSES),
        _word(record, "status", _STATUSES),
        _instant(record, "started_at"),
        _instant(record, "finished_at"),
        _number(record, "settled_cost_usd"),
        _each(record, "seats", _seat),
        _whole(record, "shards_total"),
        _whole(record, "shards_reviewed"),
        _texts(record, "lenses_skipped"),
        _texts(record, "lenses_cut"),
        findings,
        _each(record, "dead_code", _dead_code),
        fix_pr,
        _word_or_none(record, "tests_at_head", _TESTS),
        _files(record),
    )


def outcomes_of(value: Any, outcomes: tuple[str, ...]) -> tuple[tuple[str, str, str], dict[str, int]]:
    """Account, seat and lens of one seat record, and its counts; BadRecordError when it is none."""
    record = _object(value, "the record")
    key = _text(record, "account"), _text(record, "seat"), _text(record, "lens")
    counts = {name: _whole(record, name) for name in outcomes}
    for name, count in counts.items():
        if count < 0:
            raise BadRecordError(name, f"is {count}, below 0")
    return key, counts


def _finding(record: Record) -> kinds.Finding:
    confidence = _number(record, "stated_confidence")
    if confidence is not None and not 0 <= confidence <= 1:
        raise BadRecordError("stated_confidence", "is not between 0 and 1")
    return kinds.Finding(
        _text(record, "finding_id"),
        _text(record, "lens"),
        _word(record, "purpose", _PURPOSES),
        _text(record, "seat"),
        _text(record, "title"),
        _text(record, "reason"),
        _texts(record, "files"),
        None if record.get("symbols") is None else _texts(record, "symbols"),
        confidence,
        _truth(record, "claims_speed") if "claims_speed" in record else False,
        _word_or_none(record, "impact", _IMPACTS),
        None if record.get("reach") is None else _text(record, "reach"),
        _truth(record, "edge_input_only"),
        _optional(record, "patch", _patch),
        _optional(record, "reproduction", _reproduction),
        _optional(record, "suite", _suite),
        _texts(record, "contested_by"),
        _truth(record, "scope_sent_away"),
        _optional(record, "contradiction", _citation),
        _optional(record, "promise", _citation),
    )


def _patch(record: Record) -> kinds.Patch:
    return kinds.Patch(
        _text(record, "file"), _whole(record, "start_line"), _text(record, "replaced"), _text(record, "replacement")
    )


def _reproduction(record: Record) -> kinds.Reproduction:
    return kinds.Reproduction(
        _word(record, "status", _RUN_STATUSES),
        _truth(record, "fails_before"),
        _truth(record, "passes_after"),
        _truth(record, "referent_gone"),
    )


def _suite(record: Record) -> kinds.Suite:
    return kinds.Suite(
        _word(record, "status", _SUITE_STATUSES),
        _word_or_none(record, "baseline", _COLOURS),
        _word_or_none(record, "with_patch", _COLOURS),
    )


def _citation(record: Record) -> kinds.Citation:
    return kinds.Citation(_text(record, "file"), _whole(record, "line"), _text(record, "quote"))


def _seat(record: Record) -> kinds.Seat:
    return kinds.Seat(
        _text(record, "seat"), _text(record, "lab"), _whole(record, "rank"), _texts(record, "unfinished_lenses")
    )


def _dead_code(record: Record) -> kinds.DeadCode:
    return kinds.DeadCode(
        _text(record, "file"), _text(record, "symbol"), _whole(record, "start_line"), _whole(record, "end_line")
    )


def _files(record: Record) -> dict[str, kinds.FileText]:
    files = {}
    for path, content in _object(record.get("files_at_head", _MISSING), "files_at_head").items():
        inner = _object(content, f"files_at_head[{shown(path)}]")
        try:
            files[path] = kinds.FileText(_whole(inner, "start_line"), _texts(inner, "lines"))
        except BadRecordError as error:
            raise error.inside(f"files_at_head[{shown(path)}]") from None
    return files


def _unique(finding_ids: list[str]) -> None:
    if len(set(finding_ids)) != len(finding_ids):
        double = next(name for name in finding_ids if finding_ids.count(name) > 1)
        raise BadRecordError("findings", f"name the finding_id {shown(double)} twice")


def _object(value: Any, path: str) -> Record:
    if value is _MISSING:
        raise BadRecordError(path, "is missing")
    if type(value) is not dict:
        raise BadRecordError(path, f"must be an object, not {_kind(value)}")
    found: Record = value
    return found


def _optional(record: Record, key: str, make: Callable[[Record], Made]) -> Made | None:
    value = record.get(key)
    if value is None:
        return None
    inner = _object(value, key)
    try:
        return make(inner)
    except BadRecordError as error:
        raise error.inside(key) from None


def _each(record: Record, key: str, make: Callable[[Record], Made]) -> tuple[Made, ...]:
    made = []
    for position, value in enumerate(_list(record, key)):
        inner = _object(value, f"{key}[{position}]")
        try:
            made.append(make(inner))
        except BadRecordError as error:
            raise error.inside(f"{key}[{position}]") from None
    return tuple(made)


def _list(record: Record, key: str) -> list[Any]:
    value = record.get(key, _MISSING)
    if type(value) is not list:
        raise _wrong(key, value, "a list")
    found: list[Any] = value
    return found


def _text(record: Record, key: str) -> str:
    value = record.get(key, _MISSING)
    if type(value) is not str:
        raise _wrong(key, value, "a text")
    return value


def _texts(record: Record, key: str) -> tuple[str, ...]:
    values = _list(record, key)
    for position, value in enumerate(values):
        if type(value) is not str:
            raise _wrong(f"{key}[{position}]", value, "a text")
    return tuple(values)


def _whole(record: Record, key: str) -> int:
    value = record.get(key, _MISSING)
    # True is an int to Python and a truth to JSON; 12.0 is not written as a whole number.
    if type(value) is not int:
        raise _wrong(key, value, "a whole number")
    return value


def _truth(record: Record, key: str) -> bool:
    value = record.get(key, _MISSING)
    if type(value) is not bool:
        raise _wrong(key, value, "true or false")
    return value


def _number(record: Record, key: str) -> Decimal | int | None:
    value = record.get(key)
    if value is None:
        return None
    if type(value) is int:
        if value.bit_length() > _LARGEST_BITS:
            raise BadRecordError(key, "is beyond every amount")
        return value
    if type(value) is not NumberText:
        raise _wrong(key, value, "a number")
    double = float(value)
    if not isfinite(double):
        raise BadRecordError(key, "is beyond every amount")
    # 1e-999999999 would need a billion digits; its double is 0, and so is it.
    return Decimal(value) if double else 0


def _word(record: Record, key: str, known: Mapping[str, Word]) -> Word:
    value = record.get(key, _MISSING)
    if type(value) is not str:
        raise _wrong(key, value, "a text")
    found = known.get(value)
    if found is None:
        raise BadRecordError(key, f"is {shown(value)}, not one of {', '.join(known)}")
    return found


def _word_or_none(record: Record, key: str, known: Mapping[str, Word]) -> Word | None:
    return None if record.get(key) is None else _word(record, key, known)


def _instant(record: Record, key: str) -> Instant | None:
    if record.get(key) is None:
        return None
    text = _text(record, key)
    moment = parse_instant(text)
    if moment is None:
        raise BadRecordError(key, f"is {shown(text)}, not an ISO 8601 instant")
    if len(text) <= _DATE_LENGTH or not _OFFSET.search(text, _DATE_LENGTH):
        raise BadRecordError(key, f"is {shown(text)}, without an offset from UTC")
    finer = _FINER.search(text)
    if finer is None:
        return moment
    digits = finer[1][:_FINEST]
    return moment + Fraction(int(digits), 10 ** len(digits))


def _wrong(path: str, value: Any, wanted: str) -> BadRecordError:
    if value is _MISSING:
        return BadRecordError(path, "is missing")
    return BadRecordError(path, f"must be {wanted}, not {_kind(value)}")


def _kind(value: Any) -> str:
    return _KINDS[type(value)]


_KINDS = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    NumberText: "a decimal number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def shown(text: str) -> str:
    """A text out of an export in a sentence: quoted, escaped, cut."""
    cut = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "\u2026"
    return ascii(str(cut)) if not cut.isprintable() else repr(str(cut))


def _words(kind: type[Word]) -> dict[str, Word]:
    return {str(member): member for member in kind}


_PASSES = _words(kinds.Pass)
_STATUSES = _words(kinds.Status)
_PULL_STATES = _words(kinds.PullState)
_TESTS = _words(kinds.Tests)
_PURPOSES = _words(kinds.Purpose)
_IMPACTS = _words(kinds.Impact)
_RUN_STATUSES = _words(kinds.RunStatus)
_SUITE_STATUSES = _words(kinds.SuiteStatus)
_COLOURS = _words(kinds.Colour)
