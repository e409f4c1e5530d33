"""Reversed: every listed rule that fired on the target was wrong about it.

Belongs here: the overrides that go with each of the four kinds of reversal. Does not: what a reversal is.

Source: fairness contract section 11, "On every reversal" [D21] [D22] [D32].
"""

from evenhand.outcomes.context import REVERSED, Context
from evenhand.timeline import DAY


def apply(target: str, time: int, context: Context) -> None:
    """One reversed override a rule, unless there is one at or after its last firing."""
    rules = context.policy.confirmation
    records = context.records
    for rule in records.fired(target, time - rules.firing_days * DAY, time):
        if rule not in rules.listed_rules:
            continue
        last = records.last_firing(target, rule, time)
        if not records.has_verdict(target, rule, REVERSED, last, time):
            context.write_override(target, rule, REVERSED, time)
