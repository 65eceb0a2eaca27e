"""Tokens that listings pay in. Every account of one is derived here, from its mint and its owner: no word of a service about one counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from .errors import TransactionRefusedError
from .ledger import Ledger
from .program import SYSTEM_PROGRAM, TOKEN_PROGRAM, Decoded, address, decode_account, decode_instruction

ASSOCIATED_TOKEN_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
#: The rent of a token account, lamports.
TOKEN_ACCOUNT_RENT = 2_039_280

#: Creates an account unless there is one.
_CREATE_IDEMPOTENT = b"\x01"
#: Where the amount stands in a token account, 8 bytes.
AMOUNT_AT = 64
_ACCOUNT_BYTES, _OWNER_AT, _STATE_AT, _INITIALIZED = 165, 32, 108, 1

#: Who pays a budget or a stake, and who is paid, by the names of their accounts, in the order of their token accounts. What is not here
#: moves nothing. Rule P-109.
_MOVING: Mapping[str, tuple[str | None, Sequence[str]]] = {
    "list_package": ("funder", ()),
    "list_task": ("funder", ()),
    "accept": ("courier", ()),
    "dispute": ("disputer", ()),
    "confirm_leg": (None, ("courier",)),
    "confirm_task_leg": (None, ("agent",)),
    "vacate": (None, ("courier",)),
    "rule": (None, ("worker", "other", "fee")),
    "cancel_package": (None, ("funder",)),
    "cancel_task": (None, ("funder",)),
    "reclaim_package": (None, ("funder",)),
    "reclaim_task": (None, ("funder",)),
}
#: These name legs and wallets that wait for a stake behind their own accounts, and those of tokens only then: of who waits first.
_LIST_FIRST = frozenset({"reclaim_package", "reclaim_task"})


@dataclass(frozen=True)
class Token:
    """A token as the ledger knows it."""

    #: Of its asset, 1 to 255.
    number: int
    mint: str
    #: Of whole units.
    decimals: int
    #: Of its asset.
    account: str


async def token_on_ledger(ledger: Ledger, program: str, number: int) -> Token | None:
    """The token of an asset; None: it is SOL.

    :raises TransactionRefusedError: when the ledger has no such asset
    """
    if number == 0:
        return None
    place = address(program, "asset", number)
    [found] = await ledger.accounts([place])
    if found is None:
        raise TransactionRefusedError(f"the ledger has no asset {number}")
    asset = decode_account("asset", found)
    return Token(number, asset["mint"], asset["decimals"], place)


def associated_token(owner: str, mint: str) -> str:
    """The one token account of an owner that the program pays to, and of a vault that it pays from."""
    seeds = [bytes(Pubkey.from_string(one)) for one in (owner, TOKEN_PROGRAM, mint)]
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(ASSOCIATED_TOKEN_PROGRAM))[0])


@dataclass(frozen=True)
class _Place:
    """A place for an account of tokens behind those that an instruction names."""

    of: str
    #: Any of them may stand there; the first one usually does.
    may_be: Sequence[str]


def _places(
    program: str, decoded: Decoded, token: Token, waiting: Sequence[str] = (), returns: int = 0
) -> list[_Place]:
    """The vault's account first. Behind that of who is paid stands its locker's, where it may not be able to receive. Rule P-111.

    :param waiting: wallets among which those are that get stakes back
    :param returns: how many these are
    """
    payer, payees = _MOVING[decoded.name]
    named = decoded.accounts
    vault = associated_token(_vault(program, named), token.mint)
    places = [_Place("vault", [vault])]
    if payer is not None:
        places.append(_Place(payer, [associated_token(named[payer], token.mint)]))
    for payee, wallets in [*[("worker", waiting)] * returns, *((one, [named[one]]) for one in payees)]:
        lockers = [associated_token(address(program, "locker", one), token.mint) for one in wallets]
        places.append(_Place(payee, [associated_token(one, token.mint) for one in wallets]))
        # Any account stands for the locker's that is not needed: that of the vault.
        places.append(_Place(f"{payee}'s locker", [vault, *lockers]))
    return places


def _vault(program: str, named: Mapping[str, str]) -> str:
    listing = next(named[one] for one in ("listing", "package", "task") if one in named)
    return address(program, "vault", listing)


def without_tokens(program: str, made: Instruction, token: Token | None) -> tuple[Instruction, Sequence[str]]:
    """An instruction as if it were about SOL, once each of its accounts of tokens is the one that follows from this token.

    :returns: the instruction, and the token accounts that it moves something between
    :raises TransactionRefusedError: when it pays in another asset, or names an account that is another one's
    """
    decoded = decode_instruction(program, made)
    if decoded is None or decoded.name not in _MOVING:
        return made, ()
    trailing = list(decoded.trailing)
    is_listed_first = decoded.name in _LIST_FIRST and TOKEN_PROGRAM in trailing
    at = trailing.index(TOKEN_PROGRAM) if is_listed_first else 0
    pays_in_token = trailing[at : at + 1] == [TOKEN_PROGRAM]
    if pays_in_token != (token is not None):
        found, meant = ("a token", "SOL") if pays_in_token else ("SOL", "a token")
        raise TransactionRefusedError(f"{decoded.name} pays in {found}, and not in {meant}")
    if token is None:
        return made, ()
    # Asset and vault, and two of the funder; the others are of who waits.
    returns = (len(trailing) - at - 5) // 2 if is_listed_first else 0
    places = [_Place("asset", [token.account]), *_places(program, decoded, token, trailing[:at], returns)]
    found_there = trailing[at + 1 : at + 1 + len(places)]
    if len(found_there) < len(places):
        raise TransactionRefusedError(f"{decoded.name} lacks accounts of the token that it pays in")
    for place, account in zip(places, found_there, strict=True):
        if account not in place.may_be:
            raise TransactionRefusedError(
                f"the token account of the {place.of} in {decoded.name} is {account}, and should be {' or '.join(place.may_be)}"
            )
    own = len(made.accounts) - len(trailing) + at
    metas = [*made.accounts[:own], *made.accounts[own + 1 + len(places) :]]
    return Instruction(made.program_id, bytes(made.data), metas), found_there[1:]


def opened_by(made: Instruction, payer: str) -> str | None:
    """The token account that an instruction opens at this payer's expense, unless it is there; None: it does something else."""
    accounts = [str(one.pubkey) for one in made.accounts]
    is_opening = str(made.program_id) == ASSOCIATED_TOKEN_PROGRAM and bytes(made.data) == _CREATE_IDEMPOTENT
    return accounts[1] if is_opening and len(accounts) > 1 and accounts[0] == payer else None


