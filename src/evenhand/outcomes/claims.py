"""What the body of a pull request says about reverting another one.

Belongs here: the one form that counts as a claim, `Reverts #N` or `Reverts owner/repo#N`, and the other forms that
people write, which are only mentions. Does not: whether a claim is borne out (rules/reverting.py).

Source: fairness contract section 11, "merged, whose body says" [D20].
"""

import re
from dataclasses import dataclass

from evenhand.policy import ascii_lower

# The possessive forms cannot backtrack, so a body of any length costs no more than its length.
_REFERENCE = r"(?P<repository>[A-Za-z0-9_.-]++/[A-Za-z0-9_.-]++)?+#(?P<number>[0-9]++)(?!\w)"
_CLAIM = re.compile(r"(?<![\w-])reverts\s++" + _REFERENCE, re.IGNORECASE)
_MENTION = re.compile(
    r"(?<![\w-])revert(?:s|ed|ing)?+\b[^#\n]{0,60}?(?<![A-Za-z0-9_.-])"
    r"(?P<repository>[A-Za-z0-9_.-]++/[A-Za-z0-9_.-]++)?#[0-9]++(?!\w)",
    re.IGNORECASE,
)
_MOST_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Claim:
    """What a body claims or mentions."""

    number: int | None
    """The pull request of the same repository that it says it reverts; None: it only mentions one in another form."""


def claim_of(body: str, repository: str) -> Claim | None:
    """The first claim about the own repository; a claim without a number when there are other mentions alone.

    References to other repositories are passed over: a body with no other is neither a claim nor a mention.
    """
    if "revert" not in body.lower():
        return None
    for match in _CLAIM.finditer(body):
        if _is_own(match, repository):
            digits = match["number"].lstrip("0")
            return Claim(int(digits or "0") if len(digits) <= _MOST_DIGITS else 0)
    return Claim(None) if any(_is_own(match, repository) for match in _MENTION.finditer(body)) else None


def _is_own(match: re.Match[str], repository: str) -> bool:
    named = match["repository"]
    return named is None or ascii_lower(named) == ascii_lower(repository)
