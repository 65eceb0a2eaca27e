"""What a key that keeps its legs going does next. Pure, and the only place that decides it. Rule T-46."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from ._generated import models as m

#: So long before a clock ends, who cannot make it gives notice, or claims where it stands.
NOTICE = timedelta(seconds=120)


@dataclass(frozen=True)
class ParcelAtHand:
    """A leg of a package with terms whose clock runs for a key."""

    turn: m.PackageTurn
    parcel: m.PackageDetail
    #: The leg of this key that it is about: the leg itself, or the one that takes over from it; None: none.
    own: m.Leg | None
    #: The time by the ledger.
    now: datetime

    @property
    def deadline(self) -> datetime:
        return self.parcel["deadline"]


@dataclass(frozen=True)
class TaskAtHand:
    """The same of a digital task."""

    turn: m.TaskTurn
    task: m.DigitalTaskDetail
    leg: m.DigitalLegDetail
    now: datetime

    @property
    def deadline(self) -> datetime:
        return self.task["deadline"]

    @property
    def context(self) -> str:
        """What the leg works on: the result of the leg before; of the first leg, the description of the task."""
        return context_of(self.task, self.leg["legIndex"])


@dataclass(frozen=True)
class Step:
    """What is next. ``move``: at once. ``accept``: if the leg is wanted, else it is left. ``pick_up``: if the parcel is there. ``carry``: it
    claims if the parcel has arrived. ``work``: it claims with the result."""

    kind: str
    #: Of ``move`` and ``pick_up``: ``vacate``, ``crank``, ``take`` or ``confirm``.
    action: str = ""
    #: The clock is about to end, and what is answered now decides.
    is_last: bool = False
    #: The shipper signs the pickup too.
    is_cosigned: bool = False
    #: Not if the parcel that it waits for is in its hands, because then it takes over.
    unless_held: bool = False


def context_of(task: m.DigitalTaskDetail, leg_index: int) -> str:
    """The result of the leg before; of the first leg, the description of the task."""
    before = task["legs"][leg_index - 1]["result"] if leg_index > 0 else None
    return task["description"] if before is None else before


def parcel_at_hand(turn: m.PackageTurn, parcel: m.PackageDetail, pubkey: str, now: datetime) -> ParcelAtHand:
    """A turn of a package with the leg that it is about for this key."""
    legs = [] if parcel["swarm"] is None else parcel["swarm"]["legs"]
    own = next(
        (
            leg
            for leg in legs
            if leg["agentPubkey"] == pubkey and (leg["id"] == turn["legId"] or leg["legIndex"] == turn["legIndex"] + 1)
        ),
        None,
    )
    return ParcelAtHand(turn, parcel, own, now)


def next_step(at: ParcelAtHand, pubkey: str) -> Step | None:
    """What is to do about a turn now; None: nothing."""
    needed = timedelta(0) if at.own is None else timedelta(minutes=at.own["estimatedDurationMin"])
    is_late = at.own is not None and at.now + needed > at.deadline
    if at.turn["agentPubkey"] == pubkey:
        return _own_step(at, is_late)
    # A courier who could take over must not end the review: its signature would say that it has the parcel.
    if at.own is None or not _can(at, "confirm"):
        return _crank(at)
    return None if is_late else Step("pick_up", "confirm")


def next_task_step(at: TaskAtHand, pubkey: str) -> Step | None:
    """The same of a digital task. What others claim in it is not this key's to judge, nor to pay."""
    if at.turn["agentPubkey"] != pubkey:
        return None
    if at.turn["stage"] == "pending":
        return Step("accept") if _can(at, "accept") and at.now < at.deadline - NOTICE else _leave(at)
    if at.turn["stage"] != "accepted":
        return _crank(at)
    # Once the clock is over, to leave would cost the stake: a result is good as long as nobody took the leg.
    if _can(at, "claim"):
        return Step("work", is_last=_can(at, "vacate") and _is_ending(at))
    return _leave(at) if _is_ending(at) else None


def _own_step(at: ParcelAtHand, is_late: bool) -> Step | None:
    stage = at.turn["stage"]
    if stage == "pending":
        return Step("accept") if _can(at, "accept") and not is_late else _leave(at)
    if stage == "carried":
        return Step("carry", is_last=_is_ending(at)) if _can(at, "claim") else None
    if stage != "accepted":
        return _crank(at)
    if is_late:
        return _leave(at)
    if not _can(at, "take"):
        return _leave(at, unless_held=True) if _is_ending(at) else None
    terms = at.parcel["terms"]
    is_cosigned = at.turn["legIndex"] == 0 and terms is not None and terms["cosignedPickup"]
    return Step("pick_up", "take", is_last=_can(at, "vacate") and _is_ending(at), is_cosigned=is_cosigned)


def until_notice(at: ParcelAtHand | TaskAtHand) -> timedelta | None:
    """How long until something is to be done about the turn even if nothing happens; None: never."""
    ends = [end for end in (at.turn["until"], at.deadline) if end is not None]
    ahead = [moment - at.now for end in ends for moment in (end - NOTICE, end) if moment > at.now]
    return min(ahead, default=None)


def _can(at: ParcelAtHand | TaskAtHand, action: str) -> bool:
    return action in at.turn["actions"]


def _leave(at: ParcelAtHand | TaskAtHand, *, unless_held: bool = False) -> Step | None:
    return Step("move", "vacate", unless_held=unless_held) if _can(at, "vacate") else None


def _crank(at: ParcelAtHand | TaskAtHand) -> Step | None:
    """Silence has decided; who takes a custodian off is the shipper's to say, not this key's."""
    return Step("move", "crank") if _can(at, "crank") and at.turn["stage"] != "carried" else None


def _is_ending(at: ParcelAtHand | TaskAtHand) -> bool:
    """The leg's clock, or the deadline, is about to end."""
    until = at.turn["until"]
    return at.now >= at.deadline - NOTICE or (until is not None and at.now >= until - NOTICE)
