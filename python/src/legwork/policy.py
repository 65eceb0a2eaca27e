"""What an agent with turns is asked."""

from __future__ import annotations

from ._generated import models as m
from .files import Result
from .making import Made
from .steps import ParcelAtHand, TaskAtHand


class TurnPolicy:
    """What a key that follows its turns knows of the world. Every question is asked again and again, and answered at once; override what
    your agent does. A courier overrides ``has_parcel`` and ``evidence``, a worker ``result``."""

    async def accepts(self, at: ParcelAtHand | TaskAtHand) -> bool:
        """Whether a leg that was given to this key is wanted. One that is not is vacated, which costs nothing."""
        return True

    async def has_parcel(self, at: ParcelAtHand) -> bool:
        """Whether the parcel is in this key's hands. Only then is it picked up or taken over."""
        return False

    async def carried(self, at: ParcelAtHand) -> None:
        """The ledger shows that this key has the parcel now: it may leave. Told once in each run."""

    async def evidence(self, at: ParcelAtHand, is_last: bool) -> str | None:
        """What shows that the parcel is at the leg's end, where nobody relieves this key; None: it is not there yet.

        :param is_last: two minutes before the clock ends: what is told then says where the parcel is
        """
        return None

    async def handoff(self, at: ParcelAtHand) -> str | None:
        """The code by which the shipper hands the parcel over, from its screen; None: it is looked for among the evidence of the leg."""
        return None

    async def result(self, at: TaskAtHand, is_last: bool) -> str | Result | None:
        """What this key's leg of a digital task comes to; None: not yet. What a key has claimed it accepts unasked."""
        return None

    def made(self, made: Made, at: ParcelAtHand | TaskAtHand, action: str) -> None:
        """A move was made."""

    def failed(self, error: Exception, turn: m.Turn | None) -> None:
        """Something could not be done; it is tried again."""
