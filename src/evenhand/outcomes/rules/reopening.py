"""Reopened by a human while the bot's last word is a close.

Belongs here: the reversal, and the pending marker of an owner, who may only be looking. Does not: the merge that makes
an owner's reopening a reversal (owner_merge.py).

Source: fairness contract section 11, "reopened" [D16] [D18].
"""

from evenhand.outcomes.context import Context, named
from evenhand.outcomes.events import PullRequestEvent
from evenhand.outcomes.owners import is_by_owner
from evenhand.outcomes.rules import reversed_overrides

REOPENED = "reversal_reopened"
PENDING = "owner_reopen_pending_reversal"


def apply(event: PullRequestEvent, context: Context) -> None:
    """A marker each time by the owner; by anyone else a reversal, once per close of the bot."""
    action = context.records.last_action(event.pull, event.time)
    if context.is_bot(event) or action is None or action.kind != "close":
        return
    if is_by_owner(event, context.policy):
        if context.records.is_marked(event.pull, PENDING, event.time, event.time):
            return  # Recorded by an earlier run over the same events.
        detail = f"Bot-closed PR #{event.number} reopened by the repo owner."
        context.write_reversal(PENDING, event, event.sender, event.target, detail, named(event))
        context.records.mark(event.pull, PENDING, event.time)
        return
    if context.records.is_marked(event.pull, REOPENED, action.time, event.time):
        return
    detail = f"Bot-closed PR #{event.number} reopened by a contributor."
    context.write_reversal(REOPENED, event, event.sender, event.target, detail, named(event))
    context.records.mark(event.pull, REOPENED, event.time)
    reversed_overrides.apply(event.target, event.time, context)
