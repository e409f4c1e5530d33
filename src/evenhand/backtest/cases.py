"""The full case: a firing with the override that labels it, its whole metadata and its times as stored.

Belongs here: what a case holds, its JSON, and the two texts that digests are taken over. Does not: which override
labels a firing (pairing.sql), or where cases come from (history).

Source: fairness contract, section 10, "A full case" and "Two checksum rules exist"; section 1, "Metadata".
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from evenhand.backtest.decimals import exact_number
from evenhand.canonical import canonical
from evenhand.lake.strict_json import number_value, object_members, string_of

REVERSED = "reversed"
CONFIRMED = "confirmed"
LABELS = (CONFIRMED, REVERSED)

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_LARGEST_INDEX = 2**32 - 2
_SHORT = 400
_EXACT_DIGITS = 15
"""So many significant digits come back from a double as they were."""


class MetadataTexts(NamedTuple):
    """The two texts of one metadata object: canonical, and as JavaScript prints what it parsed."""

    canonical: str
    javascript: str


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled firing."""

    rule_id: str
    target_key: str
    outcome: str
    label: str
    fired_at: str
    decided_at: str
    metadata: dict[str, Any] | None = None
    """The firing's metadata in its stored order without `outcome`; None when nothing is left of it."""
    confidence: Fraction | None = None
    """The claimed confidence exactly as written; None when it is absent or no number."""
    texts: MetadataTexts | None = None
    """The texts of the metadata where they are known already."""

    @property
    def is_reversed(self) -> bool:
        """Whether a person reversed it: the positive class of every score."""
        return self.label == REVERSED

    def json(self) -> dict[str, Any]:
        """The case as a corpus file holds it."""
        members: dict[str, Any] = {
            "ruleId": self.rule_id,
            "targetKey": self.target_key,
            "outcome": self.outcome,
            "label": self.label,
            "firedAt": self.fired_at,
            "decidedAt": self.decided_at,
        }
        return members if self.metadata is None else {**members, "metadata": self.metadata}

    def canonical_text(self) -> str:
        """Its canonical JSON."""
        return self._text("" if self.metadata is None else self._metadata_texts().canonical)

    def loopover_text(self) -> str:
        """Its JSON under LoopOver's shallow rule."""
        return self._text("" if self.metadata is None else self._metadata_texts().javascript)

    @property
    def is_told_alike(self) -> bool:
        """Whether both rules give one text, as they do unless the metadata's own order differs."""
        return self.metadata is None or (self.texts is not None and self.texts.canonical == self.texts.javascript)

    def _metadata_texts(self) -> MetadataTexts:
        return self.texts or metadata_texts(self.metadata or {})

    def _text(self, metadata: str) -> str:
        told = f'"metadata":{metadata},' if metadata else ""
        return (
            f'{{"decidedAt":{_string(self.decided_at)},"firedAt":{_string(self.fired_at)},'
            f'"label":{_string(self.label)},{told}"outcome":{_string(self.outcome)},'
            f'"ruleId":{_string(self.rule_id)},"targetKey":{_string(self.target_key)}}}'
        )


# Escapes what JSON.stringify escapes, and as it does.
_string = json.encoder.encode_basestring


def metadata_texts(metadata: dict[str, Any]) -> MetadataTexts:
    """Both texts of a metadata object."""
    if is_plain(metadata):
        return MetadataTexts(_SORTING.encode(metadata), _KEEPING.encode(metadata))
    return MetadataTexts(canonical(metadata).decode(), javascript_text(metadata))


_SORTING = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_KEEPING = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def shallow_text(case: Mapping[str, Any]) -> str:
    """LoopOver's shallow rule: top-level keys sorted, everything below as JavaScript keeps it, no spaces."""
    ordered = {name: case[name] for name in sorted(case, key=lambda key: key.encode("utf-16-be", "surrogatepass"))}
    return javascript_text(ordered)


