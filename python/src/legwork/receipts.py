"""Receipts: who had a parcel when, signed, and provable without the service. Rule S-210."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from solders.instruction import Instruction
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature

from .documents import canonical_json
from .errors import LegworkError, TransactionRefusedError
from .handoffs import SignedText, parse_handoff, signed_text_instruction, whole_second
from .ledger import Ledger, landed_in
from .program import ED25519_PROGRAM, Decoded, decode_instruction
from .signing import verify_text
from .transactions import instructions_of, message_of

_HASH = re.compile(r"[0-9a-f]{64}")
_WORDS = {
    "said": ("picked up", "taken over", "received", "accepted"),
    "condition": ("as described", "noted", "not said"),
}
_MEMBERS = frozenset(
    "v program listing document legIndex formation said from to condition hash at signed previous landed".split()
)


class ReceiptError(LegworkError):
    """A chain of receipts that does not hold."""

    def __init__(self, place: int, why: str) -> None:
        super().__init__(f"receipt {place + 1}: {why}")
        #: The place of the receipt in the chain, from 0.
        self.place = place


@dataclass(frozen=True)
class Custody:
    """What a chain of receipts says once every line of it was checked."""

    #: Who had it, and from when on; the first is who sent it.
    holders: Sequence[tuple[str, str | None]]
    #: The lister or receiver has said that it arrived, or that the result is accepted.
    is_ended: bool
    #: Places of receipts that no text proves, and that the ledger was not asked about or did not show.
    unproven: Sequence[int]
    #: Places of receipts whose transactions the ledger has: what they hand over was paid.
    paid: Sequence[int]

    @property
    def holder(self) -> str:
        """Who has it, as far as these receipts go."""
        return self.holders[-1][0]


def receipt_hash(receipt: Mapping[str, Any]) -> str:
    """The sha256 of the canonical JSON of a receipt without where it landed, hex."""
    whole = {name: value for name, value in receipt.items() if name != "landed"}
    return hashlib.sha256(canonical_json(whole)).hexdigest()


async def verify_receipts(chain: Sequence[Mapping[str, Any]], *, ledger: Ledger | None = None) -> Custody:
    """Checks receipts without any service: their signatures, texts, order and hands; with a ledger also that each that says where it landed
    did, with this text, between these keys. Rule S-212.

    :param chain: ``(await client.get_package_receipts(package_id=…))["receipts"]``, or a file that a courier kept
    :raises ReceiptError: the first one that does not hold, and why
    """
    custody = verify_chain(chain)
    if ledger is None:
        return custody
    text = next((one["signed"]["text"] for one in chain if one["signed"] is not None), None)
    nonce = None if text is None else text.rsplit("\n", 1)[-1]
    paid = []
    for place, receipt in enumerate(chain):
        if receipt["landed"] is None:
            continue
        signature = receipt["landed"]["transaction"]
        shown = await ledger.transaction(signature) if _is_base58(Signature, signature) else None
        found = landed_in(shown, signature)
        if shown is None or found is None:
            raise ReceiptError(place, f"the ledger does not show that transaction {signature} succeeded")
        if not _is_on_ledger(receipt, message_of(found), shown.get("blockTime"), nonce):
            raise ReceiptError(place, f"transaction {signature} is not this handoff")
        paid.append(place)
    unproven = [place for place in custody.unproven if place not in paid]
    return Custody(custody.holders, custody.is_ended, unproven, paid)


def verify_chain(chain: Sequence[Mapping[str, Any]]) -> Custody:
    """The same without a network."""
    if not chain:
        raise ReceiptError(0, "there is none")
    before: Mapping[str, Any] | None = None
    for place, receipt in enumerate(chain):
        why = _fault(receipt) or _fault_after(before, receipt)
        if why is not None:
            raise ReceiptError(place, why)
        before = receipt
    holders = [(chain[0]["from"], None), *((one["to"], one["at"]) for one in chain)]
    unproven = [place for place, one in enumerate(chain) if one["signed"] is None]
    return Custody(holders, chain[-1]["said"] in ("received", "accepted"), unproven, [])


def _fault(receipt: Mapping[str, Any]) -> str | None:
    """What is wrong with a receipt by itself."""
    if not _has_form(receipt):
        return "it has not the form of a receipt"
    signed, said, condition, hash_ = (receipt[name] for name in ("signed", "said", "condition", "hash"))
    if (signed is None) != (condition == "not said"):
        return "nobody signed what it says of the condition"
    if signed is None:
        return None
    signer = receipt["from" if said == "picked up" else "to"]
    if signed["signer"] != signer:
        return f"{signer} should have signed it"
    told = condition if hash_ is None else f"{'result' if said == 'accepted' else 'noted'} {hash_}"
    leg = f"leg {receipt['legIndex'] + 1}, formation {receipt['formation']}"
    lines = signed["text"].split("\n")[1:-1]
    if lines != [receipt["listing"], leg, said, told, receipt["at"]] or parse_handoff(signed["text"]) is None:
        return "its text says something else"
    is_good = _is_base58(Signature, signed["signature"]) and verify_text(
        signer, bytes(Signature.from_string(signed["signature"])), signed["text"].encode()
    )
    return None if is_good else "its signature is not of this text and key"


def _fault_after(before: Mapping[str, Any] | None, receipt: Mapping[str, Any]) -> str | None:
    """What keeps a receipt from following the one before it."""
    if before is None:
        return None if receipt["previous"] is None else "it is not the first one of its chain"
    if receipt["previous"] != receipt_hash(before):
        return "it does not follow the one before"
    nonces = {one["signed"]["text"].rsplit("\n", 1)[-1] for one in (before, receipt) if one["signed"] is not None}
    if len(nonces) > 1 or any(receipt[name] != before[name] for name in ("program", "listing", "document")):
        return "it is of another listing"
    if receipt["said"] != "accepted" and receipt["from"] != before["to"]:
        return f"{receipt['from']} did not have it"
    if receipt["said"] != "accepted" and before["said"] == "received":
        return "it follows the end"
    return "it is of an earlier leg" if receipt["legIndex"] < before["legIndex"] else None


def _has_form(receipt: Any) -> bool:
    """Receipts come out of files of strangers: what has another member, or another kind of value, hashes and reads otherwise elsewhere."""
    if not isinstance(receipt, dict) or set(receipt) != _MEMBERS or receipt["v"] != "legwork.receipt/1":
        return False
    signed, landed = receipt["signed"], receipt["landed"]
    return bool(
        all(_is_base58(Pubkey, receipt[name]) for name in ("program", "listing", "from", "to"))
        and all(receipt[name] in words for name, words in _WORDS.items())
        and all(_is_up_to(receipt[name], most) for name, most in (("legIndex", 6), ("formation", 0xFFFF)))
        and _is_hash(receipt["document"])
        and all(receipt[name] is None or _is_hash(receipt[name]) for name in ("hash", "previous"))
        and _is_time(receipt["at"])
        and (signed is None or _has_texts(signed, {"signer", "signature", "text"}))
        and (landed is None or _has_texts(landed, {"transaction", "slot"}))
        and (receipt["hash"] is not None) == ((receipt["said"] == "accepted") != (receipt["condition"] == "noted"))
    )


def _has_texts(value: Any, names: set[str]) -> bool:
    return isinstance(value, dict) and set(value) == names and all(isinstance(one, str) for one in value.values())


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _is_up_to(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _is_base58(kind: type[Pubkey] | type[Signature], value: Any) -> bool:
    try:
        return isinstance(value, str) and str(kind.from_string(value)) == value
    except ValueError:
        return False


def _is_time(value: Any) -> bool:
    try:
        time = datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except (ValueError, TypeError):
        return False
    return bool(whole_second(time) == value)


def _is_on_ledger(
    receipt: Mapping[str, Any], message: Message | MessageV0, block_time: int | None, nonce: str | None
) -> bool:
    """Whether a transaction is the handoff that a receipt tells, with the very text that it holds; without one, at that time, and with no
    text that counts."""
    signed = receipt["signed"]
    if signed is None and block_time is not None:
        if receipt["at"] != whole_second(datetime.fromtimestamp(block_time, timezone.utc)):
            return False
    try:
        made = instructions_of(message)
    except TransactionRefusedError:
        return False
    for place, one in enumerate(made):
        decoded = decode_instruction(receipt["program"], one)
        if decoded is None or not _is_handoff(receipt, decoded):
            continue
        text = made[place - 1] if place > 0 else None
        if signed is None:
            return text is None or not _counts(receipt, text, nonce)
        shown = SignedText(signed["signer"], bytes(Signature.from_string(signed["signature"])), signed["text"])
        return text is not None and bytes(text.data) == bytes(signed_text_instruction(shown).data)
    return False


def _counts(receipt: Mapping[str, Any], text: Instruction, nonce: str | None) -> bool:
    """Whether an instruction verifies a text that would belong into the receipt."""
    told = parse_handoff(bytes(text.data)[112:].decode("utf-8", "replace"))
    if told is None or str(text.program_id) != ED25519_PROGRAM:
        return False
    is_its = (told.listing, told.leg_index, told.said) == (receipt["listing"], receipt["legIndex"], receipt["said"])
    return is_its and nonce in (None, told.nonce.hex())


def _is_handoff(receipt: Mapping[str, Any], decoded: Decoded) -> bool:
    """Whether an instruction hands over what the receipt says, from whom to whom it says."""
    accounts, arguments = decoded.accounts, decoded.arguments
    if receipt["said"] == "picked up":
        is_it = decoded.name == "accept" and arguments["take"] and accounts["listing"] == receipt["listing"]
        is_this = is_it and arguments["formation"] == receipt["formation"]
        return bool(is_this and accounts["courier"] == receipt["to"])
    if receipt["said"] == "accepted":
        is_it = decoded.name == "confirm_task_leg" and accounts["task"] == receipt["listing"]
        is_this = (
            is_it and arguments["index"] == receipt["legIndex"] and arguments["result_hash"].hex() == receipt["hash"]
        )
        return bool(is_this) and (accounts["agent"], accounts["signer"]) == (receipt["from"], receipt["to"])
    is_it = decoded.name == "confirm_leg" and accounts["package"] == receipt["listing"]
    is_this = is_it and arguments["formation"] == receipt["formation"]
    return bool(is_this) and (accounts["courier"], accounts["recipient"]) == (receipt["from"], receipt["to"])
