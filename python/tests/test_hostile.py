"""A service that lies: it answers with a transaction that does something else than was asked for. Nothing is signed. (A-105, A-106, P-1)"""

import asyncio
import base64
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import pytest
from lying import STRANGER, THIEF, about_program, at_account, at_byte, refuses, staged, watched
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import MessageV0
from solders.signature import Signature
from solders.transaction import VersionedTransaction

import legwork
from legwork.transactions import decode_wire, instructions_of, message_of

pytestmark = pytest.mark.anyio

BOX: dict[str, Any] = {
    "origin_lat": 52.5212,
    "origin_lng": 13.3969,
    "dest_lat": 52.3622,
    "dest_lng": 13.5007,
    "description": "books",
    "weight_kg": 4,
    "volume_litres": 20,
    "max_budget": 100_000_000,
}


@pytest.mark.parametrize("terms", ["plain", "standard"])
async def test_lists_nothing_else_than_was_meant(url: str, terms: Literal["plain", "standard"]) -> None:
    """(M-30, T-1)"""
    async with watched(url) as (client, wallet, service):
        lies = {
            "its budget is another one": at_byte(1 + 16),
            "its deadline is another one": at_byte(1 + 16 + 8),
            "it is for another description": at_byte(1 + 16 + 8 + 8),
            "somebody else is its shipper": at_account(1, THIEF),
            "it pays in a token": about_program(
                lambda one: Instruction(
                    one.program_id,
                    bytes(one.data),
                    [*one.accounts, *(AccountMeta(THIEF, False, True) for _ in range(4))],
                )
            ),
        }
        if terms == "standard":
            lies |= {"its stake is another one": at_byte(65 + 64), "its arbiter is another one": at_byte(65 + 32)}
        attempt = partial(legwork.list_package, client, **BOX, terms=terms)
        await refuses(wallet, service, "transaction", "/packages/build-tx", lies, attempt)
        assert (await attempt())["status"] == "listed"
        assert len(wallet.signed) == 1


async def test_answers_that_are_no_transactions_are_refused(url: str) -> None:
    """What follows the end of a transaction, or hides accounts, would be signed unread."""
    async with watched(url) as (client, wallet, service):
        forms: Sequence[Callable[[str], str]] = [
            lambda wire: wire[:40],
            lambda wire: "no base64!",
            lambda wire: base64.b64encode(base64.b64decode(wire) + b"\0").decode(),
            _with_lookup_table,
        ]
        for form in forms:

            def lie(path: str, answer: Any, form: Callable[[str], str] = form) -> Any:
                is_built = path.endswith("/packages/build-tx")
                return {**answer, "transaction": form(answer["transaction"])} if is_built else answer

            service.lie = lie
            with pytest.raises(legwork.TransactionRefusedError):
                await legwork.list_package(client, **BOX, terms="plain")
        assert wallet.signed == []


def _with_lookup_table(wire: str) -> str:
    from solders.address_lookup_table_account import AddressLookupTableAccount

    message = message_of(decode_wire(wire))
    [*_, last] = instructions_of(message)
    table = AddressLookupTableAccount(THIEF, [last.accounts[2].pubkey])
    blockhash = Hash.from_string(str(message.recent_blockhash))
    made = MessageV0.try_compile(message.account_keys[0], instructions_of(message), [table], blockhash)
    places = [Signature.default()] * made.header.num_required_signatures
    return base64.b64encode(bytes(VersionedTransaction.populate(made, places))).decode()


