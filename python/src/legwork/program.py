"""The on-chain program: its instructions, accounts and addresses, read and written by the tables that its IDL gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from ._generated.program import ACCOUNTS, ENUMS, INSTRUCTIONS, KINDS, SEEDS, STRUCTS

SYSTEM_PROGRAM = "11111111111111111111111111111111"
ED25519_PROGRAM = "Ed25519SigVerify111111111111111111111111111"
TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

_SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i64": 8, "bool": 1, "pubkey": 32}


@dataclass(frozen=True)
class Decoded:
    """An instruction of the program with its accounts by name and its arguments."""

    name: str
    #: Addresses by name; an optional one that is left out is not there.
    accounts: Mapping[str, str]
    arguments: Mapping[str, Any]
    #: Addresses behind the named ones.
    trailing: Sequence[str]


def instruction(
    program: str,
    name: str,
    accounts: Mapping[str, str | None],
    arguments: Mapping[str, Any],
    *,
    signers: Sequence[str] = (),
    counted: Sequence[str] = (),
) -> Instruction:
    """Makes an instruction.

    :param accounts: addresses by name; None: an optional one is left out
    :param signers: keys that sign where the instruction lets either way be
    :param counted: addresses behind the named ones, to be written to
    :raises KeyError: for an account or an argument that is missing
    """
    known = INSTRUCTIONS[name]
    metas = []
    for account in known.accounts:
        given = account.address or (accounts.get(account.name) if account.optional else accounts[account.name])
        place = program if given is None else given
        writable = account.writable and given is not None
        metas.append(AccountMeta(Pubkey.from_string(place), account.signer or place in signers, writable))
    metas += [AccountMeta(Pubkey.from_string(one), False, True) for one in counted]
    data = bytes([known.discriminator]) + b"".join(
        _write(kind, arguments[one]) for one, kind in known.arguments.items()
    )
    return Instruction(Pubkey.from_string(program), data, metas)


def decode_instruction(program: str, made: Instruction) -> Decoded | None:
    """Reads an instruction; None: it is of another program, or the program would refuse its form. Rules P-1, P-2."""
    data = bytes(made.data)
    if str(made.program_id) != program or not data:
        return None
    name = next((one for one, known in INSTRUCTIONS.items() if known.discriminator == data[0]), None)
    if name is None:
        return None
    known = INSTRUCTIONS[name]
    addresses = [str(meta.pubkey) for meta in made.accounts]
    if len(addresses) < len(known.accounts):
        return None
    try:
        arguments, end = _read_fields(known.arguments, data, 1)
    except ValueError:
        return None
    if end != len(data):
        return None
    named = {
        account.name: place
        for account, place in zip(known.accounts, addresses, strict=False)
        if not (account.optional and place == program)
    }
    return Decoded(name, named, arguments, addresses[len(known.accounts) :])


def decode_account(name: str, data: bytes) -> dict[str, Any]:
    """Reads an account of the program.

    :raises ValueError: when the bytes are not such an account
    """
    if not data or data[0] != KINDS[name]:
        raise ValueError(f"this is no account of kind {name}")
    fields, _ = _read_fields(ACCOUNTS[name], data, 0)
    return fields


def account_bytes(name: str, *, with_tail: bool = False) -> int:
    """How long an account of the program is, with the tail that it may have or without."""
    kinds = ACCOUNTS[name].values()
    return sum(_size(kind.removeprefix("?")) for kind in kinds if with_tail or not kind.startswith("?"))


def address(program: str, name: str, *seeds: str | bytes | int) -> str:
    """A derived address, for example ``address(program, "leg", swarm, 0)``.

    :param seeds: in the order of the IDL: addresses in base58, ids in bytes, numbers
    """
    given = iter(seeds)
    parts = [one[1:-1].encode() if one.startswith('"') else _write(one, next(given)) for one in SEEDS[name]]
    return str(Pubkey.find_program_address(parts, Pubkey.from_string(program))[0])


def id_bytes(uuid: str) -> bytes:
    """The 16 bytes by which the ledger knows a package or a task."""
    return UUID(uuid).bytes


def _size(kind: str) -> int:
    if "*" in kind:
        count, _, item = kind.partition("*")
        return int(count) * _size(item)
    if kind in STRUCTS:
        return sum(_size(one) for one in STRUCTS[kind].values())
    return int(kind[6:]) if kind.startswith("bytes:") else 1 if kind in ENUMS else _SIZES[kind]


def _write(kind: str, value: Any) -> bytes:
    if kind.startswith("?"):
        return b"" if value is None else _write(kind[1:], value)
    if kind == "pubkey":
        return bytes(Pubkey.from_string(value))
    if kind.startswith("bytes:"):
        if len(value) != int(kind[6:]):
            raise ValueError(f"{len(value)} bytes stand where {kind[6:]} have to be")
        return bytes(value)
    if kind in STRUCTS:
        return b"".join(_write(one, value[field]) for field, one in STRUCTS[kind].items())
    if kind in ENUMS:
        return bytes([ENUMS[kind].index(value)])
    return int(value).to_bytes(_SIZES[kind], "little", signed=kind.startswith("i"))


def _read(kind: str, data: bytes, at: int) -> tuple[Any, int]:
    if kind.startswith("?"):
        return (None, at) if at == len(data) else _read(kind[1:], data, at)
    if "*" in kind:
        count, _, item = kind.partition("*")
        items = []
        for _ in range(int(count)):
            value, at = _read(item, data, at)
            items.append(value)
        return items, at
    if kind in STRUCTS:
        return _read_fields(STRUCTS[kind], data, at)
    size = _size(kind)
    raw = data[at : at + size]
    if len(raw) < size:
        raise ValueError("it ends too early")
    return _value(kind, raw), at + size


def _value(kind: str, raw: bytes) -> Any:
    if kind == "pubkey":
        return str(Pubkey(raw))
    if kind.startswith("bytes:"):
        return raw
    number = int.from_bytes(raw, "little", signed=kind.startswith("i"))
    if kind in ENUMS:
        if number >= len(ENUMS[kind]):
            raise ValueError(f"{number} is no {kind}")
        return ENUMS[kind][number]
    if kind == "bool":
        if number > 1:
            raise ValueError(f"{number} is neither yes nor no")
        return number == 1
    return number


def _read_fields(fields: Mapping[str, str], data: bytes, at: int) -> tuple[dict[str, Any], int]:
    values: dict[str, Any] = {}
    for name, kind in fields.items():
        values[name], at = _read(kind, data, at)
    return values, at
