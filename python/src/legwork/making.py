"""Makes moves: the service builds, the ledger says what it has to be, and only then is it signed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from solders.transaction import VersionedTransaction

from ._generated import models as m
from .client import LegworkClient
from .errors import (
    LegworkApiError,
    LegworkNetworkError,
    LegworkProtocolError,
    TransactionRefusedError,
)
from .fees import sign_affordably
from .landing import submit_signed
from .legs import Leg, Listed, leg_on_ledger
from .moves import ExpectedMove, Move, expected_move, require_move, stake_of
from .program import decode_instruction
from .transactions import (
    ReadTransaction,
    instructions_of,
    message_of,
    read_transaction,
    require_signers,
    sign_message,
    signers_of,
)

#: With these the service refuses a move whose turn has passed.
_TURN_PASSED = frozenset({"invalid_status", "not_your_turn", "result_submitted"})
#: How long the ledger may take to show what the service says is there.
_SHOWN_WITHIN_SEC = 30.0


@dataclass(frozen=True)
class Made:
    """A move that the ledger has."""

    leg_id: str
    #: Of the transaction, which the ledger has confirmed.
    signature: str
    #: As the service recorded it; None: it did not say, and the ledger has the move.
    recorded: m.SubmitTurnAnswer | None

    @property
    def stage(self) -> str | None:
        """Where the leg stands now, by the service; None: it did not say."""
        return None if self.recorded is None else self.recorded["stage"]


async def make_move(client: LegworkClient, said: Listed, leg_id: str, move: Move, *, text: str | None = None) -> Made:
    """Makes a move of a leg with terms: lets the service build it, checks it against the ledger, signs it, hands it in, and waits until the
    ledger has confirmed it. Safe to repeat while nothing else has happened to the leg: the same move is found, and not made twice.

    :param said: the listing, with the terms by which the caller has decided: under others nothing is signed
    :param text: claim, dispute: the evidence, rule: the reason; it is stored first, and the move names its sha256
    :raises LegworkApiError: ``invalid_status``, ``not_your_turn``, ``transaction_failed`` and others
    :raises TransactionRefusedError: when the service built another transaction, or somebody else has to sign too
    :raises LedgerRefusedError: when the ledger shows that it failed
    """
    if text is not None:
        move = replace(move, hash=hashlib.sha256(text.encode()).hexdigest())
    try:
        if text is not None:
            stored = await client.put_evidence(leg_id=leg_id, text=text)
            if stored["hash"] != move.hash:
                raise LegworkProtocolError(f"the service stored {stored['hash']} as evidence instead of {move.hash}")
        transaction = await _build_and_sign(client, said, leg_id, move)
    except LegworkApiError as error:
        made = await _made_before(client, said, leg_id, move) if error.code in _TURN_PASSED else None
        if made is None:
            raise
        return made
    return await submit_move(client, leg_id, transaction)


async def _build_and_sign(client: LegworkClient, said: Listed, leg_id: str, move: Move) -> VersionedTransaction:
    if client.signer is None:
        raise ValueError("a move takes a signer: give LegworkClient one")
    leg = await leg_on_ledger(client, said, leg_id)
    expected = expected_move(leg, client.pubkey, move)
    if expected.cosigners:
        raise TransactionRefusedError(
            f"this move needs the signature of {', '.join(expected.cosigners)} too: offer_agreement"
        )
    read = await build_move(client, leg, leg_id, move, expected, [client.pubkey])
    return await sign_affordably(client, read.message, takes=stake_of(leg, move.action))


async def build_move(
    client: LegworkClient, leg: Leg, leg_id: str, move: Move, expected: ExpectedMove, signers: Sequence[str]
) -> ReadTransaction:
    """Lets the service build a move, and makes sure that it is this one, signed by these wallets, the first of them paying."""
    built = await client.build_turn_tx(
        leg_id=leg_id,
        action=move.action,  # type: ignore[arg-type]
        pubkey=client.pubkey,
        hash=move.hash,
        percent=move.percent,
        even_before_pickup=move.even_before_pickup or None,
    )
    return require_move(built["transaction"], leg, expected, signers)


async def submit_move(client: LegworkClient, leg_id: str, transaction: VersionedTransaction) -> Made:
    """Hands in a signed move, and waits until the ledger shows it: the word of the service is not enough, as who picks a parcel up relies on
    it. Safe to repeat."""

    async def submit(wire: str | None, signature: str | None) -> m.SubmitTurnAnswer:
        return await client.submit_turn(leg_id=leg_id, transaction=wire, signature=signature)

    recorded = await submit_signed(client, transaction, submit)
    signature = str(transaction.signatures[0])
    if recorded is not None and not await (await client.ledger()).lands_within(signature, _SHOWN_WITHIN_SEC):
        raise LegworkNetworkError(f"the ledger does not show the move {signature}")
    return Made(leg_id, signature, recorded)


async def _made_before(client: LegworkClient, said: Listed, leg_id: str, move: Move) -> Made | None:
    """What a move that was refused now may have done before: it is the newest one of its leg, and the same."""
    try:
        ledger = await client.ledger()
        leg = await leg_on_ledger(client, said, leg_id)
        forms = [bytes(form.data) for form in expected_move(leg, client.pubkey, move).forms]
        async for signature, transaction in ledger.history(leg.address):
            message = message_of(transaction)
            found = [one for one in instructions_of(message) if decode_instruction(leg.program, one) is not None]
            is_same = any(bytes(one.data) in forms for one in found) and client.pubkey in signers_of(message)
            if not is_same:
                return None
            return Made(leg_id, signature, await client.submit_turn(leg_id=leg_id, signature=signature))
    except TransactionRefusedError:
        pass
    return None


async def ensure_reputation(client: LegworkClient, parties: Sequence[str | None] = ()) -> str | None:
    """Opens the signer's own reputation unless it has one: who has none cannot bid where both sides are bound. Safe to repeat.

    :param parties: who listed something, rules its disputes or receives it: none of these works on it, so nothing is opened for them
    :returns: the signature; None: it has one already
    :raises TransactionRefusedError: when the service built another transaction
    """
    own = client.pubkey
    if client.signer is None or own in parties:
        raise TransactionRefusedError(
            f"a reputation of {own} would be opened for nothing: it has another part in this listing"
        )
    ledger, program = await client.ledger(), (await client.config())["programId"]
    if (await client.get_reputation(agent_pubkey=own))["mirroredAt"] is not None:
        return None
    try:
        built = await client.build_open_reputation_tx(agent_pubkey=own, payer_pubkey=own)
    except LegworkApiError as error:
        # It was opened before, by another run or by somebody else, and is only to be shown.
        if error.code != "invalid_status":
            raise
        await _shown(client)
        return None
    read = read_transaction(built["transaction"], program, "open_reputation")
    if read.decoded.accounts["agent"] != own:
        raise TransactionRefusedError(
            f"the transaction opens the reputation of {read.decoded.accounts['agent']}, not of {own}"
        )
    require_signers(read, [own])
    signature = await ledger.send(sign_message(read.message, client.signer), built["lastValidBlockHeight"])
    await _shown(client)
    return signature


async def _shown(client: LegworkClient) -> None:
    """Waits until the service shows the reputation, a minute at most."""
    for _ in range(600):
        if (await client.get_reputation(agent_pubkey=client.pubkey))["mirroredAt"] is not None:
            return
        await asyncio.sleep(0.1)
    raise LegworkNetworkError(f"the service does not show the reputation of {client.pubkey}")
