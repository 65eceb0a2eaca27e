"""Files of results: sent and fetched in parts that go on after an interruption, and measured by size and sha256."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from ._call import Operation, refusal_in
from ._generated import models as m
from .client import LegworkClient
from .errors import LegworkApiError, LegworkError, LegworkNetworkError, LegworkProtocolError

_OF_LEG = "/digital-tasks/{taskId}/legs/{legId}/artifacts/{sha256}"
_NONE: dict[str, Any] = {"query": [], "nullable": [], "takes": {}, "is_list": False}
_PUT_PART = Operation(
    "putArtifactPart",
    "PUT",
    f"{_OF_LEG}/parts/{{part}}",
    "signed",
    has_body=True,
    gives="StartArtifactAnswer",
    sends_bytes=True,
    **_NONE,
)
_GET_FILE = Operation("getArtifact", "GET", _OF_LEG, "signable", has_body=False, gives="", **_NONE)

_PIECE_BYTES = 1 << 20
_FIRST_PAUSE_SEC, _LONGEST_PAUSE_SEC = 0.25, 10.0
#: With these a file asks where it is, and goes on.
_GO_ON = frozenset({"part_out_of_order", "uploads_busy", "replayed_nonce"})
_UNAVAILABLE = frozenset({502, 503, 504})

#: A file of a result as a leg shows it: ``sha256``, ``bytes``, ``name`` and ``contentType``.
Artifact = m.DigitalLegDetailArtifactsItem


@dataclass(frozen=True)
class ResultFile:
    """A file for a result, 1 byte to 1 GiB."""

    #: 1 to 200 characters without slashes.
    name: str
    #: Media type in lower case, such as ``text/csv; charset=utf-8``.
    content_type: str
    content: bytes | Path

    @staticmethod
    def at(path: str | Path) -> ResultFile:
        """The file at this path, with the media type that its name tells."""
        kind, _ = mimetypes.guess_type(str(path))
        return ResultFile(Path(path).name, kind or "application/octet-stream", Path(path))


@dataclass(frozen=True)
class Result:
    """What a leg comes to, where it is more than a text."""

    text: str
    files: Sequence[ResultFile] = ()


async def measure(file: ResultFile) -> Artifact:
    """What a leg shows of a file."""
    sha256, size = await asyncio.to_thread(_measured, file.content)
    return {"sha256": sha256, "bytes": size, "name": file.name, "contentType": file.content_type}


async def upload_file(
    client: LegworkClient, task_id: str, leg_id: str, file: ResultFile, *, patience_sec: float = 120.0
) -> Artifact:
    """Uploads a file for a result of the client's signer. It continues what an earlier call began, after an interruption of the network, the
    service or its own process too. ``hand_in`` does it for the files of a result.

    :param patience_sec: how long it goes on without progress while the service cannot be reached
    :raises LegworkApiError: ``artifact_quota``, ``storage_full``, ``wrong_artifact`` (the content changed meanwhile) and others
    :raises LegworkNetworkError: when nothing moved for as long as its patience lasts
    """
    artifact = await measure(file)
    sha256, size = artifact["sha256"], artifact["bytes"]
    of: dict[str, Any] = {"task_id": task_id, "leg_id": leg_id, "sha256": sha256}
    patience = _Patience(patience_sec)
    while True:
        try:
            kept: m.StartArtifactAnswer = await client.start_artifact(**of, bytes=size)
            while not kept["isStored"] and kept["receivedBytes"] < size:
                start, part_bytes = kept["receivedBytes"], kept["partBytes"]
                content = await asyncio.to_thread(_part, file.content, start, part_bytes)
                where = {"taskId": task_id, "legId": leg_id, "sha256": sha256, "part": str(start // part_bytes)}
                kept = await client._call(_PUT_PART, where, content=content)
                if kept["receivedBytes"] <= start and not kept["isStored"]:
                    raise LegworkProtocolError(f"the service keeps nothing of {file.name} behind byte {start}")
                patience.has_moved()
            if kept["isStored"]:
                return artifact
            await patience.after(LegworkNetworkError(f"the service does not store {file.name}"))
        except (LegworkApiError, LegworkNetworkError) as error:
            await patience.after(error)


async def download_file(
    client: LegworkClient, task_id: str, leg_id: str, file: Artifact, *, patience_sec: float = 120.0
) -> AsyncIterator[bytes]:
    """Downloads a file of a result piece by piece, and continues after an interruption. Nobody has looked at what is in it.

    Only when the loop ends without an error was every byte right: use nothing before. ``save_file`` keeps to that.

    :param file: one of the ``artifacts`` of a leg
    :raises LegworkApiError: ``not_found`` where the client's signer may not read the result
    :raises LegworkProtocolError: when it has another sha256, or another size
    :raises LegworkNetworkError: when nothing moved for as long as its patience lasts
    """
    of = {"taskId": task_id, "legId": leg_id, "sha256": file["sha256"]}
    measured, came = hashlib.sha256(), 0
    patience = _Patience(patience_sec)
    while came < file["bytes"]:
        start = came
        try:
            async with aclosing(_pieces(client, of, start)) as pieces:
                async for piece in pieces:
                    came += len(piece)
                    if came > file["bytes"]:
                        raise LegworkProtocolError(
                            f"{file['name']} has more than the {file['bytes']} bytes of its result"
                        )
                    measured.update(piece)
                    patience.has_moved()
                    yield piece
            if came == start:
                break
        except (LegworkApiError, LegworkNetworkError) as error:
            await patience.after(error)
    if (measured.hexdigest(), came) != (file["sha256"], file["bytes"]):
        raise LegworkProtocolError(
            f"{file['name']} has {came} bytes with the sha256 {measured.hexdigest()}, and {file['bytes']} with {file['sha256']} were meant"
        )


async def save_file(client: LegworkClient, task_id: str, leg_id: str, file: Artifact, to: str | Path) -> Path:
    """Downloads a file of a result to this path, which has it only once every byte was right. Its own name is a stranger's word, so the path is
    yours to choose.

    :raises LegworkError: as ``download_file``
    """
    whole = Path(to)
    unfinished = whole.with_name(f"{whole.name}.{os.getpid()}.part")
    try:
        # In the loop's own thread: a piece is written in less time than one takes to come.
        with unfinished.open("wb") as opened:
            async for piece in download_file(client, task_id, leg_id, file):
                opened.write(piece)
        unfinished.replace(whole)
    finally:
        unfinished.unlink(missing_ok=True)
    return whole


async def _pieces(client: LegworkClient, of: dict[str, Any], start: int) -> AsyncGenerator[bytes, None]:
    url, _ = client._request(_GET_FILE, of)
    headers = client._headers(_GET_FILE, of, url, b"", None) | {"accept": "*/*", "accept-encoding": "identity"}
    if start > 0:
        headers["range"] = f"bytes={start}-"
    try:
        async with client._http.stream("GET", url, headers=headers, timeout=client._timeout_sec) as answer:
            if not answer.is_success:
                await answer.aread()
                # There is nothing behind what came.
                if start > 0 and answer.status_code == 416:
                    return
                raise refusal_in(answer)
            if start > 0 and answer.status_code != 206:
                raise LegworkProtocolError(f"{url} does not continue at byte {start}")
            async for piece in answer.aiter_bytes():
                yield piece
    except httpx.HTTPError as error:
        raise LegworkNetworkError(f"GET {url}: {error}") from error


def _measured(content: bytes | Path) -> tuple[str, int]:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest(), len(content)
    measured, size = hashlib.sha256(), 0
    with content.open("rb") as opened:
        while piece := opened.read(_PIECE_BYTES):
            measured.update(piece)
            size += len(piece)
    return measured.hexdigest(), size


def _part(content: bytes | Path, start: int, size: int) -> bytes:
    if isinstance(content, bytes):
        return content[start : start + size]
    with content.open("rb") as opened:
        opened.seek(start)
        return opened.read(size)


class _Patience:
    """Waits longer and longer, until nothing moved for so long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.has_moved()

    def has_moved(self) -> None:
        self._pause, self._until = _FIRST_PAUSE_SEC, time.monotonic() + self._seconds

    async def after(self, error: LegworkError) -> None:
        """:raises LegworkError: the error itself, once patience is at an end, or where it is none that passes"""
        if not _goes_on(error) or time.monotonic() > self._until:
            raise error
        await asyncio.sleep(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SEC)


def _goes_on(error: LegworkError) -> bool:
    if not isinstance(error, LegworkApiError):
        return isinstance(error, LegworkNetworkError)
    # A part that was damaged on its way is sent again; a file that is another one is not.
    is_damaged = error.code == "wrong_artifact" and any(one.get("field") == "part" for one in error.errors)
    return error.status in _UNAVAILABLE or error.code in _GO_ON or is_damaged
