"""Review exports and seat records as files: lines, numbers as written, and what could not be read.

Belongs here: bytes to JSON values with their line numbers, and the list of bad records. Does not: what a record must
hold (checking.py). A bad record is counted and named; it never stops the run.

Source: What a review means, section 1 (input).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.errors import SourceError
from evenhand.evidence.checking import BadRecordError, NumberText, outcomes_of, review_of, shown
from evenhand.evidence.records import Review
from evenhand.evidence.seats import OUTCOMES, SeatRecords
from evenhand.evidence.words import WHITE_SPACE

_BOM = b"\xef\xbb\xbf"
_JSON_SPACE = " \t\n\r"


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read. file: its name alone, never its folder."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a value that is no JSON, with the reason."""

    reason: str


def read_reviews(path: Path, bad: list[BadRecord]) -> Iterator[Review]:
    """The reviews of an export in its order; what is bad goes to the list, in the order of its lines."""
    seen: set[str] = set()
    for line, value in values_of(path):
        try:
            review = review_of(_readable(value))
            if review.review_id in seen:
                raise BadRecordError("review_id", f"{shown(review.review_id)} was already read")
        except BadRecordError as error:
            bad.append(BadRecord(path.name, line, str(error)))
            continue
        # A bad record is no review: its id does not make a later one a duplicate.
        seen.add(review.review_id)
        yield review


def read_seats(path: Path, bad: list[BadRecord]) -> SeatRecords:
    """The seat records of a file, those of one account, seat and lens added up."""
    records = SeatRecords()
    for line, value in values_of(path):
        try:
            records.add(*outcomes_of(_readable(value), OUTCOMES))
        except BadRecordError as error:
            bad.append(BadRecord(path.name, line, str(error)))
    return records


def _readable(value: Any) -> Any:
    if isinstance(value, Unreadable):
        raise BadRecordError("", value.reason)
    return value


def values_of(path: Path) -> Iterator[tuple[int, Any]]:
    """Line numbers and JSON values of a file: one array in `*.json`, else one value a line."""
    try:
        if path.suffix == ".json":
            yield from _array_values(path.read_bytes())
            return
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not _is_blank(line if number > 1 else line.removeprefix(_BOM)):
                    yield number, _value(line if number > 1 else line.removeprefix(_BOM))
    except OSError as error:
        raise SourceError(
            f"{path.name!r} cannot be read: {error.strerror or error}; name an export of reviews or seats"
        ) from error


def _is_blank(line: bytes) -> bool:
    first = line.lstrip()[:1]
    if not first or first < b"\x80":
        return not first
    try:
        return not line.decode("utf-8").strip(WHITE_SPACE)  # bytes know ASCII white space alone
    except UnicodeDecodeError:
        return False


def _value(line: bytes) -> Any:
    try:
        return _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Unreadable(f"is not UTF-8 at byte {error.start + 1}")
    except RecursionError:
        return Unreadable("is nested too deeply")
    except ValueError as error:
        return Unreadable(f"is not JSON: {_json_problem(error)}")


def _array_values(data: bytes) -> Iterator[tuple[int, Any]]:
    """The elements of one JSON array, each with the line that it begins on.

    What follows an element that is no JSON cannot be told apart from it, so that one is the last.
    """
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        yield data[: error.start].count(b"\n") + 1, Unreadable("is not UTF-8")
        return
    position = _after_space(text, 0)
    line = 1 + text.count("\n", 0, position)
    if text[position : position + 1] != "[":
        yield line, Unreadable("is not a JSON array")
        return
    expected, previous = "[", position
    while text[position : position + 1] == expected:
        position = _after_space(text, position + 1)
        line, previous = line + text.count("\n", previous, position), position
        if text[position : position + 1] == "]" and expected == "[":
            break
        value, position = _element(text, position)
        yield line, value
        if isinstance(value, Unreadable):
            return
        position = _after_space(text, position)
        line, previous = line + text.count("\n", previous, position), position
        expected = ","
    rest = _after_space(text, position + 1)
    if text[position : position + 1] != "]" or rest != len(text):
        yield line, Unreadable("does not end as a JSON array")


def _element(text: str, position: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except RecursionError:
        return Unreadable("is nested too deeply"), position
    except ValueError as error:
        return Unreadable(f"is not JSON: {_json_problem(error)}"), position


def _after_space(text: str, position: int) -> int:
    while text[position : position + 1] and text[position] in _JSON_SPACE:
        position += 1
    return position


def _json_problem(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return str(error)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_float=NumberText, parse_constant=_refuse_constant)
