"""Receives a parcel: says that it is in this key's hands, which pays the courier who brought it, for good."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ._generated import models as m
from .client import LegworkClient
from .errors import LedgerRefusedError, LegworkApiError, LegworkError, TransactionRefusedError
from .fees import send_affordably
from .legs import Leg, listed_package, read_leg
from .making import make_move
from .moves import Move, expected_confirmation, require_move
from .program import address, decode_instruction, id_bytes
from .transactions import instructions_of, message_of


class NoParcelError(LegworkError):
    """This wallet receives nothing of the package. Nothing was signed."""


@dataclass(frozen=True)
class Received:
    """A parcel that was received."""

    leg_id: str
    leg_index: int
    #: Of the transaction, which the ledger has confirmed.
    signature: str


async def receive(client: LegworkClient, package_id: str, *, even_before_pickup: bool = False) -> Received:
    """Says that this wallet received the parcel of a package, with terms or without: from the courier before its own leg, or, as the
    shipper, from the last one. The leg's account is worked out here: what is signed is a leg of this package, whatever the service builds.
    Safe to repeat: a confirmation that landed before is found. Rule A-8.

    :raises NoParcelError: when this wallet receives nothing of the package
    :raises TransactionRefusedError: when the service built another transaction, or nobody has picked up the parcel
    """
    parcel = await client.get_package(package_id=package_id)
    said = listed_package(parcel)
    if said.id != package_id.lower():
        raise TransactionRefusedError(f"the service answers with {said.id} instead of {package_id}")
    leg = leg_to_receive(parcel, client.pubkey)
    if leg is None:
        raise NoParcelError(f"{client.pubkey} receives nothing of this package")
    at = await read_leg(client, said, leg["legIndex"])
    if parcel["terms"] is None:
        signature = await _confirm(client, leg["id"], leg["legIndex"], at, parcel)
        return Received(leg["id"], leg["legIndex"], signature)
    earlier = leg["confirmSignature"] if leg["stage"] == "completed" else None
    if earlier is None:
        move = Move("confirm", even_before_pickup=even_before_pickup)
        return Received(leg["id"], leg["legIndex"], (await make_move(client, said, leg["id"], move)).signature)
    if at is not None and at.status != "completed":
        raise TransactionRefusedError(
            f"the service says that the leg at {at.address} is confirmed, and the ledger does not"
        )
    return Received(leg["id"], leg["legIndex"], earlier)


def leg_to_receive(parcel: m.PackageDetail, own: str) -> m.Leg | None:
    """The leg at whose end a key receives the parcel: the one before its own, or, of the shipper, the last one."""
    legs = [] if parcel["swarm"] is None else parcel["swarm"]["legs"]
    if parcel["shipperPubkey"] == own:
        return legs[-1] if legs else None
    return next((one for one, after in pairwise(legs) if after["agentPubkey"] == own), None)


async def _confirm(client: LegworkClient, leg_id: str, index: int, at: Leg | None, parcel: m.PackageDetail) -> str:
    """Of a leg without terms: builds the confirmation, sends it, and tells the service."""
    program = (await client.config())["programId"]
    listing = address(program, "package", parcel["shipperPubkey"], id_bytes(parcel["id"]))
    place = address(program, "leg", address(program, "swarm", listing), index)
    signature = None if at is not None and at.status == "pending" else await _earlier(client, program, place)
    if signature is None:
        built = await client.build_confirm_tx(leg_id=leg_id)
        if at is None:
            raise TransactionRefusedError(f"the ledger has no leg at {place} that could be confirmed")
        expected = expected_confirmation(at, client.pubkey, Move("confirm"))
        read = require_move(built["transaction"], at, expected, [client.pubkey])
        try:
            signature = await send_affordably(client, read.message, built["lastValidBlockHeight"])
        except (LedgerRefusedError, LegworkApiError):
            # Another run of the same wallet may have been faster.
            signature = await _earlier(client, program, place)
            if signature is None:
                raise
    try:
        await client.confirm_leg(leg_id=leg_id, signature=signature)
    except LegworkError as error:
        # What landed is not told as failed: the service finds it on the ledger by itself.
        if isinstance(error, LegworkApiError) and error.code == "wrong_transaction":
            raise
    return signature


async def _earlier(client: LegworkClient, program: str, place: str) -> str | None:
    """The transaction by which this key confirmed the leg at this address, if there is one."""
    async for signature, transaction in (await client.ledger()).history(place):
        for one in instructions_of(message_of(transaction)):
            decoded = decode_instruction(program, one)
            if decoded is None or decoded.name != "confirm_leg":
                continue
            if decoded.accounts["leg"] == place and decoded.accounts["recipient"] == client.pubkey:
                return signature
    return None
