"""Closed: how the pull request ended.

Belongs here: one `pr_outcome` row whenever the outcome changes. Does not: what an outcome reverses or confirms.

Source: fairness contract section 11, "closed, merged" and "closed, unmerged" [D17].
"""

from evenhand.outcomes.context import Context, named
from evenhand.outcomes.events import PullRequestEvent
from evenhand.outcomes.rows import DerivedRow
from evenhand.policy import ascii_lower

MERGED, CLOSED = "merged", "closed"


def apply(event: PullRequestEvent, context: Context) -> None:
    """Write the outcome when it differs from the latest one; an author who withdraws a pull request decides nothing."""
    if not event.merged and _is_withdrawn(event):
        return
    outcome = MERGED if event.merged else CLOSED
    if context.records.last_outcome(event.pull, event.time) == outcome:
        return
    metadata = named(event, merged=event.merged, botWasActor=event.is_bot)
    context.write(DerivedRow("pr_outcome", event.sender, event.target, outcome, metadata, event.time))
    context.records.realise(event, outcome)


def _is_withdrawn(event: PullRequestEvent) -> bool:
    """The sender is the author and no bot; two accounts that are both gone are not known to be one."""
    if event.is_bot or not event.sender or not event.author:
        return False
    return ascii_lower(event.sender) == ascii_lower(event.author)
