"""A courier: bids on packages, carries what it wins, and keeps the clocks of legs with terms."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ._generated import models as m
from .client import LegworkClient
from .errands import Errands, log, patient_events, together
from .geo import estimated_duration_min, great_circle_km
from .making import Made, ensure_reputation
from .money import format_units
from .policy import TurnPolicy
from .receiving import leg_to_receive, receive
from .steps import ParcelAtHand, TaskAtHand
from .turns import follow_turns

_TOPICS = ["PACKAGE_LISTED", "SWARM_FORMED", "LEG_CONFIRMED"]


@dataclass(frozen=True)
class Offer:
    """A stretch of the way, and what it costs."""

    pickup_lat: float
    pickup_lng: float
    dropoff_lat: float
    dropoff_lng: float
    distance_km: float
    estimated_duration_min: int
    #: Base units of the asset: lamports of SOL.
    cost: int
    #: What it asks to be paid in. A package that pays in something else gets no bid.
    asset: str = "sol"

    def bid(self) -> dict[str, Any]:
        """The fields of ``submit_bid``."""
        return {name: value for name, value in vars(self).items() if name != "asset"}

    @staticmethod
    def by_road(
        pickup: tuple[float, float], dropoff: tuple[float, float], units_per_km: int, asset: str = "sol"
    ) -> Offer:
        """By road between two places in degrees, which is about 1.3 times as far as the straight line."""
        km = round(great_circle_km(*pickup, *dropoff) * 1.3, 1)
        return Offer(*pickup, *dropoff, km, estimated_duration_min(km), max(1, round(km * units_per_km)), asset)


@dataclass
class _Waiting:
    """Packages without terms that may come to this courier."""

    every_sec: float
    packages: set[str] = field(default_factory=set)
    bell: asyncio.Event = field(default_factory=asyncio.Event)


class Courier(TurnPolicy):
    """Override ``offer``, ``holds`` and ``evidence``, and ``run`` it."""

    async def offer(self, parcel: m.PackageDetail) -> Offer | None:
        """What this courier bids for a package, or a stretch of its way; None: nothing."""
        return None

    async def holds(self, parcel: m.PackageDetail, leg: m.Leg) -> bool:
        """Whether the parcel of this courier's leg is in its hands now. Only then it signs, and that pays who brought it, for good."""
        return False

    async def run(self, client: LegworkClient, *, since: int = 0, every_sec: float = 10.0) -> None:
        """Carries until the task is cancelled. A restarted courier catches up, because bids and confirmations are safe to repeat.

        :param client: must have the signer
        :param since: number of the last event already handled; 0 begins with the first there is
        :param every_sec: how often its legs are looked at when nothing happens
        """
        waiting, errands = _Waiting(every_sec), Errands(every_sec)
        try:
            await together(
                follow_turns(client, self, every_sec=every_sec),
                self._follow(client, since, waiting, errands),
                self._receive_plain(client, waiting),
            )
        finally:
            errands.cancel()

    async def _follow(self, client: LegworkClient, since: int, waiting: _Waiting, errands: Errands) -> None:
        async for event in patient_events(client.url, since, _TOPICS):
            if event["type"] == "PACKAGE_LISTED":
                package_id = event["packageId"]
                await errands.run(f"no bid on package {package_id}", partial(self._bid, client, package_id))
            elif event["type"] == "SWARM_FORMED" or event["type"] == "LEG_CONFIRMED":
                waiting.packages.add(event["packageId"])
                waiting.bell.set()

    async def has_parcel(self, at: ParcelAtHand) -> bool:
        return at.own is not None and await self.holds(at.parcel, at.own)

    async def carried(self, at: ParcelAtHand) -> None:
        log.info("took over package %s", at.parcel["id"])

    def made(self, made: Made, at: ParcelAtHand | TaskAtHand, action: str) -> None:
        log.info("%s leg %d: %s", action, at.turn["legIndex"] + 1, made.signature)

    def failed(self, error: Exception, turn: m.Turn | None) -> None:
        log.warning("to be tried again: %s", error)

    async def _bid(self, client: LegworkClient, package_id: str) -> None:
        parcel = await client.get_package(package_id=package_id)
        offer = await self.offer(parcel) if parcel["status"] == "listed" else None
        if offer is None:
            return
        if offer.asset != parcel["asset"]:
            log.info("no bid on package %s: it pays in %s, not in %s", package_id, parcel["asset"], offer.asset)
            return
        terms = parcel["terms"]
        if terms is not None:
            # Who has no reputation cannot bid where both sides are bound.
            sides = [parcel["shipperPubkey"], terms["arbiterPubkey"], terms["receiverPubkey"]]
            opened = await ensure_reputation(client, sides)
            if opened is not None:
                log.info("opened its reputation: %s", opened)
        await client.submit_bid(package_id=package_id, agent_pubkey=client.pubkey, **offer.bid())
        amount = format_units(offer.cost, parcel["decimals"])
        log.info("bid %s %s on package %s", amount, parcel["asset"].upper(), package_id)

    async def _receive_plain(self, client: LegworkClient, waiting: _Waiting) -> None:
        """Without terms the courier of the next leg receives the package, and signs for it when it is in its hands."""
        while True:
            waiting.bell.clear()
            for package_id in sorted(waiting.packages):
                try:
                    if await self._is_over(client, package_id):
                        waiting.packages.discard(package_id)
                except Exception as error:  # What a policy raises, or a service says, is about one package.
                    log.warning("to be tried again: %s", error)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(waiting.bell.wait(), waiting.every_sec)

    async def _is_over(self, client: LegworkClient, package_id: str) -> bool:
        """Signs for the parcel if it is there. Whether there is nothing to wait for."""
        parcel = await client.get_package(package_id=package_id)
        swarm, before = parcel["swarm"], leg_to_receive(parcel, client.pubkey)
        if parcel["terms"] is not None or swarm is None or swarm["status"] != "active":
            return True
        if before is None or before["status"] != "pending" or parcel["shipperPubkey"] == client.pubkey:
            return True
        current = next(leg for leg in swarm["legs"] if leg["status"] == "pending")
        own = swarm["legs"][before["legIndex"] + 1]
        if current["id"] == before["id"] and await self.holds(parcel, own):
            received = await receive(client, package_id)
            log.info("took over package %s: %s", package_id, received.signature)
            return True
        return False
