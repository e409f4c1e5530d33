"""Anchors: signed statements, kept elsewhere, of what the chain's tip was.

Belongs here: whether each signature verifies under the key that it names, and whether what it signs is in the chain.
Does not: the chain itself (chain.py).

Source: fairness contract, section 8, "Anchor".
"""

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.canonical import canonical
from evenhand.errors import UsageError
from evenhand.metrics.ledger.chain import Chain

_SIGNATURE_BYTES = 64


@dataclass(frozen=True)
class Key:
    """A public key with the id that its own bytes give."""

    key_id: str
    derived_id: str
    spki: bytes
    not_before: str | None = None
    not_after: str | None = None

    def as_json(self) -> dict[str, Any]:
        """As the compatible API publishes it."""
        return {
            "keyId": self.key_id,
            "publicKeySpki": base64.b64encode(self.spki).decode(),
            "notBefore": self.not_before,
            "notAfter": self.not_after,
        }


def read_keys(path: Path) -> dict[str, Key]:
    """The keys of a keys file by the id that it gives them; UsageError when it is not one."""
    from hashlib import sha256

    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
        keys = [
            (
                str(entry["keyId"]),
                base64.b64decode(entry["publicKeySpki"], validate=True),
                _text_or_none(entry.get("notBefore")),
                _text_or_none(entry.get("notAfter")),
            )
            for entry in listed
        ]
    except OSError as error:
        raise UsageError(f"the keys file {path.name!r} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"the keys file {path.name!r} is not a JSON list of keyId and publicKeySpki") from error
    return {key_id: Key(key_id, sha256(spki).hexdigest()[:16], spki, *times) for key_id, spki, *times in keys}


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def check_anchors(anchors: Iterable[Mapping[str, Any]], keys: Mapping[str, Key], chain: Chain) -> list[dict[str, Any]]:
    """Each anchor with what was found of it, in the order given: the compatible API's shape."""
    return [_checked(anchor, keys.get(anchor["key_id"]), chain) for anchor in anchors]


def _checked(anchor: Mapping[str, Any], key: Key | None, chain: Chain) -> dict[str, Any]:
    payload = _payload(anchor["payload_json"])
    signed = None if payload is None else canonical(payload)
    verifies = None if key is None else signed is not None and _verifies(key, anchor["signature"], signed)
    on_chain = payload is not None and _is_on_chain(payload, chain)
    return {
        "id": anchor["id"],
        "seq": anchor["seq"],
        "rowHash": anchor["row_hash"],
        "keyId": anchor["key_id"],
        "derivedKeyId": key.derived_id if key else None,
        "signatureVerifies": verifies,
        "signingInput": None if signed is None else signed.decode(),
        "status": anchor["status"],
        "onChain": on_chain,
        "binds": bool(verifies and key and key.derived_id == anchor["key_id"] and on_chain),
    }


def _payload(text: str | None) -> dict[str, Any] | None:
    try:
        payload = json.loads(text or "")
        canonical(payload)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _is_on_chain(payload: Mapping[str, Any], chain: Chain) -> bool:
    seq = payload.get("seq")
    if isinstance(seq, bool) or not isinstance(seq, int):
        return False
    return seq in chain.hashes and chain.hashes[seq] == payload.get("rowHash")


def _verifies(key: Key, signature: str | None, signed: bytes) -> bool:
    """ECDSA P-256 with SHA-256 over the payload; the signature is r and s side by side."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        raw = base64.b64decode(signature or "", validate=True)
        public = load_der_public_key(key.spki)
    except (binascii.Error, ValueError, UnsupportedAlgorithm):
        return False
    if len(raw) != _SIGNATURE_BYTES or not isinstance(public, ec.EllipticCurvePublicKey):
        return False
    half = _SIGNATURE_BYTES // 2
    encoded = utils.encode_dss_signature(int.from_bytes(raw[:half], "big"), int.from_bytes(raw[half:], "big"))
    try:
        public.verify(encoded, signed, ec.ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return True
