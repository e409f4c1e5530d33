"""Signing a build's statement.

Belongs here: reading a private key and one signature over the bytes of `statement.json`. Does not: checking it
(verify), or keeping keys. The same key and statement give the same signature: Ed25519 always does, ECDSA by RFC 6979.
"""

import base64
import hashlib
from pathlib import Path

from evenhand.canonical import pretty
from evenhand.errors import UsageError
from evenhand.site.packaging import SIGNATURE, STATEMENT


class SigningKey:
    """A private key of one of the two kinds, from a PEM file without a passphrase."""

    def __init__(self, path: Path) -> None:
        """UsageError when the file is no such key; nothing of its content is ever repeated."""
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            key = load_pem_private_key(path.read_bytes(), password=None)
        except OSError as error:
            raise UsageError(f"--sign: {path.name} cannot be read: {error.strerror}") from None
        except (ValueError, TypeError):
            raise UsageError(f"--sign: {path.name} is no PEM private key without a passphrase") from None
        if not isinstance(key, ed25519.Ed25519PrivateKey) and not (
            isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1)
        ):
            raise UsageError(f"--sign: {path.name} must be an Ed25519 or a P-256 key")
        self._key = key

    def sign(self, folder: Path) -> None:
        """Write `statement.sig` beside the statement."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        message = (folder / STATEMENT).read_bytes()
        if isinstance(self._key, ed25519.Ed25519PrivateKey):
            algorithm, signature = "ed25519", self._key.sign(message)
        else:
            algorithm = "ecdsa-p256-sha256"
            signature = self._key.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        public = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        told = {
            "algorithm": algorithm,
            "keyId": hashlib.sha256(public).hexdigest()[:16],
            "publicKeySpki": base64.b64encode(public).decode(),
            "signature": base64.b64encode(signature).decode(),
            "signed": STATEMENT,
        }
        (folder / SIGNATURE).write_text(pretty(told), encoding="utf-8")
