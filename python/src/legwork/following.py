"""Verifies a listing as long as it lives."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from .client import LegworkClient
from .errands import log
from .errors import LegworkError, LegworkNetworkError
from .events import follow_events
from .verifying import VerifiedListing, verify_listing

_OVER = frozenset({"delivered", "completed", "failed"})
_REOPEN_SEC = 5.0


async def follow_listing(
    client: LegworkClient, *, package_id: str | None = None, task_id: str | None = None, every_sec: float = 30.0
) -> AsyncIterator[VerifiedListing]:
    """Verifies a package or a digital task now, at each of its events and every so often, and gives it whenever it has changed, until it is
    over. A service that cannot be reached is waited for.

    :raises ListingError: the first thing that does not hold, as ``verify_listing`` does
    """
    bell = asyncio.Event()
    waking = asyncio.create_task(_ring(client, bell, package_id, task_id))
    before: VerifiedListing | None = None
    try:
        while before is None or before.status not in _OVER:
            bell.clear()
            found = before
            try:
                found = await verify_listing(client, package_id=package_id, task_id=task_id)
            except LegworkNetworkError as error:
                log.warning("to be tried again: %s", error)
            if found is not None and found != before:
                yield found
                before = found
            if found is None or found.status not in _OVER:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(bell.wait(), every_sec)
    finally:
        waking.cancel()


async def _ring(client: LegworkClient, bell: asyncio.Event, package_id: str | None, task_id: str | None) -> None:
    while True:
        with contextlib.suppress(LegworkError):
            async for _ in follow_events(client.url, package=package_id, task=task_id):
                bell.set()
        await asyncio.sleep(_REOPEN_SEC)
