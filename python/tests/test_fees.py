"""Wallets without SOL: the service pays their fees, and gains nothing by lying about it. (A-148, M-97, M-99)"""

import json
from collections.abc import Callable
from dataclasses import dataclass

import httpx
import pytest
from in_tokens import TASK, held
from lying import THIEF, Watched, staged, watched
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import Message, to_bytes_versioned
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

import legwork
from legwork.fees import compile_legacy, payable_by
from legwork.transactions import decode_wire, instructions_of, message_of, to_wire

pytestmark = pytest.mark.anyio


async def leave(client: legwork.LegworkClient, wallet: Watched, lamports: int) -> None:
    """Gives away all but this much."""
    ledger = await client.ledger()
    blockhash, height = await ledger.blockhash()
    given = await ledger.balance(client.pubkey) - lamports - 5_000
    made = transfer(TransferParams(from_pubkey=wallet.pubkey(), to_pubkey=Keypair().pubkey(), lamports=given))
    message = Message.new_with_blockhash([made], wallet.pubkey(), Hash.from_string(blockhash))
    signature = wallet.sign_message(to_bytes_versioned(message))
    await ledger.send(VersionedTransaction.populate(message, [signature]), height)
    assert await ledger.balance(client.pubkey) == lamports
    wallet.signed.clear()


async def test_who_has_tokens_and_no_sol_lists_works_and_is_paid(url: str) -> None:
    """The rents of a listing are lent, and stakes are not. (M-99)"""
    async with watched(url) as (poster, purse, _), watched(url) as (agent, wallet, _):
        await legwork.ensure_reputation(agent)
        await leave(poster, purse, 0)
        await leave(agent, wallet, 0)
        task = await legwork.list_task(poster, **TASK)
        leg_id, said = task["legs"][0]["id"], await legwork.listed(agent, task_id=task["id"])
        pay = task["paymentPerLeg"]
        await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=pay)
        await staged(agent, task["id"], "pending")
        before = await held(agent, agent.pubkey)
        accepted = await legwork.make_move(agent, said, leg_id, legwork.Move("accept"))
        assert accepted.stage == "accepted"
        # Again: it is found, although somebody else paid for it.
        again = await legwork.make_move(agent, said, leg_id, legwork.Move("accept"))
        assert again.signature == accepted.signature
        await legwork.hand_in(agent, task["id"], leg_id, "2 words", said=said)
        await staged(poster, task["id"], "claimed")
        meant = legwork.Move("confirm", claimed_hash=legwork.result_hash("2 words"))
        made = await legwork.make_move(poster, said, leg_id, meant)
        assert made.stage == "completed"
        assert await held(agent, agent.pubkey) - before == pay
        ledger = await agent.ledger()
        assert await ledger.balance(agent.pubkey) == 0
        assert len(purse.signed) == 2 and len(wallet.signed) == 2


async def test_who_has_its_stake_and_no_more_works(url: str) -> None:
    """In SOL the stake is the wallet's own, and comes back whole. (M-97)"""
    async with watched(url) as (poster, _, _), watched(url) as (agent, wallet, _):
        await legwork.ensure_reputation(agent)
        task = await legwork.list_task(
            poster, title="Count", description="one two", instructions=["Count."], max_budget=50_000_000
        )
        assert task["terms"] is not None
        stake = task["terms"]["stake"]
        await leave(agent, wallet, stake)
        leg_id, said = task["legs"][0]["id"], await legwork.listed(agent, task_id=task["id"])
        await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=50_000_000)
        await staged(agent, task["id"], "pending")
        await legwork.make_move(agent, said, leg_id, legwork.Move("accept"))
        ledger = await agent.ledger()
        assert await ledger.balance(agent.pubkey) == 0
        await legwork.make_move(agent, said, leg_id, legwork.Move("vacate"))
        assert await ledger.balance(agent.pubkey) == stake


async def test_a_lie_about_who_pays_moves_nothing(url: str) -> None:
    """What comes back is the same message with signatures that are right; that of something else which landed would pass for it."""
    async with watched(url) as (poster, _, _), watched(url) as (agent, wallet, service):
        await legwork.ensure_reputation(agent)
        task = await legwork.list_task(poster, **TASK)
        leg_id, said = task["legs"][0]["id"], await legwork.listed(agent, task_id=task["id"])
        pay = task["paymentPerLeg"]
        await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=pay)
        await staged(agent, task["id"], "pending")
        await leave(agent, wallet, 0)
        honest = service.honest
        landed = Signature.from_string(task["listSignature"] or "")
        lies: dict[str, Callable[[VersionedTransaction], VersionedTransaction]] = {
            "another transaction landed": lambda paid: VersionedTransaction.populate(
                paid.message, [landed, *paid.signatures[1:]]
            ),
            "it signed nothing": lambda paid: VersionedTransaction.populate(
                paid.message, [Signature.default(), *paid.signatures[1:]]
            ),
            "it paid for another one": _with_another_payee,
        }
        for name, change in lies.items():
            service.honest = Unpaid(honest, change)
            with pytest.raises(legwork.LegworkProtocolError, match="another transaction"):
                await legwork.make_move(agent, said, leg_id, legwork.Move("accept"))
            service.honest = honest
            shown = await agent.get_digital_task(task_id=task["id"])
            assert shown["legs"][0]["stage"] == "pending", name
        # Each was signed for the move that was meant, in which the fee payer pays and nothing else.
        for signed in wallet.signed:
            [only] = [one for one in instructions_of(Message.from_bytes(signed)) if len(one.accounts) > 6]
            assert bytes(only.data)[0] == 24


async def test_only_the_fee_payer_changes(client: legwork.LegworkClient) -> None:
    built = await client.build_list_tx(
        shipper_pubkey=client.pubkey,
        origin_lat=52.5212,
        origin_lng=13.3969,
        dest_lat=52.3622,
        dest_lng=13.5007,
        description="books",
        weight_kg=4,
        volume_litres=20,
        max_budget=2_000_000,
        asset="usdc",
    )
    message = message_of(decode_wire(built["transaction"]))
    [opening, listing] = instructions_of(message)
    # In the order of the service, the same message comes out again.
    assert bytes(compile_legacy(client.pubkey, message.recent_blockhash, [opening, listing])) == bytes(message)
    paid = payable_by(message, str(THIEF), lends=7)
    [opened, lent, listed] = instructions_of(paid)
    assert str(paid.account_keys[0]) == str(THIEF) and opened.accounts[0].pubkey == THIEF
    assert [one.pubkey for one in lent.accounts] == [THIEF, message.account_keys[0]]
    assert int.from_bytes(bytes(lent.data)[4:], "little") == 7
    assert [one.pubkey for one in listed.accounts] == [one.pubkey for one in listing.accounts]
    assert bytes(listed.data) == bytes(listing.data)


def _with_another_payee(paid: VersionedTransaction) -> VersionedTransaction:
    message = message_of(paid)
    other = compile_legacy(str(THIEF), message.recent_blockhash, instructions_of(message)[-1:])
    return VersionedTransaction.populate(other, [Signature.default()] * other.header.num_required_signatures)


@dataclass
class Unpaid(httpx.AsyncBaseTransport):
    """A service that says that it paid, and did not."""

    honest: httpx.AsyncBaseTransport
    change: Callable[[VersionedTransaction], VersionedTransaction]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/transactions/relay"):
            return await self.honest.handle_async_request(request)
        said = self.change(decode_wire(json.loads(await request.aread())["transaction"]))
        return httpx.Response(200, json={"signature": str(said.signatures[0]), "transaction": to_wire(said)})