async def test_moves_of_a_task_are_what_was_meant(url: str, client: legwork.LegworkClient) -> None:
    """Accept, claim, confirm: another leg, worker, result or payee is refused, and then the honest move is made. (A-105, A-106, A-107)"""
    draft: dict[str, Any] = {
        "title": "Count",
        "description": "one two",
        "instructions": ["Count."],
        "max_budget": 50_000_000,
    }
    async with watched(url) as (poster, purse, office), watched(url) as (agent, wallet, service):
        task = await legwork.list_task(poster, **draft, terms="standard")
        leg_id = task["legs"][0]["id"]
        await legwork.ensure_reputation(agent)
        await agent.bid_digital_leg(
            task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=task["paymentPerLeg"]
        )
        await staged(agent, task["id"], "pending")
        said = await legwork.listed(agent, task_id=task["id"])

        lies = {
            "it is of another leg": at_account(3, THIEF),
            "it is of another number": at_byte(1),
            "it takes": at_byte(3),
        }
        accept = partial(legwork.make_move, agent, said, leg_id, legwork.Move("accept"))
        await refuses(wallet, service, "transaction", "/turns/build-tx", lies, accept)
        service.lie = _with_another_stake
        with pytest.raises(legwork.TransactionRefusedError, match="stake"):
            await legwork.make_move(
                agent, await legwork.listed(agent, task_id=task["id"]), leg_id, legwork.Move("accept")
            )
        assert wallet.signed == []
        service.lie = lambda _, answer: answer
        assert (await accept()).stage == "accepted"

        lies = {"it claims another result": at_byte(3), "it is of another leg": at_account(3, THIEF)}
        claim = partial(legwork.hand_in, agent, task["id"], leg_id, "2 words")
        await refuses(wallet, service, "claimTransaction", "/complete", lies, claim)
        service.lie = lambda path, answer: (
            {**answer, "claimTransaction": None} if path.endswith("/complete") else answer
        )
        with pytest.raises(legwork.TransactionRefusedError, match="not claimed"):
            await claim()
        service.lie = lambda _, answer: answer
        _, made = await claim()
        assert made is not None and made.stage == "claimed"

        await staged(poster, task["id"], "claimed")
        lies = {
            "it pays somebody else": at_account(5, THIEF),
            "it pays out of another vault": at_account(4, THIEF),
            "it is for another result": at_byte(2),
        }
        meant = legwork.Move("confirm", claimed_hash=legwork.result_hash("2 words"))
        confirm = partial(legwork.make_move, poster, said, leg_id, meant)
        await refuses(purse, office, "transaction", "/turns/build-tx", lies, confirm)
        assert (await confirm()).stage == "completed"
        # What nobody signed moved nothing.
        assert await (await client.ledger()).balance(str(THIEF)) == 0


def _with_another_stake(path: str, answer: Any) -> Any:
    if not path.startswith("/digital-tasks/") or not isinstance(answer.get("terms"), dict):
        return answer
    return {**answer, "terms": {**answer["terms"], "stake": "1781760"}}


async def test_a_parcel_is_received_of_who_brought_it(url: str) -> None:
    """A confirmation that pays somebody else is refused, and so is the leg of another package. (A-8)"""
    async with watched(url) as (shipper, purse, office), watched(url) as (courier, _, _):
        parcel = await legwork.list_package(shipper, **BOX, terms="plain")
        places = ((BOX["origin_lat"], BOX["origin_lng"]), (BOX["dest_lat"], BOX["dest_lng"]))
        offer = legwork.Offer.by_road(*places, 1_000_000)
        await courier.submit_bid(package_id=parcel["id"], agent_pubkey=courier.pubkey, **offer.bid())
        for _ in range(300):
            swarm = (await shipper.get_package(package_id=parcel["id"]))["swarm"]
            if swarm is not None and swarm["status"] == "active":
                break
            await asyncio.sleep(0.1)
        lies = {
            "it pays somebody else": at_account(5, THIEF),
            "it is of another leg": at_account(3, THIEF),
            "it is of another formation": at_byte(1),
        }
        attempt = partial(legwork.receive, shipper, parcel["id"])
        await refuses(purse, office, "transaction", "/build-confirm-tx", lies, attempt)
        office.lie = lambda path, answer: {**answer, "id": STRANGER} if path.startswith("/packages/") else answer
        with pytest.raises(legwork.TransactionRefusedError, match="instead of"):
            await attempt()
        assert purse.signed == []
        office.lie = lambda _, answer: answer
        received = await attempt()
        assert received.leg_index == 0
        # Again: what landed is found, and nothing is paid twice.
        assert (await attempt()).signature == received.signature
        assert len(purse.signed) == 1


