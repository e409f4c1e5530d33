"""A derived row, as the gate's own writers would have written it.

Belongs here: its columns, its deterministic id and its one line of JSON. Does not: when a row is derived (rules).

Source: fairness contract section 11, "Output rows"; interface contract, `evenhand outcomes`.
"""

import json
from dataclasses import dataclass
from typing import Any

from evenhand.canonical import canonical, sha256_hex
from evenhand.timeline import iso

COMPLETED = "completed"
_ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class DerivedRow:
    """One row of `audit_events`."""

    event_type: str
    actor: str | None
    target_key: str
    detail: str | None
    metadata: dict[str, Any]
    time: int
    """Microseconds since 1970-01-01 UTC."""

    def line(self, same_before: int = 0) -> str:
        """The row as a line of NDJSON; `same_before` counts equal rows before it, which have ids of their own."""
        metadata = canonical(self.metadata).decode("utf-8")
        created_at = iso(self.time)
        named = [self.event_type, self.target_key, created_at, metadata, same_before]
        row = {
            "id": f"outcome-{sha256_hex(canonical(named))[:_ID_DIGITS]}",
            "event_type": self.event_type,
            "actor": self.actor,
            "target_key": self.target_key,
            "outcome": COMPLETED,
            "detail": self.detail,
            "metadata_json": metadata,
            "created_at": created_at,
        }
        return json.dumps(row, ensure_ascii=False) + "\n"
