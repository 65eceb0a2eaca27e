"""Sending a transaction until the ledger has it, or can have it no more."""

import json
from typing import Any

import httpx
import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.transaction import VersionedTransaction

from legwork.errors import LedgerRefusedError
from legwork.ledger import Ledger

pytestmark = pytest.mark.anyio

CONFIRMED = {"slot": 1, "err": None, "confirmationStatus": "confirmed"}


def node(height: int, *looks: dict[str, Any] | httpx.Response | None) -> tuple[Ledger, list[str]]:
    """A node that says of what it was sent how it stands, look by look, or answers something else, and has one height."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        method = json.loads(request.content)["method"]
        look = looks[min(asked.count("getSignatureStatuses"), len(looks) - 1)]
        asked.append(method)
        if method == "getSignatureStatuses" and isinstance(look, httpx.Response):
            return look
        result = {"sendTransaction": "x", "getBlockHeight": height, "getSignatureStatuses": {"value": [look]}}[method]
        return httpx.Response(200, json={"result": result})

    return Ledger("http://node", http=httpx.AsyncClient(transport=httpx.MockTransport(answer))), asked


def signed() -> VersionedTransaction:
    payer = Keypair()
    return VersionedTransaction(MessageV0.try_compile(payer.pubkey(), [], [], Hash.default()), [payer])


async def test_of_a_transaction_that_has_landed_nothing_more_is_asked() -> None:
    ledger, asked = node(100, CONFIRMED)
    await ledger.send(signed(), 200)
    assert asked == ["sendTransaction", "getSignatureStatuses"]


async def test_a_transaction_that_failed_on_a_fork_alone_has_not_failed() -> None:
    failed = {**CONFIRMED, "err": {"InstructionError": [0, {"Custom": 3}]}}
    ledger, _ = node(100, {**failed, "confirmationStatus": "processed"}, CONFIRMED)
    await ledger.send(signed(), 200)
    ledger, _ = node(100, failed)
    with pytest.raises(LedgerRefusedError, match="failed on the ledger"):
        await ledger.send(signed(), 200)


async def test_a_transaction_that_lands_in_the_last_moment_is_told_as_landed() -> None:
    ledger, _ = node(201, None, {**CONFIRMED, "confirmationStatus": "processed"}, CONFIRMED)
    transaction = signed()
    assert await ledger.send(transaction, 200) == str(transaction.signatures[0])


async def test_a_transaction_that_its_last_block_did_not_have_is_told_as_refused() -> None:
    ledger, _ = node(201, None)
    with pytest.raises(LedgerRefusedError, match="expired before the ledger took it"):
        await ledger.send(signed(), 200)


@pytest.mark.parametrize(
    "refusal",
    [httpx.Response(401, text="pay first"), httpx.Response(200, json={"error": {"code": -32005, "message": "behind"}})],
    ids=["to whoever asks", "since it is behind"],
)
async def test_a_node_that_refuses_to_say_how_a_transaction_stands_says_nothing_about_it(
    refusal: httpx.Response,
) -> None:
    ledger, asked = node(100, refusal, CONFIRMED)
    transaction = signed()
    assert await ledger.send(transaction, 200) == str(transaction.signatures[0])
    assert asked.count("getSignatureStatuses") == 2
    ledger, _ = node(100, refusal, CONFIRMED)
    assert await ledger.lands_within(str(transaction.signatures[0]), 60)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (httpx.Response(401, text="pay first"), "refuses sendTransaction: 401"),
        (httpx.Response(400, json={"error": {"code": -32002, "message": "no such account"}}), "no such account"),
    ],
    ids=["without a word", "and says why"],
)
async def test_a_node_that_rejects_a_request_is_told_at_once(refusal: httpx.Response, words: str) -> None:
    http = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: refusal))
    with pytest.raises(LedgerRefusedError, match=words):
        await Ledger("http://node", http=http).send(signed(), 200)


async def test_a_gateway_that_lost_the_answer_has_refused_nothing() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if json.loads(request.content)["method"] == "sendTransaction":
            return httpx.Response(502, json={"error": "bad gateway"})
        return httpx.Response(200, json={"result": {"value": [CONFIRMED]}})

    ledger = Ledger("http://node", http=httpx.AsyncClient(transport=httpx.MockTransport(answer)))
    transaction = signed()
    assert await ledger.send(transaction, 200) == str(transaction.signatures[0])