def javascript_text(value: Any) -> str:
    """JSON.stringify of a parsed value: integer-like keys first, ascending, then the others as they came."""
    if isinstance(value, dict):
        members = (f"{_string(key)}:{javascript_text(value[key])}" for key in _javascript_order(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(javascript_text, value)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    return _string(value) if isinstance(value, str) else canonical(value).decode()


def _javascript_order(value: Mapping[str, Any]) -> list[str]:
    indices = [key for key in value if _ARRAY_INDEX.fullmatch(key) and int(key) <= _LARGEST_INDEX]
    if not indices:
        return list(value)
    first = set(indices)
    return sorted(indices, key=int) + [key for key in value if key not in first]


def checksum(cases: Iterable[Case]) -> str:
    """SHA-256 of the canonical JSON of the cases, in their order."""
    return digest_of_texts(case.canonical_text() for case in cases)


def loopover_checksum(cases: Iterable[Case]) -> str:
    """SHA-256 of the cases under LoopOver's shallow rule."""
    return digest_of_texts(case.loopover_text() for case in cases)


def digest_of_texts(texts: Iterable[str]) -> str:
    """SHA-256 of a JSON list whose members are already texts."""
    hashed = hashlib.sha256(b"[")
    for number, text in enumerate(texts):
        hashed.update((("," if number else "") + text).encode())
    hashed.update(b"]")
    return hashed.hexdigest()


# --- metadata -------------------------------------------------------------------------------------------------


class _NotPlainError(Exception):
    """The quick reading does not apply."""


def _plain_float(text: str) -> float:
    value = float(text)
    if not 1e-4 <= abs(value) < 1e15 or value.is_integer() or len(text) > _EXACT_DIGITS:
        raise _NotPlainError
    return value


def _plain_int(text: str) -> int:
    if len(text) > _EXACT_DIGITS:
        raise _NotPlainError
    return int(text)


def _plain_constant(text: str) -> None:
    raise _NotPlainError


def _plain_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _NotPlainError
    return made


_PLAIN = json.JSONDecoder(
    object_pairs_hook=_plain_object, parse_float=_plain_float, parse_int=_plain_int, parse_constant=_plain_constant
)


@dataclass(frozen=True, slots=True)
class FiringMetadata:
    """What a case takes from the metadata of its firing."""

    outcome: str = ""
    members: dict[str, Any] | None = None
    confidence: Fraction | None = None
    texts: MetadataTexts | None = None


NOTHING = FiringMetadata()


def read_firing(text: str | None, deepest: int) -> FiringMetadata:
    """The metadata of a firing; nothing of a text that is no strict object.

    Of duplicate keys the first counts, a number beyond every double is null, and a member nested deeper than `deepest`
    is left out.
    """
    if text is None:
        return NOTHING
    # Short texts repeat; a captured context does not, and thousands of them must not stay in memory.
    return _read_short(text, deepest) if len(text) <= _SHORT else _read(text, deepest)


@lru_cache(maxsize=1 << 14)
def _read_short(text: str, deepest: int) -> FiringMetadata:
    found = _read(text, deepest)
    return found if found.members is None else replace(found, texts=metadata_texts(found.members))


def _read(text: str, deepest: int) -> FiringMetadata:
    if text.isascii() and "\\" not in text and text.count("{") + text.count("[") <= deepest:
        try:
            members = _PLAIN.decode(text)
        except (_NotPlainError, ValueError):
            pass
        else:
            return _firing(members, None) if isinstance(members, dict) else NOTHING
    return _read_strictly(text, deepest)


def is_plain(value: Any) -> bool:
    """Whether the C encoder prints a parsed value as both digests need it."""
    if isinstance(value, dict):
        return all(key.isascii() and not key.isdigit() and is_plain(member) for key, member in value.items())
    if isinstance(value, list):
        return all(map(is_plain, value))
    if isinstance(value, float):
        return 1e-4 <= abs(value) < 1e15 and not value.is_integer()
    return not isinstance(value, int) or abs(value) < 2**53


def _read_strictly(text: str, deepest: int) -> FiringMetadata:
    slices = object_members(text)
    if slices is None:
        return NOTHING
    members = {key: _value(part) for key, part in slices.items() if _depth(part) <= deepest}
    return _firing(members, slices.get("confidence"))


def _firing(members: dict[str, Any], confidence_text: str | None) -> FiringMetadata:
    if confidence_text is None:
        told = members.get("confidence")
        is_number = isinstance(told, int | float) and not isinstance(told, bool)
        confidence = exact_number(repr(told)) if is_number else None
    else:
        decimal = number_value(confidence_text)
        confidence = None if decimal is None else exact_number(decimal)
    outcome = members.pop("outcome", None)
    return FiringMetadata(outcome if isinstance(outcome, str) else "", members or None, confidence)


def _depth(text: str) -> int:
    """How deep the brackets of a checked JSON value go."""
    if text[:1] not in ("{", "["):
        return 0
    depth = deepest = 0
    for mark in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', text, re.DOTALL):
        if mark.group() in ("{", "["):
            depth += 1
            deepest = max(deepest, depth)
        elif mark.group() in ("}", "]"):
            depth -= 1
    return deepest


def _value(text: str) -> Any:
    if text.startswith('"'):
        return string_of(text)
    return json.loads(text, object_pairs_hook=_first_wins, parse_float=javascript_number, parse_int=javascript_number)


def _first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        made.setdefault(key, value)
    return made


def javascript_number(text: str) -> float | int | None:
    """The double of a number as JavaScript holds it: whole ones as integers, 1e400 as nothing."""
    double = float(text)
    if double in (float("inf"), float("-inf")):
        return None
    return int(double) if double.is_integer() and abs(double) < 2**53 else double


def without_context(case: Case, fields: Iterable[str]) -> Case:
    """The same case without captured context, wherever in its metadata it stands; letter case, `_` and `-` aside."""
    if case.metadata is None:
        return case
    dropped = {_folded(name) for name in fields}
    return replace(case, metadata=_without(case.metadata, dropped) or None, texts=None)


def _without(value: Any, dropped: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(member, dropped) for key, member in value.items() if _folded(key) not in dropped}
    if isinstance(value, list):
        return [_without(member, dropped) for member in value]
    return value


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
