"""What both sides sign, and addresses that only a courier learns. (T-23, S-140)"""

from functools import partial
from typing import Any

import pytest
from in_tokens import held
from lying import at_byte, refuses, rewritten, staged, watched
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from test_hostile import BOX

import legwork
from legwork.transactions import decode_wire, to_wire

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("asset", ["sol", "usdc"])
async def test_both_sides_agree_on_a_part_of_the_payment(url: str, asset: str) -> None:
    """Another percentage, leg or half is joined by nobody; the other side is found among the evidence."""
    draft: dict[str, Any] = {"title": "Count", "description": "one two", "instructions": ["Count."], "asset": asset}
    async with watched(url) as (poster, purse, _), watched(url) as (agent, wallet, service):
        task = await legwork.list_task(poster, **draft, max_budget=50_000_000, terms="standard")
        leg_id, said = task["legs"][0]["id"], await legwork.listed(poster, task_id=task["id"])
        await legwork.ensure_reputation(agent)
        before = await held(agent, agent.pubkey)
        await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=50_000_000)
        await staged(agent, task["id"], "pending")
        await legwork.make_move(agent, said, leg_id, legwork.Move("accept"))
        await legwork.hand_in(agent, task["id"], leg_id, "3 words")
        await staged(poster, task["id"], "claimed")
        disputed = legwork.Move("dispute", claimed_hash=legwork.result_hash("3 words"))
        await legwork.make_move(poster, said, leg_id, disputed, text="It is two.")
        with pytest.raises(legwork.TransactionRefusedError, match="offer_agreement"):
            await legwork.make_move(poster, said, leg_id, legwork.Move("agree", percent=40))

        lies = {"it is another percentage": at_byte(3), "it is of another formation": at_byte(1)}
        offer = partial(legwork.offer_agreement, agent, said, leg_id, 40)
        await refuses(wallet, service, "transaction", "/turns/build-tx", lies, offer)
        offered = await offer()
        assert legwork.read_agreement(offered.text()) == offered

        purse.signed.clear()
        unsigned = decode_wire(offered.transaction)
        halves = {
            "it is another percentage": rewritten(offered.transaction, at_byte(3)),
            "it is not signed": to_wire(VersionedTransaction.populate(unsigned.message, [Signature.default()] * 2)),
        }
        for name, wire in halves.items():
            text = legwork.Agreement(leg_id, 40, wire).text()
            with pytest.raises(legwork.TransactionRefusedError):
                await legwork.join_agreement(poster, said, leg_id, 40, text=text)
            assert purse.signed == [], name
        with pytest.raises(legwork.TransactionRefusedError, match="percent"):
            await legwork.join_agreement(poster, said, leg_id, 0, text=offered.text())
        assert await legwork.join_agreement(poster, said, leg_id, 0) is None
        made = await legwork.join_agreement(poster, said, leg_id, 40)
        assert made is not None and made.stage == "ruled"
        # What was ruled anybody pays out, and the service does.
        async for found in legwork.follow_listing(poster, task_id=task["id"], every_sec=0.2):
            paid = [one.amount for one in found.paid]
        assert paid == [20_000_000]
        if asset == "usdc":
            assert await held(agent, agent.pubkey) - before == 20_000_000


@pytest.mark.parametrize(
    "text", ["", "legwork-offer:", "legwork-offer:{}", 'legwork-offer:{"legId":"a","percent":"1"}']
)
def test_what_is_no_agreement_is_none(text: str) -> None:
    assert legwork.read_agreement(text) is None


async def test_exact_addresses_are_for_who_goes_there(url: str) -> None:
    """The public place is rounded before it leaves this machine, and a service that sends somebody elsewhere is found out. (S-140)"""
    async with watched(url) as (shipper, purse, office):
        parts: Any = {"pickup": {"address": "Unter den Linden 1", "contact": "Ada"}}
        parcel = await legwork.list_package(shipper, **BOX, terms="plain", private=parts)
        assert (parcel["originLat"], parcel["originLng"]) == (52.52, 13.4)
        assert (parcel["destLat"], parcel["destLng"]) == (BOX["dest_lat"], BOX["dest_lng"])
        assert not any(b"52.5212" in one for one in office.heard)
        read = await legwork.read_private(shipper, parcel["id"])
        assert read["pickup"] is not None and read["pickup"]["address"] == "Unter den Linden 1"
        for part in ({"address": "Somewhere else"}, {"contact": "Eve"}, {"salt": "0" * 32}):
            office.lie = lambda path, answer, part=part: (  # type: ignore[misc]
                {**answer, "pickup": {**answer["pickup"], **part}} if path.endswith("/private") else answer
            )
            with pytest.raises(legwork.ListingError, match="private pickup"):
                await legwork.read_private(shipper, parcel["id"])
        purse.signed.clear()
        office.lie = lambda path, answer: {**answer, "privateParts": False} if path == "/config" else answer
        async with legwork.LegworkClient(url, purse, http=shipper._http) as fresh:
            with pytest.raises(ValueError, match="keeps no private parts"):
                await legwork.list_package(fresh, **BOX, terms="plain", private=parts)
        assert purse.signed == []
