"""Handoffs as texts: what a party signs at the door, without a network and without SOL, and anybody sends later."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature

from .client import LegworkClient
from .errors import LegworkApiError, TransactionRefusedError
from .fees import sign_affordably
from .keys import Signer
from .legs import Leg, Listed, leg_on_ledger
from .making import Made, submit_move
from .moves import Move, expected_confirmation, expected_move, stake_of
from .program import ED25519_PROGRAM, decode_instruction
from .signing import verify_text
from .tokens import in_token

INSTRUCTIONS_SYSVAR = "Sysvar1nstructions1111111111111111111111111"
CODE_PREFIX = "legwork-handoff:"
_LONGEST_CODE = 1_000
#: So much later than the ledger's time the time of a text may be. Rule P-106.
_MOST_AHEAD_SEC = 900
_PATTERN = re.compile(
    r"Legwork handoff 1\n(?P<listing>[1-9A-HJ-NP-Za-km-z]{32,44})\n"
    r"leg (?P<leg>[1-7]), formation (?P<formation>0|[1-9][0-9]{0,4})\n"
    r"(?:(?P<said>picked up|taken over|received)\n(?:as described|noted (?P<noted>[0-9a-f]{64}))"
    r"|accepted\nresult (?P<result>[0-9a-f]{64}))\n"
    r"(?P<time>20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n(?P<nonce>[0-9a-f]{16})"
)


@dataclass(frozen=True)
class Handoff:
    """A handoff as a text says it. The program takes this text, to the letter, in place of a transaction's signature."""

    #: Address of the package or task.
    listing: str
    #: From 0 on; the text counts from 1.
    leg_index: int
    formation: int
    #: ``picked up``, ``taken over``, ``received`` or ``accepted``.
    said: str
    #: By the signer's clock, whole seconds.
    signed_at: datetime
    #: Tells the listing from one at the same address on another cluster; 8 bytes.
    nonce: bytes
    #: sha256 of what is noted of the parcel's condition, hex; None: it is as described.
    noted: str | None = None
    #: Of ``accepted``: the sha256 of the result, hex.
    result_hash: str | None = None

    def text(self) -> str:
        """Seven lines that a wallet shows before it signs."""
        condition = "as described" if self.noted is None else f"noted {self.noted}"
        return "\n".join(
            [
                "Legwork handoff 1",
                self.listing,
                f"leg {self.leg_index + 1}, formation {self.formation}",
                self.said,
                f"result {self.result_hash}" if self.said == "accepted" else condition,
                whole_second(self.signed_at),
                self.nonce.hex(),
            ]
        )


@dataclass(frozen=True)
class SignedText:
    """A text, and the signature of its bytes by this key."""

    signer: str
    signature: bytes
    text: str

    def code(self) -> str:
        """One line, for a QR code or a file. Who sees it can send it, and nothing else."""
        fields = {"signer": self.signer, "signature": str(Signature(self.signature)), "text": self.text}
        return CODE_PREFIX + json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


