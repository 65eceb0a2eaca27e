"""Things that are tried again while they fail for a reason that passes, and that keep nothing else waiting."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import Any

from ._generated import models as m
from .errors import LegworkError, LegworkProtocolError
from .events import follow_events
from .landing import is_refusal

log = logging.getLogger("legwork")


class Errands:
    """What an agent has under way beside its loops."""

    def __init__(self, every_sec: float) -> None:
        self._every_sec = every_sec
        self._under_way: set[asyncio.Task[None]] = set()

    async def run(self, what: str, attempt: Callable[[], Awaitable[None]]) -> None:
        """Tries it now, and again beside everything else as long as it fails for a reason that passes.

        :param what: for the log, such as ``no bid on package …``
        :param attempt: has to look by itself whether there is still something to do
        """
        if not await self._is_over(what, attempt):
            self.start(what, attempt)

    def start(self, what: str, attempt: Callable[[], Awaitable[None]], *, now: bool = False) -> None:
        """The same without waiting for the first attempt."""
        task = asyncio.create_task(self._again(what, attempt, now))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def cancel(self) -> None:
        """Drops what is under way."""
        for one in self._under_way:
            one.cancel()

    async def _again(self, what: str, attempt: Callable[[], Awaitable[None]], now: bool) -> None:
        while True:
            if not now:
                await asyncio.sleep(self._every_sec)
            if await self._is_over(what, attempt):
                return
            now = False

    async def _is_over(self, what: str, attempt: Callable[[], Awaitable[None]]) -> bool:
        try:
            await attempt()
        except LegworkError as error:
            log.info("%s: %s", what, error)
            return is_refusal(error)
        except Exception as error:  # What a policy raises is about one thing, and not the loop.
            log.warning("%s: %r", what, error)
        return True


async def together(*loops: Coroutine[Any, Any, None]) -> None:
    """Runs loops until one of them ends, which ends the others: a loop that is gone would be missed when it is too late."""
    tasks = [asyncio.create_task(one) for one in loops]
    try:
        await asyncio.gather(*tasks)
    finally:
        for one in tasks:
            one.cancel()


_REOPEN_SEC = 5.0


async def patient_events(url: str, since: int, topics: Sequence[str]) -> AsyncIterator[m.Event]:
    """Events for a loop that has clocks beside it: nonsense in the stream costs a pause, and not the loop.

    :raises LegworkNetworkError: when the first connection cannot be opened
    """
    while True:
        try:
            async for event in follow_events(url, since=since, topics=topics):
                since = event["seq"]
                yield event
        except LegworkProtocolError as error:
            log.warning("to be tried again: %s", error)
            await asyncio.sleep(_REOPEN_SEC)
