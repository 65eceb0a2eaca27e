"""Request signing, ``svc-auth-v1``: six lines, signed with Ed25519."""

from __future__ import annotations

import hashlib
import re
import secrets
import string
import time

from solders.pubkey import Pubkey
from solders.signature import Signature

from .keys import Signer

DOMAIN = "svc-auth-v1"
#: How far a nonce's time may lie from the service's clock, either way, milliseconds.
NONCE_WINDOW_MS = 60_000

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_NONCE = re.compile(r"(0|[1-9][0-9]{0,14})-([0-9A-Za-z]{8,64})")
# White space and control characters could move text from one line to another.
_NOT_ONE_LINE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")


def create_nonce(now_ms: int | None = None) -> str:
    """Makes ``<unix milliseconds>-<16 random letters and digits>``. The service accepts each once. Rule M-32."""
    at = int(time.time() * 1000) if now_ms is None else now_ms
    return f"{at}-{''.join(secrets.choice(_BASE62) for _ in range(16))}"


def signed_request_text(method: str, host: str, path: str, body: bytes, nonce: str) -> str:
    """The text whose UTF-8 bytes are signed: six lines, no line feed at the end. Rule M-31.

    :param host: as in the Host header, with the port unless it is the scheme's default
    :param path: with its query, exactly as sent
    :raises ValueError: when method, host or path is empty or holds white space
    """
    for name, value in (("method", method), ("host", host), ("path", path)):
        if value == "" or _NOT_ONE_LINE.search(value):
            raise ValueError(f"{name} is empty or holds white space; give it exactly as sent, percent-encoded")
    return "\n".join([DOMAIN, method.upper(), host.lower(), path, nonce, hashlib.sha256(body).hexdigest()])


def sign_request(signer: Signer, method: str, host: str, path: str, body: bytes, nonce: str) -> dict[str, str]:
    """Signs a request and gives its headers; the signature is base58. Rule M-33."""
    text = signed_request_text(method, host, path, body, nonce)
    return {
        "X-Pubkey": str(signer.pubkey()),
        "X-Nonce": nonce,
        "X-Signature": str(signer.sign_message(text.encode())),
    }


def verify_text(pubkey: str, signature: bytes, text: bytes) -> bool:
    """Whether this key signed these bytes. What is no key, or no signature, did not."""
    try:
        return len(signature) == 64 and Signature(signature).verify(Pubkey.from_string(pubkey), text)
    except ValueError:
        return False