def whole_second(time: datetime) -> str:
    """A time as texts and receipts say it: UTC, whole seconds."""
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_handoff(text: str) -> Handoff | None:
    """What a text says; None: it is not the text of a handoff, to the letter."""
    found = _PATTERN.fullmatch(text)
    if found is None:
        return None
    try:
        at = datetime.strptime(found["time"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        Pubkey.from_string(found["listing"])
    except ValueError:
        return None
    number, said = int(found["formation"]), found["said"] or "accepted"
    nonce = bytes.fromhex(found["nonce"])
    read = Handoff(found["listing"], int(found["leg"]) - 1, number, said, at, nonce, found["noted"], found["result"])
    # Another spelling would be another text than was signed.
    return read if number <= 0xFFFF and read.text() == text else None


def read_code(code: str) -> SignedText | None:
    """Reads the code of a handoff; None: it is none, or not signed by the key that it names."""
    if len(code) > _LONGEST_CODE or not code.strip().startswith(CODE_PREFIX):
        return None
    try:
        fields = json.loads(code.strip()[len(CODE_PREFIX) :])
        signed = SignedText(fields["signer"], bytes(Signature.from_string(fields["signature"])), fields["text"])
        is_good = verify_text(signed.signer, signed.signature, signed.text.encode())
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return signed if is_good and parse_handoff(signed.text) is not None else None


def sign_handoff(signer: Signer, ahead: Handoff) -> SignedText:
    """Signs the text of a handoff. It pays the courier named by the ledger for this leg, once, as soon as anybody sends it: sign when the
    parcel is in your hands. Rule A-119."""
    text = ahead.text()
    return SignedText(str(signer.pubkey()), bytes(signer.sign_message(text.encode())), text)


def handoff_ahead(at: Leg, signer: str, move: Move) -> tuple[Handoff, Instruction]:
    """What the text of a handoff has to say now, and the instruction whose signature it stands in for.

    :param move: ``take``: the shipper hands the parcel to the first courier; ``confirm``: the leg is taken over, received, or its result
        accepted
    :raises TransactionRefusedError: when the ledger takes no such text by this key about the leg as it stands
    """
    if not any(at.nonce):
        raise TransactionRefusedError("this was listed before handoffs were texts: it goes on by transactions")
    form, said, by = _pickup(at) if move.action == "take" else _confirmation(at, signer, move)
    if signer not in by:
        raise TransactionRefusedError(f"the text of this handoff is signed by {by[0]}, not by {signer}")
    decoded = decode_instruction(at.program, form)
    assert decoded is not None
    formation = decoded.arguments.get("formation", at.formation)
    result = at.result_hash.hex() if said == "accepted" and at.result_hash is not None else None
    now = datetime.now(timezone.utc).replace(microsecond=0)
    return Handoff(at.listing, at.index, formation, said, now, at.nonce, result_hash=result), form


def _pickup(at: Leg) -> tuple[Instruction, str, Sequence[str]]:
    expected = expected_move(at, at.worker, Move("take"))
    if not expected.cosigners:
        raise TransactionRefusedError(f"the pickup of the leg at {at.address} is signed by its courier alone")
    if at.status not in ("pending", "accepted"):
        raise TransactionRefusedError("nobody waits to pick this parcel up")
    return expected.forms[-1], "picked up", expected.cosigners


def _confirmation(at: Leg, signer: str, move: Move) -> tuple[Instruction, str, Sequence[str]]:
    forms = expected_confirmation(at, signer, move).forms
    if not forms:
        raise TransactionRefusedError(f"the leg at {at.address} cannot be confirmed yet")
    if at.swarm is None and at.terms is None:
        raise TransactionRefusedError("the coordinator alone confirms this result")
    said = "accepted" if at.swarm is None else "received" if at.after is None else "taken over"
    receiver = [] if at.terms is None else [str(at.terms["receiver"])]
    return forms[-1], said, [at.lister, *receiver] if at.next is None else [at.next.worker]


async def share_handoff(
    client: LegworkClient, said: Listed, leg_id: str, move: Move, *, noted: str | None = None
) -> str:
    """Signs a handoff of a leg with terms, and puts its code among the evidence of the leg, where the other side finds it. One that this key
    shared before of the same handoff is used again. Rule A-130.

    :param noted: sha256 of what is wrong with the parcel, hex; None: it is as described
    :returns: the code
    """
    if client.signer is None:
        raise ValueError("to sign a handoff takes a signer: give LegworkClient one")
    leg = await leg_on_ledger(client, said, leg_id)
    ahead, _ = handoff_ahead(leg, client.pubkey, move)
    stored = (await client.list_evidence(leg_id=leg_id)).items
    for one in reversed(stored):
        found = _handoff_in(one["text"], leg, move)
        if found is not None and found.signer == client.pubkey and (parse_handoff(found.text) or ahead).noted == noted:
            return found.code()
    code = sign_handoff(client.signer, Handoff(**{**vars(ahead), "noted": noted})).code()
    try:
        await client.put_evidence(leg_id=leg_id, text=code)
    except LegworkApiError as error:
        # Without room there the code only travels from screen to screen.
        if error.code != "invalid_status":
            raise
    return code


async def sign_pickup(client: LegworkClient, said: Listed, leg_id: str) -> str:
    """Signs as the shipper the text by which its first courier has the parcel. Let the parcel go only once the ledger has it: when
    ``get_package`` shows the leg's ``stage`` as ``carried``.

    :returns: the code, which the courier finds among the evidence of the leg too
    """
    return await share_handoff(client, said, leg_id, Move("take"))


async def find_handoff(client: LegworkClient, leg: Leg, leg_id: str, move: Move) -> SignedText | None:
    """The newest handoff among the evidence of a leg that the ledger would take now; None: nobody has signed yet. Rule A-131."""
    stored = (await client.list_evidence(leg_id=leg_id)).items
    return next((found for one in reversed(stored) if (found := _handoff_in(one["text"], leg, move))), None)


def _handoff_in(code: str, leg: Leg, move: Move) -> SignedText | None:
    """What a code says of this leg; None: it is none that the ledger would take now."""
    signed = read_code(code)
    if signed is None:
        return None
    try:
        _taken_now(leg, signed, move)
    except TransactionRefusedError:
        return None
    return signed


def _taken_now(leg: Leg, signed: SignedText, move: Move) -> Instruction:
    """:raises TransactionRefusedError: that says why the ledger does not take this text now"""
    told = parse_handoff(signed.text)
    # Who signed has seen the parcel, or was asked.
    meant = Move(move.action, claimed_hash=None if told is None else told.result_hash, even_before_pickup=True)
    ahead, form = handoff_ahead(leg, signed.signer, meant)
    if told is None or told.signed_at.timestamp() > leg.now + _MOST_AHEAD_SEC:
        raise TransactionRefusedError("the ledger does not take this handoff: its time is ahead")
    for what in ("listing", "leg_index", "nonce", "formation", "said", "result_hash"):
        found, wanted = getattr(told, what), getattr(ahead, what)
        if found != wanted:
            raise TransactionRefusedError(
                f"the ledger does not take this handoff: its {what} is {found} instead of {wanted}"
            )
    return form


async def send_handoff(client: LegworkClient, said: Listed, leg_id: str, signed: SignedText, move: Move) -> Made:
    """Sends a handoff that somebody signed; all of it is made from the ledger and the text. A pickup is sent by its courier.

    :raises TransactionRefusedError: when the ledger would not take it now
    """
    if client.signer is None:
        raise ValueError("to send a handoff takes a signer: give LegworkClient one")
    ledger = await client.ledger()
    leg = await leg_on_ledger(client, said, leg_id)
    form = _taken_now(leg, signed, move)
    if move.action == "take" and leg.worker != client.pubkey:
        raise TransactionRefusedError(f"this pickup is sent by its courier, {leg.worker}")
    blockhash, _ = await ledger.blockhash()
    payer = client.signer.pubkey()
    *openings, paying = await in_token(ledger, leg.program, str(payer), leg.token, form)
    made = [*openings, *by_signed_text(paying, signed)]
    message = MessageV0.try_compile(payer, made, [], Hash.from_string(blockhash))
    takes = stake_of(leg, move.action)
    return await submit_move(client, leg_id, await sign_affordably(client, message, takes=takes))


def by_signed_text(form: Instruction, signed: SignedText) -> list[Instruction]:
    """The instruction with this text in place of its signer's signature, behind the one by which the runtime verifies the text."""
    metas = [
        AccountMeta(one.pubkey, one.is_signer and str(one.pubkey) != signed.signer, one.is_writable)
        for one in form.accounts
    ]
    metas.append(AccountMeta(Pubkey.from_string(INSTRUCTIONS_SYSVAR), False, False))
    return [signed_text_instruction(signed), Instruction(form.program_id, bytes(form.data), metas)]


def signed_text_instruction(signed: SignedText) -> Instruction:
    """Has the runtime verify a signed text."""
    text = signed.text.encode()
    own, key_at, signature_at, text_at = 0xFFFF, 16, 48, 112
    header = [1, signature_at, own, key_at, own, text_at, len(text), own]
    data = b"".join(word.to_bytes(2, "little") for word in header)
    data += bytes(Pubkey.from_string(signed.signer)) + signed.signature + text
    return Instruction(Pubkey.from_string(ED25519_PROGRAM), data, [])
