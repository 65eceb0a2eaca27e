"""Keeps the legs with terms of a key going. What it knows is what the service and the ledger say, so it can be stopped at any instant."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone

from ._generated import models as m
from .client import LegworkClient, every_item
from .documents import result_hash
from .errors import LedgerRefusedError, LegworkApiError, LegworkError
from .events import follow_events
from .handing import hand_in
from .handoffs import CODE_PREFIX, find_handoff, read_code, send_handoff
from .landing import is_refusal
from .legs import Listed, leg_on_ledger, listed_package, listed_task
from .making import make_move
from .moves import Move
from .policy import TurnPolicy
from .steps import (
    ParcelAtHand,
    Step,
    TaskAtHand,
    next_step,
    next_task_step,
    parcel_at_hand,
    until_notice,
)

#: What can bring a turn. Events only wake: what is missed here is found by asking again.
_WAKING = [
    "BID_RECEIVED",
    "TASK_LEG_ASSIGNED",
    "LEG_ACCEPTED",
    "LEG_CARRIED",
    "LEG_VACATED",
    "LEG_REPLACED",
    "LEG_CLAIMED",
    "LEG_DISPUTED",
    "LEG_RULED",
    "LEG_CONFIRMED",
    "TASK_LEG_COMPLETED",
]
_REOPEN_SEC = 5.0


@dataclass
class _Follower:
    client: LegworkClient
    policy: TurnPolicy
    every_sec: float
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    listings: set[str] = field(default_factory=set)
    #: Legs of this run whose policy was told that they are carried.
    told: set[str] = field(default_factory=set)


async def follow_turns(client: LegworkClient, policy: TurnPolicy, *, every_sec: float = 10.0) -> None:
    """Keeps the legs with terms of a key going until the task is cancelled: accepts what it bid for, picks up or takes over when its turn has
    come and the parcel is there, claims with the policy's evidence or hands in its result, gives notice two minutes before a clock ends that
    it cannot meet, begins nothing that would end after the deadline, and carries out what silence has decided.

    :param client: must have the signer
    :param every_sec: how often it looks when nothing happens
    :raises LegworkNetworkError: when the service cannot be reached at the start; later it is waited for
    """
    await client.config()
    follower = _Follower(client, policy, every_sec)
    waking = asyncio.create_task(_ring_at_events(follower))
    try:
        while True:
            follower.bell.clear()
            try:
                wait = await _one_round(follower)
            except Exception as error:  # Other legs have clocks too: nothing that a service says ends the loop.
                policy.failed(error, None)
                wait = every_sec
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(follower.bell.wait(), min(wait, every_sec))
    finally:
        waking.cancel()


async def _one_round(follower: _Follower) -> float:
    """:returns: seconds until the next look"""
    client = follower.client
    wait = follower.every_sec
    now: datetime | None = None
    # Page by page: what others name the key in, however much it is, delays nothing of its own.
    async for turn in every_item(client.list_turns, pubkey=client.pubkey):
        if now is None:
            now = datetime.fromtimestamp(await (await client.ledger()).now(), timezone.utc)
        follower.listings.add(turn["packageId"] if turn["kind"] == "package" else turn["taskId"])
        try:
            wait = min(wait, await _look(follower, turn, now))
        except Exception as error:  # What a policy raises ends its step, and not the loop.
            follower.policy.failed(error, turn)
    return max(wait, 0.05)


async def _look(follower: _Follower, turn: m.Turn, now: datetime) -> float:
    client = follower.client
    at: ParcelAtHand | TaskAtHand
    if turn["kind"] == "package":
        parcel = await client.get_package(package_id=turn["packageId"])
        at = parcel_at_hand(turn, parcel, client.pubkey, now)
        step = next_step(at, client.pubkey)
        if step is not None:
            await _take_parcel_step(follower, at, listed_package(parcel), step)
    else:
        if turn["agentPubkey"] != client.pubkey:
            return follower.every_sec
        task = await client.get_digital_task(task_id=turn["taskId"])
        leg = next((one for one in task["legs"] if one["id"] == turn["legId"]), None)
        if leg is None:
            return follower.every_sec
        at = TaskAtHand(turn, task, leg, now)
        step = next_task_step(at, client.pubkey)
        if step is not None:
            await _take_task_step(follower, at, listed_task(task), step)
    ahead = until_notice(at)
    return follower.every_sec if ahead is None else ahead.total_seconds()


async def _take_task_step(follower: _Follower, at: TaskAtHand, said: Listed, step: Step) -> None:
    if step.kind != "work":
        await _take_plain_step(follower, at, said, step)
        return
    result = await follower.policy.result(at, step.is_last)
    if result is None:
        if step.is_last:
            await _make(follower, at, said, Move("vacate"))
        return

    async def claim() -> None:
        _, made = await hand_in(follower.client, at.task["id"], at.leg["id"], result, said=said)
        if made is not None:
            follower.policy.made(made, at, "claim")

    await _or_with_stored(follower, at, said, claim)


async def _take_parcel_step(follower: _Follower, at: ParcelAtHand, said: Listed, step: Step) -> None:
    policy = follower.policy
    if step.kind == "pick_up":
        await _pick_up(follower, at, said, step)
    elif step.kind == "carry":
        await _tell_carried(follower, at, said)
        if await _send_receipt(follower, at, said):
            return
        text = await policy.evidence(at, step.is_last)
        if text is not None:
            evidence = text
            await _or_with_stored(follower, at, said, lambda: _make(follower, at, said, Move("claim"), evidence))
    else:
        is_held = step.unless_held and await policy.has_parcel(at)
        if not is_held:
            await _take_plain_step(follower, at, said, step)


async def _take_plain_step(follower: _Follower, at: ParcelAtHand | TaskAtHand, said: Listed, step: Step) -> None:
    if step.kind == "accept":
        is_wanted = await follower.policy.accepts(at)
        await _make(follower, at, said, Move("accept" if is_wanted else "vacate"))
    else:
        await _make(follower, at, said, Move(step.action))


async def _pick_up(follower: _Follower, at: ParcelAtHand, said: Listed, step: Step) -> None:
    # A shipper who does not sign must not cost the courier its stake.
    is_there = not (step.is_last and step.is_cosigned) and await follower.policy.has_parcel(at)
    if not is_there:
        if step.is_last:
            await _make(follower, at, said, Move("vacate"))
        return
    if not step.is_cosigned:
        await _make(follower, at, said, Move(step.action))
    elif not await _send_pickup(follower, at, said):
        return
    await _tell_carried(follower, at, said)


async def _send_pickup(follower: _Follower, at: ParcelAtHand, said: Listed) -> bool:
    """Sends the shipper's signature with this key's. False: the shipper has not signed yet."""
    client, leg_id = follower.client, at.turn["legId"]
    code = await follower.policy.handoff(at)
    leg = await leg_on_ledger(client, said, leg_id)
    signed = read_code(code) if code is not None else await find_handoff(client, leg, leg_id, Move("take"))
    if signed is None:
        return False
    follower.policy.made(await send_handoff(client, said, leg_id, signed, Move("take")), at, "take")
    return True


async def _send_receipt(follower: _Follower, at: ParcelAtHand, said: Listed) -> bool:
    """Sends what the next courier or the receiver has signed and shared, which pays this key at once. Where there is none, and where one is
    refused, that must not keep it from its claim. Rule A-134."""
    client, leg_id = follower.client, at.turn["legId"]
    try:
        leg = await leg_on_ledger(client, said, leg_id)
        # The ledger refuses a takeover by who has not accepted, and who sends it may pay for that.
        is_open = leg.next is None or (leg.next.status == "accepted" and leg.now < leg.deadline)
        signed = await find_handoff(client, leg, leg_id, Move("confirm")) if is_open and any(leg.nonce) else None
    except LegworkError:
        return False
    if signed is None:
        return False
    try:
        made = await send_handoff(client, said, leg_id, signed, Move("confirm"))
    except LegworkError as error:
        if not is_refusal(error) and not isinstance(error, LedgerRefusedError):
            raise
        return False
    follower.policy.made(made, at, "confirm")
    return True


async def _tell_carried(follower: _Follower, at: ParcelAtHand, said: Listed) -> None:
    """The ledger is asked itself: who leaves with a parcel that it did not pick up there has no claim to anything."""
    client = follower.client
    if at.own is None or at.own["id"] in follower.told:
        return
    leg = await leg_on_ledger(client, said, at.own["id"])
    if leg.worker == client.pubkey and leg.status == "carried":
        follower.told.add(at.own["id"])
        await follower.policy.carried(at)


async def _make(
    follower: _Follower, at: ParcelAtHand | TaskAtHand, said: Listed, move: Move, text: str | None = None
) -> None:
    made = await make_move(follower.client, said, at.turn["legId"], move, text=text)
    follower.policy.made(made, at, move.action)


async def _or_with_stored(
    follower: _Follower, at: ParcelAtHand | TaskAtHand, said: Listed, claim: Callable[[], Awaitable[None]]
) -> None:
    """Claims; where the evidence has no room left, as after claims that did not land, the claim names what was stored last."""
    client, leg_id = follower.client, at.turn["legId"]
    try:
        await claim()
    except LegworkApiError as error:
        if error.code not in ("invalid_status", "result_submitted"):
            raise
        stored = (await client.list_evidence(leg_id=leg_id)).items
        own = [
            one for one in stored if one["authorPubkey"] == client.pubkey and not one["text"].startswith(CODE_PREFIX)
        ]
        if not own:
            raise
        await _make(follower, at, said, Move("claim", hash=result_hash(own[-1]["text"])))


async def _ring_at_events(follower: _Follower) -> None:
    while True:
        try:
            async for event in follow_events(follower.client.url, topics=_WAKING):
                listing = event.get("packageId") or event.get("taskId")
                if event.get("agentPubkey") == follower.client.pubkey or listing in follower.listings:
                    follower.bell.set()
        except LegworkError:
            await asyncio.sleep(_REOPEN_SEC)
