"""Collects what waits in a wallet's locker: payments in a token that its account could not receive."""

from __future__ import annotations

from solders.hash import Hash
from solders.message import Message

from .assets import paid_in
from .client import LegworkClient
from .program import TOKEN_PROGRAM, address, instruction
from .tokens import AMOUNT_AT, associated_token, opening
from .transactions import sign_message


async def collect(client: LegworkClient, asset: str = "usdc", *, to: str | None = None) -> str | None:
    """Takes what the locker of this wallet holds of a token. The transaction is made here, from the ledger alone. Rule P-112.

    :param to: whose associated token account it goes to, which is opened if it is missing; None: this wallet's own
    :returns: the signature; None: there is nothing
    :raises ValueError: when the service lists nothing in it, or it is SOL, which no locker holds
    :raises LedgerRefusedError: ``PayeeCannotReceive`` while the account is frozen, or is somebody else's
    """
    token = (await paid_in(client, asset)).token
    if client.signer is None or token is None:
        raise ValueError("what a locker holds is a token, and its wallet signs for it")
    ledger, program = await client.ledger(), (await client.config())["programId"]
    owner = to or client.pubkey
    locker = address(program, "locker", client.pubkey)
    places = {"from": associated_token(locker, token.mint), "to": associated_token(owner, token.mint)}
    [held] = await ledger.accounts([places["from"]])
    if held is None or not any(held[AMOUNT_AT : AMOUNT_AT + 8]):
        return None
    accounts = {"wallet": client.pubkey, "locker": locker, **places, "token_program": TOKEN_PROGRAM}
    form = instruction(program, "collect", accounts, {}, signers=[client.pubkey])
    blockhash, height = await ledger.blockhash()
    made = [opening(client.pubkey, owner, token.mint), form]
    message = Message.new_with_blockhash(made, client.signer.pubkey(), Hash.from_string(blockhash))
    return await ledger.send(sign_message(message, client.signer), height)
