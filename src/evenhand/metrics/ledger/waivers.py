"""Declared waivers: damage of the ledger that the operator knows of and has given a reason for.

Belongs here: reading the two declarations. Does not: what is waived (chain.py). A declaration that lacks an end, the
maximum or the reason waives nothing: a waiver by accident would hide a break.

Source: fairness contract, section 8.
"""

import re
from dataclasses import dataclass
from typing import Any

from evenhand.timeline import parse_instant

_CONTENT = re.compile(r"([0-9]{1,18})-([0-9]{1,18}):(.*)", re.DOTALL)
_UNCHAINED = re.compile(r"(.+?)\.\.(.+?)\|([0-9]{1,18})\|(.*)", re.DOTALL)


@dataclass(frozen=True)
class ContentWaiver:
    """A range of positions, both ends in it, whose records may differ from what the chain committed to."""

    from_seq: int
    to_seq: int
    reason: str

    def covers(self, seq: int) -> bool:
        """Whether a position lies in the range."""
        return self.from_seq <= seq <= self.to_seq

    def as_json(self) -> dict[str, Any]:
        """As it is echoed."""
        return {"fromSeq": self.from_seq, "toSeq": self.to_seq, "reason": self.reason}


@dataclass(frozen=True)
class UnchainedWaiver:
    """A range of time, both ends in it, in which up to a number of records may be missing from the chain."""

    from_iso: str
    to_iso: str
    most: int
    reason: str
    from_us: int
    to_us: int

    def covers(self, moment: int) -> bool:
        """Whether an instant lies in the range."""
        return self.from_us <= moment <= self.to_us

    def as_json(self) -> dict[str, Any]:
        """As it is echoed."""
        return {"fromIso": self.from_iso, "toIso": self.to_iso, "maxRecords": self.most, "reason": self.reason}


@dataclass(frozen=True)
class Waivers:
    """What is declared of one ledger."""

    content: ContentWaiver | None = None
    unchained: UnchainedWaiver | None = None

    @classmethod
    def declared(cls, content: str | None, unchained: str | None) -> "Waivers":
        """Of `FROM-TO:REASON` and `FROM_ISO..TO_ISO|MAX|REASON`; what is malformed waives nothing."""
        return cls(_content(content or ""), _unchained(unchained or ""))


def _content(text: str) -> ContentWaiver | None:
    found = _CONTENT.fullmatch(text.strip())
    if not found or not found[3].strip() or int(found[1]) > int(found[2]):
        return None
    return ContentWaiver(int(found[1]), int(found[2]), found[3].strip())


def _unchained(text: str) -> UnchainedWaiver | None:
    found = _UNCHAINED.fullmatch(text.strip())
    if not found or not found[4].strip():
        return None
    start, end = parse_instant(found[1]), parse_instant(found[2])
    if start is None or end is None or start > end:
        return None
    return UnchainedWaiver(found[1], found[2], int(found[3]), found[4].strip(), start, end)
