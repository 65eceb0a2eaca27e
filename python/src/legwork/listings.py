"""Lists packages and digital tasks. The service builds the transaction; it is signed once every term of it is the draft's."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

from solders.transaction import VersionedTransaction
from typing_extensions import NotRequired, TypedDict, Unpack

from ._generated import models as m
from .client import LegworkClient
from .documents import package_terms_hash, task_terms_hash
from .errors import TransactionRefusedError
from .landing import submit_signed
from .legs import terms_compared
from .program import Decoded, id_bytes
from .terms import TermsChoice, chosen_terms, package_carry_sec, task_carry_sec
from .transactions import read_transaction, require_signers, sign_message

_DEFAULT_CLAIM_TIMEOUT_SEC = 1800
_USUAL_DEADLINE = timedelta(hours=72)

Compared = Sequence[tuple[str, Any, Any]]


@dataclass(frozen=True)
class SignedListing:
    """A listing that is signed but perhaps not submitted yet. Keep it: to submit it again lists the same thing, never a second one."""

    id: str
    transaction: VersionedTransaction
    #: Of a task: what each leg's agent is to do, the draft's legs or the service's plan. The signature is for these.
    instructions: Sequence[str] = ()


class _Draft(TypedDict):
    description: str
    #: Lamports.
    max_budget: int
    #: None: in three days. The ledger keeps the budget until then at most, so the service is not left to choose.
    deadline: NotRequired[datetime | None]
    #: None: the usual ones where the service has an arbiter, else none. ``"plain"``: none in any case.
    terms: NotRequired[TermsChoice | None]
    requirements: NotRequired[m.Requirements | None]


class PackageDraft(_Draft):
    """What a shipper wants carried. The usual terms want its signature at the pickup too."""

    origin_lat: float
    origin_lng: float
    dest_lat: float
    dest_lng: float
    weight_kg: float
    volume_litres: float
    bidding_window_sec: NotRequired[int | None]


class TaskDraft(_Draft):
    """What a poster wants done. The budget is shared equally by the legs."""

    title: str
    #: What each leg's agent is to do, one to four. None: the service plans them.
    instructions: NotRequired[Sequence[str] | None]
    claim_timeout_sec: NotRequired[int | None]


async def sign_package(client: LegworkClient, **draft: Unpack[PackageDraft]) -> SignedListing:
    """Lets the service build the listing of a package, checks that it locks exactly this budget for exactly this, and signs it.

    Nothing is locked yet: ``submit_package`` does that.

    :raises TransactionRefusedError: when the transaction is not the draft's
    """
    config = await client.config()
    usual: m.OwnTerms = {"preset": "standard", "cosignedPickup": True}
    places = [draft[name] for name in ("origin_lat", "origin_lng", "dest_lat", "dest_lng")]
    choice, meant = _terms(client, config, draft, usual, "package", package_carry_sec(*places))
    salt, deadline = _salt(config), _deadline(client, draft)
    built = await client.build_list_tx(
        shipper_pubkey=client.pubkey,
        origin_lat=draft["origin_lat"],
        origin_lng=draft["origin_lng"],
        dest_lat=draft["dest_lat"],
        dest_lng=draft["dest_lng"],
        description=draft["description"],
        weight_kg=draft["weight_kg"],
        volume_litres=draft["volume_litres"],
        max_budget=draft["max_budget"],
        deadline=deadline,
        bidding_window_sec=draft.get("bidding_window_sec"),
        terms=choice,
        requirements=draft.get("requirements"),
        salt=salt,
    )
    terms_hash = package_terms_hash(
        description=draft["description"],
        origin={"lat": draft["origin_lat"], "lng": draft["origin_lng"]},
        destination={"lat": draft["dest_lat"], "lng": draft["dest_lng"]},
        weight_kg=draft["weight_kg"],
        volume_litres=draft["volume_litres"],
        requirements=draft.get("requirements"),
        salt=salt,
    )

    def wanted(found: Decoded) -> Compared:
        return [
            ("package id", found.arguments["package_id"].hex(), id_bytes(built["packageId"]).hex()),
            ("shipper", found.accounts["shipper"], client.pubkey),
            *_common(client, found, draft, deadline, terms_hash, meant),
        ]

    transaction = await _sign_if_agreed(client, built["transaction"], "list_package", wanted)
    return SignedListing(built["packageId"], transaction)


async def submit_package(client: LegworkClient, listing: SignedListing) -> m.PackageDetail:
    """Submits a signed listing. Safe to repeat: a package already listed is answered as it is.

    :raises LegworkApiError: ``transaction_failed`` when the ledger refuses it; nothing is locked then
    :raises LegworkNetworkError: when no answer came and the ledger does not show it: submit it again
    """

    async def submit(wire: str | None, signature: str | None) -> m.PackageDetail:
        return await client.submit_package(package_id=listing.id, transaction=wire, signature=signature)

    answer = await submit_signed(client, listing.transaction, submit)
    return await client.get_package(package_id=listing.id) if answer is None else answer


async def list_package(client: LegworkClient, **draft: Unpack[PackageDraft]) -> m.PackageDetail:
    """Lists a package: ``sign_package``, then ``submit_package``. A program that may be killed between the two keeps the signed listing
    itself; to call this again would list a second package."""
    return await submit_package(client, await sign_package(client, **draft))


async def sign_task(client: LegworkClient, **draft: Unpack[TaskDraft]) -> SignedListing:
    """The same of a digital task. Where the draft leaves the instructions out, it signs for the plan that the answer then tells."""
    config = await client.config()
    carry_sec = task_carry_sec(draft.get("claim_timeout_sec") or _DEFAULT_CLAIM_TIMEOUT_SEC)
    choice, meant = _terms(client, config, draft, "standard", "task", carry_sec)
    salt, deadline = _salt(config), _deadline(client, draft)
    given = draft.get("instructions")
    built = await client.build_list_digital_task_tx(
        shipper_pubkey=client.pubkey,
        title=draft["title"],
        description=draft["description"],
        max_budget=draft["max_budget"],
        legs=None if given is None else [{"instruction": one} for one in given],
        deadline=deadline,
        claim_timeout_sec=draft.get("claim_timeout_sec"),
        terms=choice,
        requirements=draft.get("requirements"),
        salt=salt,
    )
    instructions = [leg["instruction"] for leg in built["legs"]] if given is None else list(given)
    terms_hash = task_terms_hash(
        title=draft["title"],
        description=draft["description"],
        instructions=instructions,
        requirements=draft.get("requirements"),
        salt=salt,
    )

    def wanted(found: Decoded) -> Compared:
        return [
            ("task id", found.arguments["task_id"].hex(), id_bytes(built["taskId"]).hex()),
            ("poster", found.accounts["poster"], client.pubkey),
            ("number of legs", found.arguments["num_legs"], len(instructions)),
            *_common(client, found, draft, deadline, terms_hash, meant),
        ]

    transaction = await _sign_if_agreed(client, built["transaction"], "list_task", wanted)
    return SignedListing(built["taskId"], transaction, instructions)


async def submit_task(client: LegworkClient, listing: SignedListing) -> m.DigitalTaskDetail:
    """Submits a signed listing of a digital task, as ``submit_package`` does."""

    async def submit(wire: str | None, signature: str | None) -> m.DigitalTaskDetail:
        return await client.submit_digital_task(task_id=listing.id, transaction=wire, signature=signature)

    answer = await submit_signed(client, listing.transaction, submit)
    return await client.get_digital_task(task_id=listing.id) if answer is None else answer


async def list_task(client: LegworkClient, **draft: Unpack[TaskDraft]) -> m.DigitalTaskDetail:
    """Lists a digital task: ``sign_task``, then ``submit_task``, as ``list_package`` does."""
    return await submit_task(client, await sign_task(client, **draft))


def _terms(
    client: LegworkClient,
    config: m.GetConfigAnswer,
    draft: _Draft,
    usual: TermsChoice,
    kind: Literal["package", "task"],
    carry_sec: int,
) -> tuple[TermsChoice | None, m.Terms | None]:
    """What is asked for, and what it means. Nobody who names nothing is refused for the usual terms: then there are none."""
    arbiter = config["arbiterPubkey"]
    given = draft.get("terms")
    if given is None and arbiter in (None, client.pubkey):
        return None, None
    meant = chosen_terms(given or usual, kind, draft["max_budget"], carry_sec, arbiter)
    if meant is None or (given is None and meant["stake"] > draft["max_budget"]):
        return None, None
    return given or usual, meant


def _deadline(client: LegworkClient, draft: _Draft) -> datetime:
    """That of the draft, else the usual one, in the service's time."""
    now = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(milliseconds=client.ahead_ms)
    return draft.get("deadline") or now + _USUAL_DEADLINE


