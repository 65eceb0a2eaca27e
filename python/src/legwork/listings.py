"""Lists packages and digital tasks. The service builds the transaction; it is signed once every term of it is the draft's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from solders.transaction import VersionedTransaction
from typing_extensions import Unpack

from ._generated import models as m
from .client import LegworkClient
from .documents import package_terms_hash, task_terms_hash
from .drafts import Meant, PackageDraft, TaskDraft, meant_by, private_call
from .errors import TransactionRefusedError
from .fees import affordable, listing_rent
from .landing import submit_signed
from .legs import terms_compared
from .program import Decoded, id_bytes
from .terms import package_carry_sec, task_carry_sec
from .transactions import read_transaction, require_signers, sign_message

_DEFAULT_CLAIM_TIMEOUT_SEC = 1800

Compared = Sequence[tuple[str, Any, Any]]


@dataclass(frozen=True)
class SignedListing:
    """A listing that is signed but perhaps not submitted yet. Keep it: to submit it again lists the same thing, never a second one."""

    id: str
    #: Signed by this wallet; where the service pays for it, that signs when it is submitted.
    transaction: VersionedTransaction
    #: Of a task: what each leg's agent is to do, the draft's legs or the service's plan. The signature is for these.
    instructions: Sequence[str] = ()


async def sign_package(client: LegworkClient, **draft: Unpack[PackageDraft]) -> SignedListing:
    """Lets the service build the listing of a package, checks that it locks exactly this budget for exactly this, and signs it.

    Nothing is locked yet: ``submit_package`` does that.

    :raises TransactionRefusedError: when the transaction is not the draft's
    :raises ValueError: for an asset, terms or private parts that the service does not have
    """
    usual: m.OwnTerms = {"preset": "standard", "cosignedPickup": True}
    private = private_call(draft, await client.config())
    places = [private.places[name] for name in ("origin_lat", "origin_lng", "dest_lat", "dest_lng")]
    meant = await meant_by(client, draft, usual, "package", package_carry_sec(*places))
    built = await client.build_list_tx(
        shipper_pubkey=client.pubkey,
        origin_lat=places[0],
        origin_lng=places[1],
        dest_lat=places[2],
        dest_lng=places[3],
        description=draft["description"],
        weight_kg=draft["weight_kg"],
        volume_litres=draft["volume_litres"],
        max_budget=draft["max_budget"],
        asset=draft.get("asset"),
        mandate_owner_pubkey=draft.get("mandate_owner_pubkey"),
        deadline=meant.deadline,
        bidding_window_sec=draft.get("bidding_window_sec"),
        terms=meant.choice,
        requirements=draft.get("requirements"),
        private=private.parts,
        salt=meant.salt,
    )
    terms_hash = package_terms_hash(
        description=draft["description"],
        origin={"lat": places[0], "lng": places[1]},
        destination={"lat": places[2], "lng": places[3]},
        weight_kg=draft["weight_kg"],
        volume_litres=draft["volume_litres"],
        requirements=draft.get("requirements"),
        salt=meant.salt,
        private=private.hashes,
    )

    def wanted(found: Decoded) -> Compared:
        return [
            ("package id", found.arguments["package_id"].hex(), id_bytes(built["packageId"]).hex()),
            ("shipper", found.accounts["shipper"], client.pubkey),
            *_common(found, meant, terms_hash),
        ]

    transaction = await _sign_if_agreed(client, built["transaction"], "list_package", meant, wanted)
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
    carry_sec = task_carry_sec(draft.get("claim_timeout_sec") or _DEFAULT_CLAIM_TIMEOUT_SEC)
    meant = await meant_by(client, draft, "standard", "task", carry_sec)
    given = draft.get("instructions")
    built = await client.build_list_digital_task_tx(
        shipper_pubkey=client.pubkey,
        title=draft["title"],
        description=draft["description"],
        max_budget=draft["max_budget"],
        asset=draft.get("asset"),
        mandate_owner_pubkey=draft.get("mandate_owner_pubkey"),
        legs=None if given is None else [{"instruction": one} for one in given],
        deadline=meant.deadline,
        claim_timeout_sec=draft.get("claim_timeout_sec"),
        terms=meant.choice,
        requirements=draft.get("requirements"),
        salt=meant.salt,
    )
    instructions = [leg["instruction"] for leg in built["legs"]] if given is None else list(given)
    terms_hash = task_terms_hash(
        title=draft["title"],
        description=draft["description"],
        instructions=instructions,
        requirements=draft.get("requirements"),
        salt=meant.salt,
    )

    def wanted(found: Decoded) -> Compared:
        return [
            ("task id", found.arguments["task_id"].hex(), id_bytes(built["taskId"]).hex()),
            ("poster", found.accounts["poster"], client.pubkey),
            ("number of legs", found.arguments["num_legs"], len(instructions)),
            *_common(found, meant, terms_hash),
        ]

    transaction = await _sign_if_agreed(client, built["transaction"], "list_task", meant, wanted)
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


def _common(found: Decoded, meant: Meant, terms_hash: str) -> Compared:
    arguments = found.arguments
    return [
        ("funder", found.accounts["funder"], meant.funder),
        ("budget (base units)", arguments["max_budget"], meant.budget),
        ("terms hash", arguments["terms_hash"].hex(), terms_hash),
        ("deadline (unix seconds)", arguments["deadline"], int(meant.deadline.timestamp())),
        ("accounts behind its own", list(found.trailing), []),
        *terms_compared(arguments["terms"], meant.terms),
    ]


async def _sign_if_agreed(
    client: LegworkClient, wire: str, name: str, meant: Meant, wanted: Callable[[Decoded], Compared]
) -> VersionedTransaction:
    """Signs a listing that the service built, once every term of it is the draft's. Who has tokens and no SOL has the service pay for it, once
    it is submitted. Rule M-99.

    :raises TransactionRefusedError: when it is another instruction, or has other terms
    """
    if client.signer is None:
        raise ValueError("to list something takes a signer: give LegworkClient one")
    read = read_transaction(wire, (await client.config())["programId"], name, token=meant.asset.token)
    for term, found, draft in wanted(read.decoded):
        if found != draft:
            raise TransactionRefusedError(f"the {term} of the listing is {found}, but the draft's is {draft}")
    require_signers(read, [client.pubkey])
    if meant.asset.token is None:
        return sign_message(read.message, client.signer)
    # A mandate pays the rents of what it funds.
    lends = listing_rent(meant.kind, has_terms=meant.terms is not None) if meant.funder == client.pubkey else 0
    return sign_message(await affordable(client, read.message, lends=lends), client.signer)
