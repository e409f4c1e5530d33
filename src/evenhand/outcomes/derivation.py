"""Walking through the events in time order, each past the rules.

Belongs here: which rules an event meets, and in what order. Does not: any rule (rules/).

Source: fairness contract section 11.
"""

from evenhand.outcomes.context import Context
from evenhand.outcomes.events import Action, PullRequestEvent
from evenhand.outcomes.rules import (
    bot_actions,
    owner_close,
    owner_merge,
    realised_outcome,
    reopening,
    reverting,
    superseding,
)


def derive(context: Context) -> None:
    """Apply the rules to every event of the records; what comes out is kept there."""
    for event in context.records.events():
        if context.alone:
            context.records.see(event)
            bot_actions.apply(event, context)
        if event.action is Action.CLOSED:
            _closed(event, context)
        elif event.action is Action.REOPENED:
            reopening.apply(event, context)
        context.records.deliver(event)


def _closed(event: PullRequestEvent, context: Context) -> None:
    realised_outcome.apply(event, context)
    reverting.apply(event, context)
    if event.merged:
        owner_merge.apply(event, context)
        superseding.apply(event, context)
    else:
        owner_close.apply(event, context)
