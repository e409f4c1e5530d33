"""The sample's chain holds when somebody else recomputes it: contract section 8, without the generator's code."""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
from pathlib import Path

import rfc8785
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature


def test_every_row_hash_covers_its_predecessor_and_its_fields(export: sqlite3.Connection) -> None:
    previous = "0" * 64
    rows = export.execute("SELECT * FROM decision_ledger ORDER BY seq").fetchall()
    for expected, (seq, record_id, digest, prev_hash, row_hash, created) in enumerate(rows, start=1):
        fields = {"seq": seq, "recordId": record_id, "recordDigest": digest, "createdAt": created}
        assert seq == expected
        assert prev_hash == previous
        assert row_hash == hashlib.sha256(previous.encode() + rfc8785.dumps(fields)).hexdigest()
        previous = row_hash
    assert len(rows) > 300


def test_every_digest_is_that_of_the_canonical_record(export: sqlite3.Connection) -> None:
    rows = export.execute(
        "SELECT l.record_digest, r.record_digest, r.record_json FROM decision_ledger l"
        " LEFT JOIN decision_records r ON r.id = l.record_id"
    ).fetchall()
    for chained, stored, text in rows:
        assert chained == stored == hashlib.sha256(rfc8785.dumps(json.loads(text))).hexdigest()


def test_some_records_are_stored_in_another_than_canonical_form(export: sqlite3.Connection) -> None:
    texts = [text for (text,) in export.execute("SELECT record_json FROM decision_records")]
    assert any(rfc8785.dumps(json.loads(text)).decode() != text for text in texts)


def test_no_record_is_left_out_of_the_chain(export: sqlite3.Connection) -> None:
    query = "SELECT COUNT(*) FROM decision_records WHERE id NOT IN (SELECT record_id FROM decision_ledger)"
    assert export.execute(query).fetchone() == (0,)


def test_no_reason_is_known_before_the_gate_recorded_reasons(export: sqlite3.Connection) -> None:
    reasons = "SELECT created_at < '2026-07-29' FROM decision_records WHERE reevaluation_reason IS NOT NULL"
    assert {early for (early,) in export.execute(reasons)} == {0}
    revised = "SELECT COUNT(*) FROM decision_records WHERE id LIKE '%:rev2' AND created_at < '2026-07-29'"
    assert export.execute(revised).fetchone() != (0,)


def test_anchors_are_signed_by_the_key_they_name_over_rows_of_the_chain(
    export: sqlite3.Connection, sample: Path
) -> None:
    keys = {key["keyId"]: key for key in json.loads((sample / "anchor-keys.json").read_text())}
    chain = dict(export.execute("SELECT seq, row_hash FROM decision_ledger"))
    used = set()
    query = "SELECT seq, payload_json, signature, key_id FROM decision_ledger_anchors"
    for seq, text, signature, key_id in export.execute(query):
        payload = json.loads(text)
        spki = base64.b64decode(keys[key_id]["publicKeySpki"])
        raw = base64.b64decode(signature)
        der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        public = serialization.load_der_public_key(spki)
        assert isinstance(public, ec.EllipticCurvePublicKey)
        public.verify(der, rfc8785.dumps(payload), ec.ECDSA(hashes.SHA256()))
        assert hashlib.sha256(spki).hexdigest()[:16] == key_id
        assert chain[payload["seq"]] == payload["rowHash"]
        assert payload["seq"] == seq
        used.add(key_id)
    assert used == set(keys)
