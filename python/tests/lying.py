"""A service that can be made to lie, and a wallet that counts what it signs."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

import legwork
from legwork.tokens import ASSOCIATED_TOKEN_PROGRAM
from legwork.transactions import COMPUTE_BUDGET_PROGRAM, decode_wire, instructions_of, message_of

THIEF = Keypair().pubkey()
STRANGER = str(Keypair().pubkey())
Change = Callable[[Message | MessageV0, list[Instruction]], tuple[Pubkey, list[Instruction]]]


class Watched:
    """A wallet that counts what it signs beside requests."""

    def __init__(self) -> None:
        self._key = Keypair()
        self.signed: list[bytes] = []

    def pubkey(self) -> Pubkey:
        return self._key.pubkey()

    def sign_message(self, message: bytes, /) -> Signature:
        if not message.startswith(b"svc-auth-v1\n"):
            self.signed.append(message)
        return self._key.sign_message(message)


@dataclass
class Lying(httpx.AsyncBaseTransport):
    """The service that runs, with answers that are changed on their way."""

    #: Takes the path and the answer.
    lie: Callable[[str, Any], Any] = lambda path, answer: answer
    honest: httpx.AsyncBaseTransport = field(default_factory=httpx.AsyncHTTPTransport)
    #: Bodies that it was sent.
    heard: list[bytes] = field(default_factory=list)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.heard.append(await request.aread())
        answer = await self.honest.handle_async_request(request)
        text = await answer.aread()
        if answer.is_success and "json" in answer.headers["content-type"]:
            text = json.dumps(self.lie(request.url.path, json.loads(text))).encode()
        headers = [(name, value) for name, value in answer.headers.raw if name.lower() in (b"link", b"date")]
        return httpx.Response(
            answer.status_code, headers=[*headers, (b"content-type", b"application/json")], content=text
        )


@asynccontextmanager
async def watched(url: str) -> AsyncIterator[tuple[legwork.LegworkClient, Watched, Lying]]:
    """A client of a service that can be made to lie."""
    wallet, service = Watched(), Lying()
    async with legwork.LegworkClient(url, wallet, http=httpx.AsyncClient(transport=service)) as client:
        given = (await client.register_agent(agent_pubkey=client.pubkey))["airdrop"]
        assert given["status"] == "sent", given
        yield client, wallet, service


def rewritten(wire: str, change: Change) -> str:
    """Another transaction in the place of one that the service built."""
    message = message_of(decode_wire(wire))
    payer, instructions = change(message, instructions_of(message))
    made = Message.new_with_blockhash(instructions, payer, Hash.from_string(str(message.recent_blockhash)))
    places = [Signature.default()] * made.header.num_required_signatures
    return base64.b64encode(bytes(VersionedTransaction.populate(made, places))).decode()


def about_program(change: Callable[[Instruction], Instruction]) -> Change:
    """Changes what is no compute budget, and opens no account of a token."""

    def changed(message: Message | MessageV0, instructions: list[Instruction]) -> tuple[Pubkey, list[Instruction]]:
        beside = (COMPUTE_BUDGET_PROGRAM, ASSOCIATED_TOKEN_PROGRAM)
        made = [one if str(one.program_id) in beside else change(one) for one in instructions]
        return message.account_keys[0], made

    return changed


def beside(*more: Instruction) -> Change:
    return lambda message, instructions: (message.account_keys[0], [*instructions, *more])


def at_account(place: int, key: Pubkey) -> Change:
    def change(one: Instruction) -> Instruction:
        metas = list(one.accounts)
        metas[place] = AccountMeta(key, False, metas[place].is_writable)
        return Instruction(one.program_id, bytes(one.data), metas)

    return about_program(change)


def at_byte(place: int) -> Change:
    """Another amount, hash or number: one bit of the arguments."""

    def change(one: Instruction) -> Instruction:
        data = bytearray(one.data)
        data[place] ^= 1
        return Instruction(one.program_id, bytes(data), list(one.accounts))

    return about_program(change)


def of_program(key: Pubkey) -> Change:
    return about_program(lambda one: Instruction(key, bytes(one.data), list(one.accounts)))


def taking(message: Message | MessageV0, instructions: list[Instruction]) -> tuple[Pubkey, list[Instruction]]:
    """Takes lamports of the wallet as well."""
    payer = message.account_keys[0]
    return payer, [*instructions, transfer(TransferParams(from_pubkey=payer, to_pubkey=THIEF, lamports=1_000))]


def paid_by_thief(_: Message | MessageV0, instructions: list[Instruction]) -> tuple[Pubkey, list[Instruction]]:
    return THIEF, instructions


BUDGET = Pubkey.from_string(COMPUTE_BUDGET_PROGRAM)
DEAR = beside(Instruction(BUDGET, b"\x03" + (10**13).to_bytes(8, "little"), []))
#: Lies about any transaction.
ALWAYS: dict[str, Change] = {
    "it takes lamports as well": taking,
    "its fee is paid by somebody else": paid_by_thief,
    "it offers a fee that empties the wallet": DEAR,
    "it is of another program": of_program(THIEF),
}


async def refuses(
    wallet: Watched, service: Lying, field_: str, path: str, lies: dict[str, Change], attempt: Callable[[], Any]
) -> None:
    """Tells each lie once: all are refused, and nothing is signed."""
    wallet.signed.clear()
    for name, change in {**ALWAYS, **lies}.items():
        told: list[str] = []

        def lie(at: str, answer: Any, change: Change = change, told: list[str] = told) -> Any:
            if at.endswith(path) and answer.get(field_):
                told.append(at)
                return {**answer, field_: rewritten(answer[field_], change)}
            return answer

        service.lie = lie
        with pytest.raises(legwork.TransactionRefusedError):
            await attempt()
        assert told, f"the service had no occasion to say that {name}"
        assert wallet.signed == [], name
    service.lie = lambda _, answer: answer


async def staged(client: legwork.LegworkClient, task_id: str, stage: str | None) -> None:
    """Waits until the service shows the leg at this stage."""
    for _ in range(300):
        task = await client.get_digital_task(task_id=task_id)
        if task["legs"][0]["stage"] == stage:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"the leg did not become {stage}")
