"""The instruction of a move, made from what the ledger says of its leg and nothing else: what a service builds has to be the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from solders.instruction import Instruction

from .errors import TransactionRefusedError
from .legs import COSIGNED_PICKUP, Leg
from .program import decode_instruction, instruction
from .transactions import ReadTransaction, read_transaction, require_signers

#: Takes what is lost by silence of an arbiter.
INCINERATOR = "1nc1nerator11111111111111111111111111111111"
_PERCENT_BY_SILENCE = 50
_DISPUTED_BY_RECEIVER = 2
_EARLY = frozenset({"pending", "accepted"})
_UNFINISHED = frozenset({"pending", "accepted", "carried"})


@dataclass(frozen=True)
class Move:
    """A move of a leg, with what it says."""

    #: ``accept``, ``take``, ``vacate``, ``claim``, ``confirm``, ``dispute``, ``rule``, ``agree`` or ``crank``.
    action: str
    #: claim, dispute: sha256 of the evidence, hex; of a task's claim, of the result. rule: of the reason, if one is given.
    hash: str | None = None
    #: confirm, dispute of a task's leg: the sha256 of the result that is meant; a leg that claims another one is left alone.
    claimed_hash: str | None = None
    #: rule, agree: of the payment, 0 to 100.
    percent: int | None = None
    #: confirm: also while nobody has picked the parcel up, which pays at once for nothing yet. Rule T-97.
    even_before_pickup: bool = False


@dataclass(frozen=True)
class ExpectedMove:
    """What a move has to look like on the ledger."""

    #: Any one of them does the same.
    forms: Sequence[Instruction]
    #: Who signs it in addition to the one who moves.
    cosigners: Sequence[str] = ()
    reason_hash: str | None = None


def expected_move(at: Leg, mover: str, move: Move) -> ExpectedMove:
    """The instruction of a move.

    :param mover: who makes the move
    :raises TransactionRefusedError: when it is not a move of this key, or lacks a hash or a percentage
    """
    if move.action == "confirm":
        return expected_confirmation(at, mover, move)
    making = _MOVES.get(move.action)
    if making is None:
        raise TransactionRefusedError(f"{move.action} is no move; it is one of confirm, {', '.join(_MOVES)}")
    if at.terms is None:
        raise TransactionRefusedError(f"the leg at {at.address} has no terms")
    return making(at, mover, move)


def expected_confirmation(at: Leg, mover: str, move: Move) -> ExpectedMove:
    """The confirmation of a leg, with terms or without: whom it pays, of which formation, is the ledger's to say. Rule A-105."""
    _require_claimed(at, move)
    is_parcel = at.swarm is not None
    if is_parcel and at.terms is not None and at.status in _EARLY and not move.even_before_pickup:
        raise TransactionRefusedError(
            f"nobody has picked up the parcel of the leg at {at.address}, and confirming it pays {at.worker} at once; "
            "to want that, give even_before_pickup"
        )
    # Of a task: who kept a signature from before the claim could claim what it names.
    if not is_parcel and at.status in _EARLY:
        return ExpectedMove([])
    return ExpectedMove(_taking_over(at, mover) if _takes_over(at, mover) else [_confirming(at, mover)])


def require_move(wire: str, at: Leg, expected: ExpectedMove, signers: Sequence[str]) -> ReadTransaction:
    """Reads a wire transaction and makes sure that it holds one of these instructions, in the token of its listing, names this reason, and has
    nothing else but a compute budget and the opening of that token's accounts, and that exactly these wallets sign it, the first of them
    paying.

    :raises TransactionRefusedError: when it is anything else
    """
    read = read_transaction(wire, at.program, token=at.token)
    if not any(_is_same(form, read.instruction) for form in expected.forms):
        why = _difference(at.program, read, expected.forms)
        raise TransactionRefusedError(
            f"the transaction holds another {read.decoded.name} than the move that was meant{why}"
        )
    if read.reason_hash != expected.reason_hash:
        raise TransactionRefusedError(
            f"the reason that the transaction names is {read.reason_hash} and should be {expected.reason_hash}"
        )
    require_signers(read, signers)
    return read


def stake_of(at: Leg, action: str) -> int:
    """The stake that a move takes from the wallet that pays its fee, lamports: one in a token is no SOL."""
    if at.token is not None:
        return 0
    posts = action == "dispute" or (action in ("accept", "take") and at.status == "pending")
    return int(at.terms["stake"]) if posts and at.terms is not None else 0


