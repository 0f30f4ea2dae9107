"""Signatures for cookies and for the URLs of records."""

import hashlib
import hmac
from typing import Final

import flask
from itsdangerous import Signer, want_bytes

_EXTENSION: Final = "record-signer"


class HexSigner(Signer):
    """A signer with HMAC-SHA256 in lower-case hexadecimal.

    The signatures cannot contain a card's code.
    """

    def __init__(self, app: flask.Flask, purpose: str) -> None:
        """Create a signer from an app's key.

        Args:
            app: The app, whose configuration contains ``SECRET_KEY``.
            purpose: The kind of signed values. Each purpose has its own key.
        """
        key = app.config["SECRET_KEY"]
        super().__init__(key, salt=purpose, key_derivation="hmac", digest_method=hashlib.sha256)
        self._key = self.derive_key()

    def get_signature(self, value: str | bytes) -> bytes:
        """Return the signature of a value."""
        return hmac.digest(self._key, want_bytes(value), "sha256").hex().encode()

    def verify_signature(self, value: str | bytes, sig: str | bytes) -> bool:
        """Return whether a signature is valid for a value."""
        return hmac.compare_digest(self.get_signature(value), want_bytes(sig))


def fingerprint(key: str) -> str:
    """Return eight hexadecimal digits that identify a key but do not reveal it."""
    return hmac.digest(key.encode(), b"cardgames-key-fingerprint", "sha256").hex()[:8]


def register(app: flask.Flask) -> None:
    """Prepare an app to sign the records in its URLs."""
    app.extensions[_EXTENSION] = HexSigner(app, "cardgames-record")


def sign_record(text: str) -> str:
    """Return this server's signature of a record."""
    return _signer().get_signature(text).decode()


def is_signed(text: str, signature: str) -> bool:
    """Return whether this server signed a record."""
    return _signer().verify_signature(text, signature)


def _signer() -> HexSigner:
    signer: HexSigner = flask.current_app.extensions[_EXTENSION]
    return signer
