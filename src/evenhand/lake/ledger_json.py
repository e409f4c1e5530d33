"""The canonical form of a stored record, which the ledger's digests are taken of.

Belongs here: reading and printing a record's JSON as fast as the standard library can where it agrees with the rule.
Does not: the chain (metrics), or what a digest is compared with.

Source: fairness contract, section 8: of duplicate keys the last counts.
"""

import json
import threading
from typing import Any

from evenhand.canonical import canonical

_EXACT_INTEGER = 2**53
_LEAST_PLAIN = 1e-4
_PLAIN_DIGITS = 15


def canonical_text(text: str) -> bytes:
    """The canonical JSON of a JSON text; ValueError when it is none.

    By the standard encoder where it agrees with the rule: numbers that both print alike, and no key beyond the Basic
    Multilingual Plane, which the two would sort differently. 1.0 is printed as 1 by reading it as an integer.
    """
    value, has_odd_numbers = _STANDARD.parse(text)
    if not has_odd_numbers and text.isascii() and "\\u" not in text:
        return _STANDARD.print(value)
    return canonical(value)


class _StandardJson(threading.local):
    """The standard parser and printer, made once: for a small record, making them costs more than their work."""

    def __init__(self) -> None:
        self._odd_numbers = 0
        self._decode = json.JSONDecoder(
            parse_float=self._real, parse_int=self._whole, parse_constant=self._refuse
        ).decode
        self._encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

    def parse(self, text: str) -> tuple[Any, bool]:
        """The value, and whether a number in it may be printed otherwise than the rule prints it."""
        self._odd_numbers = 0
        return self._decode(text), self._odd_numbers > 0

    def print(self, value: Any) -> bytes:
        """Sorted and without spaces."""
        return self._encode(value).encode()

    def _real(self, number: str) -> float | int:
        value = float(number)
        if value.is_integer() and abs(value) < _EXACT_INTEGER:
            return int(value)
        if not _LEAST_PLAIN <= abs(value) < _EXACT_INTEGER:
            self._odd_numbers += 1
        return value

    def _whole(self, number: str) -> int:
        if len(number) > _PLAIN_DIGITS:
            self._odd_numbers += 1
        return int(number)

    def _refuse(self, constant: str) -> Any:
        raise ValueError(f"{constant} is not JSON")


_STANDARD = _StandardJson()
