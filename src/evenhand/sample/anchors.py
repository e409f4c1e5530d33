"""Signed anchors over the finished chain, and the file of public keys that checks them.

The keys are derived from a constant and the seed: they protect nothing, they make the sample checkable. The
chain itself belongs to `decisions`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import rfc8785
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from evenhand.sample.decisions import Link
from evenhand.sample.span import DAY, SECOND, WEEK, Span, iso

ANCHOR_WIDTH = 12
LEDGER_NAME = "loopover.decision_ledger"
_KEY_LABEL = "evenhand sample anchor key"
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_HALF = 32  # bytes of r and of s
_KEY_ID_LENGTH = 16
_ROTATED_WEEKS_BACK = 9
_ANCHOR_EVERY = 4 * DAY
_FAILED_EVERY = 7  # one anchor in so many did not reach its backend


class Key(NamedTuple):
    """A signing key and the name that its public half gives it."""

    private: ec.EllipticCurvePrivateKey
    key_id: str
    spki: bytes


def derive_key(seed: int, generation: int) -> Key:
    """The `generation`-th test key of a seed."""
    secret = hashlib.sha256(f"{_KEY_LABEL} {seed} {generation}".encode()).digest()
    private = ec.derive_private_key(int.from_bytes(secret, "big") % (_P256_ORDER - 1) + 1, ec.SECP256R1())
    spki = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return Key(private, hashlib.sha256(spki).hexdigest()[:_KEY_ID_LENGTH], spki)


def sign(key: Key, payload: dict[str, Any]) -> str:
    """Base64 of r||s over the canonical payload, the same on every run."""
    der = key.private.sign(rfc8785.dumps(payload), ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
    r, s = decode_dss_signature(der)
    return base64.b64encode(r.to_bytes(_HALF, "big") + s.to_bytes(_HALF, "big")).decode()


def key_file(seed: int, span: Span) -> list[dict[str, str | None]]:
    """The public keys with the time that each was in use."""
    rotated = span.week_back(_ROTATED_WEEKS_BACK)
    old, new = derive_key(seed, 0), derive_key(seed, 1)
    return [
        _public(old, span.start - WEEK, rotated),
        _public(new, rotated, None),
    ]


def anchor_rows(seed: int, span: Span, links: Sequence[Link]) -> Iterator[tuple[object, ...]]:
    """An anchor every few days, over the newest row by then."""
    rotated = span.week_back(_ROTATED_WEEKS_BACK)
    old, new = derive_key(seed, 0), derive_key(seed, 1)
    number = 0
    next_due = links[0].time if links else 0
    for index, link in enumerate(links):
        is_tip = index == len(links) - 1
        if link.time < next_due and not is_tip:
            continue
        next_due = link.time + _ANCHOR_EVERY
        number += 1
        yield _anchor(number, link, old if link.time < rotated else new)


def _anchor(number: int, link: Link, key: Key) -> tuple[object, ...]:
    at = iso(link.time + 30 * SECOND)
    payload = {
        "v": 1,
        "ledger": LEDGER_NAME,
        "seq": link.seq,
        "rowHash": link.row_hash,
        "totalCount": link.seq,
        "at": at,
    }
    failed = number % _FAILED_EVERY == 0
    backend = "git" if failed or number % 2 == 0 else "rekor"
    reference = None if failed else f'{{"logIndex":{number}}}' if backend == "rekor" else f"refs/anchors/{number}"
    text = json.dumps(payload, separators=(",", ":"))
    error = "the backend answered 409" if failed else None
    return (
        f"anchor-{number}", link.seq, link.row_hash, text, sign(key, payload), key.key_id, backend, reference, None,
        "failed" if failed else "ok", error, at,
    )  # fmt: skip


def _public(key: Key, since: int, until: int | None) -> dict[str, str | None]:
    return {
        "keyId": key.key_id,
        "publicKeySpki": base64.b64encode(key.spki).decode(),
        "notBefore": iso(since),
        "notAfter": None if until is None else iso(until),
    }
