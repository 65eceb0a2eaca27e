"""The events of a service, in order, each once."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from typing import cast
from urllib.parse import urlencode, urlsplit, urlunsplit

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from ._forms import decode
from ._generated import models as m
from .errors import LegworkNetworkError, LegworkProtocolError

_FIRST_PAUSE_SEC = 0.1
_LONGEST_PAUSE_SEC = 10.0
_KNOWN = frozenset(name.removesuffix("Event").lower() for name in dir(m) if name.endswith("Event") and name != "Event")


async def follow_events(
    url: str,
    *,
    since: int | None = None,
    topics: Sequence[str] | None = None,
    package: str | None = None,
    task: str | None = None,
    agent: str | None = None,
    near: tuple[float, float] | None = None,
    radius_km: float | None = None,
) -> AsyncIterator[m.Event]:
    """Follows the events of a service. After any disconnect it connects again with the last number seen, so that nothing is missed and
    nothing comes twice. To go on in another process, keep ``seq`` of the last event handled and give it as ``since``.

    :param since: number of the last event already seen; 0 begins with the first there is; None: what happens from now on
    :param topics: only these types, for example ``["TASK_LISTED"]``
    :param agent: only listings that concern this key
    :param near: only packages that start or end near this place, latitude and longitude in degrees
    :raises LegworkNetworkError: when the first connection cannot be opened
    :raises LegworkProtocolError: when the stream holds something that is not an event
    """
    asked = {"package": package, "task": task, "agent": agent}
    if topics is not None:
        asked["topics"] = ",".join(topics)
    if near is not None:
        asked["near"] = f"{near[0]},{near[1]}"
    if radius_km is not None:
        asked["radiusKm"] = str(radius_km)
    last, ever_opened, wait = since, False, _FIRST_PAUSE_SEC
    while True:
        address = _stream_url(url, {**asked, "since": None if last is None else str(last)})
        try:
            # The library pings, so that a dead connection ends.
            async with connect(address, max_size=2**20) as socket:
                ever_opened = True
                async for frame in socket:
                    seq, event = read_frame(frame)
                    if last is not None and seq <= last:
                        continue
                    last, wait = seq, _FIRST_PAUSE_SEC
                    if event is not None and (topics is None or event["type"] in topics):
                        yield event
        except ConnectionClosed:
            pass
        except (OSError, InvalidHandshake, InvalidURI, TimeoutError) as error:
            if not ever_opened:
                raise LegworkNetworkError(f"cannot open the event stream {address}: {error}") from error
        await asyncio.sleep(wait * (0.5 + random.random()))
        wait = min(wait * 2, _LONGEST_PAUSE_SEC)


def _stream_url(url: str, asked: dict[str, str | None]) -> str:
    parts = urlsplit(url)
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    return urlunsplit((parts.scheme.replace("http", "ws"), parts.netloc, f"{parts.path.rstrip('/')}/ws", query, ""))


def read_frame(frame: str | bytes) -> tuple[int, m.Event | None]:
    """The number of a frame, and its event. A type that this version does not know keeps its number, so that the stream goes on behind it.

    :raises LegworkProtocolError: when it is not a frame of the stream
    """
    try:
        read = json.loads(frame)
        if type(read["seq"]) is not int or not isinstance(read["type"], str):
            raise TypeError("it has no seq")
        is_known = read["type"].replace("_", "").lower() in _KNOWN
        return read["seq"], cast(m.Event, decode("Event", read)) if is_known else None
    except (ValueError, TypeError, KeyError) as error:
        raise LegworkProtocolError("a frame of the event stream is not an event") from error
