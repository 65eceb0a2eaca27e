"""Files of results: uploaded in parts, handed in with their sha256, and fetched by who pays for them. (M-79, M-83)"""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from lying import staged, watched

import legwork
from legwork.documents import read_result_document, result_document

pytestmark = pytest.mark.anyio

TASK: dict[str, Any] = {
    "title": "Count",
    "description": "one two",
    "instructions": ["Count."],
    "max_budget": 50_000_000,
}
#: Two whole parts, and some of a third.
LARGE = bytes(range(251)) * 50_000


async def assigned(poster: legwork.LegworkClient, agent: legwork.LegworkClient, terms: Any) -> tuple[str, str]:
    task = await legwork.list_task(poster, **TASK, terms=terms)
    leg_id = task["legs"][0]["id"]
    if terms != "plain":
        await legwork.ensure_reputation(agent)
    await agent.bid_digital_leg(task_id=task["id"], leg_id=leg_id, agent_pubkey=agent.pubkey, bid=50_000_000)
    await staged(agent, task["id"], None if terms == "plain" else "pending")
    return task["id"], leg_id


async def test_a_result_with_files_is_claimed_fetched_and_paid(url: str, tmp_path: Path) -> None:
    """The claim names text and files together; a file that is another one is found out before anything has its name."""
    async with watched(url) as (poster, _, office), watched(url) as (agent, wallet, service):
        task_id, leg_id = await assigned(poster, agent, "standard")
        said = await legwork.listed(agent, task_id=task_id)
        await legwork.make_move(agent, said, leg_id, legwork.Move("accept"))
        (tmp_path / "counts.bin").write_bytes(LARGE)
        small = legwork.ResultFile("words.csv", "text/csv", b"one,1\ntwo,1\n")
        result = legwork.Result("2 words", [legwork.ResultFile.at(tmp_path / "counts.bin"), small])
        wallet.signed.clear()
        # The hash of the text alone, or of other files, is not what was handed in.
        service.lie = lambda path, answer: (
            {**answer, "resultHash": legwork.result_hash("2 words")} if path.endswith("/complete") else answer
        )
        with pytest.raises(legwork.TransactionRefusedError, match="not the result's sha256"):
            await legwork.hand_in(agent, task_id, leg_id, result)
        assert wallet.signed == []
        service.lie = lambda _, answer: answer
        _, made = await legwork.hand_in(agent, task_id, leg_id, result)
        assert made is not None and made.stage == "claimed"
        assert (await legwork.hand_in(agent, task_id, leg_id, result))[1] is None

        await staged(poster, task_id, "claimed")
        claimed = await legwork.read_claimed(poster, task_id, leg_id)
        assert claimed is not None and claimed.text == "2 words"
        assert [(one["name"], one["bytes"]) for one in claimed.artifacts] == [
            ("counts.bin", len(LARGE)),
            ("words.csv", 12),
        ]
        assert claimed.hash == legwork.result_hash("2 words", claimed.artifacts)
        kept = await legwork.save_file(poster, task_id, leg_id, claimed.artifacts[0], tmp_path / "kept.bin")
        assert kept.read_bytes() == LARGE
        for name, value in {"sha256": claimed.artifacts[1]["sha256"], "bytes": 100}.items():
            other: Any = {**claimed.artifacts[0], name: value}
            with pytest.raises(legwork.LegworkProtocolError, match=r"counts\.bin has"):
                await legwork.save_file(poster, task_id, leg_id, other, tmp_path / "other.bin")
        assert sorted(os.listdir(tmp_path)) == ["counts.bin", "kept.bin"]

        # Another instruction would be judged by than the one that was signed for.
        office.lie = lambda path, answer: (
            {**answer, "legs": [{**answer["legs"][0], "instruction": "Sing."}]}
            if path.startswith("/digital-tasks/")
            else answer
        )
        with pytest.raises(legwork.TransactionRefusedError, match="did not sign for"):
            await legwork.read_claimed(poster, task_id, leg_id)
        office.lie = lambda _, answer: answer
        meant = legwork.Move("confirm", claimed_hash=claimed.hash)
        assert (await legwork.make_move(poster, said, leg_id, meant)).stage == "completed"


async def test_an_upload_goes_on_where_it_was(url: str) -> None:
    """What was kept before an interruption is not sent again."""
    async with watched(url) as (poster, _, _), watched(url) as (agent, _, service):
        task_id, leg_id = await assigned(poster, agent, "plain")
        file = legwork.ResultFile("counts.bin", "application/octet-stream", LARGE)
        sent: list[str] = []

        def cut(path: str, answer: Any) -> Any:
            if "/parts/" in path:
                sent.append(path[-1])
                if len(sent) == 2:
                    raise ConnectionResetError("cut")
            return answer

        service.lie = cut
        with pytest.raises(ConnectionResetError):
            await legwork.upload_file(agent, task_id, leg_id, file)
        await legwork.upload_file(agent, task_id, leg_id, file)
        assert sent == ["0", "1", "2"]
        answer, _ = await legwork.hand_in(agent, task_id, leg_id, legwork.Result("2 words", [file]))
        task = await poster.get_digital_task(task_id=task_id)
        assert answer["payment"] == 50_000_000
        pieces = [one async for one in legwork.download_file(poster, task_id, leg_id, task["legs"][0]["artifacts"][0])]
        assert b"".join(pieces) == LARGE


@pytest.mark.parametrize("terms", ["plain", "standard"])
async def test_a_worker_hands_in_files_by_itself(url: str, terms: Any) -> None:
    """(T-46)"""

    class Charts(legwork.Worker):
        async def wants(self, task: Any, leg: Any) -> bool:
            return bool(task["shipperPubkey"] == poster.pubkey)

        async def work(self, instruction: str, context: str) -> legwork.Result:
            return legwork.Result(context.upper(), [legwork.ResultFile("chart.svg", "image/svg+xml", b"<svg/>")])

    async with watched(url) as (poster, _, _), watched(url) as (agent, _, _):
        running = asyncio.create_task(Charts().run(agent, every_sec=0.2))
        task = await legwork.list_task(poster, **TASK, terms=terms)
        leg_id = task["legs"][0]["id"]
        if terms == "standard":
            await staged(poster, task["id"], "claimed")
            claimed = await legwork.read_claimed(poster, task["id"], leg_id)
            assert claimed is not None and claimed.text == "ONE TWO"
            said, meant = await legwork.listed(poster, task_id=task["id"]), claimed.hash
            await legwork.make_move(poster, said, leg_id, legwork.Move("confirm", claimed_hash=meant))
        async for found in legwork.follow_listing(poster, task_id=task["id"], every_sec=0.2):
            assert found.status != "failed"
        running.cancel()
        done = (await poster.get_digital_task(task_id=task["id"]))["legs"][0]
        assert (done["result"], [one["name"] for one in done["artifacts"]]) == ("ONE TWO", ["chart.svg"])


def test_reads_what_the_hash_of_a_result_is_of() -> None:
    """A text that only begins like a document is a result of its own. (M-83)"""
    artifact = {"sha256": "0" * 64, "bytes": 1, "name": "a", "contentType": "text/plain"}
    assert read_result_document(result_document("done", [artifact]).decode()) == ("done", [artifact])
    for text in (
        "done",
        '{"artifacts":[',
        '{"artifacts":[],"result":"x","v":1}',
        '{"artifacts":[1],"result":"x","v":1}',
    ):
        assert read_result_document(text) == (text, [])
