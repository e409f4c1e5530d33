"""From public events alone: a bot's closes and merges are auto-actions.

Belongs here: which sender is such a bot, its actions, and the published surface of what it acted on. Does not: events
beside a SOURCE, which has recorded its actions itself.

Source: interface contract, `evenhand outcomes` and `[bots]`; fairness contract section 11.
"""

from evenhand.outcomes.context import Context, named
from evenhand.outcomes.events import Action, PullRequestEvent
from evenhand.outcomes.rows import DerivedRow

PUBLISHED = "github_app.pr_public_surface_published"
LIVE = "live"
_STATES = {"close": "closed", "merge": "merged", "reopen": "open"}


def apply(event: PullRequestEvent, context: Context) -> None:
    """One action a change: an event that was delivered again finds the pull request as the bot left it."""
    if not (context.is_named_bot(event) or (context.policy.bots.every_bot and event.is_bot)):
        return
    records = context.records
    kind = _kind(event)
    if kind is None:
        return
    last = records.last_action(event.pull, event.time)
    if last and last.kind == kind:
        since = records.last_delivery(event.pull, last.time, event.time)
        if since is None or since[1] == _STATES[kind]:
            return
    records.act(event, kind)
    if kind == "reopen":
        return  # A bot that takes its close back, often to have checks run again, reverses nobody.
    metadata = named(event, mode=LIVE)
    context.write(DerivedRow(f"agent.action.{kind}", event.sender, event.target, None, metadata, event.time))
    if records.act_on(event.pull):
        context.write(DerivedRow(PUBLISHED, event.sender, event.target, None, named(event), event.time))


def _kind(event: PullRequestEvent) -> str | None:
    if event.action is Action.CLOSED:
        return "merge" if event.merged else "close"
    return "reopen" if event.action is Action.REOPENED else None
