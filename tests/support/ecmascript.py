"""JSON as ECMAScript's JSON.stringify writes it, by hand: an oracle that shares nothing with the code under test."""

import math
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from typing import Any

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def number_text(value: float) -> str:
    """Number::toString of a finite double (ECMA-262, 6.1.6.1.20)."""
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number_text(-value)
    digits, exponent = _shortest(value)
    k, n = len(digits), exponent
    if k <= n <= 21:
        return digits + "0" * (n - k)
    if 0 < n <= 21:
        return digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + digits
    power = n - 1
    mantissa = digits if k == 1 else digits[0] + "." + digits[1:]
    return f"{mantissa}e{'+' if power >= 0 else '-'}{abs(power)}"


def _shortest(value: float) -> tuple[str, int]:
    """The fewest digits that read back as the double, and n with value = 0.digits * 10**n.

    Of several the nearest, then the even one. Rounded either way: 2**-24 is 5.9604644775390625e-8, a tie at 16 digits,
    and only the upper one reads back.
    """
    exact = Decimal(value)
    for precision in range(1, 18):
        rounded = [Context(precision, way).plus(exact) for way in (ROUND_DOWN, ROUND_UP)]
        reading_back = [one for one in rounded if float(one) == value]
        if reading_back:
            nearest = min(reading_back, key=lambda one: (abs(one - exact), one.as_tuple().digits[-1] % 2))
            digits = "".join(map(str, nearest.as_tuple().digits))
            return digits.rstrip("0") or "0", nearest.adjusted() + 1
    raise AssertionError(value)


def string_text(value: str) -> str:
    """QuoteJSONString: the five short escapes, quote and backslash; other C0 in lower-case hex; the rest as it is."""
    return '"' + "".join(_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in value) + '"'


def canonical_text(value: Any) -> str:
    """The canonical JSON of a value: keys by UTF-16 code unit, no spaces."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        double = float(value)
        if not math.isfinite(double):
            raise ValueError(value)
        return number_text(double)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical_text(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(f"{string_text(key)}:{canonical_text(value[key])}" for key in keys) + "}"
