"""Listings in a token: a service that lies about whose accounts, which mint or how much gets nothing signed. (P-109 to P-112, M-92, M-100)"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from in_tokens import TASK, assigned, at_byte_of, held, last, locker_of, names, opens_too, usdc_of, without_last
from lying import STRANGER, THIEF, refuses, staged, watched
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import Message
from solders.pubkey import Pubkey
from test_hostile import BOX

import legwork
from legwork.assets import paid_in
from legwork.program import TOKEN_PROGRAM
from legwork.tokens import associated_token
from legwork.transactions import sign_message

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("kind", ["task", "package"])
async def test_lists_in_the_token_that_was_meant(url: str, kind: str) -> None:
    """Another mint, vault, purse or budget is refused; amounts are base units of the asset."""
    async with watched(url) as (client, wallet, service):
        token = await usdc_of(client)
        theirs = associated_token(str(THIEF), token.mint)
        lies = {
            "it takes the budget from another account": names(-1, theirs),
            "its vault is another one": names(-2, theirs),
            "its asset is another one": names(-3, str(THIEF)),
            "it pays in SOL": without_last(4),
            "it lacks an account": without_last(1),
            "it opens an account of somebody else": opens_too(str(THIEF), token.mint),
            "its budget is another one": last(at_byte_of(1 + 16 if kind == "package" else 1 + 16 + 1)),
        }
        parcel = {**BOX, "max_budget": 2_000_000, "asset": "usdc"}
        lists: dict[str, Callable[[], Any]] = {
            "task": partial(legwork.list_task, client, **TASK),
            "package": partial(legwork.list_package, client, **parcel),
        }
        attempt = lists[kind]
        await refuses(wallet, service, "transaction", "/build-tx", lies, attempt)
        before = await held(client, client.pubkey)
        shown = await attempt()
        assert (shown["asset"], shown["decimals"], shown["maxBudget"]) == ("usdc", 6, 2_000_000)
        assert shown["terms"] is not None and shown["terms"]["stake"] == 400_000
        assert before - await held(client, client.pubkey) == 2_000_000
        assert len(wallet.signed) == 1


@pytest.mark.parametrize(
    ("field", "value"), [("mint", STRANGER), ("decimals", 9), ("number", 7), ("number", 0)], ids=str
)
async def test_an_asset_is_what_the_ledger_says(url: str, field: str, value: Any) -> None:
    """With other decimals an amount would mean more than it says. (M-100)"""
    async with watched(url) as (_, wallet, _):
        async with legwork.LegworkClient(url, wallet) as fresh:
            await fresh.config()
            fresh._config = _with_asset(await fresh.config(), field, value)
            with pytest.raises(legwork.TransactionRefusedError, match="asset"):
                await legwork.list_task(fresh, **TASK)
        assert wallet.signed == []


def _with_asset(config: Any, field: str, value: Any) -> Any:
    return {**config, "assets": [{**one, field: value} if one["asset"] == "usdc" else one for one in config["assets"]]}


async def test_nobody_calls_another_token_usdc(client: legwork.LegworkClient) -> None:
    """On Solana's clusters it is the mint of its issuer. (M-100)"""
    ledger = await client.ledger()
    ledger._genesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
    with pytest.raises(legwork.TransactionRefusedError, match="usdc is EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"):
        await paid_in(client, "usdc")
    with pytest.raises(ValueError, match="lists nothing in doge; give one of sol, usdc"):
        await paid_in(client, "doge")


