"""Whether the decision ledger's published rows hang together, and whether the anchors bind them.

Belongs here: linkage from row to row, the tip, and the signatures of anchors. Does not: the content of a record, which
names a pull request and is not published: without the record's name a row hash cannot be computed, and is skipped.

Source: fairness contract, section 8.
"""

import base64
import binascii
import hashlib
from typing import Any

from evenhand.verify.build import Build
from evenhand.verify.claims import Claims
from evenhand.verify.plain import canonical, number, sha256
from evenhand.verify.signature import verifies

GENESIS = "0" * 64
_VERIFY = "v1/public/decision-ledger/verify.json"
_ANCHORS = "v1/public/decision-ledger/anchors.json"
_KEYS = "v1/public/decision-ledger/anchor-key.json"
_ROWS = "rows_ledger"


def check_ledger(build: Build, claims: Claims) -> None:
    """Linkage, tip, row hashes where the rows name their record, and every anchor."""
    if not build.has(_VERIFY) or f"data/{_ROWS}.parquet" not in build.table_paths():
        claims.skip("ledger: chain", "the source has no ledger")
        return
    told = build.document(_VERIFY)
    rows = build.rows(_ROWS)
    _check_linkage(rows, told, claims)
    _check_hashes(rows, claims)
    claims.equal("ledger: tip", (rows[-1]["seq"], rows[-1]["row_hash"]) if rows else (0, GENESIS), _tip(told))
    claims.equal("ledger: rows", len(rows), told["totalCount"])
    if build.has(_ANCHORS):
        _check_anchors(build, {row["seq"]: row["row_hash"] for row in rows}, claims)


def _tip(told: dict[str, Any]) -> tuple[int, str]:
    return told["tipSeq"], told["tipHash"]


def _check_linkage(rows: list[dict[str, Any]], told: dict[str, Any], claims: Claims) -> None:
    previous, expected, broken = GENESIS, 1, ""
    for row in rows:
        if row["seq"] != expected:
            broken = f"row {row['seq']} where {expected} belongs"
        elif row["prev_hash"] != previous:
            broken = f"row {row['seq']} names another predecessor"
        if broken:
            break
        previous, expected = row["row_hash"], expected + 1
    kind = told.get("break", {}).get("kind")
    if broken and kind in ("sequence_gap", "predecessor_mismatch"):
        claims.holds("ledger: linkage", True, f"the break that the build states ({kind})")
    else:
        claims.holds("ledger: linkage", not broken, "every row names its predecessor", broken)


def _check_hashes(rows: list[dict[str, Any]], claims: Claims) -> None:
    if not rows or "record_id" not in rows[0]:
        claims.skip(
            "ledger: row hashes", "private_preimage: a row hash covers the record's name, which is not published"
        )
        return
    for row in rows:
        committed = {
            "createdAt": row["created_at"],
            "recordDigest": row["record_digest"],
            "recordId": row["record_id"],
            "seq": row["seq"],
        }
        if sha256(f"{row['prev_hash'] or ''}{canonical(committed)}".encode()) != row["row_hash"]:
            claims.fail("ledger: row hashes", "each the digest of its row", f"row {number(row['seq'])} differs")
            return
    claims.holds("ledger: row hashes", True, "each the digest of its row")


def _check_anchors(build: Build, hashes: dict[int, str], claims: Claims) -> None:
    keys = {}
    if build.has(_KEYS):
        for entry in build.document(_KEYS)["keys"]:
            keys[entry["keyId"]] = base64.b64decode(entry["publicKeySpki"])
    for anchor in build.document(_ANCHORS)["anchors"]:
        name = f"ledger: anchor {anchor.get('id', anchor.get('seq'))}"
        key = keys.get(anchor.get("keyId"))
        if key is None:
            claims.skip(name, f"no public key with the id {anchor.get('keyId')} is known")
            continue
        claims.equal(name, anchor.get("binds"), _binds(anchor, key, hashes))


def _binds(anchor: dict[str, Any], key: bytes, hashes: dict[int, str]) -> bool:
    payload = anchor.get("payload")
    if not isinstance(payload, dict) or hashlib.sha256(key).hexdigest()[:16] != anchor.get("keyId"):
        return False
    try:
        raw = base64.b64decode(anchor["signature"], validate=True)
        signature = _der(raw)
    except (KeyError, TypeError, ValueError, binascii.Error):
        return False
    if not verifies(key, "ecdsa-p256-sha256", signature, canonical(payload).encode()):
        return False
    return hashes.get(payload.get("seq", 0)) == payload.get("rowHash")


def _der(raw: bytes) -> bytes:
    """r and s of 32 bytes each as the DER sequence that cryptography reads."""
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    if len(raw) != 64:
        raise ValueError("no 64 bytes of r and s")
    return encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