def _accept(at: Leg, mover: str, move: Move) -> ExpectedMove:
    _require_worker(at, mover)
    take = move.action == "take"
    if take and at.swarm is None:
        raise TransactionRefusedError("nothing of a task is picked up")
    is_cosigned = take and at.index == 0 and at.terms is not None and bool(at.terms["flags"] & COSIGNED_PICKUP)
    signers = [at.lister] if is_cosigned else []

    def form(counted: Sequence[str]) -> Instruction:
        accounts = {**_leg_of(at), "courier": mover, "lister": at.lister}
        arguments = {"formation": at.formation, "take": take}
        return instruction(at.program, "accept", accounts, arguments, signers=signers, counted=counted)

    return ExpectedMove(_counting(at.reputation, form) if take else [form([])], signers)


def _vacate(at: Leg, mover: str, move: Move) -> ExpectedMove:
    return ExpectedMove(_vacating(at, mover))


def _vacating(at: Leg, mover: str) -> list[Instruction]:
    """The leg before is needed where that may be claimed, and does no harm elsewhere."""
    accounts = {**_leg_of(at), "signer": mover, "courier": at.worker, "vault": at.vault}
    arguments = {"formation": at.formation}
    forms: list[Instruction] = []
    for before in dict.fromkeys([None, at.before]):
        shown = {**accounts, "previous_leg": before}
        forms += _counting(
            at.reputation,
            lambda counted, shown=shown: instruction(at.program, "vacate", shown, arguments, counted=counted),  # type: ignore[misc]
        )
    return forms


def _claim(at: Leg, mover: str, move: Move) -> ExpectedMove:
    _require_worker(at, mover)
    accounts = {**_leg_of(at), "courier": mover}
    arguments = {"formation": at.formation, "evidence_hash": _hash_bytes(move)}
    return ExpectedMove(
        _counting(at.reputation, lambda counted: instruction(at.program, "claim", accounts, arguments, counted=counted))
    )


def _dispute(at: Leg, mover: str, move: Move) -> ExpectedMove:
    _require_claimed(at, move)
    arguments = {"formation": at.formation, "reason_hash": _hash_bytes(move)}
    return ExpectedMove([instruction(at.program, "dispute", {**_leg_of(at), "disputer": mover}, arguments)])


def _rule(at: Leg, mover: str, move: Move) -> ExpectedMove:
    if at.terms is None or at.terms["arbiter"] != mover:
        raise TransactionRefusedError(f"disputes about the leg at {at.address} are not ruled by {mover}")
    return ExpectedMove([_ruling(at, mover, mover, _percent(move))], reason_hash=move.hash)


def _agree(at: Leg, mover: str, move: Move) -> ExpectedMove:
    """Lister and worker both sign, whichever of them begins."""
    if mover != at.lister:
        _require_worker(at, mover)
    arbiter = "" if at.terms is None else str(at.terms["arbiter"])
    form = _ruling(at, at.lister, arbiter, _percent(move), signers=[at.worker])
    return ExpectedMove([form], [at.worker if mover == at.lister else at.lister])


def _ruling(at: Leg, signer: str, fee: str, percent: int, *, signers: Sequence[str] = ()) -> Instruction:
    by_receiver = at.note == _DISPUTED_BY_RECEIVER and at.terms is not None
    other = str(at.terms["receiver"]) if by_receiver and at.terms is not None else at.lister
    accounts = {**_leg_of(at), "signer": signer, "worker": at.worker, "other": other}
    accounts |= {"config": at.config, "fee": fee, "vault": at.vault}
    return instruction(at.program, "rule", accounts, {"formation": at.formation, "percent": percent}, signers=signers)


def _crank(at: Leg, mover: str, move: Move) -> ExpectedMove:
    """Carries out what silence has decided of the leg."""
    if at.status in _UNFINISHED:
        return ExpectedMove(_vacating(at, mover))
    if at.status == "disputed":
        return ExpectedMove([_ruling(at, mover, INCINERATOR, _PERCENT_BY_SILENCE)])
    if at.status == "claimed" and _takes_over(at, mover):
        raise TransactionRefusedError(
            "the next courier takes the parcel over by confirming: somebody else has to end this review"
        )
    if at.status in ("claimed", "ruled"):
        return ExpectedMove([_confirming(at, mover)])
    raise TransactionRefusedError("silence has decided nothing about this leg")


