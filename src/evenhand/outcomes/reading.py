"""Files of events, line by line, in bounded memory.

Belongs here: plain and gzip files, lines of any length, and the count of what they hold. Does not: what a line says
(events.py).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from evenhand.outcomes.events import Action, Aside, Passed, PullRequestEvent, parse_line
from evenhand.policy import Policy
from evenhand.sources.base import label_of
from evenhand.sources.open_text import open_bytes

LONGEST_LINE = 32 << 20
"""Bytes; a webhook of GitHub has at most 25 MiB."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"


@dataclass
class EventCounts:
    """What the files held."""

    lines: int = 0
    events: Counter[str] = field(default_factory=Counter)
    """`opened`, `merged`, `closed` and `reopened`."""
    classes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Author class and `merged` or `closed`."""
    passed: Counter[Passed] = field(default_factory=Counter)
    aside: Counter[Aside] = field(default_factory=Counter)
    examples: dict[Aside, list[str]] = field(default_factory=dict)
    """Where the first few of each reason stand: file:line."""

    MOST_EXAMPLES = 3

    def set_aside(self, reason: Aside, where: str) -> None:
        """Count a line that could not be read as the event that it should be."""
        self.aside[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < self.MOST_EXAMPLES:
            examples.append(where)


def read_events(paths: Iterable[Path], counts: EventCounts, policy: Policy) -> Iterator[PullRequestEvent]:
    """Every event of some files, in their order; `counts` says what else they held.

    Raises SourceError when a file is not there, or cut off.
    """
    for path in paths:
        label = label_of(path)
        with open_bytes(path, label) as file:
            for number, line in enumerate(_lines(file), 1):
                if line is not None and not line.strip(_BLANK):
                    continue
                counts.lines += 1
                parsed = Aside.UNREADABLE_LINE if line is None else parse_line(line.removeprefix(_BYTE_ORDER_MARK))
                if isinstance(parsed, Passed):
                    counts.passed[parsed] += 1
                elif isinstance(parsed, Aside):
                    counts.set_aside(parsed, f"{label}:{number}")
                else:
                    _count(parsed, counts, policy)
                    yield parsed


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a file; None for one that is longer than any event."""
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) <= LONGEST_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)
        yield None


def _count(event: PullRequestEvent, counts: EventCounts, policy: Policy) -> None:
    if event.action is not Action.CLOSED:
        counts.events[event.action.value] += 1
        return
    ending = "merged" if event.merged else "closed"
    counts.events[ending] += 1
    counts.classes[author_class(event.association, policy), ending] += 1


def author_class(association: str | None, policy: Policy) -> str:
    """maintainer, contributor or unknown (contract section 7)."""
    told = (association or "").strip().upper()
    if not told:
        return "unknown"
    return "maintainer" if told in policy.ledger.maintainer_associations else "contributor"
