"""The ledger of one export, verified: its chain, its anchors, and the keys that they were checked by.

Belongs here: these three together, in the shapes of the compatible API. Does not: how any of them is verified.

Source: fairness contract, section 8; interface contract, "Served paths".
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.metrics.ledger.anchors import Key, check_anchors
from evenhand.metrics.ledger.chain import Chain, as_json
from evenhand.timeline import iso


@dataclass(frozen=True)
class LedgerFacts:
    """One verified ledger."""

    chain: Chain
    stored: Sequence[Mapping[str, Any]]
    """Anchors as stored, ordered by position and id."""
    keys: Mapping[str, Key]
    names_records: bool = False
    """Whether the policy publishes record ids, which name pull requests."""

    @property
    def anchors(self) -> list[dict[str, Any]]:
        """Each anchor with what was found of it."""
        return check_anchors(self.stored, self.keys, self.chain)

    def operators(self) -> dict[str, Any]:
        """For the operator's document."""
        return {"ledgerVerify": as_json(self.chain, with_record_ids=True), "anchors": self.anchors}

    def verification(self) -> dict[str, Any]:
        """`verify.json`."""
        return as_json(self.chain, with_record_ids=self.names_records)

    def public_anchors(self) -> dict[str, Any]:
        """`anchors.json`: each anchor with its payload and signature, so that anyone can check it."""
        shown = [
            {
                "id": stored["id"],
                "seq": stored["seq"],
                "rowHash": stored["row_hash"],
                "payload": _payload(stored["payload_json"]),
                "signature": stored["signature"],
                "keyId": stored["key_id"],
                "backend": stored["backend"],
                "createdAt": None if stored["ts_us"] is None else iso(stored["ts_us"]),
                **{name: found[name] for name in ("status", "derivedKeyId", "signatureVerifies", "onChain", "binds")},
            }
            for stored, found in zip(self.stored, self.anchors, strict=True)
        ]
        return {"anchors": shown, "nextBefore": None, "status": self.status}

    @property
    def status(self) -> str:
        """anchored, empty_ledger, pending (keys and no anchor yet) or unconfigured."""
        if not self.chain.total:
            return "empty_ledger"
        if self.stored:
            return "anchored"
        return "pending" if self.keys else "unconfigured"

    def public_keys(self) -> dict[str, Any]:
        """`anchor-key.json`."""
        return {"keys": [key.as_json() for _, key in sorted(self.keys.items())]}


def _payload(text: str | None) -> dict[str, Any] | None:
    try:
        payload = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None