def opening(payer: str, owner: str, mint: str) -> Instruction:
    """Opens the token account of an owner, unless it is there; the payer pays its rent."""
    rest = (associated_token(owner, mint), owner, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM)
    metas = [AccountMeta(Pubkey.from_string(one), False, place == 0) for place, one in enumerate(rest)]
    metas = [AccountMeta(Pubkey.from_string(payer), True, True), *metas]
    return Instruction(Pubkey.from_string(ASSOCIATED_TOKEN_PROGRAM), _CREATE_IDEMPOTENT, metas)


async def in_token(
    ledger: Ledger, program: str, payer: str, token: Token | None, form: Instruction
) -> list[Instruction]:
    """An instruction as a listing in this token takes it, behind the opening of the token accounts that are missing, whose rent the payer
    pays. Whoever could not receive is paid to its locker. Rule P-111.

    :param token: None: SOL, which takes nothing more
    """
    decoded = decode_instruction(program, form)
    if token is None or decoded is None or decoded.name not in _MOVING:
        return [form]
    places = _places(program, decoded, token)
    paying, payees = _MOVING[decoded.name]
    named = decoded.accounts
    owners = [] if paying is None else [_vault(program, named)]
    wallets = list(dict.fromkeys(named[one] for one in payees))
    states = await _states(ledger, [*owners, *wallets], token.mint)
    lockers = {one: address(program, "locker", one) for one in wallets if states[one] == "locked"}
    states |= await _states(ledger, list(lockers.values()), token.mint)
    accounts = [place.may_be[0] for place in places]
    for at, payee in enumerate(payees):
        if named[payee] in lockers:
            accounts[2 + 2 * at] = places[2 + 2 * at].may_be[1]
    metas = [AccountMeta(Pubkey.from_string(one), False, False) for one in (TOKEN_PROGRAM, token.account)]
    metas += [AccountMeta(Pubkey.from_string(one), False, True) for one in accounts]
    own = len(form.accounts) - len(decoded.trailing)
    whole = [*form.accounts[:own], *metas, *form.accounts[own:]]
    openings = [opening(payer, owner, token.mint) for owner, state in states.items() if state == "missing"]
    return [*openings, Instruction(form.program_id, bytes(form.data), whole)]


async def _states(ledger: Ledger, owners: Sequence[str], mint: str) -> dict[str, str]:
    """Whether the token accounts of owners are ``missing``, ``ready`` or ``locked``: only a ready one can receive."""
    if not owners:
        return {}
    found = await ledger.accounts([associated_token(one, mint) for one in owners])
    return {owner: _state(owner, data) for owner, data in zip(owners, found, strict=True)}


def _state(owner: str, data: bytes | None) -> str:
    if data is None or len(data) < _ACCOUNT_BYTES:
        return "missing"
    is_own = data[_OWNER_AT : _OWNER_AT + 32] == bytes(Pubkey.from_string(owner))
    return "ready" if is_own and data[_STATE_AT] == _INITIALIZED else "locked"
