"""What a draft of a listing means, worked out here, so that what the service builds can be compared with it."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Literal, cast

from typing_extensions import NotRequired, TypedDict

from ._generated import models as m
from .assets import Asset, funder_of, paid_in
from .client import LegworkClient
from .documents import private_part_hash
from .terms import TermsChoice, chosen_terms

_USUAL_DEADLINE = timedelta(hours=72)


class _Draft(TypedDict):
    description: str
    #: Base units of the asset: lamports of SOL.
    max_budget: int
    #: What it pays in, as the service calls it, such as ``usdc``, or its mint. None: SOL.
    asset: NotRequired[str | None]
    #: Whose mandate pays, with which this wallet may list. None: this wallet pays.
    mandate_owner_pubkey: NotRequired[str | None]
    #: None: in three days. The ledger keeps the budget until then at most, so the service is not left to choose.
    deadline: NotRequired[datetime | None]
    #: None: the usual ones where the service has an arbiter, else none. ``"plain"``: none in any case.
    terms: NotRequired[TermsChoice | None]
    requirements: NotRequired[m.Requirements | None]


class PrivatePart(TypedDict):
    """The exact place of one end of a package, who is there, and how to reach them: for the courier who goes there."""

    address: str
    contact: NotRequired[str | None]
    note: NotRequired[str | None]


class PrivateParts(TypedDict):
    """What the service keeps encrypted, for the couriers who go there. The public place of each is rounded to two decimals."""

    pickup: NotRequired[PrivatePart]
    dropoff: NotRequired[PrivatePart]


class PackageDraft(_Draft):
    """What a shipper wants carried. The usual terms want its signature at the pickup too."""

    origin_lat: float
    origin_lng: float
    dest_lat: float
    dest_lng: float
    weight_kg: float
    volume_litres: float
    bidding_window_sec: NotRequired[int | None]
    private: NotRequired[PrivateParts | None]


class TaskDraft(_Draft):
    """What a poster wants done. The budget is shared equally by the legs."""

    title: str
    #: What each leg's agent is to do, one to four. None: the service plans them.
    instructions: NotRequired[list[str] | None]
    claim_timeout_sec: NotRequired[int | None]


@dataclass(frozen=True)
class Meant:
    """What a draft comes to."""

    kind: Literal["package", "task"]
    budget: int
    asset: Asset
    #: This wallet, or the mandate that pays.
    funder: str
    deadline: datetime
    #: 128 random bits, where the service takes salts: then nobody can test guesses against the hash. Rule M-78.
    salt: str | None
    #: As it is asked for, and what that means.
    choice: TermsChoice | None
    terms: m.Terms | None


async def meant_by(
    client: LegworkClient, draft: _Draft, usual: TermsChoice, kind: Literal["package", "task"], carry_sec: int
) -> Meant:
    """:raises ValueError: for an asset or terms that there are not"""
    config = await client.config()
    asset = await paid_in(client, draft.get("asset") or "sol")
    choice, terms = _terms(client, config, draft, usual, kind, carry_sec, asset)
    now = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(milliseconds=client.ahead_ms)
    return Meant(
        kind,
        draft["max_budget"],
        asset,
        await funder_of(client, draft.get("mandate_owner_pubkey"), asset),
        draft.get("deadline") or now + _USUAL_DEADLINE,
        new_salt() if config["termsDocument"] >= 2 else None,
        choice,
        terms,
    )


def _terms(
    client: LegworkClient,
    config: m.GetConfigAnswer,
    draft: _Draft,
    usual: TermsChoice,
    kind: Literal["package", "task"],
    carry_sec: int,
    asset: Asset,
) -> tuple[TermsChoice | None, m.Terms | None]:
    """Nobody who names nothing is refused for the usual terms: then there are none."""
    arbiter, given = config["arbiterPubkey"], draft.get("terms")
    if given is None and arbiter in (None, client.pubkey):
        return None, None
    least = None if asset.token is None else asset.min_amount
    meant = chosen_terms(given or usual, kind, draft["max_budget"], carry_sec, arbiter, least_in_token=least)
    if meant is None or (given is None and meant["stake"] > draft["max_budget"]):
        return None, None
    return given or usual, meant


def new_salt() -> str:
    return secrets.token_hex(16)


@dataclass(frozen=True)
class PrivateCall:
    """What of a call follows from the private parts of a draft."""

    #: Rounded where the exact address is private, before anything leaves this machine.
    places: Mapping[str, float]
    #: With the salts of their hashes.
    parts: m.BuildListTxBodyPrivate | None
    hashes: Mapping[str, str | None] | None


def private_call(draft: PackageDraft, config: m.GetConfigAnswer) -> PrivateCall:
    """Rule S-140.

    :raises ValueError: when there are private parts and the service keeps none
    """
    given = {name: part for name, part in (draft.get("private") or {}).items() if part is not None}
    if given and not config["privateParts"]:
        raise ValueError("private: this service keeps no private parts; leave them out")
    parts: Any = {name: _salted(part) for name, part in given.items()}
    places = {}
    for end, name in (("origin", "pickup"), ("dest", "dropoff")):
        for axis in ("lat", "lng"):
            exact = draft[f"{end}_{axis}"]  # type: ignore[literal-required]
            places[f"{end}_{axis}"] = _rounded(exact) if name in parts else exact
    hashes = {name: private_part_hash(part) for name, part in parts.items()}
    return PrivateCall(places, parts or None, hashes or None)


def _salted(part: Any) -> m.PrivatePart:
    salted: Any = {"salt": new_salt(), **{name: text for name, text in part.items() if text is not None}}
    return cast(m.PrivatePart, salted)


def _rounded(degrees: float) -> float:
    """A place as the public sees it: within 654 m at 52 degrees north."""
    return math.floor(degrees * 100 + 0.5) / 100 + 0.0
