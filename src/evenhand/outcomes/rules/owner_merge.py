"""Merged soon after its owner reopened it: the owner's reopening was a reversal.

Belongs here: the reversal that a pending marker waits for. Does not: the marker (reopening.py).

Source: fairness contract section 11, "merged by anyone within 6 hours" [D18].
"""

from evenhand.outcomes.context import Context, named
from evenhand.outcomes.events import PullRequestEvent
from evenhand.outcomes.rules import reversed_overrides
from evenhand.outcomes.rules.reopening import PENDING, REOPENED
from evenhand.timeline import HOUR


def apply(event: PullRequestEvent, context: Context) -> None:
    """A reversal when a marker lies within the hours of the policy, both ends included; once per close of the bot."""
    earliest = event.time - context.policy.confirmation.owner_merge_hours * HOUR
    marked = context.records.last_mark(event.pull, PENDING, earliest, event.time)
    if marked is None:
        return
    close = context.records.last_close(event.pull, marked)
    since = marked if close is None else close.time
    if context.records.is_marked(event.pull, REOPENED, since, event.time):
        return
    detail = f"Bot-closed PR #{event.number} reopened and merged by the repo owner."
    context.write_reversal(REOPENED, event, event.sender, event.target, detail, named(event))
    context.records.mark(event.pull, REOPENED, event.time)
    reversed_overrides.apply(event.target, event.time, context)
