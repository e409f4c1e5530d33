"""Closed unmerged by the owner: who could have undone the gate's word let it stand.

Belongs here: the confirming overrides, explicit for rules of judgement and implicit for the others. Does not:
reversals.

Source: fairness contract section 11, "closed, unmerged, by the owner" [D33].
"""

from evenhand.outcomes.context import CONFIRMED, Context
from evenhand.outcomes.events import PullRequestEvent
from evenhand.outcomes.owners import is_by_owner
from evenhand.timeline import DAY


def apply(event: PullRequestEvent, context: Context) -> None:
    """One confirmed override a rule that fired: once per rule and target, implicit only where nobody has spoken."""
    if not is_by_owner(event, context.policy):
        return
    rules, records, target, time = context.policy.confirmation, context.records, event.target, event.time
    implicit = set(rules.listed_rules) - set(context.policy.signals.score_gates) - set(rules.judgement_rules)
    for rule in records.fired(target, time - rules.firing_days * DAY, time):
        if rule in rules.judgement_rules and not records.has_verdict(target, rule, CONFIRMED, None, time):
            context.write_override(target, rule, CONFIRMED, time)
        elif rule in implicit and not records.is_overridden(target, rule, time):
            context.write_override(target, rule, CONFIRMED, time, context.policy.signals.implicit_basis)
