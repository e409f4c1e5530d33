"""Canonical JSON and digests: the one text of a value, and its SHA-256.

Belongs here: the byte form that every published digest is taken over.
Does not: what is digested (corpus, records, ledger), or reading untrusted JSON (lake).

Source: RFC 8785; fairness contract section 1, "Canonical JSON".
"""

import hashlib
import json
from typing import Any

_EXACT_INTEGER_LIMIT = 2**53 - 1


def canonical(value: Any) -> bytes:
    """The canonical UTF-8 JSON of a value made of dict, list, str, int, float, bool and None.

    An integer beyond 2**53 - 1 is printed as the double it stands for, as ECMAScript would:
    12345678901234567890 becomes 12345678901234567000.

    Raises ValueError for a number that is not finite or a text with an unpaired surrogate.
    """
    import rfc8785

    try:
        return rfc8785.dumps(_with_doubles(value))
    except rfc8785.CanonicalizationError as error:
        raise ValueError(f"this value has no canonical JSON: {error}") from error


def _with_doubles(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str | float):
        return value
    if isinstance(value, int):
        return value if -_EXACT_INTEGER_LIMIT <= value <= _EXACT_INTEGER_LIMIT else float(value)
    if isinstance(value, dict):
        return {key: _with_doubles(member) for key, member in value.items()}
    return [_with_doubles(member) for member in value]


def sha256_hex(data: bytes) -> str:
    """SHA-256 as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value."""
    return sha256_hex(canonical(value))


def pretty(value: Any) -> str:
    """JSON for people and diffs: two-space indent, keys as given, one final line feed."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
