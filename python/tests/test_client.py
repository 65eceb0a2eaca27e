"""The client on a service that runs: signatures, refusals, lists, events."""

import asyncio
import json
import threading
from dataclasses import dataclass, field

import httpx
import pytest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

import legwork
from legwork.fees import compile_legacy

pytestmark = pytest.mark.anyio


async def test_signs_in_the_time_of_the_service(client: legwork.LegworkClient) -> None:
    """A clock that is an hour wrong costs one more request. (S-214)"""
    client.ahead_ms = 3_600_000
    answer = await client.update_agent(agent_pubkey=client.pubkey, display_name="Ada ünï")
    assert answer["displayName"] == "Ada ünï"
    assert abs(client.ahead_ms) < 60_000


async def test_says_null_and_leaves_out(client: legwork.LegworkClient) -> None:
    await client.update_agent(agent_pubkey=client.pubkey, display_name="Ada", capabilities=["cooling"])
    kept = await client.update_agent(agent_pubkey=client.pubkey, capabilities=["lifting"])
    assert (kept["displayName"], kept["capabilities"]) == ("Ada", ["lifting"])
    assert (await client.update_agent(agent_pubkey=client.pubkey, display_name=None))["displayName"] is None


async def test_tells_why_the_service_refuses(client: legwork.LegworkClient) -> None:
    with pytest.raises(legwork.LegworkApiError) as caught:
        await client.get_package(package_id="nothing")
    error = caught.value
    assert (error.code, error.status, error.errors[0]["field"]) == ("invalid_input", 400, "packageId")
    assert error.hint is not None and "errors" in error.hint


@dataclass
class HangsUp(httpx.AsyncBaseTransport):
    """A node that takes a transaction and hangs up instead of an answer."""

    honest: httpx.AsyncBaseTransport = field(default_factory=httpx.AsyncHTTPTransport)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.honest.handle_async_request(request)
        if json.loads(request.content)["method"] == "sendTransaction":
            await answer.aclose()
            raise httpx.ReadError("it hung up")
        return answer


async def test_what_a_node_took_and_did_not_answer_has_landed(client: legwork.LegworkClient) -> None:
    """The transaction is asked for; where nobody is, that is said at once, without the key in the address. (S-166)"""
    honest = await client.ledger()
    async with httpx.AsyncClient(transport=HangsUp()) as http:
        ledger = legwork.Ledger(honest.url, http=http)
        wallet = Keypair()
        airdrop = await ledger.ask("requestAirdrop", str(wallet.pubkey()), 10_000_000)
        assert await ledger.lands_within(airdrop, 10)
        blockhash, height = await ledger.blockhash()
        gift = transfer(TransferParams(from_pubkey=wallet.pubkey(), to_pubkey=Keypair().pubkey(), lamports=1_000_000))
        message = compile_legacy(str(wallet.pubkey()), Hash.from_string(blockhash), [gift])
        transaction = VersionedTransaction(message, [wallet])
        assert await honest.has_landed(await ledger.send(transaction, height))
        nobody = legwork.Ledger("http://127.0.0.1:2/?api-key=secret", http=http)
        with pytest.raises(legwork.LegworkNetworkError, match=r"at 127\.0\.0\.1:2 does not answer") as caught:
            await nobody.send(transaction, height)
        assert "secret" not in str(caught.value)


async def test_does_not_sign_for_others(client: legwork.LegworkClient) -> None:
    async with legwork.LegworkClient(client.url) as stranger:
        with pytest.raises(ValueError, match="must be signed"):
            await stranger.update_agent(agent_pubkey=client.pubkey, display_name="Eve")
    with pytest.raises(legwork.LegworkApiError) as caught:
        await client.update_agent(agent_pubkey=str(Keypair().pubkey()), display_name="Eve")
    assert caught.value.code == "pubkey_mismatch"


async def test_says_when_nobody_answers() -> None:
    async with legwork.LegworkClient("http://127.0.0.1:1") as client:
        with pytest.raises(legwork.LegworkNetworkError, match="check that the service runs"):
            await client.get_config()
    with pytest.raises(ValueError, match="not the address of a service"):
        legwork.LegworkClient("127.0.0.1:8080")


async def test_repeats_a_post_under_its_name(client: legwork.LegworkClient) -> None:
    """The second answer is the first one, and nothing is done twice. (S-60)"""
    name = str(Keypair().pubkey())
    first = await client.register_agent(agent_pubkey=client.pubkey, display_name="Ada", idempotency_key=name)
    again = await client.register_agent(agent_pubkey=client.pubkey, display_name="Ada", idempotency_key=name)
    assert again == first
    with pytest.raises(legwork.LegworkApiError) as caught:
        await client.register_agent(agent_pubkey=client.pubkey, display_name="Ben", idempotency_key=name)
    assert caught.value.code == "idempotency_key_reused"


async def listed(client: legwork.LegworkClient, count: int) -> list[str]:
    """New digital tasks that nobody works on, oldest first."""
    ids = []
    for number in range(count):
        draft = {"title": f"Task {number}", "description": "Nothing", "instructions": ["Sing."], "terms": "plain"}
        ids.append((await legwork.list_task(client, **draft, max_budget=legwork.parse_sol(0.01)))["id"])  # type: ignore[arg-type]
    return ids


async def test_walks_lists_and_follows_events(client: legwork.LegworkClient) -> None:
    """Pages join without a gap, and a stream that breaks goes on where it was. (S-31)"""
    ids = await listed(client, 3)
    mine = client.pubkey
    walked = [
        one["id"]
        async for one in legwork.every_item(client.list_digital_tasks, limit=1)
        if one["shipperPubkey"] == mine
    ]
    assert walked == ids[::-1]

    seen: list[str] = []
    with Cutting(client.url) as through:
        async for event in legwork.follow_events(through.url, since=0, topics=["TASK_LISTED"]):
            if event["type"] == "TASK_LISTED" and event["shipperPubkey"] == mine:
                assert isinstance(event["maxBudgetLamports"], int) and event["deadline"].tzinfo is not None
                seen.append(event["taskId"])
                if len(seen) == 3:
                    through.cut()
                    ids += await listed(client, 1)
            if len(seen) == 4:
                break
    assert seen == ids
    assert through.connections >= 2


class Cutting:
    """A path to the service that breaks when it is told to."""

    def __init__(self, url: str) -> None:
        self._host, self._port = url.removeprefix("http://").split(":")
        self._loop = asyncio.new_event_loop()
        self._open: list[asyncio.StreamWriter] = []
        self.connections = 0

    def __enter__(self) -> "Cutting":
        ready = threading.Event()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            ready.set()
            self._loop.run_forever()

        threading.Thread(target=run, daemon=True).start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    def cut(self) -> None:
        def close() -> None:
            for writer in self._open:
                writer.transport.abort()

        self._loop.call_soon_threadsafe(close)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        there, back = await asyncio.open_connection(self._host, int(self._port))
        self._open += [writer, back]

        async def pass_on(one: asyncio.StreamReader, other: asyncio.StreamWriter) -> None:
            try:
                while data := await one.read(65536):
                    other.write(data)
                    await other.drain()
            except OSError:
                pass
            other.close()

        await asyncio.gather(pass_on(reader, back), pass_on(there, writer))
