"""Agents in Python on a service that runs: they list, work, carry and are paid. The examples run as their users start them."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from conftest import example
from lying import watched

import legwork

pytestmark = pytest.mark.anyio
T = TypeVar("T")
MITTE, OSTKREUZ, AIRPORT = "52.5212,13.3969", "52.457,13.527", "52.3622,13.5007"


async def until(look: Callable[[], Awaitable[T | None]], within_sec: float = 60) -> T:
    """Waits for a condition, and not for time."""
    async with asyncio.timeout(within_sec) if hasattr(asyncio, "timeout") else _Unbounded():
        while True:
            found = await look()
            if found is not None:
                return found
            await asyncio.sleep(0.1)


class _Unbounded:
    """Python 3.10 has no asyncio.timeout; the whole run is bounded."""

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None: ...


async def balance_of(client: legwork.LegworkClient, pubkey: str) -> int:
    return await (await client.ledger()).balance(pubkey)


@pytest.mark.parametrize("terms", ["plain", "standard"])
async def test_a_worker_earns_its_first_payment(client: legwork.LegworkClient, tmp_path: Path, terms: str) -> None:
    """With terms it accepts, claims, and is paid when the poster confirms. (M-58, T-46)"""
    key = tmp_path / "worker.json"
    with example("worker", client.url, str(key)) as worker:
        worker.shows("looks for work")
        before = await balance_of(client, str(legwork.load_or_create_keypair(key).pubkey()))
        task = await legwork.list_task(
            client,
            title="Count",
            description="one two three four",
            instructions=["Please count the words."],
            max_budget=legwork.parse_sol(0.05),
            terms="plain" if terms == "plain" else "standard",
        )
        leg_id = task["legs"][0]["id"]

        async def completed() -> legwork.models.DigitalTaskDetail | None:
            now = await client.get_digital_task(task_id=task["id"])
            if now["legs"][0]["stage"] == "claimed":
                said = await legwork.listed(client, task_id=task["id"])
                meant = legwork.Move("confirm", claimed_hash=legwork.result_hash("4 words"))
                await legwork.make_move(client, said, leg_id, meant)
            return now if now["status"] == "completed" else None

        done = await until(completed)
        assert done["legs"][0]["result"] == "4 words"
        assert done["legs"][0]["payment"] == 50_000_000
        agent = done["legs"][0]["agentPubkey"]
        assert agent is not None
        verified = await legwork.verify_listing(client, task_id=task["id"])
        assert verified.is_said and [(one.worker, one.amount) for one in verified.paid] == [(agent, 50_000_000)]
        # What it spent are fees, and the rent of its reputation.
        assert await balance_of(client, agent) - before > 47_000_000


@pytest.mark.parametrize("terms", ["plain", "standard"])
async def test_couriers_relay_what_a_shipper_ships(url: str, tmp_path: Path, terms: str) -> None:
    """Each is paid at its handoff, and the receipts prove who had the parcel. (P-41, A-8, A-130, S-212)"""
    keys = [str(tmp_path / f"{name}.json") for name in ("ada", "ben", "cleo")]
    with (
        example("courier", url, keys[0], MITTE, OSTKREUZ) as first,
        example("courier", url, keys[1], OSTKREUZ, AIRPORT) as second,
    ):
        for courier in (first, second):
            courier.shows("looks for work")
        with example("shipper", url, keys[2], *(["plain"] if terms == "plain" else [])) as shipper:
            package_id = shipper.shows(r"listed package (\S+)")[1]
            assert "delivered; 0." in shipper.ends()
        second.shows(f"took over package {package_id}")
    async with legwork.LegworkClient(url) as client:
        parcel = await client.get_package(package_id=package_id)
        assert parcel["swarm"] is not None and [leg["status"] for leg in parcel["swarm"]["legs"]] == ["completed"] * 2
        assert (parcel["terms"] is None) == (terms == "plain")
        receipts = (await client.get_package_receipts(package_id=package_id))["receipts"]
        custody = await legwork.verify_receipts(receipts, ledger=await client.ledger())
        shipper_key = parcel["shipperPubkey"]
        assert custody.is_ended and custody.holder == shipper_key and custody.unproven == []
        assert custody.paid == list(range(len(receipts)))
        verified = await legwork.verify_listing(client, package_id=package_id)
        assert verified.status == "delivered"
        assert [(one.worker, one.amount) for one in verified.paid] == [
            (leg["agentPubkey"], leg["agreedPayment"]) for leg in parcel["swarm"]["legs"]
        ]


async def test_a_poster_disputes_a_wrong_result(client: legwork.LegworkClient, tmp_path: Path) -> None:
    """The claim that was meant, and no other, is disputed. (T-10)"""
    with example("worker", client.url, str(tmp_path / "worker.json")) as worker:
        worker.shows("looks for work")
        wish = {"title": "Count", "description": "one", "instructions": ["Count the words in another way."]}
        task = await legwork.list_task(client, **wish, max_budget=legwork.parse_sol(0.05))  # type: ignore[arg-type]
        leg_id = task["legs"][0]["id"]

        async def claimed() -> bool | None:
            found = await client.get_digital_task(task_id=task["id"])
            return True if found["legs"][0]["stage"] == "claimed" else None

        await until(claimed)
        said = await legwork.listed(client, task_id=task["id"])
        other = legwork.Move("dispute", claimed_hash=legwork.result_hash("7 words"))
        with pytest.raises(legwork.TransactionRefusedError, match="claims"):
            await legwork.make_move(client, said, leg_id, other, text="It is not what I asked for.")
        meant = legwork.Move("dispute", claimed_hash=legwork.result_hash("1 words"))
        made = await legwork.make_move(client, said, leg_id, meant, text="It is not what I asked for.")
        assert made.stage == "disputed"
        # What was done already is found, and not done twice.
        assert (
            await legwork.make_move(client, said, leg_id, meant, text="It is not what I asked for.")
        ).signature == made.signature


async def test_a_verifier_follows_a_listing_to_its_end(client: legwork.LegworkClient) -> None:
    """It sees each payment once, on the ledger, and ends by itself; a lie ends it at once. (M-50)"""
    async with watched(client.url) as (agent, _, service):
        wish = {"title": "Two steps", "description": "one two", "instructions": ["Count.", "Check."]}
        task = await legwork.list_task(client, **wish, max_budget=legwork.parse_sol(0.05), terms="plain")  # type: ignore[arg-type]
        seen: list[tuple[str, int]] = []

        async def follow() -> None:
            async for found in legwork.follow_listing(client, task_id=task["id"], every_sec=600):
                seen.append((found.status, len(found.paid)))

        following = asyncio.create_task(follow())
        leg_id = task["legs"][0]["id"]
        await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=25_000_000)
        await legwork.hand_in(agent, task["id"], leg_id, "2 words")
        async with watched(client.url) as (second, _, _):
            leg_id = task["legs"][1]["id"]
            await second.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=second.pubkey, bid=25_000_000)
            await until(lambda: _workable(second, task["id"]))
            await legwork.hand_in(second, task["id"], leg_id, "yes")
        await asyncio.wait_for(following, 60)
        assert seen[-1] == ("completed", 2) and [paid for _, paid in seen] == sorted(paid for _, paid in seen)
        service.lie = lambda path, answer: {**answer, "title": "Sing"} if path.startswith("/digital-tasks/") else answer
        with pytest.raises(legwork.ListingError):
            async for _ in legwork.follow_listing(agent, task_id=task["id"]):
                pass


async def _workable(client: legwork.LegworkClient, task_id: str) -> bool | None:
    leg = (await client.get_digital_task(task_id=task_id))["legs"][1]
    return True if leg["status"] == "in_progress" else None
