"""Listings that are taken back: the one that was meant, to who paid for it, in what it pays in. (A-4, P-113, P-118)"""

from functools import partial
from typing import Any

import pytest
from in_tokens import TASK, carried_by, held, names, opens_too, usdc_of
from lying import THIEF, at_account, refuses, watched
from solders.pubkey import Pubkey
from test_fees import leave
from test_hostile import BOX
from test_mandates import give_mandate

import legwork
from legwork.tokens import associated_token

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("asset", ["sol", "usdc"])
async def test_a_listing_is_cancelled(url: str, asset: str) -> None:
    """By a wallet without SOL where the service pays; another listing, funder or account is refused."""
    async with watched(url) as (shipper, purse, office):
        draft: dict[str, Any] = {**BOX, "asset": asset, "terms": "plain", "max_budget": 2_000_000}
        parcel = await legwork.list_package(shipper, **draft)
        other = await legwork.list_package(shipper, **draft)
        before = await held(shipper, shipper.pubkey)
        await leave(shipper, purse, 0)
        lies = {"it is of another listing": at_account(2, Pubkey.from_string(other["onChainPackage"] or ""))}
        if asset == "sol":
            lies["its funder is somebody else"] = at_account(4, THIEF)
        else:
            token = await usdc_of(shipper)
            theirs = associated_token(str(THIEF), token.mint)
            lies = {
                "it pays somebody else": names(-2, theirs),
                "it pays the locker of somebody else": names(-1, theirs),
                "it pays from another vault": names(-3, theirs),
                "it opens an account of somebody else": opens_too(str(THIEF), token.mint),
            }
        attempt = partial(legwork.end_listing, shipper, "cancel", package_id=parcel["id"])
        await refuses(purse, office, "transaction", "/build-cancel-tx", lies, attempt)
        assert await attempt() is not None
        # Again: it has ended so before.
        await settled(shipper, parcel["id"])
        assert await attempt() is None
        if asset == "usdc":
            assert await held(shipper, shipper.pubkey) - before == 2_000_000
        with pytest.raises(legwork.LegworkApiError, match="invalid_status"):
            await legwork.end_listing(shipper, "reclaim", package_id=other["id"])
        assert await legwork.end_listing(shipper, "close", package_id=parcel["id"]) is not None


async def settled(client: legwork.LegworkClient, package_id: str) -> None:
    async for found in legwork.follow_listing(client, package_id=package_id, every_sec=0.2):
        if found.status == "failed":
            return


async def test_stakes_of_who_waits_come_back_with_a_reclaim(url: str) -> None:
    """In a token they lie in the vault, and go to the accounts that follow from who waits. (T-37)"""
    async with watched(url) as (shipper, purse, office), watched(url) as (courier, _, _):
        draft: dict[str, Any] = {**BOX, "asset": "usdc", "max_budget": 5_000_000, "terms": "standard"}
        parcel = await legwork.list_package(shipper, **draft)
        await legwork.ensure_reputation(courier)
        places = ((BOX["origin_lat"], BOX["origin_lng"]), (BOX["dest_lat"], BOX["dest_lng"]))
        offer = legwork.Offer.by_road(*places, 50_000, "usdc")
        await courier.submit_bid(package_id=parcel["id"], agent_pubkey=courier.pubkey, **offer.bid())
        leg_id = await carried_by(courier, parcel["id"], "pending")
        said = await legwork.listed(courier, package_id=parcel["id"])
        before = await held(courier, courier.pubkey)
        await legwork.make_move(courier, said, leg_id, legwork.Move("accept"))
        await carried_by(shipper, parcel["id"], "accepted")
        token = await usdc_of(shipper)
        theirs = associated_token(str(THIEF), token.mint)
        lies = {
            "the stake goes to somebody else": names(-4, theirs),
            "the stake goes to the locker of somebody else": names(-3, theirs),
            "the rest goes to somebody else": names(-2, theirs),
        }
        attempt = partial(legwork.end_listing, shipper, "reclaim", package_id=parcel["id"])
        await refuses(purse, office, "transaction", "/build-reclaim-tx", lies, attempt)
        assert await attempt() is not None
        assert await held(courier, courier.pubkey) == before


async def test_the_owner_of_a_mandate_ends_what_it_paid_for(url: str) -> None:
    """And nobody else does, whose listing it is not either. (P-118)"""
    async with watched(url) as (owner, purse, _), watched(url) as (agent, _, _), watched(url) as (stranger, spy, _):
        place = await give_mandate(owner, purse, agent.pubkey, (await usdc_of(owner)).number)
        draft = {**TASK, "max_budget": 2_000_000, "terms": "plain"}
        task = await legwork.list_task(agent, **draft, mandate_owner_pubkey=owner.pubkey)
        with pytest.raises((legwork.TransactionRefusedError, legwork.LegworkApiError)):
            await legwork.end_listing(stranger, "cancel", task_id=task["id"])
        assert spy.signed == []
        assert await legwork.end_listing(owner, "cancel", task_id=task["id"]) is not None
        assert await held(owner, place) == 10_000_000
