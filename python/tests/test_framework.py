"""The example inside a framework of agents: its own model in the place of a language model, its own MCP client on the service. (S-99)"""

import importlib.util
import json
from typing import Any

import pytest
from vectors import ROOT

import legwork

pytestmark = pytest.mark.anyio
functions: Any = pytest.importorskip("pydantic_ai.models.function", reason="it takes the extra named examples")
messages: Any = pytest.importorskip("pydantic_ai.messages")


def example() -> Any:
    spec = importlib.util.spec_from_file_location("agent", ROOT / "python/examples/agent.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Scripted:
    """What a model would do, by what the tools answer."""

    def __init__(self, title: str, pubkey: str) -> None:
        self._title, self.pubkey = title, pubkey
        self.offered: set[str] = set()
        self.told: list[dict[str, Any]] = []

    def __call__(self, history: list[Any], info: Any) -> Any:
        self.offered = {one.name for one in info.function_tools}
        answered = [part for part in history[-1].parts if part.part_kind == "tool-return"]
        if answered:
            self.told.append(_dict(answered[-1].content))
        name, said = self._next()
        part = messages.TextPart(said) if name is None else messages.ToolCallPart(name, said)
        return messages.ModelResponse(parts=[part])

    def _next(self) -> tuple[str | None, Any]:
        if not self.told:
            return "svc_list_digital_tasks", {"open": True}
        own = next(one for one in self.told[0]["items"] if one["title"] == self._title)
        of = {"taskId": own["id"], "legId": own["legs"][0]["id"], "agentPubkey": self.pubkey}
        if len(self.told) == 1:
            return "svc_bid_digital_leg", {**of, "bidSol": 0.05}
        if len(self.told) == 2:
            return "svc_complete_digital_leg", {**of, "result": f"{len(own['description'])} characters"}
        return None, f"paid {self.told[2]['paymentLamports']} lamports"


def _dict(content: Any) -> dict[str, Any]:
    read = json.loads(content) if isinstance(content, str) else content
    assert isinstance(read, dict)
    return read


async def test_a_model_earns_by_the_tools_of_the_market(client: legwork.LegworkClient, tmp_path: Any) -> None:
    task = await legwork.list_task(
        client,
        title=f"Count for {client.pubkey}",
        description="one two",
        instructions=["Count the characters."],
        max_budget=legwork.parse_sol(0.05),
        terms="plain",
    )
    key = tmp_path / "agent.json"
    script = Scripted(task["title"], str(legwork.load_or_create_keypair(key).pubkey()))
    told = await example().main(functions.FunctionModel(script), client.url, str(key))
    assert told == "paid 50000000 lamports"
    assert script.offered == example().TOOLS
    done = await client.get_digital_task(task_id=task["id"])
    assert (done["legs"][0]["agentPubkey"], done["legs"][0]["result"]) == (script.pubkey, "7 characters")
    # Each call was signed: once a key has signed its registration, nobody can claim or hand in by it unsigned.
    verified = await legwork.verify_listing(client, task_id=task["id"])
    assert [(one.worker, one.amount) for one in verified.paid] == [(script.pubkey, 50_000_000)]
