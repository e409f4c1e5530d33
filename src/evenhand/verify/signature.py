"""Whether the statement was signed by a key that the reader trusts.

Belongs here: Ed25519 and ECDSA P-256 over bytes, a key from a PEM file or from a list of rotated keys. Does not: which
key is to be trusted, which only the reader knows: without a key given, a signature proves nothing, and is skipped.
"""

import base64
import binascii
import hashlib
import json
from pathlib import Path
from typing import Any

from evenhand.verify.claims import Claims


def check_signature(message: bytes, document: Any, key: Path | None, as_of: str, claims: Claims) -> None:
    """One claim: signed by the given key, or by that of the list which was in force at the as-of."""
    try:
        key_id, signature = document["keyId"], base64.b64decode(document["signature"], validate=True)
        algorithm, embedded = document["algorithm"], base64.b64decode(document["publicKeySpki"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error):
        claims.fail("signature", "algorithm, keyId, publicKeySpki and signature", "not all of them")
        return
    if not verifies(embedded, algorithm, signature, message) or _key_id(embedded) != key_id:
        claims.fail("signature", "one that holds under the key beside it", "it does not hold")
        return
    if key is None:
        claims.skip("signature", f"it is of the key {key_id}; whose that is, only a key given with --key can say")
        return
    trusted = _trusted(key, as_of)
    claims.holds("signature", _key_id(embedded) in trusted, f"one of {', '.join(trusted)}", f"of the key {key_id}")


def verifies(spki: bytes, algorithm: str, signature: bytes, message: bytes) -> bool:
    """Whether a signature holds under a public key in DER."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        key = load_der_public_key(spki)
        if isinstance(key, ed25519.Ed25519PublicKey) and algorithm == "ed25519":
            key.verify(signature, message)
            return True
        if isinstance(key, ec.EllipticCurvePublicKey) and algorithm == "ecdsa-p256-sha256":
            key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
            return isinstance(key.curve, ec.SECP256R1)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError):
        return False
    return False


def _key_id(spki: bytes) -> str:
    return hashlib.sha256(spki).hexdigest()[:16]


def _trusted(path: Path, as_of: str) -> list[str]:
    """Ids of the keys of a file: one PEM key, or a JSON list of keys with the time in which each is in force."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    data = path.read_bytes()
    if data.lstrip().startswith(b"-----BEGIN"):
        key = load_pem_public_key(data)
        return [_key_id(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))]
    listed = json.loads(data)
    return [
        _key_id(base64.b64decode(entry["publicKeySpki"]))
        for entry in listed
        if entry["notBefore"] <= as_of and (entry["notAfter"] is None or as_of <= entry["notAfter"])
    ]
