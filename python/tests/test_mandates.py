"""Listings that an owner's mandate pays: of the owner that was named, and of nobody else. (M-96, P-114, P-115)"""

from functools import partial

import pytest
from in_tokens import TASK, held, last, names, usdc_of
from lying import THIEF, Change, Watched, refuses, watched
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import Message, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

import legwork
from legwork.program import TOKEN_PROGRAM, address, instruction
from legwork.tokens import associated_token, opening

pytestmark = pytest.mark.anyio


async def give_mandate(owner: legwork.LegworkClient, wallet: Watched, delegate: str, asset: int) -> str:
    """With 0.2 SOL, and 10 USDC where it is of them."""
    program, ledger = (await owner.config())["programId"], await owner.ledger()
    place = address(program, "mandate", owner.pubkey, delegate, asset)
    accounts = {"owner": owner.pubkey, "delegate": delegate, "mandate": place}
    limits = {"asset": asset, "permits": 3, "cap": 100_000_000, "period": 3600, "expires_at": 0, "max_ahead": 10**6}
    made = [instruction(program, "set_mandate", accounts, {**limits, "arbiter": "1" * 32})]
    to = Pubkey.from_string(place)
    made.append(transfer(TransferParams(from_pubkey=wallet.pubkey(), to_pubkey=to, lamports=200_000_000)))
    if asset:
        mint = (await usdc_of(owner)).mint
        keys = [associated_token(owner.pubkey, mint), associated_token(place, mint), owner.pubkey]
        metas = [AccountMeta(Pubkey.from_string(key), key == owner.pubkey, True) for key in keys]
        data = b"\x03" + (10_000_000).to_bytes(8, "little")
        made += [opening(owner.pubkey, place, mint), Instruction(Pubkey.from_string(TOKEN_PROGRAM), data, metas)]
    blockhash, height = await ledger.blockhash()
    message = Message.new_with_blockhash(made, wallet.pubkey(), Hash.from_string(blockhash))
    signature = wallet.sign_message(to_bytes_versioned(message))
    await ledger.send(VersionedTransaction.populate(message, [signature]), height)
    return place


def funded_by(key: str) -> Change:
    def change(one: Instruction) -> Instruction:
        funder = AccountMeta(Pubkey.from_string(key), False, True)
        return Instruction(one.program_id, bytes(one.data), [funder, *one.accounts[1:]])

    return last(change)


@pytest.mark.parametrize("asset", ["sol", "usdc"])
async def test_a_mandate_pays_for_what_its_delegate_lists(url: str, asset: str) -> None:
    async with watched(url) as (owner, purse, _), watched(url) as (agent, wallet, service):
        number = 0 if asset == "sol" else (await usdc_of(owner)).number
        place = await give_mandate(owner, purse, agent.pubkey, number)
        draft = {**TASK, "asset": asset, "max_budget": 2_000_000, "terms": "plain"}
        attempt = partial(legwork.list_task, agent, **draft, mandate_owner_pubkey=owner.pubkey)
        lies = {"this wallet would pay": funded_by(agent.pubkey), "somebody else would pay": funded_by(str(THIEF))}
        if asset == "usdc":
            own = associated_token(agent.pubkey, (await usdc_of(owner)).mint)
            lies["this wallet's tokens would pay"] = names(-1, own)
        await refuses(wallet, service, "transaction", "/build-tx", lies, attempt)
        task = await attempt()
        assert (task["status"], task["funderPubkey"], task["asset"]) == ("listed", place, asset)
        if asset == "usdc":
            assert await held(owner, place) == 8_000_000
