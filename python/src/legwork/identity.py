"""DIDs of keys, and reputation credentials, checked without trusting who shows them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solders.pubkey import Pubkey

from .signing import verify_text

_PREFIX = "did:svc:"
_CODEC = b"\xed\x01"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_CONTEXT = "https://www.w3.org/2018/credentials/v1"
#: How far the clocks of issuer and verifier may differ.
_GRACE_SEC = 60
_MAX_JWT_CHARACTERS = 16_384
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_URN = re.compile(r"urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_did_key(pubkey: str) -> bool:
    """Whether a base58 text names a key that has a DID: 32 bytes on the curve. Rule M-62."""
    try:
        return len(pubkey) <= 44 and Pubkey.from_string(pubkey).is_on_curve()
    except ValueError:
        return False


def did_of(pubkey: str) -> str:
    """The DID of a key.

    :raises ValueError: when it has none
    """
    if not is_did_key(pubkey):
        raise ValueError(f'"{pubkey[:44]}" has no DID; give an Ed25519 public key in base58')
    return _PREFIX + pubkey


def parse_did(did: str) -> str | None:
    """The base58 key that a DID names; None for anything else, a DID URL with a fragment included."""
    pubkey = did.removeprefix(_PREFIX)
    return pubkey if did.startswith(_PREFIX) and is_did_key(pubkey) else None


def encode_multibase_key(pubkey: str) -> str:
    """The Multikey text of a base58 public key."""
    number = int.from_bytes(_CODEC + bytes(Pubkey.from_string(pubkey)), "big")
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = _BASE58[digit] + text
    return f"z{text}"


def decode_multibase_key(text: str) -> str | None:
    """The base58 public key of a Multikey text; None unless it is that of a key which has a DID."""
    if len(text) != 48 or text[0] != "z" or any(one not in _BASE58 for one in text[1:]):
        return None
    number = 0
    for one in text[1:]:
        number = number * 58 + _BASE58.index(one)
    raw = number.to_bytes(36, "big").lstrip(b"\0")
    if len(raw) != 34 or raw[:2] != _CODEC:
        return None
    pubkey = str(Pubkey(raw[2:]))
    return pubkey if is_did_key(pubkey) else None


def keys_of_document(document: Mapping[str, Any]) -> list[str]:
    """The base58 keys of a DID document, that of its DID first: in the coordinator's these are all that issued credentials."""
    found = (decode_multibase_key(one["publicKeyMultibase"]) for one in document["verificationMethod"])
    return [one for one in found if one is not None]


@dataclass(frozen=True)
class CheckedCredential:
    """What a check of a credential finds."""

    #: None: it is valid. Else the first of ``malformed``, ``unsupported_alg``, ``unknown_issuer``, ``bad_signature``,
    #: ``subject_mismatch``, ``not_yet_valid``, ``expired``, ``too_old`` that holds.
    refusal: str | None
    #: What it claims; None: it could not be read, or is not of its issuer.
    payload: Mapping[str, Any] | None


def check_credential(
    jwt: str, *, issuers: Sequence[str], now_sec: float, max_age_sec: int | None = None
) -> CheckedCredential:
    """Whether a compact JWT is a reputation credential of one of these issuers, and valid at this time. It never raises. Rule M-64.

    :param issuers: base58 keys whose credentials count: ``keys_of_document(await client.get_did(pubkey=config["coordinatorPubkey"]))``
    :param now_sec: the verifier's clock, unix seconds
    """
    read = _read_jws(jwt)
    if read is None:
        return CheckedCredential("malformed", None)
    header, payload, signing_input, signature = read
    issuer = parse_did(payload["iss"])
    refusal: str | None = None
    if header["alg"] != "EdDSA":
        refusal = "unsupported_alg"
    elif issuer is None or header.get("kid", f"{payload['iss']}#key-1") != f"{payload['iss']}#key-1":
        refusal = "unknown_issuer"
    elif issuer not in issuers:
        refusal = "unknown_issuer"
    elif not verify_text(issuer, signature, signing_input):
        refusal = "bad_signature"
    if refusal is not None:
        return CheckedCredential(refusal, None)
    return CheckedCredential(_judge(payload, now_sec, max_age_sec), payload)


def _judge(payload: Mapping[str, Any], now_sec: float, max_age_sec: int | None) -> str | None:
    if payload["vc"]["credentialSubject"]["id"] != payload["sub"]:
        return "subject_mismatch"
    if now_sec < payload["nbf"] - _GRACE_SEC:
        return "not_yet_valid"
    if "exp" in payload and now_sec >= payload["exp"]:
        return "expired"
    return "too_old" if max_age_sec is not None and now_sec > payload["iat"] + max_age_sec else None


def _read_jws(text: str) -> tuple[dict[str, Any], dict[str, Any], bytes, bytes] | None:
    parts = text.split(".")
    if len(text) > _MAX_JWT_CHARACTERS or len(parts) != 3:
        return None
    try:
        header, payload = _read_object(parts[0]), _read_object(parts[1])
        signature = _base64url(parts[2])
    except (ValueError, RecursionError):
        return None
    # Anything else could change how a verifier reads the credential, or with which key.
    is_header = set(header) <= {"alg", "typ", "kid"} and isinstance(header.get("alg"), str)
    if not is_header or header.get("typ", "JWT") != "JWT" or not _is_credential(payload):
        return None
    return header, payload, f"{parts[0]}.{parts[1]}".encode(), signature


def _base64url(part: str) -> bytes:
    """Canonical, and without padding."""
    raw = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    if base64.urlsafe_b64encode(raw).decode().rstrip("=") != part:
        raise ValueError("it is not canonical base64url")
    return raw


def _read_object(part: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("a member is named twice")
        return dict(pairs)

    value = json.loads(_base64url(part).decode("utf-8"), object_pairs_hook=once)
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value


def _is_credential(payload: Mapping[str, Any]) -> bool:
    try:
        vc, subject = payload["vc"], payload["vc"]["credentialSubject"]
        numbers = [payload["iat"], payload["nbf"], *([payload["exp"]] if "exp" in payload else [])]
        numbers += [subject["legsAccepted"], subject["legsCompleted"], subject["reliabilityScore"]]
        return (
            all(type(one) is int and one >= 0 for one in numbers)
            and subject["reliabilityScore"] <= 100
            and parse_did(payload["sub"]) is not None
            and _URN.fullmatch(payload["jti"]) is not None
            and vc["@context"][0] == _CONTEXT
            and {"VerifiableCredential", "SvcReputationCredential"} <= set(vc["type"])
            and vc["issuer"] == payload["iss"]
            and all(_INSTANT.fullmatch(one) for one in (vc["issuanceDate"], subject["mirroredAt"]))
            and all(isinstance(one, str) for one in (payload["iss"], subject["id"], subject["onChainPDA"]))
        )
    except (KeyError, TypeError, IndexError, AttributeError):
        return False
