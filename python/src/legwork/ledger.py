"""The ledger's JSON-RPC, as far as an agent needs it."""

from __future__ import annotations

import asyncio
import base64
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
from solders.transaction import VersionedTransaction

from ._generated.program import ERRORS
from .errors import LedgerRefusedError, LegworkNetworkError

_CONFIRMED = {"commitment": "confirmed"}
#: Holds the ledger's time; the unix seconds stand behind so many bytes.
CLOCK = "SysvarC1ock11111111111111111111111111111111"
UNIX_TIMESTAMP_OFFSET = 32
#: Transactions of an account that are looked at, newest first.
_DEPTH = 200
_RESEND_SEC = 2.0
_SILENT_SEC = 20.0


class Ledger:
    """A node of the ledger. One that you name yourself does not depend on the word of a service."""

    def __init__(self, url: str, *, http: httpx.AsyncClient | None = None, timeout_sec: float = 20.0) -> None:
        self.url = url
        self._http = http or httpx.AsyncClient()
        self._timeout_sec = timeout_sec
        self._ids = itertools.count(1)
        self._genesis: str | None = None

    @property
    def _host(self) -> str:
        """What may be told of the address: the rest of it may hold a key."""
        return httpx.URL(self.url).netloc.decode()

    async def close(self) -> None:
        await self._http.aclose()

    async def ask(self, method: str, *params: Any) -> Any:
        """Calls a method.

        :raises LedgerRefusedError: when the node answers with an error, or refuses whoever asks
        :raises LegworkNetworkError: when no answer came
        """
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        try:
            response = await self._http.post(self.url, json=body, timeout=self._timeout_sec)
            if response.status_code >= 400 and not _is_forbidden(response.status_code):
                raise LegworkNetworkError(
                    f"the ledger at {self._host} does not answer {method}: {response.status_code}"
                )
            answer = response.json()
        except httpx.HTTPError as error:
            raise LegworkNetworkError(f"the ledger at {self._host} does not answer {method}: {error}") from error
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or ("result" not in answer and "error" not in answer):
            if _is_forbidden(response.status_code):
                raise LedgerRefusedError(f"the ledger at {self._host} refuses {method}: {response.status_code}")
            raise LegworkNetworkError(f"the ledger at {self._host} answers {method} in an unknown form")
        if answer.get("error") is not None:
            raise _refusal(method, answer["error"])
        return answer["result"]

    async def accounts(self, addresses: Sequence[str]) -> list[bytes | None]:
        """The bytes of accounts at one moment; None: there is none."""
        answer = await self.ask("getMultipleAccounts", list(addresses), {"encoding": "base64", **_CONFIRMED})
        return [None if one is None else base64.b64decode(one["data"][0]) for one in answer["value"]]

    async def balance(self, pubkey: str) -> int:
        """Lamports."""
        answer = await self.ask("getBalance", pubkey, _CONFIRMED)
        return int(answer["value"])

    async def now(self) -> int:
        """The ledger's time, unix seconds."""
        [clock] = await self.accounts([CLOCK])
        return clock_seconds(clock)

    async def genesis_hash(self) -> str:
        """Tells its cluster. It is asked once."""
        if self._genesis is None:
            self._genesis = str(await self.ask("getGenesisHash"))
        return self._genesis

    async def blockhash(self) -> tuple[str, int]:
        """The newest blockhash, and the height after which it is too old."""
        value = (await self.ask("getLatestBlockhash", _CONFIRMED))["value"]
        return str(value["blockhash"]), int(value["lastValidBlockHeight"])

    async def _status(self, signature: str) -> dict[str, Any] | None:
        [status] = (await self.ask("getSignatureStatuses", [signature]))["value"]
        return status if isinstance(status, dict) else None

    async def _look(self, signature: str) -> tuple[dict[str, Any] | None, int]:
        """How a transaction stands, and the ledger's height after that where there is nothing of it; else 0."""
        status = await self._status(signature)
        return status, 0 if status is not None else int(await self.ask("getBlockHeight", _CONFIRMED))

    async def has_landed(self, signature: str) -> bool:
        """Whether the ledger has confirmed a transaction.

        :raises LedgerRefusedError: when it shows that it failed
        """
        return _is_confirmed(await self._status(signature), signature)

    async def lands_within(self, signature: str, seconds: float) -> bool:
        """Waits until the ledger has confirmed a transaction; False: not within this time.

        :raises LedgerRefusedError: when it shows that it failed
        """
        until = time.monotonic() + seconds
        wait = 0.05
        while True:
            try:
                status = await self._status(signature)
            except (LegworkNetworkError, LedgerRefusedError):
                # A node that refuses the question says nothing about the transaction.
                status = None
            if _is_confirmed(status, signature):
                return True
            if time.monotonic() > until:
                return False
            await asyncio.sleep(wait)
            wait = min(wait * 2, 1.0)

    async def send(self, transaction: VersionedTransaction, last_valid_block_height: int) -> str:
        """Sends a signed transaction and waits until it is confirmed. The same bytes are sent again while they are valid.

        :returns: its signature
        :raises LedgerRefusedError: when the ledger refuses it or it expires
        :raises LegworkNetworkError: when the ledger has it, or may have it, and is silent for 20 seconds; also when nothing listens there,
            so that nothing was sent
        """
        signature = str(transaction.signatures[0])
        wire = base64.b64encode(bytes(transaction)).decode()
        how = {"encoding": "base64", "maxRetries": 0, "preflightCommitment": "confirmed"}
        try:
            await self.ask("sendTransaction", wire, how)
        except LegworkNetworkError as error:
            # Without an answer it may have come through, unless there was nobody to connect to: what becomes of it is asked for below.
            if isinstance(error.__cause__, httpx.ConnectError):
                raise
        sent = heard = time.monotonic()
        wait = 0.04
        is_over = False
        while True:
            try:
                status, height = await self._look(signature)
            except (LegworkNetworkError, LedgerRefusedError) as error:
                # A node that refuses the question says nothing about the transaction.
                if time.monotonic() - heard > _SILENT_SEC:
                    text = (
                        f"the ledger has transaction {signature}, or may have it, and does not answer: "
                        "whether it landed is not known yet; call again"
                    )
                    raise LegworkNetworkError(text) from error
            else:
                if _is_confirmed(status, signature):
                    return signature
                if is_over and status is None:
                    raise LedgerRefusedError(f"transaction {signature} expired before the ledger took it")
                heard = time.monotonic()
                is_over = height > last_valid_block_height
                if is_over:
                    # What landed before this height was read is found by one more look.
                    continue
            await asyncio.sleep(wait)
            wait = min(wait * 2, 1.0)
            if time.monotonic() - sent > _RESEND_SEC:
                # Only the status decides: a resend that is refused as already processed is no failure.
                try:
                    await self.ask("sendTransaction", wire, {**how, "skipPreflight": True})
                except (LedgerRefusedError, LegworkNetworkError):
                    pass
                sent = time.monotonic()

    async def transaction(self, signature: str) -> dict[str, Any] | None:
        """A confirmed transaction as the node shows it, its bytes in base64; None: there is none."""
        how = {"encoding": "base64", "maxSupportedTransactionVersion": 0, **_CONFIRMED}
        found = await self.ask("getTransaction", signature, how)
        return found if isinstance(found, dict) else None

    async def history(self, account: str) -> AsyncIterator[tuple[str, VersionedTransaction]]:
        """Successful transactions that name an account, newest first; those that cannot be read are passed over."""
        for entry in await self.ask("getSignaturesForAddress", account, {"limit": _DEPTH, **_CONFIRMED}):
            if entry.get("err") is not None:
                continue
            read = landed_in(await self.transaction(entry["signature"]), entry["signature"])
            if read is not None:
                yield entry["signature"], read


