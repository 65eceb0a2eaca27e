"""Checks what a service shows of a listing: against the hash that its lister signed, and against the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solders.transaction import VersionedTransaction

from ._generated import models as m
from .assets import paid_in
from .client import LegworkClient
from .documents import package_terms_hash, private_part_hash, task_terms_hash
from .errors import LegworkError
from .ledger import Ledger, landed_in
from .legs import Listed, listed_package, listed_task, terms_compared
from .program import address, decode_account, decode_instruction, id_bytes
from .tokens import associated_token, token_on_ledger
from .transactions import instructions_of, message_of


class ListingError(LegworkError):
    """What the service shows of a listing is not what its lister signed, or not what the ledger has."""


@dataclass(frozen=True)
class Paid:
    """A leg that was paid."""

    leg_index: int
    worker: str
    #: What left the vault for it, base units of the asset: lamports of SOL.
    amount: int
    signature: str


@dataclass(frozen=True)
class VerifiedListing:
    """A listing that is as the service shows it."""

    #: By the service: ``listed``, ``in_transit``, ``delivered`` and so on.
    status: str
    #: The ledger still has its account. What was closed is known by its payments alone.
    is_on_ledger: bool
    #: What it says hashes to what its lister signed; False: it was erased, or its document is not known.
    is_said: bool
    paid: Sequence[Paid]


async def verify_listing(
    client: LegworkClient, *, package_id: str | None = None, task_id: str | None = None
) -> VerifiedListing:
    """Checks a package or a digital task: that what the service shows has the hash that was signed, that budget, deadline and terms are the
    ledger's, and that each leg that it shows as paid was paid, to whom it says and as much as it says. Call ``trust_ledger`` first for a
    ledger that the service does not choose.

    :raises ListingError: the first thing that does not hold
    """
    if task_id is not None:
        task = await client.get_digital_task(task_id=task_id)
        return await _verify(client, listed_task(task), task, task_hash(task), task["legs"])
    if package_id is None:
        raise ValueError("give package_id or task_id")
    parcel = await client.get_package(package_id=package_id)
    legs = [] if parcel["swarm"] is None else parcel["swarm"]["legs"]
    return await _verify(client, listed_package(parcel), parcel, package_hash(parcel), legs)


async def read_private(client: LegworkClient, package_id: str) -> m.GetPrivatePartsAnswer:
    """The exact addresses of a package as far as they are for the client's signer, once each is the one that its shipper signed for: a service
    that sends a courier elsewhere is found out.

    :raises LegworkApiError: ``not_your_turn``, ``agent_waits`` and others
    :raises ListingError: for an address that the shipper did not sign for
    """
    await verify_listing(client, package_id=package_id)
    hashes: Mapping[str, Any] = (await client.get_package(package_id=package_id))["privateHashes"] or {}
    parts = await client.get_private_parts(package_id=package_id)
    for name, part in (("pickup", parts["pickup"]), ("dropoff", parts["dropoff"])):
        if part is not None and private_part_hash(part) != hashes.get(name):
            raise ListingError(f"the private {name} of {package_id} is not what its shipper signed for")
    return parts


async def _verify(
    client: LegworkClient,
    said: Listed,
    shown: m.PackageDetail | m.DigitalTaskDetail,
    hash_: str | None,
    legs: Sequence[m.Leg] | Sequence[m.DigitalLegDetail],
) -> VerifiedListing:
    if hash_ not in (None, shown["termsHash"]):
        raise ListingError(f"what the service shows of {said.id} hashes to {hash_}, and not to {shown['termsHash']}")
    program, ledger = (await client.config())["programId"], await client.ledger()
    kind = "task" if said.is_task else "package"
    listing = address(program, kind, said.lister, id_bytes(said.id))
    [account] = await ledger.accounts([listing])
    is_on_ledger, mint = _is_as_shown(kind, said, shown, account), await _mint_of(client, said)
    if is_on_ledger and account is not None:
        token = await token_on_ledger(ledger, program, decode_account(kind, account)["asset"])
        if (None if token is None else token.mint) != mint:
            raise ListingError(f"{said.id} does not pay in {said.asset} on the ledger")
    paid = [
        await _paid(ledger, program, listing, said, leg, mint) for leg in legs if leg["confirmSignature"] is not None
    ]
    return VerifiedListing(shown["status"], is_on_ledger, hash_ is not None, paid)


async def _mint_of(client: LegworkClient, said: Listed) -> str | None:
    """Of the token that it pays in by the service; None: SOL. What nobody lists in any more goes by its mint."""
    try:
        token = (await paid_in(client, said.asset)).token
    except ValueError:
        return said.asset
    return None if token is None else token.mint


def _is_as_shown(kind: str, said: Listed, shown: Mapping[str, Any], account: bytes | None) -> bool:
    """Whether the ledger has the account, which is then as the service shows it."""
    try:
        found = decode_account(kind, account or b"")
    except ValueError:
        # Closed: at most a marker is left.
        return False
    compared = [
        ("lister", found["poster" if said.is_task else "shipper"], said.lister),
        ("funder", found["funder"], shown["funderPubkey"]),
        ("budget", found["max_budget"], shown["maxBudget"]),
        ("deadline", found["deadline"], int(shown["deadline"].timestamp())),
        ("terms hash", found["terms_hash"].hex(), shown["termsHash"]),
        *terms_compared(found["terms"], said.terms),
    ]
    for what, is_, told in compared:
        if is_ != told:
            raise ListingError(f"the {what} of {said.id} is {is_} on the ledger, and {told} by the service")
    return True


async def _paid(
    ledger: Ledger, program: str, listing: str, said: Listed, leg: m.Leg | m.DigitalLegDetail, mint: str | None
) -> Paid:
    """:raises ListingError: unless the ledger shows that this leg was paid by that transaction, to whom and as much as the service says"""
    index, signature, worker = leg["legIndex"], str(leg["confirmSignature"]), str(leg["agentPubkey"])
    shown = await ledger.transaction(signature)
    found = landed_in(shown, signature)
    if shown is None or found is None:
        raise ListingError(f"the ledger does not show that transaction {signature} paid leg {index + 1} of {said.id}")
    if said.is_task:
        place, name, account, payee = (
            address(program, "task_leg", listing, index),
            "confirm_task_leg",
            "task_leg",
            "agent",
        )
    else:
        place, name = address(program, "leg", address(program, "swarm", listing), index), "confirm_leg"
        account, payee = "leg", "courier"
    decoded = [decode_instruction(program, one) for one in instructions_of(message_of(found))]
    mine = [one for one in decoded if one is not None and one.name == name and one.accounts[account] == place]
    if [one.accounts[payee] for one in mine] != [worker]:
        raise ListingError(f"transaction {signature} does not pay {worker} for leg {index + 1} of {said.id}")
    vault, told = address(program, "vault", listing), _told(leg)
    lost = _lost(found, shown, vault) if mint is None else _lost_tokens(found, shown, vault, mint)
    # A stake in a token lies in the vault too, and comes back with the payment unless a ruling gave it to somebody.
    if mint is not None and said.terms is not None and not await _is_ruled(ledger, program, place, signature):
        lost -= said.terms["stake"]
    if lost != told:
        raise ListingError(f"leg {index + 1} of {said.id} was paid {lost}, and {told} by the service")
    return Paid(index, worker, lost, signature)


async def _is_ruled(ledger: Ledger, program: str, place: str, signature: str) -> bool:
    """Whether the leg at this address was ruled just before this transaction ended it."""
    is_before = False
    async for one, transaction in ledger.history(place):
        if is_before:
            decoded = [decode_instruction(program, made) for made in instructions_of(message_of(transaction))]
            return any(made is not None and made.name == "rule" for made in decoded)
        is_before = one == signature
    return False


def _told(leg: Mapping[str, Any]) -> int | None:
    """What the service says that a leg was paid: after a ruling that is less than was agreed."""
    agreed = leg["payment"] if "payment" in leg else leg["agreedPayment"]
    told = agreed if leg.get("paid") is None else leg["paid"]
    return None if told is None else int(told)


def _lost(transaction: VersionedTransaction, shown: Mapping[str, Any], account: str) -> int:
    """What an account had less after a transaction, lamports."""
    place = _place(transaction, account)
    return int(shown["meta"]["preBalances"][place]) - int(shown["meta"]["postBalances"][place])


def _lost_tokens(transaction: VersionedTransaction, shown: Mapping[str, Any], vault: str, mint: str) -> int:
    """The same of the vault's account of a token, base units."""
    place = _place(transaction, associated_token(vault, mint))

    def held(when: str) -> int:
        entries = shown["meta"][when] or []
        own = [one for one in entries if (one["accountIndex"], one["mint"]) == (place, mint)]
        return sum(int(one["uiTokenAmount"]["amount"]) for one in own)

    return held("preTokenBalances") - held("postTokenBalances")


