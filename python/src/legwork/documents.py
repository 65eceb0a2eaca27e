"""What the ledger holds only the hash of: terms of listings, and results. All are canonical JSON (RFC 8785)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import rfc8785


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 canonical JSON of a value.

    :raises ValueError: when it has none, as NaN and half a surrogate pair have
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeError) as error:
        raise ValueError(f"this has no canonical JSON: {error}") from error


def package_terms_hash(
    *,
    description: str,
    origin: Mapping[str, float],
    destination: Mapping[str, float],
    weight_kg: float,
    volume_litres: float,
    requirements: Any = None,
    salt: str | None = None,
    private: Mapping[str, str | None] | None = None,
) -> str:
    """The ``terms_hash`` of a package, hex. Rule M-30.

    :param origin: ``lat`` and ``lng``
    :param private: hashes of its private parts by their names
    """
    members: dict[str, Any] = {
        "description": description,
        # The numbers of JSON are floats, and so are measures.
        "origin": {"lat": float(origin["lat"]), "lng": float(origin["lng"])},
        "destination": {"lat": float(destination["lat"]), "lng": float(destination["lng"])},
        "weightKg": float(weight_kg),
        "volumeLitres": float(volume_litres),
    }
    if private is not None:
        members["private"] = {name: one for name, one in private.items() if one is not None}
    return _terms_hash(members, requirements, salt)


def private_part_hash(part: Mapping[str, Any]) -> str:
    """The hash by which the terms of a package hold one of its private parts, hex. Rule S-140."""
    names = ("salt", "address", "contact", "note")
    return hashlib.sha256(
        canonical_json({name: part[name] for name in names if part.get(name) is not None})
    ).hexdigest()


def task_terms_hash(
    *, title: str, description: str, instructions: Sequence[str], requirements: Any = None, salt: str | None = None
) -> str:
    """The ``terms_hash`` of a digital task, hex. Rule M-50."""
    members = {"title": title, "description": description, "instructions": list(instructions)}
    return _terms_hash(members, requirements, salt)


def result_document(result: str, artifacts: Sequence[Mapping[str, Any]] = ()) -> bytes:
    """What the hash of a result is of: its text, or the canonical JSON of it and its files."""
    if not artifacts:
        return result.encode()
    names = ("sha256", "bytes", "name", "contentType")
    listed = [{name: one[name] for name in names} for one in artifacts]
    return canonical_json({"v": 1, "result": result, "artifacts": listed})


def read_result_document(text: str) -> tuple[str, list[Any]]:
    """The text and the files of a result, from what its hash is of. A text that is no such document is a result without files."""
    try:
        read = json.loads(text) if text.startswith('{"artifacts":[') else {}
        result, artifacts = read["result"], read["artifacts"]
        if result_document(result, artifacts) == text.encode():
            return result, artifacts
    except (ValueError, TypeError, KeyError):
        # A text of its own that only begins like one.
        pass
    return text, []


def result_hash(result: str, artifacts: Sequence[Mapping[str, Any]] = ()) -> str:
    """The sha256 of a result, hex, which the ledger holds with its leg. Rules M-58, M-83."""
    return hashlib.sha256(result_document(result, artifacts)).hexdigest()


def _terms_hash(members: dict[str, Any], requirements: Any, salt: str | None) -> str:
    if requirements:
        members["requirements"] = requirements
    if salt:
        members |= {"v": 2, "salt": salt}
    return hashlib.sha256(canonical_json(members)).hexdigest()