def _is_confirmed(status: dict[str, Any] | None, signature: str) -> bool:
    """What is only processed may be on a fork that the ledger leaves, and land elsewhere with another outcome."""
    if status is None or status.get("confirmationStatus") not in ("confirmed", "finalized"):
        return False
    if status.get("err") is not None:
        raise LedgerRefusedError(f"transaction {signature} failed on the ledger: {status['err']}")
    return True


def _is_forbidden(http_status: int) -> bool:
    """Whether a node's HTTP server refuses what it is asked, and will the next time: not where it is slow, early or overloaded."""
    return (400 <= http_status < 500 and http_status not in (408, 425, 429)) or http_status == 501


def landed_in(shown: dict[str, Any] | None, signature: str) -> VersionedTransaction | None:
    """The transaction in what a node shows, if it succeeded and has this signature."""
    try:
        if shown is None or shown["meta"]["err"] is not None:
            return None
        read = VersionedTransaction.from_bytes(base64.b64decode(shown["transaction"][0]))
    except (KeyError, TypeError, ValueError):
        return None
    return read if str(read.signatures[0]) == signature else None


def clock_seconds(clock: bytes | None) -> int:
    """Unix seconds in the account of the ledger's clock."""
    if clock is None:
        raise LegworkNetworkError("the ledger does not tell the time")
    return int.from_bytes(clock[UNIX_TIMESTAMP_OFFSET : UNIX_TIMESTAMP_OFFSET + 8], "little", signed=True)


def _refusal(method: str, error: Any) -> LedgerRefusedError:
    """The ledger's own refusal in words: of the program's errors by their names."""
    data = error.get("data") if isinstance(error, dict) else None
    err = data.get("err") if isinstance(data, dict) else None
    code = None
    if isinstance(err, dict) and isinstance(err.get("InstructionError"), list):
        reason = err["InstructionError"][-1]
        code = reason.get("Custom") if isinstance(reason, dict) else None
    if isinstance(code, int) and code in ERRORS:
        name, message = ERRORS[code]
        return LedgerRefusedError(f"the ledger refused the transaction: {name}: {message}", name)
    words = error.get("message") if isinstance(error, dict) else str(error)
    return LedgerRefusedError(f"the ledger refused {method}: {words}")
