"""What a check says: one claim, and whether it held, failed or could not be checked.

Belongs here: the three outcomes and their collection. Does not: any check. A skip is never a pass.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """The three outcomes of a claim."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim that a build makes. A skipped one says why it could not be checked."""

    name: str
    """`group: what`, e.g. `file: report.json`."""
    status: Status
    expected: str = ""
    found: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, str]:
        """For `--json`."""
        told = {"claim": self.name, "status": str(self.status), "expected": self.expected, "found": self.found}
        return told | ({"reason": self.reason} if self.reason else {})


@dataclass
class Claims:
    """Every claim of a build, in the order of checking."""

    listed: list[Claim] = field(default_factory=list)

    def equal(self, name: str, expected: object, found: object) -> bool:
        """A claim that two things are equal."""
        holds = expected == found
        self.listed.append(Claim(name, Status.PASS if holds else Status.FAIL, _shown(expected), _shown(found)))
        return holds

    def holds(self, name: str, holds: bool, expected: str, found: str = "") -> bool:
        """A claim that something holds."""
        self.listed.append(Claim(name, Status.PASS if holds else Status.FAIL, expected, expected if holds else found))
        return holds

    def fail(self, name: str, expected: str, found: str) -> None:
        """A claim that does not hold."""
        self.listed.append(Claim(name, Status.FAIL, expected, found))

    def skip(self, name: str, reason: str) -> None:
        """A claim that cannot be checked here."""
        self.listed.append(Claim(name, Status.SKIP, reason=reason))

    def count(self, status: Status) -> int:
        """How many claims ended so."""
        return sum(claim.status is status for claim in self.listed)

    def named(self, group: str) -> Iterator[Claim]:
        """The claims of a group."""
        return (claim for claim in self.listed if claim.name.startswith(f"{group}: "))

    @property
    def sound(self) -> bool:
        """Nothing failed and something passed."""
        return self.count(Status.FAIL) == 0 and self.count(Status.PASS) > 0


_SHOWN = 200


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
