"""Which mechanisms carry a block of code that one click applies.

Belongs here: the conditions on the lead. Does not: the block itself (comments.py), or patches that other copies bring
into a fix plan (plans.py).

Source: What a review means, section 6 (suggestion block).
"""

from evenhand.evidence.mechanisms import Copy, Mechanism
from evenhand.evidence.records import RunStatus
from evenhand.evidence.rules import Deliver, Section, State


def was_not_applied(copy: Copy) -> bool:
    """Whether the copy could not run because its patch does not apply."""
    return copy.reason == RunStatus.PATCH_NOT_APPLIED


def may_be_suggested(mechanism: Mechanism, deliver: Deliver) -> bool:
    """Whether the lead's patch may be offered, unless the deep pass took it back."""
    lead = mechanism.lead
    if lead.finding.patch is None or lead.unsafe_patch or was_not_applied(lead):
        return False
    if lead.state is State.REFUTED or mechanism.section is Section.NOTES:
        return False
    return deliver is Deliver.ALL or lead.state is State.PROVEN
