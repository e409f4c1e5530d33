"""The decision ledger's chain: whether what was written then is what stands there now.

Belongs here: one pass over the chain and its records, and the break that stops it. Does not: anchors (anchors.py), or
any figure; a chain holds or it does not.

Source: fairness contract, section 8.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from json.encoder import encode_basestring
from typing import Any

from evenhand.canonical import sha256_hex
from evenhand.lake.ledger_json import canonical_text
from evenhand.metrics.ledger.waivers import Waivers
from evenhand.metrics.registry import Context
from evenhand.timeline import DAY, MINUTE

GENESIS = "0" * 64


@dataclass(frozen=True)
class Break:
    """Where the chain does not hold. record_id names a pull request: the operator's alone."""

    kind: str
    at_seq: int
    expected_seq: int | None = None
    record_id: str | None = None


@dataclass
class Chain:
    """What the verification of the whole chain found."""

    checked: int = 0
    total: int = 0
    tip_seq: int = 0
    tip_hash: str = GENESIS
    pruned: int = 0
    content_mismatches: int = 0
    waived_content: int = 0
    waived_unchained: int = 0
    waivers: Waivers = field(default_factory=Waivers)
    broken: Break | None = None
    hashes: dict[int, str] = field(default_factory=dict)
    """Row hash of each position, as stored: what an anchor must name."""

    @property
    def ok(self) -> bool:
        """Whether nothing was found broken; an empty ledger is nothing to verify, not a failure."""
        return self.broken is None


def statement() -> str:
    """The SQL that gives the chain in order."""
    return files("evenhand.metrics.ledger").joinpath("chain.sql").read_text(encoding="utf-8")


def verify_chain(
    rows: Iterable[dict[str, Any]],
    orphans: Iterable[dict[str, Any]],
    context: Context,
    waivers: Waivers | None = None,
) -> Chain:
    """Verifies the whole chain in one pass.

    rows: the columns of chain.sql in order. orphans: id, ts_us of records that no row names.
    A wrong sequence, predecessor or row hash, or a record missing too early, stops the scan; wrong content is
    counted and the scan goes on. What is waived leaves the chain whole, with its counts beside it; structure and a
    short tail are never waived.
    """
    chain = Chain(waivers=waivers or Waivers())
    content: Break | None = None
    last_us: int | None = None
    previous = GENESIS
    oldest_kept = context.as_of - context.policy.ledger.record_retention_days * DAY
    for row in rows:
        chain.total += 1
        chain.tip_seq, chain.tip_hash = row["seq"], row["row_hash"]
        chain.hashes[row["seq"]] = row["row_hash"]
        if chain.broken:
            continue
        chain.broken = _structure(row, chain.checked + 1, previous) or _record(row, oldest_kept, chain)
        if chain.broken:
            continue
        chain.checked += 1
        previous, last_us = row["row_hash"], row["ts_us"]
        if row["found"] and not content_matches(row["record_json"], row["record_digest"], row["record_content"]):
            if chain.waivers.content and chain.waivers.content.covers(row["seq"]):
                chain.waived_content += 1
                continue
            chain.content_mismatches += 1
            content = content or Break("content_mismatch", row["seq"], record_id=row["record_id"])
    chain.broken = chain.broken or content or _orphan(orphans, chain, last_us, context)
    return chain


def _structure(row: dict[str, Any], expected: int, previous: str) -> Break | None:
    seq = row["seq"]
    if seq != expected:
        return Break("sequence_gap", seq, expected_seq=expected)
    if row["prev_hash"] != previous:
        return Break("predecessor_mismatch", seq)
    if row["row_hash"] != row_hash(row):
        return Break("row_hash_mismatch", seq)
    return None


