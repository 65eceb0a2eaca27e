"""Agreements: lister and worker both sign what a leg is paid, and need no arbiter. Rule T-23."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from solders.message import to_bytes_versioned
from solders.transaction import VersionedTransaction

from .client import LegworkClient
from .errors import LegworkApiError, TransactionRefusedError
from .legs import Listed, leg_on_ledger
from .making import Made, build_move, submit_move
from .moves import Move, expected_move, require_move
from .signing import verify_text
from .transactions import decode_wire, sign_message, to_wire

OFFER_PREFIX = "legwork-offer:"
#: An offer that is older cannot be joined any more.
_LIVES = timedelta(seconds=90)


@dataclass(frozen=True)
class Agreement:
    """What one side signed. The other can join it for about a minute."""

    leg_id: str
    #: Of the payment, what the worker gets, 0 to 100; 0: the leg is open again.
    percent: int
    #: Signed by the offering side, which pays the fee; base64.
    transaction: str

    def text(self) -> str:
        """One line, for a QR code or as evidence of the leg."""
        fields = {"legId": self.leg_id, "action": "agree", "percent": self.percent, "transaction": self.transaction}
        return OFFER_PREFIX + json.dumps(fields, separators=(",", ":"))


def read_agreement(text: str) -> Agreement | None:
    """Reads the text of an agreement; None: it is none. What is in it is checked when it is joined."""
    try:
        fields = json.loads(text[len(OFFER_PREFIX) :]) if text.startswith(OFFER_PREFIX) else {}
        leg_id, percent, transaction = fields["legId"], fields["percent"], fields["transaction"]
        is_whole = isinstance(leg_id, str) and type(percent) is int and isinstance(transaction, str)
        return Agreement(leg_id, percent, transaction) if is_whole and fields["action"] == "agree" else None
    except (ValueError, TypeError, KeyError):
        return None


async def offer_agreement(client: LegworkClient, said: Listed, leg_id: str, percent: int) -> Agreement:
    """Signs this side's half of an agreement, and puts it among the evidence of the leg, where the other side finds it. There is room for a few:
    then it travels as ``text()`` alone.

    :param percent: of the payment, what the worker gets; 0: the leg is open again
    :raises TransactionRefusedError: when the service built another transaction
    """
    if client.signer is None:
        raise ValueError("an agreement takes a signer: give LegworkClient one")
    move = Move("agree", percent=percent)
    leg = await leg_on_ledger(client, said, leg_id)
    expected = expected_move(leg, client.pubkey, move)
    read = await build_move(client, leg, leg_id, move, expected, [client.pubkey, *expected.cosigners])
    made = Agreement(leg_id, percent, to_wire(sign_message(read.message, client.signer)))
    try:
        await client.put_evidence(leg_id=leg_id, text=made.text())
    except LegworkApiError as error:
        if error.code != "invalid_status":
            raise
    return made


async def join_agreement(
    client: LegworkClient, said: Listed, leg_id: str, percent: int, *, text: str | None = None
) -> Made | None:
    """Adds this side's half to what the other one signed, and hands it in. The caller agrees to this percentage, and to no other.

    :param text: of the agreement, from the other side's screen; None: the newest one among the evidence of the leg
    :returns: None: the other side has offered no such thing, or too long ago
    :raises TransactionRefusedError: when it is another move, or not signed by the other side
    :raises LegworkApiError: ``transaction_failed`` when it is too old
    """
    if client.signer is None:
        raise ValueError("an agreement takes a signer: give LegworkClient one")
    leg = await leg_on_ledger(client, said, leg_id)
    offered = await _newest(client, leg_id, percent) if text is None else read_agreement(text)
    if offered is None:
        return None
    offering = leg.lister if client.pubkey == leg.worker else leg.worker
    expected = expected_move(leg, offering, Move("agree", percent=percent))
    if list(expected.cosigners) != [client.pubkey]:
        raise TransactionRefusedError(f"an agreement about this leg needs no signature of {client.pubkey}")
    read = require_move(offered.transaction, leg, expected, [offering, client.pubkey])
    # The one who offers pays, and comes first.
    theirs = decode_wire(offered.transaction).signatures[0]
    if not verify_text(offering, bytes(theirs), to_bytes_versioned(read.message)):
        raise TransactionRefusedError(f"{offering} has not signed this agreement")
    own = sign_message(read.message, client.signer)
    whole = VersionedTransaction.populate(read.message, [theirs, *own.signatures[1:]])
    return await submit_move(client, leg_id, whole)


async def _newest(client: LegworkClient, leg_id: str, percent: int) -> Agreement | None:
    stored = (await client.list_evidence(leg_id=leg_id)).items
    now = datetime.now(timezone.utc) + timedelta(milliseconds=client.ahead_ms)
    living = [one for one in stored if now - one["createdAt"] < _LIVES and one["authorPubkey"] != client.pubkey]
    found = [read_agreement(one["text"]) for one in living]
    return next((one for one in reversed(found) if one is not None and one.percent == percent), None)
