"""Has the service pay the fee of a wallet that has too little SOL for it. Rules A-148, M-97, M-99."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from solders.hash import Hash
from solders.instruction import AccountMeta, CompiledInstruction, Instruction
from solders.message import Message, MessageHeader, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from .client import LegworkClient
from .errors import LegworkError, LegworkNetworkError, LegworkProtocolError
from .program import ED25519_PROGRAM, account_bytes
from .tokens import ASSOCIATED_TOKEN_PROGRAM, TOKEN_ACCOUNT_RENT
from .transactions import (
    decode_wire,
    instructions_of,
    is_rightly_signed,
    priority_fee_lamports,
    sign_message,
    signers_of,
    to_wire,
)

_SIGNATURE_LAMPORTS = 5_000
#: How long the ledger may take to show what the service says is there.
_SHOWN_WITHIN_SEC = 30.0
_ATTEMPTS = 3
_PAUSE_SEC = 0.5


def rent_minimum(size: int) -> int:
    """The rent of an account with so many bytes, lamports: the same on every cluster."""
    return (128 + size) * 6_960


def listing_rent(kind: str, *, has_terms: bool) -> int:
    """The rent of the account that a listing opens, lamports, without that of its vault.

    :param kind: ``package`` or ``task``
    """
    return rent_minimum(account_bytes(kind, with_tail=has_terms))


async def affordable(
    client: LegworkClient, message: Message | MessageV0, *, takes: int = 0, lends: int = 0
) -> Message | MessageV0:
    """The message as it is to be signed: with the service's fee payer in place of a wallet that has what the transaction takes, and too little
    SOL for fee and rents. Whoever has enough pays as ever.

    :param takes: what it takes from its fee payer beside fee and rents, lamports: a stake
    :param lends: what the service lends of that, lamports: the rent of a listing that is paid in a token
    """
    payer = (await client.config())["feePayerPubkey"]
    wallet = signers_of(message)[0]
    if payer is None or payer == wallet:
        return message
    # The runtime lets no wallet keep less than that, which would else have too much to be paid for and too little to pay.
    needs = takes + lends + _fees_of(message) + rent_minimum(0)
    if await _has_enough(client, wallet, needs, takes):
        return message
    return payable_by(message, payer, lends=lends)


def _fees_of(message: Message | MessageV0) -> int:
    """Of its signatures and a signed text, for priority, and for token accounts, as if none of them were there."""
    instructions = instructions_of(message)
    programs = [str(one.program_id) for one in instructions]
    signatures = len(signers_of(message)) + programs.count(ED25519_PROGRAM)
    rents = programs.count(ASSOCIATED_TOKEN_PROGRAM) * TOKEN_ACCOUNT_RENT
    return signatures * _SIGNATURE_LAMPORTS + priority_fee_lamports(instructions) + rents


async def _has_enough(client: LegworkClient, wallet: str, needs: int, takes: int) -> bool:
    """Also where the wallet has too little for what nobody lends, and where nobody says what it has: then the ledger says why not."""
    try:
        balance = await (await client.ledger()).balance(wallet)
    except LegworkError:
        return True
    return balance < takes or balance >= needs


def payable_by(message: Message | MessageV0, payer: str, *, lends: int = 0) -> Message:
    """The same message with another fee payer, who also pays the rent of the token accounts that the former one would have paid, and lends it
    this much. Who had to sign still has to, where an instruction names it."""
    former = signers_of(message)[0]
    made = [_with_rent_payer(one, former, payer) for one in instructions_of(message)]
    if lends > 0:
        keys = [Pubkey.from_string(one) for one in (payer, former)]
        # Just before the last one, which takes it.
        made.insert(-1, transfer(TransferParams(from_pubkey=keys[0], to_pubkey=keys[1], lamports=lends)))
    return compile_legacy(payer, message.recent_blockhash, made)


def _with_rent_payer(made: Instruction, former: str, payer: str) -> Instruction:
    if str(made.program_id) != ASSOCIATED_TOKEN_PROGRAM or str(made.accounts[0].pubkey) != former:
        return made
    metas = [AccountMeta(Pubkey.from_string(payer), True, True), *made.accounts[1:]]
    return Instruction(made.program_id, bytes(made.data), metas)


def compile_legacy(payer: str, blockhash: Hash, instructions: Sequence[Instruction]) -> Message:
    """Compiles a legacy message with its accounts in the service's order, which compares bytes: by role, and then by their text as a
    dictionary sorts it, where a small letter comes before its capital."""
    roles = {payer: (True, True)}
    for one in instructions:
        for meta in [AccountMeta(one.program_id, False, False), *one.accounts]:
            signer, writable = roles.get(str(meta.pubkey), (False, False))
            roles[str(meta.pubkey)] = (signer or meta.is_signer, writable or meta.is_writable)

    def order(key: str) -> tuple[bool, bool, bool, str, str]:
        signer, writable = roles[key]
        return (key != payer, not signer, not writable, key.lower(), key.swapcase())

    keys = sorted(roles, key=order)
    places = {key: place for place, key in enumerate(keys)}
    signers = [writable for signer, writable in roles.values() if signer]
    readonly = [writable for signer, writable in roles.values() if not signer].count(False)
    header = MessageHeader(len(signers), signers.count(False), readonly)
    compiled = [
        CompiledInstruction(
            places[str(one.program_id)], bytes(one.data), bytes(places[str(meta.pubkey)] for meta in one.accounts)
        )
        for one in instructions
    ]
    return Message.new_with_compiled_instructions(
        *(header.num_required_signatures, header.num_readonly_signed_accounts, header.num_readonly_unsigned_accounts),
        [Pubkey.from_string(key) for key in keys],
        blockhash,
        compiled,
    )


async def sign_affordably(
    client: LegworkClient, message: Message | MessageV0, *, takes: int = 0
) -> VersionedTransaction:
    """The message signed by this wallet, whoever pays for it: what the service pays for has landed by then. Submitted or sent, it is treated as
    one that the wallet paid for.

    :raises LegworkApiError: ``sponsorship_cap``, ``sponsoring_paused``, ``transaction_failed`` and others of ``relay_transaction``
    """
    if client.signer is None:
        raise ValueError("this takes a signer: give LegworkClient one")
    signed = sign_message(await affordable(client, message, takes=takes), client.signer)
    return await relay(client, signed) if is_to_be_relayed(signed) else signed


async def send_affordably(
    client: LegworkClient, message: Message | MessageV0, last_valid_block_height: int, *, takes: int = 0
) -> str:
    """Signs the message and sends it, or has the service pay for it, and waits until the ledger has confirmed it.

    :returns: its signature
    """
    ledger = await client.ledger()
    transaction = await sign_affordably(client, message, takes=takes)
    if str(transaction.message.account_keys[0]) == client.pubkey:
        return await ledger.send(transaction, last_valid_block_height)
    signature = str(transaction.signatures[0])
    # The word of the service is not enough.
    if await ledger.lands_within(signature, _SHOWN_WITHIN_SEC):
        return signature
    raise LegworkNetworkError(f"the ledger does not show transaction {signature}, which the service paid for")


def is_to_be_relayed(transaction: VersionedTransaction) -> bool:
    """Whether its fee payer, somebody else, has yet to sign it."""
    return transaction.signatures[0] == Signature.default()


async def relay(client: LegworkClient, signed: VersionedTransaction) -> VersionedTransaction:
    """Has the service complete and send a transaction. The same one is paid for once.

    :returns: it with all its signatures
    :raises LegworkProtocolError: when the service gives another one back
    """
    attempt = 1
    while True:
        try:
            answer = await client.relay_transaction(transaction=to_wire(signed))
            break
        except LegworkNetworkError:
            if attempt == _ATTEMPTS:
                raise
        await asyncio.sleep(_PAUSE_SEC)
        attempt += 1
    paid = decode_wire(answer["transaction"])
    # By its first signature the ledger is asked for it: that of something else which landed would pass for this one.
    if to_bytes_versioned(paid.message) == to_bytes_versioned(signed.message) and is_rightly_signed(paid):
        return paid
    raise LegworkProtocolError("the service answers with another transaction than it was to pay for")
