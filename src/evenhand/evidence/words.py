"""Characters, lines, words and symbols: what two texts are compared by.

Belongs here: white space, lines, words and back-quoted symbols, exactly as the rules name them. Does not: what the
comparison means (grouping.py). Characters are code points throughout.

Source: What a review means, section 5 (mechanisms).
"""

import re

# The 25 code points of Unicode White_Space. str.strip() would also take U+001C to U+001F, which are none.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_NO_WHITE_SPACE = dict.fromkeys(map(ord, WHITE_SPACE))
_RUN = re.compile(r"\w+")
_SYMBOL = re.compile(r"`([^`\n]+)`")


def trimmed(text: str) -> str:
    """The text without white space at its ends."""
    return text.strip(WHITE_SPACE)


def squeezed(text: str) -> str:
    """The text without any white space."""
    return text.translate(_NO_WHITE_SPACE)


def lines_of(text: str) -> list[str]:
    """The lines of a text, split on LF alone: a final LF adds none, an empty text has none."""
    if not text:
        return []
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def line_count(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + (0 if text.endswith("\n") or not text else 1)


def words_of(text: str) -> frozenset[str]:
    """The distinct words: maximal runs of letters, decimal digits and `_`, lower-cased afterwards.

    `a\u00b2` is the word `a`, for a superscript is no decimal digit; a vowel sign ends a word as well.
    """
    if text.isascii():
        return frozenset(_RUN.findall(text.lower()))
    words: set[str] = set()
    for run in _RUN.findall(text):
        # \w also takes other numbers (No, Nl): those part the run.
        parts = [run] if run.isascii() or run.isalpha() else _parted(run)
        words.update(part.lower() for part in parts)
    return frozenset(words)


def _parted(run: str) -> list[str]:
    return "".join(
        character if character.isalpha() or character.isdecimal() or character == "_" else " " for character in run
    ).split()


def symbols_of(title: str, reason: str) -> frozenset[str]:
    """The back-quoted spans of title and reason; a span stands on one line and is one symbol."""
    if "`" not in title and "`" not in reason:
        return frozenset()
    return frozenset(_SYMBOL.findall(title) + _SYMBOL.findall(reason))
