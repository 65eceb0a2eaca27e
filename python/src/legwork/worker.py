"""A worker of digital tasks: claims legs, does them, hands in, and keeps the clocks of those with terms."""

from __future__ import annotations

import asyncio
from functools import partial

from ._generated import models as m
from .client import LegworkClient
from .errands import Errands, log, patient_events, together
from .files import Result
from .handing import hand_in
from .making import Made, ensure_reputation
from .money import format_units
from .policy import TurnPolicy
from .steps import ParcelAtHand, TaskAtHand, context_of
from .turns import follow_turns

_TOPICS = ["TASK_LISTED", "TASK_LEG_RELEASED", "TASK_LEG_ASSIGNED"]


class Worker(TurnPolicy):
    """Override ``wants`` and ``work``, and ``run`` it. What strangers wrote is material to work on, nothing that your agent has to obey."""

    def __init__(self) -> None:
        #: Work under way by its leg.
        self._works: dict[str, asyncio.Task[str | Result | None]] = {}

    async def wants(self, task: m.DigitalTaskDetail, leg: m.DigitalLegDetail) -> bool:
        """Whether this worker claims an open leg. Its instruction and terms are in ``leg`` and ``task``."""
        return False

    async def work(self, instruction: str, context: str) -> str | Result | None:
        """Does what a leg asks for; None: it cannot. A ``Result`` has files too.

        :param context: the result of the leg before; of the first leg, the description of the task
        """
        raise NotImplementedError

    async def run(self, client: LegworkClient, *, since: int = 0, every_sec: float = 10.0) -> None:
        """Works until the task is cancelled. A restarted worker catches up, because claims and results are safe to repeat.

        :param client: must have the signer
        :param since: number of the last event already handled; 0 begins with the first there is
        :param every_sec: how often legs with terms are looked at when nothing happens
        """
        errands = Errands(every_sec)
        try:
            await together(follow_turns(client, self, every_sec=every_sec), self._follow(client, since, errands))
        finally:
            errands.cancel()
            for under_way in self._works.values():
                under_way.cancel()

    async def _follow(self, client: LegworkClient, since: int, errands: Errands) -> None:
        async for event in patient_events(client.url, since, _TOPICS):
            if event["type"] == "TASK_LEG_ASSIGNED":
                if event["agentPubkey"] == client.pubkey:
                    of = (client, event["taskId"], event["legId"])
                    # So that long work keeps it from nothing else.
                    errands.start(f"not handed in for task {event['taskId']}", partial(self._hand_in, *of), now=True)
            elif event["type"] == "TASK_LISTED" or event["type"] == "TASK_LEG_RELEASED":
                task_id = event["taskId"]
                await errands.run(f"no claim in task {task_id}", partial(self._claim, client, task_id))

    async def result(self, at: TaskAtHand, is_last: bool) -> str | Result | None:
        return await self._done(at.task, at.leg)

    def made(self, made: Made, at: ParcelAtHand | TaskAtHand, action: str) -> None:
        log.info("%s leg %d: %s", action, at.turn["legIndex"] + 1, made.signature)

    def failed(self, error: Exception, turn: m.Turn | None) -> None:
        log.warning("to be tried again: %s", error)

    async def _done(self, task: m.DigitalTaskDetail, leg: m.DigitalLegDetail) -> str | Result | None:
        """The result of a leg; None: not yet. Whoever asks is not kept waiting, because other legs have clocks too."""
        under_way = self._works.get(leg["id"])
        if under_way is None:
            context = context_of(task, leg["legIndex"])
            under_way = self._works[leg["id"]] = asyncio.create_task(self.work(leg["instruction"], context))
        await asyncio.wait([under_way], timeout=1.0)
        if not under_way.done():
            return None
        if under_way.cancelled() or under_way.exception() is not None:
            del self._works[leg["id"]]
        return under_way.result()

    async def _claim(self, client: LegworkClient, task_id: str) -> None:
        """Claims one leg; the first agent that bids has it. Once assigned, now or when its turn comes, it is an event of its own."""
        task = await client.get_digital_task(task_id=task_id)
        if any(leg["agentPubkey"] == client.pubkey for leg in task["legs"]):
            return
        for leg in task["legs"]:
            if leg["isOpen"] and await self.wants(task, leg):
                await self._bid(client, task, leg)
                return

    async def _bid(self, client: LegworkClient, task: m.DigitalTaskDetail, leg: m.DigitalLegDetail) -> None:
        terms = task["terms"]
        if terms is not None:
            # Who has no reputation cannot claim where both sides are bound.
            opened = await ensure_reputation(
                client, [task["shipperPubkey"], terms["arbiterPubkey"], terms["receiverPubkey"]]
            )
            if opened is not None:
                log.info("opened its reputation: %s", opened)
        pay = task["paymentPerLeg"]
        await client.bid_digital_leg(task_id=task["id"], leg_id=leg["id"], agent_pubkey=client.pubkey, bid=pay)
        log.info("claimed leg %d of task %s", leg["legIndex"] + 1, task["id"])

    async def _hand_in(self, client: LegworkClient, task_id: str, leg_id: str) -> None:
        """Of a leg without terms; those with terms have turns."""
        task = await client.get_digital_task(task_id=task_id)
        leg = next(one for one in task["legs"] if one["id"] == leg_id)
        if task["terms"] is not None or leg["agentPubkey"] != client.pubkey or leg["status"] != "in_progress":
            return
        result = await self.work(leg["instruction"], context_of(task, leg["legIndex"]))
        if result is None:
            return
        answer, _ = await hand_in(client, task_id, leg_id, result)
        paid = answer["payment"]
        told = "to be paid" if paid is None else f"paid {format_units(paid, task['decimals'])} {task['asset'].upper()}"
        log.info("handed in leg %d of task %s: %s", leg["legIndex"] + 1, task_id, told)
