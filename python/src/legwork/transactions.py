"""Reads a transaction that the service built, before anything of it is signed. An agent never signs what it has not understood."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from solders.instruction import AccountMeta, Instruction
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from .errors import TransactionRefusedError
from .keys import Signer
from .program import Decoded, decode_instruction
from .signing import verify_text
from .tokens import Token, opened_by, without_tokens

COMPUTE_BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111"
MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
#: The most a transaction may offer on top of the base fee: 0.001 SOL. A larger offer would empty a wallet by fees.
MAX_PRIORITY_FEE_LAMPORTS = 1_000_000

_MAX_COMPUTE_UNITS = 1_400_000
_REASON = re.compile(rb"Legwork ruling, reason sha256 ([0-9a-f]{64})")


@dataclass(frozen=True)
class ReadTransaction:
    """An unsigned transaction that holds one instruction of the program and nothing that could move anything else."""

    message: Message | MessageV0
    fee_payer: str
    #: What it offers on top of the base fee, lamports.
    priority_fee_lamports: int
    #: The wallets that have to sign, the fee payer first.
    signers: Sequence[str]
    #: The instruction without the accounts of tokens, and decoded.
    instruction: Instruction
    decoded: Decoded
    #: The sha256 that a ruling names as its reason, hex.
    reason_hash: str | None


def read_transaction(
    wire: str, program: str, name: str | None = None, *, token: Token | None = None
) -> ReadTransaction:
    """Makes sure that a transaction is one instruction of the program, beside a compute budget, the reason of a ruling, and the opening of
    the token accounts that it moves something between: no lookup tables, a bounded fee, and nothing that follows its end.

    :param wire: base64
    :param name: of the one instruction that is allowed; None: any
    :param token: that it pays in; None: SOL
    :raises TransactionRefusedError: when it is anything else
    """
    message = message_of(decode_wire(wire))
    instructions = instructions_of(message)
    payer = signers_of(message)[0]
    opened = [opened_by(one, payer) for one in instructions]
    others = [
        one
        for one, account in zip(instructions, opened, strict=True)
        if account is None and str(one.program_id) != COMPUTE_BUDGET_PROGRAM
    ]
    decoded = decode_instruction(program, others[0]) if others else None
    reason_hash = _reason_in(others[1:]) if decoded is not None and decoded.name == "rule" else None
    extra = len(others) - 1 - (0 if reason_hash is None else 1)
    if decoded is None or extra > 0 or (name is not None and decoded.name != name):
        found = ", ".join(_describe(program, one) for one in others) or "no instruction"
        wanted = name or "one instruction"
        raise TransactionRefusedError(
            f"expected {wanted} of program {program} and nothing else, but the transaction holds {found}"
        )
    instruction, moved = without_tokens(program, others[0], token)
    for account in opened:
        if account is not None and account not in moved:
            raise TransactionRefusedError(f"the transaction opens {account}, which {decoded.name} does not pay")
    fee = priority_fee_lamports(instructions)
    if fee > MAX_PRIORITY_FEE_LAMPORTS:
        raise TransactionRefusedError(
            f"the transaction offers a priority fee of {fee} lamports; at most {MAX_PRIORITY_FEE_LAMPORTS} are accepted"
        )
    signers = signers_of(message)
    plain = decode_instruction(program, instruction)
    assert plain is not None
    return ReadTransaction(message, payer, fee, signers, instruction, plain, reason_hash)


def decode_wire(wire: str) -> VersionedTransaction:
    """Reads a wire transaction.

    :raises TransactionRefusedError: when the text is not one in base64, to its last byte
    """
    try:
        raw = base64.b64decode(wire, validate=True)
        read = VersionedTransaction.from_bytes(raw)
    except ValueError as error:
        raise TransactionRefusedError("this is not a transaction in base64") from error
    # What stands behind it would be in no part that is looked at.
    if bytes(read) != raw:
        raise TransactionRefusedError("the transaction has bytes behind its end, or another form than it should have")
    return read


def message_of(transaction: VersionedTransaction) -> Message | MessageV0:
    """:raises TransactionRefusedError: for a version that is not read here: its fee stands elsewhere than in instructions"""
    message = transaction.message
    if not isinstance(message, (Message, MessageV0)):
        raise TransactionRefusedError("a transaction of this version is not read here")
    return message


def instructions_of(message: Message | MessageV0) -> list[Instruction]:
    """The instructions of a message with their accounts.

    :raises TransactionRefusedError: when it takes accounts from lookup tables
    """
    if isinstance(message, MessageV0) and len(message.address_table_lookups) > 0:
        raise TransactionRefusedError("the transaction hides accounts behind lookup tables")
    keys = list(message.account_keys)
    made = []
    for one in message.instructions:
        places = bytes(one.accounts)
        if max([one.program_id_index, *places]) >= len(keys):
            raise TransactionRefusedError("the transaction names accounts that it does not have")
        metas = [_meta(message, keys, place) for place in places]
        made.append(Instruction(keys[one.program_id_index], bytes(one.data), metas))
    return made


def signers_of(message: Message | MessageV0) -> list[str]:
    """The keys that have to sign; the first pays the fee."""
    count = message.header.num_required_signatures
    if count == 0 or count > len(message.account_keys):
        raise TransactionRefusedError("nobody signs this transaction")
    return [str(key) for key in message.account_keys[:count]]


def priority_fee_lamports(instructions: Sequence[Instruction]) -> int:
    """The most that they can cost on top of the base fee, lamports: price times limit, rounded up."""
    units, price = _MAX_COMPUTE_UNITS, 0
    for one in instructions:
        data = bytes(one.data)
        if str(one.program_id) != COMPUTE_BUDGET_PROGRAM or not data:
            continue
        if data[0] == 2 and len(data) == 5:
            units = int.from_bytes(data[1:], "little")
        if data[0] == 3 and len(data) == 9:
            price = int.from_bytes(data[1:], "little")
    return -(-price * min(units, _MAX_COMPUTE_UNITS) // 1_000_000)


def sign_message(message: Message | MessageV0, signer: Signer) -> VersionedTransaction:
    """The transaction with this wallet's signature, beside places for those of others.

    :raises TransactionRefusedError: when it has no place for this signature
    """
    own = str(signer.pubkey())
    signers = signers_of(message)
    if own not in signers:
        raise TransactionRefusedError(f"this transaction has no place for a signature of {own}")
    signature = signer.sign_message(to_bytes_versioned(message))
    signatures = [signature if one == own else Signature.default() for one in signers]
    return VersionedTransaction.populate(message, signatures)


def is_rightly_signed(transaction: VersionedTransaction) -> bool:
    """Whether everybody has signed it who has to."""
    signers = signers_of(message_of(transaction))
    message, signatures = to_bytes_versioned(transaction.message), [bytes(one) for one in transaction.signatures]
    return len(signatures) == len(signers) and all(
        verify_text(signer, signature, message) for signer, signature in zip(signers, signatures, strict=True)
    )


def to_wire(transaction: VersionedTransaction) -> str:
    """Base64, as the service takes it."""
    return base64.b64encode(bytes(transaction)).decode()


def require_signers(read: ReadTransaction, signers: Sequence[str]) -> None:
    """:raises TransactionRefusedError: unless exactly these wallets sign, the first of them paying the fee"""
    if read.fee_payer != signers[0]:
        raise TransactionRefusedError(f"the fee of this transaction is paid by {read.fee_payer}, not by {signers[0]}")
    if sorted(read.signers) != sorted(signers):
        raise TransactionRefusedError(
            f"this transaction is signed by {', '.join(signers)}, not by {', '.join(read.signers)}"
        )


def _meta(message: Message | MessageV0, keys: Sequence[Pubkey], place: int) -> AccountMeta:
    header = message.header
    is_signer = place < header.num_required_signatures
    if is_signer:
        is_writable = place < header.num_required_signatures - header.num_readonly_signed_accounts
    else:
        is_writable = place < len(keys) - header.num_readonly_unsigned_accounts
    return AccountMeta(keys[place], is_signer, is_writable)


def _reason_in(behind: Sequence[Instruction]) -> str | None:
    """The sha256 that a memo without accounts names. Rule T-113."""
    for one in behind[:1]:
        found = _REASON.fullmatch(bytes(one.data))
        if str(one.program_id) == MEMO_PROGRAM and not one.accounts and found:
            return found[1].decode()
    return None


def _describe(program: str, one: Instruction) -> str:
    decoded = decode_instruction(program, one)
    return f"an instruction of program {one.program_id}" if decoded is None else decoded.name