async def test_moves_are_in_the_token_of_their_listing(url: str, client: legwork.LegworkClient) -> None:
    """The stake comes from this wallet's account into the vault's, and the payment goes to the agent's. (P-110, P-111)"""
    async with watched(url) as (poster, purse, office), watched(url) as (agent, wallet, service):
        task, leg_id = await assigned(poster, agent)
        token = await usdc_of(client)
        theirs = associated_token(str(THIEF), token.mint)
        said = await legwork.listed(agent, task_id=task["id"])
        lies = {
            "it takes the stake from another account": names(-1, theirs),
            "it stakes into another vault": names(-2, theirs),
            "its asset is another one": names(-3, str(THIEF)),
            "it stakes SOL": without_last(4),
            "it opens an account of somebody else": opens_too(str(THIEF), token.mint),
        }
        accept = partial(legwork.make_move, agent, said, leg_id, legwork.Move("accept"))
        await refuses(wallet, service, "transaction", "/turns/build-tx", lies, accept)
        for name, value in {"asset": "sol", "decimals": 9}.items():
            service.lie = lambda path, answer, name=name, value=value: (  # type: ignore[misc]
                {**answer, name: value} if path.startswith("/digital-tasks/") else answer
            )
            lied = await legwork.listed(agent, task_id=task["id"])
            service.lie = lambda _, answer: answer
            with pytest.raises(legwork.TransactionRefusedError, match="asset"):
                await legwork.make_move(agent, lied, leg_id, legwork.Move("accept"))
        assert wallet.signed == []
        before = await held(client, agent.pubkey)
        assert (await accept()).stage == "accepted"
        assert before - await held(client, agent.pubkey) == 400_000
        await legwork.hand_in(agent, task["id"], leg_id, "2 words")
        await staged(poster, task["id"], "claimed")
        lies = {
            "it pays another account": names(-2, theirs),
            "it pays into another locker": names(-1, theirs),
            "it pays into the thief's locker": names(-1, await locker_of(client, str(THIEF))),
            "it pays from another vault": names(-3, theirs),
            "it opens an account of somebody else": opens_too(str(THIEF), token.mint),
        }
        meant = legwork.Move("confirm", claimed_hash=legwork.result_hash("2 words"))
        confirm = partial(legwork.make_move, poster, said, leg_id, meant)
        await refuses(purse, office, "transaction", "/turns/build-tx", lies, confirm)
        assert (await confirm()).stage == "completed"
        assert await held(client, agent.pubkey) - before == 2_000_000
        assert await held(client, str(THIEF)) == 0
        verified = await legwork.verify_listing(client, task_id=task["id"])
        assert [(one.worker, one.amount) for one in verified.paid] == [(agent.pubkey, 2_000_000)]


async def test_who_cannot_receive_is_paid_to_its_locker(url: str, client: legwork.LegworkClient) -> None:
    """It is opened by who confirms, at the address that follows from the wallet, and collected from there. (P-111, P-112)"""
    async with watched(url) as (poster, _, _), watched(url) as (agent, wallet, _):
        task, leg_id = await assigned(poster, agent)
        said, token = await legwork.listed(agent, task_id=task["id"]), await usdc_of(client)
        await legwork.make_move(agent, said, leg_id, legwork.Move("accept"))
        # It gives its account to somebody else.
        own = associated_token(agent.pubkey, token.mint)
        metas = [AccountMeta(Pubkey.from_string(one), one != own, True) for one in (own, agent.pubkey)]
        given = Instruction(Pubkey.from_string(TOKEN_PROGRAM), b"\x06\x02\x01" + bytes(THIEF), metas)
        ledger = await agent.ledger()
        blockhash, height = await ledger.blockhash()
        message = Message.new_with_blockhash([given], wallet.pubkey(), Hash.from_string(blockhash))
        await ledger.send(sign_message(message, wallet), height)
        assert await legwork.collect(agent) is None

        await legwork.hand_in(agent, task["id"], leg_id, "2 words", said=said)
        await staged(poster, task["id"], "claimed")
        meant = legwork.Move("confirm", claimed_hash=legwork.result_hash("2 words"))
        assert (await legwork.make_move(poster, said, leg_id, meant)).stage == "completed"
        with pytest.raises(legwork.LedgerRefusedError):
            await legwork.collect(agent)
        before = await held(client, client.pubkey)
        assert await legwork.collect(agent, to=client.pubkey) is not None
        assert await held(client, client.pubkey) - before == 2_400_000
        assert await legwork.collect(agent, to=client.pubkey) is None


async def test_a_payment_in_a_token_is_what_the_service_says(url: str) -> None:
    """A service that shows another payment of a listing in a token is found out. (M-50)"""
    async with watched(url) as (poster, _, office), watched(url) as (agent, _, _):
        task = await legwork.list_task(poster, **{**TASK, "terms": "plain"})
        leg_id = task["legs"][0]["id"]
        await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=2_000_000)
        await legwork.hand_in(agent, task["id"], leg_id, "2 words")
        found = await legwork.verify_listing(poster, task_id=task["id"])
        assert [(one.worker, one.amount) for one in found.paid] == [(agent.pubkey, 2_000_000)]
        office.lie = lambda path, answer: (
            {**answer, "legs": [{**answer["legs"][0], "payment": "1000000"}]}
            if path.startswith("/digital-tasks/")
            else answer
        )
        with pytest.raises(legwork.ListingError, match="was paid 2000000"):
            await legwork.verify_listing(poster, task_id=task["id"])


def test_counts_base_units_of_an_asset() -> None:
    """(M-92)"""
    assert legwork.parse_units("1.5", 6) == 1_500_000 and legwork.format_units(1_500_000, 6) == "1.5"
    with pytest.raises(ValueError, match="more than 6 decimals"):
        legwork.parse_units("0.0000001", 6)
