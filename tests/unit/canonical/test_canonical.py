"""Canonical JSON against a hand-written ECMAScript oracle."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ecmascript import canonical_text

from evenhand.canonical import canonical, digest, pretty, sha256_hex

TRICKY_NUMBERS = {
    1: "1",
    0.1: "0.1",
    -0.0: "0",
    1e-6: "0.000001",
    1e-7: "1e-7",
    1.5e-7: "1.5e-7",
    5e-324: "5e-324",
    1e20: "100000000000000000000",
    1e21: "1e+21",
    1.7976931348623157e308: "1.7976931348623157e+308",
    123456789.125: "123456789.125",
    2**53: "9007199254740992",
    2**53 + 1: "9007199254740992",
    2**53 + 2: "9007199254740994",
    12345678901234567890: "12345678901234567000",
    -12345678901234567890: "-12345678901234567000",
    10**21: "1e+21",
    0.30000000000000004: "0.30000000000000004",
    100: "100",
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("number", "text"), TRICKY_NUMBERS.items(), ids=str)
def test_a_number_is_printed_as_its_double(number, text):
    assert canonical(number).decode() == text == canonical_text(number)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\x00\x1f\x7f", '"\\u0000\\u001f\x7f"'),
        ('\b\f\n\r\t"\\', '"\\b\\f\\n\\r\\t\\"\\\\"'),
        ("/\u2028\u2029", '"/\u2028\u2029"'),
        ("😀é", '"😀é"'),
    ],
)
def test_a_string_is_escaped_as_json_stringify_escapes_it(text, printed):
    assert canonical(text).decode() == printed == canonical_text(text)


def test_keys_are_ordered_by_utf16_code_unit_where_astral_comes_before_private_use():
    keys = ["\ue000", "😀", "b", "a", "B", "10", "9", ""]
    ordered = list(json.loads(canonical(dict.fromkeys(keys, 1))))
    assert ordered == ["", "10", "9", "B", "a", "b", "😀", "\ue000"]
    assert sorted(keys).index("\ue000") < sorted(keys).index("😀")


@given(VALUES)
def test_any_value_is_what_the_oracle_says_and_reads_back(value):
    printed = canonical(value).decode()
    assert printed == canonical_text(value)
    assert canonical(json.loads(printed)).decode() == printed


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_double_reads_back_exactly(number):
    assert float(canonical(number)) == number


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf], "\ud800", {"\udc00": 1}], ids=repr)
def test_what_has_no_json_is_refused(value):
    with pytest.raises((ValueError, UnicodeEncodeError)):
        canonical(value)


def test_a_digest_is_of_the_canonical_text():
    assert digest([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    assert digest({"b": 1, "a": 2.0}) == sha256_hex(b'{"a":2,"b":1}')


def test_the_form_for_people_keeps_the_order_and_refuses_what_is_no_json():
    assert pretty({"b": "é", "a": []}) == '{\n  "b": "é",\n  "a": []\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        pretty(math.nan)
