"""A strict RFC 8259 reader of one JSON object: the reference for what counts as metadata.

Belongs here: the grammar, the members of an object as slices of its text, and the value of one slice.
Does not: which members the lake keeps (lake/metadata.py) or how many texts are read at once.

Source: fairness contract section 1, "Metadata": strict objects only, the first of duplicate keys counts,
a number is its exact decimal text, an unpaired surrogate escape makes the whole text malformed.
"""

import json
import re

_PAIRED_ESCAPE = (
    r"u(?:[0-9a-ce-fA-CE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}"
    r"|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
STRING_GRAMMAR = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|' + _PAIRED_ESCAPE + r'))*"'
"""A JSON string whose surrogate escapes come in pairs."""
NUMBER_GRAMMAR = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
"""A JSON number."""

# The possessive forms cannot backtrack, so a text of many megabytes costs no more than its length.
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|' + _PAIRED_ESCAPE + r'))*+"')
_SCALAR = re.compile(_STRING.pattern + "|" + NUMBER_GRAMMAR + "|true|false|null")
_SPACE = re.compile(r"[ \t\n\r]*+")


def object_members(text: str) -> dict[str, str] | None:
    """The members of a JSON object, each key with the slice of text that is its value; None when it is not one.

    The whole text is checked, nested values too, without recursion: a hundred thousand brackets are only slow.
    Of duplicate keys the first counts.
    """
    if not text.lstrip(" \t\n\r").startswith("{"):
        return None
    members: dict[str, str] = {}
    closers: list[str] = []
    position = _skip_space(text, 0)
    key, value_start = "", position
    while True:
        opening = text[position : position + 1]
        if opening in ("{", "["):
            closers.append("}" if opening == "{" else "]")
            position = _skip_space(text, position + 1)
            is_empty = text[position : position + 1] == closers[-1]
        else:
            scalar = _SCALAR.match(text, position)
            if scalar is None:
                return None
            position = scalar.end()
            is_empty = False
        # Of a container that is not empty the first member follows.
        if opening not in ("{", "[") or is_empty:
            if is_empty:
                closers.pop()
                position += 1
            while True:  # close every container that ends here
                if len(closers) == 1:
                    members.setdefault(key, text[value_start:position])
                position = _skip_space(text, position)
                if not closers:
                    return members if position == len(text) else None
                following = text[position : position + 1]
                if following == ",":
                    position = _skip_space(text, position + 1)
                    break
                if following != closers[-1]:
                    return None
                closers.pop()
                position += 1
        if closers[-1] == "}":
            name = _STRING.match(text, position)
            if name is None:
                return None
            position = _skip_space(text, name.end())
            if text[position : position + 1] != ":":
                return None
            position = _skip_space(text, position + 1)
            if len(closers) == 1:
                key, value_start = string_of(name.group()), position


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def string_of(slice_of_text: str) -> str:
    """The text that a checked JSON string stands for."""
    if "\\" in slice_of_text:
        return str(json.loads(slice_of_text))
    return slice_of_text[1:-1]


def text_value(slice_of_text: str | None) -> str | None:
    """The text of a member that is a JSON string; None for any other kind."""
    if slice_of_text is None or not slice_of_text.startswith('"'):
        return None
    return string_of(slice_of_text)


def number_value(slice_of_text: str | None) -> str | None:
    """The decimal text of a member that is a JSON number; None for any other kind."""
    if slice_of_text is None or slice_of_text[0] not in "-0123456789":
        return None
    return slice_of_text
