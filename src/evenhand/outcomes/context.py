"""What every rule is given: the policy, what is known, and where its rows go.

Belongs here: writing a derived row so that the rules see it from then on. Does not: any rule.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from evenhand.outcomes.events import PullRequestEvent
from evenhand.outcomes.records import Records
from evenhand.outcomes.rows import DerivedRow
from evenhand.policy import Policy, ascii_lower

CONFIRMED, REVERSED = "confirmed", "reversed"


@dataclass(frozen=True)
class Context:
    """One derivation."""

    policy: Policy
    records: Records
    alone: bool
    """There is no SOURCE: what the bot did is told by the events themselves."""
    counts: Counter[str] = field(default_factory=Counter)
    """Rows written, by family."""

    def is_bot(self, event: PullRequestEvent) -> bool:
        """Whether the sender is no human: of type Bot, or, from public events alone, a login that the policy names."""
        return event.is_bot or (self.alone and self.is_named_bot(event))

    def is_named_bot(self, event: PullRequestEvent) -> bool:
        """Whether the policy names the sender as a bot."""
        named = {ascii_lower(login.strip()) for login in self.policy.bots.logins}
        return bool(event.sender) and ascii_lower(event.sender or "") in named

    def write(self, row: DerivedRow) -> None:
        """Keep a row that comes out."""
        self.counts[row.event_type.partition(":")[0]] += 1
        same = self.records.same_before(f"{row.event_type} {row.time} {row.target_key}")
        self.records.derive(row.time, row.line(same))

    def write_reversal(
        self, kind: str, event: PullRequestEvent, actor: str | None, target: str, detail: str, metadata: dict[str, Any]
    ) -> None:
        """Keep a reversal or a pending marker."""
        self.write(DerivedRow(kind, actor, target, detail, metadata, event.time))

    def write_override(self, target: str, rule: str, verdict: str, time: int, basis: str | None = None) -> None:
        """Keep a person's verdict on a firing."""
        metadata = {"verdict": verdict} if basis is None else {"verdict": verdict, "basis": basis}
        detail = f"human {verdict} rule {rule} against {target}"
        self.write(DerivedRow(f"signal.human_override:{rule}", "human", target, detail, metadata, time))
        self.records.override(target, rule, time, verdict)


def named(event: PullRequestEvent, **more: Any) -> dict[str, Any]:
    """The metadata by which every outcome and reversal names its pull request."""
    return {"repoFullName": event.repository, "pullNumber": event.number, **more}