def _place(transaction: VersionedTransaction, account: str) -> int:
    keys = [str(key) for key in message_of(transaction).account_keys]
    if account not in keys:
        raise ListingError(f"transaction {transaction.signatures[0]} pays nothing from {account}")
    return keys.index(account)


def package_hash(parcel: m.PackageDetail) -> str | None:
    """The same of a package."""
    if parcel["erasedAt"] is not None or not parcel["documentKnown"]:
        return None
    hashes = parcel["privateHashes"]
    return package_terms_hash(
        description=parcel["description"],
        origin={"lat": parcel["originLat"], "lng": parcel["originLng"]},
        destination={"lat": parcel["destLat"], "lng": parcel["destLng"]},
        weight_kg=parcel["weightKg"],
        volume_litres=parcel["volumeLitres"],
        requirements=parcel["requirements"],
        salt=parcel["salt"],
        private=None if hashes is None else {"pickup": hashes["pickup"], "dropoff": hashes["dropoff"]},
    )


def task_hash(task: m.DigitalTaskDetail) -> str | None:
    """The hash of what the service shows of a task; None: it was erased, or its document is not known."""
    if task["erasedAt"] is not None or not task["documentKnown"]:
        return None
    return task_terms_hash(
        title=task["title"],
        description=task["description"],
        instructions=[leg["instruction"] for leg in task["legs"]],
        requirements=task["requirements"],
        salt=task["salt"],
    )
