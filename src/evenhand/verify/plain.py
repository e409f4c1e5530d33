"""The few forms that everything published is written in, read and written by this checker's own code.

Belongs here: canonical JSON, strict JSON within limits, CSV, exact rounding, Wilson's interval. Does not: any claim.

Source: fairness contract, section 1; RFC 8259, RFC 4180; ECMA-262 Number::toString for numbers.
"""

import hashlib
import json
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

GUARDED = ("=", "+", "-", "@", "\t", "\r", "'")
_DEEPEST = 64


class NotReadableError(Exception):
    """A file is not of the form that it should be of; says how."""


def sha256(data: bytes) -> str:
    """Lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def parse_json(data: bytes, name: str) -> Any:
    """A JSON document of bounded depth; NotReadableError when it is none."""
    try:
        text = data.decode("utf-8")
        if _depth(text) > _DEEPEST:
            raise NotReadableError(f"{name} is nested deeper than {_DEEPEST}")
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise NotReadableError(f"{name} is no JSON: {error}") from error


def _depth(text: str) -> int:
    deepest = depth = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def canonical(value: Any) -> str:
    """Keys by UTF-16 code unit, no spaces, numbers as ECMAScript prints them, strings as JSON.stringify does."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def number(value: float) -> str:
    """The shortest digits that give the double back, placed as ECMAScript places them: 1, 0.1, 1e-7, 1e+21."""
    double = float(value)
    if double == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(double)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    minus = "-" if sign else ""
    if len(text) <= point <= 21:
        return minus + text + "0" * (point - len(text))
    if 0 < point <= 21:
        return f"{minus}{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return minus + (text if len(text) == 1 else f"{text[0]}.{text[1:]}") + power


def read_csv(data: bytes, name: str) -> tuple[list[str], list[list[str | None]]]:
    """Header and rows as they were before the guard against formulas; an unquoted empty field is None."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotReadableError(f"{name} is not UTF-8: {error}") from error
    lines = list(_csv_records(text))
    if not lines:
        raise NotReadableError(f"{name} has no header")
    header = [cell or "" for cell, _ in lines[0]]
    return header, [[_unguarded(cell, quoted) for cell, quoted in line] for line in lines[1:]]


def _unguarded(cell: str, quoted: bool) -> str | None:
    if not quoted:
        return cell or None
    return cell[1:] if cell.startswith("'") else cell


def _csv_records(text: str) -> Iterable[list[tuple[str, bool]]]:
    """Records of (field, whether it was quoted), which the standard reader does not tell."""
    position, size = 0, len(text)
    record: list[tuple[str, bool]] = []
    while position < size:
        if text[position] == '"':
            parts: list[str] = []
            start = position + 1
            while True:
                end = text.find('"', start)
                if end < 0:
                    raise NotReadableError("a quoted field of the CSV is cut off")
                parts.append(text[start:end])
                if text[end + 1 : end + 2] != '"':
                    break
                parts.append('"')
                start = end + 2
            record.append(("".join(parts), True))
            position = end + 1
        else:
            end = min(place for place in (_find(text, ",", position), _find(text, "\n", position)))
            record.append((text[position:end], False))
            position = end
        if position >= size:
            break
        if text[position] == "\n":
            yield record
            record = []
        elif text[position] != ",":
            raise NotReadableError("a quoted field of the CSV goes on after its quote")
        elif text[position + 1 : position + 2] in ("\n", ""):
            record.append(("", False))
            if text[position + 1 : position + 2] == "\n":
                yield record
                record = []
                position += 1
        position += 1
    if record:
        yield record


def _find(text: str, what: str, start: int) -> int:
    found = text.find(what, start)
    return len(text) if found < 0 else found


def csv_line(values: Iterable[Any]) -> str:
    """One row as the digest of a table's rows sees it: texts quoted, nulls empty, nothing guarded."""
    return ",".join(_csv_cell(value) for value in values)


def _csv_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    if isinstance(value, int | float):
        return number(value)
    return str(value.isoformat())


def rounded(value: Fraction, places: int) -> Fraction:
    """Half away from zero, exactly: 0.6245 to three places is 0.625."""
    scaled = abs(value) * 10**places
    whole = scaled.numerator * 2 + scaled.denominator
    nearest = Fraction(whole // (2 * scaled.denominator), 10**places)
    return -nearest if value < 0 else nearest


def wilson(successes: int, of: int, z: float) -> tuple[Fraction, Fraction]:
    """Wilson's interval, with 40 digits, so that rounding it is beyond doubt."""
    with localcontext() as context:
        context.prec, context.rounding = 40, ROUND_HALF_UP
        share, n, quantile = Decimal(successes) / Decimal(of), Decimal(of), Decimal(repr(z))
        square = quantile * quantile
        centre = (share + square / (2 * n)) / (1 + square / n)
        half = quantile * (share * (1 - share) / n + square / (4 * n * n)).sqrt() / (1 + square / n)
        low, high = max(Decimal(0), centre - half), min(Decimal(1), centre + half)
    return (Fraction(0) if successes == 0 else Fraction(low)), (Fraction(1) if successes == of else Fraction(high))
