"""Parcels that are carried for a token: texts at the door, takeovers, and a vault that pays each courier in its turn. (P-109 to P-111, A-130)"""

import asyncio
from typing import Any

import pytest
from in_tokens import carried_by, held
from lying import watched
from solders.keypair import Keypair
from test_hostile import BOX

import legwork

pytestmark = pytest.mark.anyio


async def test_a_parcel_is_relayed_for_a_token(url: str) -> None:
    """Texts at the door, and a receiver who has no account of the token yet. (A-130, P-111)"""
    async with watched(url) as (shipper, _, _), watched(url) as (courier, _, _):
        receiver = legwork.LegworkClient(url, Keypair())
        terms: Any = {"preset": "standard", "cosignedPickup": True, "receiverPubkey": receiver.pubkey}
        draft = {**BOX, "max_budget": 5_000_000, "asset": "usdc", "terms": terms}
        parcel = await legwork.list_package(shipper, **draft)
        await legwork.ensure_reputation(courier)
        places = ((BOX["origin_lat"], BOX["origin_lng"]), (BOX["dest_lat"], BOX["dest_lng"]))
        offer = legwork.Offer.by_road(*places, 50_000)
        await courier.submit_bid(package_id=parcel["id"], agent_pubkey=courier.pubkey, **offer.bid())
        leg = await carried_by(courier, parcel["id"], "pending")
        said = await legwork.listed(courier, package_id=parcel["id"])
        await legwork.make_move(courier, said, leg, legwork.Move("accept"))
        code = legwork.read_code(await legwork.sign_pickup(shipper, said, leg))
        assert code is not None
        await legwork.handoffs.send_handoff(courier, said, leg, code, legwork.Move("take"))
        await carried_by(courier, parcel["id"], "carried")
        before = await held(courier, courier.pubkey)
        signed = legwork.read_code(await legwork.share_handoff(receiver, said, leg, legwork.Move("confirm")))
        assert signed is not None
        await legwork.handoffs.send_handoff(courier, said, leg, signed, legwork.Move("confirm"))
        verified = await legwork.verify_listing(shipper, package_id=parcel["id"])
        assert [one.worker for one in verified.paid] == [courier.pubkey] and verified.paid[0].amount >= offer.cost
        # The stake of a fifth of the budget came back with it.
        assert await held(courier, courier.pubkey) - before == 1_000_000 + verified.paid[0].amount
        await receiver.close()


async def test_a_courier_bids_in_the_asset_of_the_package_or_not_at_all(url: str) -> None:
    """A price in lamports is none in a token. (M-92)"""

    class Rider(legwork.Courier):
        def __init__(self, asset: str) -> None:
            self.asset = asset

        async def offer(self, parcel: Any) -> legwork.Offer | None:
            if parcel["shipperPubkey"] != shipper.pubkey:
                return None
            places = ((BOX["origin_lat"], BOX["origin_lng"]), (BOX["dest_lat"], BOX["dest_lng"]))
            return legwork.Offer.by_road(*places, 50_000, self.asset)

    async with watched(url) as (shipper, _, _), watched(url) as (dear, wallet, _), watched(url) as (rider, _, _):
        running = [asyncio.create_task(Rider("sol").run(dear)), asyncio.create_task(Rider("usdc").run(rider))]
        parcel = await legwork.list_package(shipper, **{**BOX, "max_budget": 5_000_000, "asset": "usdc"})
        await carried_by(shipper, parcel["id"], "accepted")
        for one in running:
            one.cancel()
        bids = (await shipper.list_bids(package_id=parcel["id"])).items
        assert [one["agentPubkey"] for one in bids] == [rider.pubkey] and wallet.signed == []


async def test_couriers_relay_what_is_paid_in_a_token(url: str) -> None:
    """Who takes over pays who brought it, out of the vault of the token. (T-46)"""
    halfway = (52.457, 13.527)
    start, end = (BOX["origin_lat"], BOX["origin_lng"]), (BOX["dest_lat"], BOX["dest_lng"])

    class Rider(legwork.Courier):
        def __init__(self, pickup: tuple[float, float], dropoff: tuple[float, float]) -> None:
            self.stretch = (pickup, dropoff)

        async def offer(self, parcel: Any) -> legwork.Offer | None:
            own = parcel["shipperPubkey"] == shipper.pubkey
            return legwork.Offer.by_road(*self.stretch, 50_000, "usdc") if own else None

        async def holds(self, parcel: Any, leg: Any) -> bool:
            return True

        async def evidence(self, at: Any, is_last: bool) -> str | None:
            return "It is with me." if is_last else None

    async with watched(url) as (shipper, _, _), watched(url) as (first, _, _), watched(url) as (second, _, _):
        before = [await held(shipper, one.pubkey) for one in (first, second)]
        riders = [(Rider(start, halfway), first), (Rider(halfway, end), second)]
        running = [asyncio.create_task(rider.run(client, every_sec=0.3)) for rider, client in riders]
        parcel = await legwork.list_package(shipper, **{**BOX, "max_budget": 8_000_000, "asset": "usdc"})
        assert parcel["terms"] is not None and parcel["terms"]["cosignedPickup"]
        leg_id = await carried_by(shipper, parcel["id"], "accepted")
        await legwork.sign_pickup(shipper, await legwork.listed(shipper, package_id=parcel["id"]), leg_id)
        await carried_by(shipper, parcel["id"], "completed")
        await carried_by(shipper, parcel["id"], "carried", index=1)
        await legwork.receive(shipper, parcel["id"])
        async for found in legwork.follow_listing(shipper, package_id=parcel["id"], every_sec=0.2):
            paid = [one.amount for one in found.paid]
        for one in running:
            one.cancel()
        after = [await held(shipper, one.pubkey) for one in (first, second)]
        assert len(paid) == 2 and [now - then for now, then in zip(after, before, strict=True)] == paid