_MOVES: Mapping[str, Callable[[Leg, str, Move], ExpectedMove]] = {
    "accept": _accept,
    "take": _accept,
    "vacate": _vacate,
    "claim": _claim,
    "dispute": _dispute,
    "rule": _rule,
    "agree": _agree,
    "crank": _crank,
}


def _takes_over(at: Leg, mover: str) -> bool:
    """Whether a confirmation by this key says that it has the parcel now. Rule T-32."""
    is_held = at.status in ("carried", "claimed")
    is_next = at.next is not None and at.next.worker == mover and at.next.status == "accepted"
    return is_held and is_next and at.now < at.deadline


def _taking_over(at: Leg, mover: str) -> Sequence[Instruction]:
    """Who takes over names the larger of both legs' numbers, and is counted from then on."""
    if at.next is None:
        return [_confirming(at, mover)]
    formation = max(at.formation, at.next.formation)
    return _counting(at.next.reputation, lambda counted: _confirming(at, mover, formation, counted))


def _confirming(at: Leg, mover: str, formation: int | None = None, counted: Sequence[str] = ()) -> Instruction:
    if at.swarm is None:
        accounts = {"signer": mover, "config": at.config, "task": at.listing, "task_leg": at.address}
        accounts |= {"vault": at.vault, "agent": at.worker, "reputation": at.reputation}
        result = {"index": at.index, "result_hash": at.result_hash or bytes(32)}
        return instruction(at.program, "confirm_task_leg", accounts, result, signers=[mover])
    parcel: dict[str, str | None] = {"recipient": mover, "package": at.listing, "swarm": at.swarm, "leg": at.address}
    parcel |= {"vault": at.vault, "courier": at.worker, "reputation": at.reputation, "next_leg": at.after}
    number = {"formation": at.formation if formation is None else formation}
    return instruction(at.program, "confirm_leg", parcel, number, signers=[mover], counted=counted)


def _leg_of(at: Leg) -> dict[str, str | None]:
    return {"listing": at.listing, "swarm": at.swarm, "leg": at.address}


def _counting(reputation: str, form: Callable[[Sequence[str]], Instruction]) -> list[Instruction]:
    """Where a leg begins to count, its worker's reputation comes last; that of a leg which counted before may be left out."""
    return [form([]), form([reputation])]


def _require_worker(at: Leg, mover: str) -> None:
    if at.worker != mover:
        raise TransactionRefusedError(f"the leg at {at.address} is that of {at.worker}, not of {mover}")


def _require_claimed(at: Leg, move: Move) -> None:
    if move.claimed_hash is None or at.result_hash is None or at.result_hash.hex() == move.claimed_hash:
        return
    raise TransactionRefusedError(f"the leg at {at.address} claims {at.result_hash.hex()}, not {move.claimed_hash}")


def _hash_bytes(move: Move) -> bytes:
    if move.hash is None or len(move.hash) != 64:
        raise TransactionRefusedError(f"a {move.action} names the sha256 of its evidence")
    return bytes.fromhex(move.hash)


def _percent(move: Move) -> int:
    if move.percent is None or not 0 <= move.percent <= 100:
        raise TransactionRefusedError(f"to {move.action} takes a percentage, 0 to 100")
    return move.percent


def _is_same(form: Instruction, found: Instruction) -> bool:
    """Roles are left out: a transaction has one for each account, and not one for each instruction."""
    places = [[meta.pubkey for meta in one.accounts] for one in (form, found)]
    return form.program_id == found.program_id and places[0] == places[1] and bytes(form.data) == bytes(found.data)


def _difference(program: str, read: ReadTransaction, forms: Sequence[Instruction]) -> str:
    """What it says and what it should say, as the end of a sentence."""
    if not forms:
        return ": the ledger takes none of this leg as it stands now"
    meant = decode_instruction(program, forms[0])
    if meant is None or meant.name != read.decoded.name:
        return "" if meant is None else f": it should be {meant.name}"
    for what, found in {**read.decoded.accounts, **read.decoded.arguments}.items():
        wanted = {**meant.accounts, **meant.arguments}.get(what)
        if found != wanted:
            shown = [one.hex() if isinstance(one, bytes) else one for one in (found, wanted)]
            return f": its {what} is {shown[0]} and should be {shown[1]}"
    return ""