async def test_a_reputation_is_opened_for_oneself(url: str) -> None:
    async with watched(url) as (agent, wallet, service):
        lies = {"it is somebody else's": at_account(1, THIEF)}
        await refuses(wallet, service, "transaction", "/build-open-tx", lies, partial(legwork.ensure_reputation, agent))
        assert await legwork.ensure_reputation(agent) is not None
        assert await legwork.ensure_reputation(agent) is None


async def test_a_listing_is_what_its_poster_signed(url: str) -> None:
    """A service that shows another description, budget, poster or payment is found out, by the hash and the ledger. (M-50)"""
    draft: dict[str, Any] = {
        "title": "Count",
        "description": "one two",
        "instructions": ["Count."],
        "max_budget": 50_000_000,
    }
    async with watched(url) as (poster, _, office), watched(url) as (agent, _, _):
        task = await legwork.list_task(poster, **draft, terms="plain")
        assert (await legwork.verify_listing(poster, task_id=task["id"])).is_on_ledger
        leg_id = task["legs"][0]["id"]
        await agent.bid_digital_leg(
            task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=task["paymentPerLeg"]
        )
        await legwork.hand_in(agent, task["id"], leg_id, "2 words")
        found = await legwork.verify_listing(poster, task_id=task["id"])
        assert [(one.worker, one.amount) for one in found.paid] == [(agent.pubkey, 50_000_000)]
        lies: dict[str, Any] = {
            "description": "one two three",
            "title": "Sing",
            "salt": "0" * 32,
            "shipperPubkey": STRANGER,
        }
        for name, value in lies.items():
            office.lie = lambda path, answer, name=name, value=value: (  # type: ignore[misc]
                {**answer, name: value} if path.startswith("/digital-tasks/") else answer
            )
            with pytest.raises(legwork.ListingError):
                await legwork.verify_listing(poster, task_id=task["id"])
        for name, value in {
            "agentPubkey": STRANGER,
            "payment": "40000000",
            "confirmSignature": task["listSignature"],
        }.items():
            office.lie = lambda path, answer, name=name, value=value: (  # type: ignore[misc]
                {**answer, "legs": [{**answer["legs"][0], name: value}]}
                if path.startswith("/digital-tasks/")
                else answer
            )
            with pytest.raises(legwork.ListingError):
                await legwork.verify_listing(poster, task_id=task["id"])


async def test_an_answer_without_what_it_has_to_say_is_refused(url: str) -> None:
    async with watched(url) as (client, _, service):
        lies: list[Any] = [{}, [], "no", {"name": "legwork"}]
        for lie in lies:
            service.lie = lambda _, answer, lie=lie: lie  # type: ignore[misc]
            with pytest.raises(legwork.LegworkProtocolError):
                await client.get_config()


async def test_lies_end_no_loop(url: str) -> None:
    """A worker goes on while its service talks nonsense, and does what is due when it makes sense again."""
    draft: dict[str, Any] = {
        "title": "Count",
        "description": "one two",
        "instructions": ["Count."],
        "max_budget": 50_000_000,
    }
    async with watched(url) as (poster, _, _), watched(url) as (agent, _, service):
        failures: asyncio.Queue[Exception] = asyncio.Queue()

        class Counter(legwork.Worker):
            async def wants(self, task: Any, leg: Any) -> bool:
                return bool(task["shipperPubkey"] == poster.pubkey)

            async def work(self, instruction: str, context: str) -> str:
                return f"{len(context.split())} words"

            def failed(self, error: Exception, turn: Any) -> None:
                failures.put_nowait(error)

        service.lie = lambda path, answer: [{"kind": "task"}] if path == "/turns" else answer
        running = asyncio.create_task(Counter().run(agent, every_sec=0.2))
        task = await legwork.list_task(poster, **draft, terms="standard")
        first = await failures.get()
        service.lie = lambda _, answer: answer
        await staged(poster, task["id"], "claimed")
        running.cancel()
        assert isinstance(first, legwork.LegworkProtocolError)