def row_hash(row: dict[str, Any]) -> str:
    """`sha256(prev_hash + canonical({createdAt, recordDigest, recordId, seq}))`, texts as stored."""
    committed = (
        f'{{"createdAt":{_text(row["created_at"])},"recordDigest":{_text(row["record_digest"])},'
        f'"recordId":{_text(row["record_id"])},"seq":{row["seq"]}}}'
    )
    return sha256_hex(f"{row['prev_hash'] or ''}{committed}".encode())


def _text(value: str | None) -> str:
    """The canonical JSON of a text, by the standard encoder, which escapes just what the rule escapes."""
    return "null" if value is None else encode_basestring(value)


def _record(row: dict[str, Any], oldest_kept: int, chain: Chain) -> Break | None:
    if row["found"]:
        return None
    if row["ts_us"] is not None and row["ts_us"] < oldest_kept:
        chain.pruned += 1
        return None
    return Break("missing_record", row["seq"], record_id=row["record_id"])


def content_matches(record_json: str | None, digest: str, content: str | None = None) -> bool:
    """Whether a record's canonical JSON has the digest that the ledger holds; of duplicate keys the last counts.

    `content`: that digest of a record which retention has dropped since.
    """
    if record_json is None and content is not None:
        return content == digest
    try:
        return sha256_hex(canonical_text(record_json or "")) == digest
    except (ValueError, RecursionError):
        return False


def _orphan(orphans: Iterable[dict[str, Any]], chain: Chain, last_us: int | None, context: Context) -> Break | None:
    """A record old enough to be chained that no row names: newest first, ties the greatest id."""
    settled = context.as_of - context.policy.ledger.chaining_minutes * MINUTE
    waiting = [row for row in orphans if row["ts_us"] <= settled]
    waived = _waived(waiting, chain, last_us)
    chain.waived_unchained = len(waived)
    waiting = [row for row in waiting if row["id"] not in waived]
    if not waiting or not chain.total:
        return None
    newest = max(waiting, key=lambda row: (row["ts_us"], row["id"]))
    if last_us is None or newest["ts_us"] > last_us:
        return Break("short_tail", chain.tip_seq)
    return Break("unchained_record", chain.tip_seq, record_id=newest["id"])


def _waived(waiting: list[dict[str, Any]], chain: Chain, last_us: int | None) -> set[str]:
    """Ids of records that the waiver covers: in its range and not after the last verified row, and not too many."""
    waiver = chain.waivers.unchained
    if waiver is None or last_us is None:
        return set()
    covered = {row["id"] for row in waiting if waiver.covers(row["ts_us"]) and row["ts_us"] <= last_us}
    return covered if len(covered) <= waiver.most else set()


ORPHANS = """
SELECT records.id, records.ts_us
FROM decision_records AS records
WHERE records.id IS NOT NULL AND records.id NOT IN (SELECT record_id FROM decision_ledger WHERE record_id IS NOT NULL)
"""


def as_json(chain: Chain, *, with_record_ids: bool) -> dict[str, Any]:
    """The verification in the compatible API's shape; record ids for the operator alone."""
    shown: dict[str, Any] = {
        "ok": chain.ok,
        "checked": chain.checked,
        "nextAfterSeq": None,
        "tipSeq": chain.tip_seq,
        "tipHash": chain.tip_hash,
        "totalCount": chain.total,
        "prunedRecords": chain.pruned,
        "contentMismatches": chain.content_mismatches,
        "waivedContentMismatches": chain.waived_content,
        "contentWaiver": chain.waivers.content.as_json() if chain.waivers.content else None,
        "waivedUnchainedRecords": chain.waived_unchained,
        "unchainedWaiver": chain.waivers.unchained.as_json() if chain.waivers.unchained else None,
    }
    if chain.broken:
        described = {
            "kind": chain.broken.kind,
            "atSeq": chain.broken.at_seq,
            "expectedSeq": chain.broken.expected_seq,
            "recordId": chain.broken.record_id if with_record_ids else None,
        }
        shown["break"] = {name: value for name, value in described.items() if value is not None}
    return shown
