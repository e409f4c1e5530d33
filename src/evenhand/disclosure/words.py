"""Texts as words: the one way in which what is published and what must not be are compared.

Belongs here: what a word is, for Python and for SQL alike, and runs of words. Does not: which texts there are, or which
of them are private.

`acme/secret#7` is the words `acme` and `secret#7`; so is `https://example.org/acme/secret/pull/7` from its third on.
A letter's case does not count (ASCII), nor do characters that nobody sees.
"""

import re
from collections.abc import Iterator

RUN = 4
"""Longest run of words that is looked up; a longer text is compared whole once all its runs were found."""

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_EDGES = ".#-"
# Both engines of expressions understand these classes alike; every other character is part of a word.
INVISIBLE = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
SEPARATORS = (
    r"[\x00-\x22\x24-\x2c\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f"
    "\u0080-\u00a0\u00ab\u00b7\u00bb\u00d7\u2010-\u2027\u2190-\u2193\u2212\u2400-\u2423]+"
)
_PULL_PATH = r"/(?:pull|pulls|issues)/([0-9])"

_LOWER = str.maketrans({letter: letter.lower() for letter in _UPPER})
_invisible, _separators, _pull_path = re.compile(INVISIBLE), re.compile(SEPARATORS), re.compile(_PULL_PATH)


def words_of(text: str) -> list[str]:
    """The words of a text, in order."""
    lowered = text.translate(_LOWER)
    if not lowered.isascii():
        lowered = _invisible.sub("", lowered)
    if "/" in lowered:
        lowered = _pull_path.sub(r"#\1", lowered)
    return [word for piece in _separators.split(lowered) if (word := piece.strip(_EDGES))]


def runs_of(text: str) -> Iterator[str]:
    """Every run of one to RUN words of a text; where a `#` stands, once with it inside a word and once without."""
    yield from _runs(words_of(text))
    if "#" in text:
        yield from _runs(words_of(text.replace("#", " ")))


def _runs(words: list[str]) -> Iterator[str]:
    yield from words
    for length in range(2, RUN + 1):
        yield from map(" ".join, zip(*(words[start:] for start in range(length)), strict=False))


def joined(text: str) -> str:
    """The words of a text with one space between."""
    return " ".join(words_of(text))


def words_in_sql(column: str) -> str:
    """The SQL of the same words, as a list."""
    visible = f"regexp_replace({column}, '{INVISIBLE}', '', 'g')"
    lowered = f"translate({visible}, '{_UPPER}', '{_UPPER.lower()}')"
    told = f"regexp_replace({lowered}, '{_PULL_PATH}', '#\\1', 'g')"
    split = f"string_split_regex({told}, '{SEPARATORS}')"
    return f"list_filter(list_transform({split}, lambda w: trim(w, '{_EDGES}')), lambda w: w <> '')"
