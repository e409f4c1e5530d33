"""Merged, and it does what another pull request that the bot had closed would have done.

Belongs here: which closed pull requests a merge supersedes, and on what grounds. Does not: reopening or reverting.

Source: fairness contract section 11, "merged, superseding" [D19] [D31].
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.outcomes.context import Context
from evenhand.outcomes.events import PullRequestEvent
from evenhand.outcomes.records import BotAction, PullRow
from evenhand.outcomes.rules import reversed_overrides
from evenhand.policy import exact
from evenhand.timeline import DAY

SUPERSEDED = "reversal_superseded"


@dataclass(frozen=True, slots=True)
class Grounds:
    """Why one pull request stands for another."""

    same_linked_issue: bool
    same_author_file_overlap: bool
    file_overlap: Fraction | None
    """Share of the closed one's files that are touched again; None when it has none."""

    def as_metadata(self) -> dict[str, Any]:
        """As the gate's writers put it."""
        share = self.file_overlap
        return {
            "sameLinkedIssue": self.same_linked_issue,
            "sameAuthorFileOverlap": self.same_author_file_overlap,
            "fileOverlapRatio": None if share is None else share.numerator / share.denominator,
        }


def apply(event: PullRequestEvent, context: Context) -> None:
    """A reversal of each pull request that the merged one supersedes, once each."""
    if context.alone:
        return  # Events tell neither linked issues nor files.
    records = context.records
    earliest = event.time - context.policy.confirmation.superseding_days * DAY
    repository = event.pull.rpartition("#")[0]
    closes = records.closed_by_bot(repository, earliest, event.time)
    if not closes:
        return
    row = records.pull_row(event.pull)
    author = event.author if _folded(event.author) else row.author
    files = records.files_of(event.pull)
    for close in closes:
        if close.pull == event.pull:
            continue
        closed = records.pull_row(close.pull)
        # First what costs least and rules out most.
        if not (row.linked_issues & closed.linked_issues or _is_same(author, closed.author)):
            continue
        if records.is_marked(close.pull, SUPERSEDED, None, event.time):
            continue
        if not _is_still_closed(close, closed, event.time, context):
            continue
        grounds = _grounds(row, author, files, closed, records.files_of(close.pull), context)
        if grounds.same_linked_issue or grounds.same_author_file_overlap:
            _write(event, context, close, author, grounds)


def _write(event: PullRequestEvent, context: Context, close: BotAction, author: str | None, grounds: Grounds) -> None:
    number = int(close.pull.rpartition("#")[2])
    metadata = {
        "repoFullName": event.repository,
        "pullNumber": number,
        "supersededBy": event.number,
        "heuristics": grounds.as_metadata(),
    }
    detail = f"Bot-closed PR #{number} superseded by merged PR #{event.number}."
    context.write_reversal(SUPERSEDED, event, author, close.target, detail, metadata)
    context.records.mark(close.pull, SUPERSEDED, event.time)
    reversed_overrides.apply(close.target, event.time, context)


def _is_still_closed(close: BotAction, row: PullRow, until: int, context: Context) -> bool:
    """Whether nothing since the bot's close says that it is open again or merged.

    The newest of three tells: the row, unless it says that it is older than the close or newer than the merge; then
    later deliveries; then later actions of the bot.
    """
    is_closed = True
    if row.updated is None or close.time <= row.updated <= until:
        is_closed = not row.merged and row.state in (None, "closed")
    delivered = context.records.last_delivery(close.pull, close.time, until)
    if delivered is not None:
        is_closed = delivered[1] == "closed"
    action = context.records.last_action(close.pull, until)
    if action is not None and action.kind != "close" and (delivered is None or action.time >= delivered[0]):
        is_closed = False
    return is_closed


def _grounds(
    merged: PullRow,
    author: str | None,
    files: frozenset[str],
    closed: PullRow,
    closed_files: frozenset[str],
    context: Context,
) -> Grounds:
    share = Fraction(len(files & closed_files), len(closed_files)) if closed_files else None
    enough = share is not None and share >= exact(context.policy.confirmation.file_overlap)
    return Grounds(bool(merged.linked_issues & closed.linked_issues), _is_same(author, closed.author) and enough, share)


def _is_same(one: str | None, other: str | None) -> bool:
    return _folded(one) != "" and _folded(one) == _folded(other)


def _folded(login: str | None) -> str:
    return (login or "").strip().casefold()
