"""Listings in a token as tests make them, and lies about the accounts of tokens."""

import asyncio
from collections.abc import Callable
from typing import Any

from lying import Change, staged
from solders.instruction import AccountMeta, Instruction
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey

import legwork
from legwork.assets import paid_in
from legwork.program import address
from legwork.tokens import Token, associated_token, opening

TASK: dict[str, Any] = {
    "title": "Count",
    "description": "one two",
    "instructions": ["Count."],
    "max_budget": 2_000_000,
    "asset": "usdc",
}


async def usdc_of(client: legwork.LegworkClient) -> Token:
    token = (await paid_in(client, "usdc")).token
    assert token is not None
    return token


async def held(client: legwork.LegworkClient, owner: str) -> int:
    """Of the token, base units; 0: it has no account."""
    [found] = await (await client.ledger()).accounts([associated_token(owner, (await usdc_of(client)).mint)])
    return 0 if found is None else int.from_bytes(found[64:72], "little")


def last(change: Callable[[Instruction], Instruction]) -> Change:
    """Changes the instruction of the program, which stands behind the opening of token accounts."""

    def changed(message: Message | MessageV0, made: list[Instruction]) -> tuple[Pubkey, list[Instruction]]:
        return message.account_keys[0], [*made[:-1], change(made[-1])]

    return changed


def names(place: int, key: str) -> Change:
    """Another account at this place, counted from the end."""

    def change(one: Instruction) -> Instruction:
        metas = list(one.accounts)
        metas[place] = AccountMeta(Pubkey.from_string(key), False, True)
        return Instruction(one.program_id, bytes(one.data), metas)

    return last(change)


def without_last(count: int) -> Change:
    return last(lambda one: Instruction(one.program_id, bytes(one.data), one.accounts[:-count]))


def opens_too(owner: str, mint: str) -> Change:
    def changed(message: Message | MessageV0, made: list[Instruction]) -> tuple[Pubkey, list[Instruction]]:
        payer = message.account_keys[0]
        return payer, [opening(str(payer), owner, mint), *made]

    return changed


def at_byte_of(place: int) -> Callable[[Instruction], Instruction]:
    def change(one: Instruction) -> Instruction:
        data = bytearray(one.data)
        data[place] ^= 1
        return Instruction(one.program_id, bytes(data), list(one.accounts))

    return change


async def assigned(
    poster: legwork.LegworkClient, agent: legwork.LegworkClient
) -> tuple[legwork.models.DigitalTaskDetail, str]:
    task = await legwork.list_task(poster, **TASK)
    leg_id = task["legs"][0]["id"]
    await legwork.ensure_reputation(agent)
    await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=task["paymentPerLeg"])
    await staged(agent, task["id"], "pending")
    return task, leg_id


async def locker_of(client: legwork.LegworkClient, wallet: str) -> str:
    locker = address((await client.config())["programId"], "locker", wallet)
    return associated_token(locker, (await usdc_of(client)).mint)


async def carried_by(client: legwork.LegworkClient, package_id: str, stage: str, *, index: int = 0) -> str:
    """Waits until a leg is at this stage."""
    for _ in range(300):
        swarm = (await client.get_package(package_id=package_id))["swarm"]
        if swarm is not None and swarm["legs"] and swarm["legs"][index]["stage"] == stage:
            return swarm["legs"][index]["id"]
        await asyncio.sleep(0.1)
    raise AssertionError(f"the leg did not become {stage}")
