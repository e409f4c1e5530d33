"""Texts of reviewers in Markdown: shown as they are, and never able to become anything else.

Belongs here: escaping for a line of Markdown, code spans and code fences. Does not: HTML, whose templates escape
every value. What a reviewer writes may hold headings, images, mentions that would page people, or characters that
turn the direction of what follows.

Source: What a review means, section 9; CommonMark 0.31, sections 2.4 (escapes) and 4.5 (fences).
"""

import re
import unicodedata

from evenhand.site.text import visible as with_every_character

# What begins emphasis, code, links, strikes or tables gets a backslash. The others would still act after one, for the
# host reads mentions, references, mathematics and addresses out of the finished page: `&#8203;`, a space without
# width, parts what must not be read as one.
_ESCAPES = str.maketrans(
    {mark: f"\\{mark}" for mark in "\\`*_[]~|"}
    | {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "@": "&#64;&#8203;", "#": "&#35;&#8203;"}
)
_PARTED = (
    (re.compile(r":(?=//)"), ":&#8203;"),
    (re.compile(r"\b(www)(?=\.)", re.IGNORECASE), r"\1&#8203;"),
    (re.compile(r"\b(GH-)(?=[0-9])", re.IGNORECASE), r"\1&#8203;"),
    (re.compile(r":(?=[\w+\\-]*[A-Za-z+-][\w+\\-]*:)"), ":&#8203;"),  # :emoji:, but not 10:04:05
)
_OPENS_BLOCK = re.compile(r"^(?:([-+=])|([0-9]{1,9})([.)]))")
_SPAN = re.compile(r"`([^`]+)`")
_TICKS = re.compile(r"`+")
_SHORTEST_FENCE = 3
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    """The text with every character shown; most have none that is hidden, and need no look at each."""
    if text.isprintable() and text and text[0] != " " != text[-1]:
        return text
    return with_every_character(text)


def line(text: str) -> str:
    """One line of Markdown that reads as the text and does nothing; back-quoted spans stay code."""
    parts = _SPAN.split(visible(text.strip()))
    # Every second part is a span: code() closes it, whatever it holds.
    told = "".join(code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts))
    return _OPENS_BLOCK.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", told)


def _escaped(text: str) -> str:
    escaped = text.translate(_ESCAPES)
    for pattern, parted in _PARTED:
        escaped = pattern.sub(parted, escaped)
    return escaped


def paragraphs(text: str) -> str:
    """A text of several lines: each stays a line, blank ones part paragraphs."""
    groups: list[list[str]] = [[]]
    for part in text.replace("\r\n", "\n").split("\n"):
        if part.strip():
            groups[-1].append(line(part))
        elif groups[-1]:
            groups.append([])
    return "\n\n".join("  \n".join(group) for group in groups if group)


def code(text: str) -> str:
    """A code span that nothing in the text can close."""
    shown = visible(text)
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    padding = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{padding}{shown}{padding}{ticks}"


def fenced(text: str, kind: str = "") -> str:
    """A code block whose fence is longer than any run of backticks in the text, which stays exactly as it is."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(_SHORTEST_FENCE, longest + 1)
    body = text if not text or text.endswith("\n") else text + "\n"
    return f"{fence}{kind}\n{body}{fence}"


def hidden_characters(text: str) -> list[str]:
    """The names of characters that cannot be seen, apart from line ends and tabs: `U+202E`."""
    found = {character for character in text if unicodedata.category(character) in _INVISIBLE} - set("\n\r\t")
    return [f"U+{ord(character):04X}" for character in sorted(found)]
