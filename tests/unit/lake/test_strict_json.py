"""The strict JSON reader (contract section 1, "Metadata"; RFC 8259)."""

import pytest

from evenhand.lake.strict_json import number_value, object_members, text_value

MALFORMED = {
    "empty": "",
    "blank": "  ",
    "null": "null",
    "a list": "[]",
    "a text": '"a"',
    "a number": "1",
    "a trailing comma": '{"a":1,}',
    "a trailing comma in a list": '{"a":[1,]}',
    "a leading comma": '{,"a":1}',
    "a missing comma": '{"a":1 "b":2}',
    "a missing value": '{"a":}',
    "a missing colon": '{"a" 1}',
    "a bare key": "{a:1}",
    "single quotes": "{'a':1}",
    "NaN": '{"a":NaN}',
    "Infinity": '{"a":-Infinity}',
    "a comment": '{"a":1}/**/',
    "a byte order mark": '\ufeff{"a":1}',
    "a control character": '{"a":"\t"}',
    "a raw line feed": '{"a":"\n"}',
    "a leading zero": '{"a":01}',
    "a plus sign": '{"a":+1}',
    "a bare fraction": '{"a":.5}',
    "a bare point": '{"a":5.}',
    "a hexadecimal number": '{"a":0x1}',
    "an unknown escape": '{"a":"\\x41"}',
    "a short escape": '{"a":"\\u12"}',
    "a lone high surrogate": '{"a":"\\ud800"}',
    "a lone low surrogate": '{"a":"\\udc00"}',
    "a lone surrogate in a key": '{"\\ud800":1}',
    "a lone surrogate deep inside": '{"a":[{"b":["\\ud800\\ud800\\udc00"]}]}',
    "a surrogate pair the wrong way round": '{"a":"\\udc00\\ud800"}',
    "an open text": '{"a":"b',
    "an open object": '{"a":1',
    "crossed brackets": '{"a":[1}]',
    "something after it": '{"a":1}{}',
    "a vertical tab as space": '{\v"a":1}',
    "a no-break space": '{\u00a0"a":1}',
    "upper-case true": '{"a":True}',
    "digits that are not ASCII": '{"a":١}',
}


@pytest.mark.parametrize("name", MALFORMED)
def test_it_refuses(name: str) -> None:
    assert object_members(MALFORMED[name]) is None


def test_it_gives_the_members_as_they_stand() -> None:
    text = ' \t\r\n{ "a" : 1.50 , "b":{"c":[1,{}]},"d":[ ],"e":"x\\ny","f":null } \n'
    assert object_members(text) == {
        "a": "1.50",
        "b": '{"c":[1,{}]}',
        "d": "[ ]",
        "e": '"x\\ny"',
        "f": "null",
    }


def test_the_first_of_duplicate_keys_counts_however_it_is_written() -> None:
    assert object_members('{"verdict":"reversed","verdict":"confirmed"}') == {"verdict": '"reversed"'}
    assert object_members('{"\\u0061":1,"a":2}') == {"a": "1"}


def test_a_surrogate_pair_is_one_character() -> None:
    assert text_value('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize("text", ['{"a":' + "[" * 100_000 + "]" * 100_000 + "}", '{"a":' * 50_000 + "1" + "}" * 50_000])
def test_depth_costs_no_stack(text: str) -> None:
    members = object_members(text)
    assert members is not None
    assert list(members) == ["a"]
    assert object_members(text[:-1]) is None


def test_a_text_is_a_text_and_a_number_a_number() -> None:
    assert text_value("1") is None
    assert text_value(None) is None
    assert number_value('"1"') is None
    assert number_value("null") is None
    assert number_value("-1.50e+3") == "-1.50e+3"


def test_a_number_of_many_digits_keeps_them() -> None:
    digits = "1" * 10_000
    assert object_members('{"a":' + digits + "}") == {"a": digits}
