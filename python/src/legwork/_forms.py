"""Wire form and code form: base units are int, instants are datetime. Which field is what, the contracts say."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ._generated.models import DEFAULTS, FORMS, REQUIRED


def decode(form: str, value: Any) -> Any:
    """A value of an answer in its code form.

    :raises ValueError: when it has another form than the contract says
    """
    if value is None or form == "":
        return value
    if form[0] == "[":
        if not isinstance(value, list):
            raise ValueError("a list was to be there")
        return [decode(form[1:], one) for one in value]
    if form[0] == "{":
        return {key: decode(form[1:], one) for key, one in value.items()}
    if form == "units":
        return int(value)
    if form == "instant":
        return instant(value)
    if not isinstance(value, dict):
        return value
    names = _models(form)
    lacking = [[field for field in REQUIRED.get(name, ()) if field not in value] for name in names]
    if lacking and all(lacking):
        raise ValueError(f"a {names[0]} has no {lacking[0][0]}")
    # An older service leaves out what is newer than it is.
    whole = [name for name, fields in zip(names, lacking, strict=True) if not fields]
    filled = {**{k: v for name in whole for k, v in DEFAULTS.get(name, {}).items()}, **value}
    known = _fields(form)
    return {key: decode(known.get(key, ""), one) for key, one in filled.items()}


def encode(form: str, value: Any) -> Any:
    """A value of a request in its wire form."""
    if value is None or form == "":
        return value
    if form[0] == "[":
        return [encode(form[1:], one) for one in value]
    if form == "units" and isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if not isinstance(value, dict):
        return value
    known = _fields(form)
    return {key: encode(known.get(key, ""), one) for key, one in value.items()}


def instant(text: str) -> datetime:
    """An instant of the service: ISO 8601 in UTC, to the millisecond."""
    # Python 3.10 does not know the Z.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _models(form: str) -> list[str]:
    """The models that a value may be of."""
    found = [FORMS.get(name, {}) for name in form.split("|")]
    return [
        one
        for name, fields in zip(form.split("|"), found, strict=True)
        for one in (_models(fields) if isinstance(fields, str) else [name])
    ]


def _fields(form: str) -> Mapping[str, str]:
    """Of several models together: a field that they share is decoded in the same way."""
    merged: dict[str, str] = {}
    for name in form.split("|"):
        found = FORMS.get(name, {})
        merged.update(_fields(found) if isinstance(found, str) else found)
    return merged
