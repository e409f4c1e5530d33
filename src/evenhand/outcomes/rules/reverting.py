"""Merged, and its body says that it reverts another merged pull request.

Belongs here: the reversal, and what was said and not borne out. Does not: the form of the claim (claims.py).

Source: fairness contract section 11, "merged, whose body says" [D18] [D20].
"""

from evenhand.lake.tables import MENTION_REASONS
from evenhand.outcomes.context import Context
from evenhand.outcomes.events import PullRequestEvent, identity
from evenhand.outcomes.rules import reversed_overrides

REVERTED = "reversal_reverted"

OTHER_FORM, NEVER_MERGED, MERGE_NOT_RECORDED = MENTION_REASONS


def apply(event: PullRequestEvent, context: Context) -> None:
    """A reversal of the claimed pull request, once; a claim that nothing bears out is only counted."""
    if event.claim is None:
        return
    number = event.claim.number
    if number is None:
        context.records.mention(event, OTHER_FORM)
        return
    if not event.merged:
        context.records.mention(event, NEVER_MERGED)
        return
    reverted = identity(event.repository, number)
    if number == event.number or not context.records.is_merge_recorded(reverted, event.time):
        context.records.mention(event, MERGE_NOT_RECORDED)
        return
    context.records.bear_out(event.pull)
    if context.records.is_marked(reverted, REVERTED, None, event.time):
        return
    target = f"{event.repository}#{number}"
    metadata = {
        "repoFullName": event.repository,
        "revertedPullNumber": number,
        "revertPullNumber": event.number,
    }
    detail = f"Merged PR #{number} was reverted by #{event.number}."
    context.write_reversal(REVERTED, event, event.sender, target, detail, metadata)
    context.records.mark(reverted, REVERTED, event.time)
    reversed_overrides.apply(target, event.time, context)
