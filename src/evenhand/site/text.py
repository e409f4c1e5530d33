"""Untrusted text on a page: made visible, isolated, and never able to change what stands around it.

Belongs here: what a reader sees of a rule id, a repository or a reason out of an export. Does not: HTML escaping,
which the templates do for every value, or which texts may be published (disclosure).
"""

import re
import unicodedata
from functools import lru_cache

from markupsafe import Markup, escape

# Cc: controls; Cf: invisible formatting, bidi controls among it; Cs: half a surrogate pair; Zl, Zp: line breaks.
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_AFTER_SEPARATOR = re.compile(r"(?<=[_/.:-])(?=\w)")
_FIRST_PICTURE = 0x2400
_CONTROLS = 0x20
_DELETE, _DELETE_PICTURE = 0x7F, "\u2421"
# Joiners belong to emoji and to Persian or Indic words: between two visible characters they are part of the spelling.
_LONGEST_NAME = 100
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """The text with every character shown: a newline as its control picture, others as `[U+202E]`.

    A text without anything to see says so, and spaces at its ends are shown as open boxes.
    """
    if not text:
        return "(empty)"
    # A printable text holds nothing that must be shown otherwise, and nearly every text is one.
    shown = text if text.isprintable() else "".join(_shown(text, index) for index in range(len(text)))
    inner = shown.strip(" ")
    lead = len(shown) - len(shown.lstrip(" "))
    return "\u2423" * lead + inner + "\u2423" * (len(shown) - lead - len(inner))


def _shown(text: str, index: int) -> str:
    character = text[index]
    code = ord(character)
    if code < _CONTROLS:
        return chr(_FIRST_PICTURE + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    if character in _JOINERS and 0 < index < len(text) - 1:
        return character
    if unicodedata.category(character) in _INVISIBLE or (character.isspace() and character != " "):
        return f"[U+{code:04X}]"
    return character


def isolated(text: str) -> Markup:
    """The visible text as HTML that cannot turn the direction of what follows, and that may break after a separator."""
    return _isolated_name(text) if len(text) <= _LONGEST_NAME else _isolated(text)


@lru_cache(maxsize=4096)
def _isolated_name(text: str) -> Markup:
    """Names of rules, seats and files come again and again; a long text might fill the memory and comes once."""
    return _isolated(text)


def _isolated(text: str) -> Markup:
    parts = (escape(part) for part in _AFTER_SEPARATOR.split(visible(text)))
    return Markup('<bdi class="name">{}</bdi>').format(Markup("<wbr>").join(parts))


def columns_wide(text: str) -> int:
    """How many columns of a Latin letter a text takes, about: wide East Asian characters take two, marks none."""
    return sum(_width(character) for character in text)


def shortened(text: str, columns: int) -> str:
    """The visible text, cut with an ellipsis when it is wider than so many columns: for charts, which cannot wrap."""
    shown = visible(text)
    if columns_wide(shown) <= columns:
        return shown
    kept, room = [], columns - 1
    for character in shown:
        room -= _width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "\u2026"


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