def _salt(config: m.GetConfigAnswer) -> str | None:
    """128 random bits, where the service takes salts: then nobody can test guesses against the hash. Rule M-78."""
    return secrets.token_hex(16) if config["termsDocument"] >= 2 else None


def _common(
    client: LegworkClient,
    found: Decoded,
    draft: _Draft,
    deadline: datetime,
    terms_hash: str,
    terms: m.Terms | None,
) -> Compared:
    arguments = found.arguments
    return [
        ("funder", found.accounts["funder"], client.pubkey),
        ("budget (lamports)", arguments["max_budget"], draft["max_budget"]),
        ("terms hash", arguments["terms_hash"].hex(), terms_hash),
        ("deadline (unix seconds)", arguments["deadline"], int(deadline.timestamp())),
        # What stands behind the named accounts would pay in a token.
        ("accounts of tokens", list(found.trailing), []),
        *terms_compared(arguments["terms"], terms),
    ]


async def _sign_if_agreed(
    client: LegworkClient, wire: str, name: str, wanted: Callable[[Decoded], Compared]
) -> VersionedTransaction:
    """Signs a listing that the service built, once every term of it is the draft's.

    :raises TransactionRefusedError: when it is another instruction, or has other terms
    """
    if client.signer is None:
        raise ValueError("to list something takes a signer: give LegworkClient one")
    read = read_transaction(wire, (await client.config())["programId"], name)
    for term, found, meant in wanted(read.decoded):
        if found != meant:
            raise TransactionRefusedError(f"the {term} of the listing is {found}, but the draft's is {meant}")
    require_signers(read, [client.pubkey])
    return sign_message(read.message, client.signer)
