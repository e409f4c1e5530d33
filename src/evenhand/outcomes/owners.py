"""Who owns a repository.

Belongs here: that one question. Does not: what an owner's act means (rules).

Source: fairness contract section 11, "Owner" [D15].
"""

from evenhand.outcomes.events import PullRequestEvent
from evenhand.policy import Policy, ascii_lower


def is_by_owner(event: PullRequestEvent, policy: Policy) -> bool:
    """Whether the sender is the login before `/`, or one that the policy names for the repository or organisation."""
    if not event.sender:
        return False
    sender, repository = ascii_lower(event.sender), ascii_lower(event.repository)
    organisation = repository.split("/", 1)[0]
    named = (*policy.owners.logins.get(repository, ()), *policy.owners.logins.get(organisation, ()))
    return sender == organisation or sender in {ascii_lower(login.strip()) for login in named}
