"""How a call travels: signed, repeated where that is safe, and its refusal read."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import httpx

from ._forms import decode, encode
from .errors import LegworkApiError, LegworkError, LegworkNetworkError, LegworkProtocolError
from .keys import Signer
from .signing import NONCE_WINDOW_MS, create_nonce, sign_request

T = TypeVar("T")

#: Attempts of a GET or a PUT in all. Other methods are sent once: whether to repeat them is the caller's to know.
_ATTEMPTS = 3
_RETRY_PAUSE_SEC = 0.2
_RETRIED = frozenset({502, 503, 504})


class LeftOut(Enum):
    """Stands for a field that is not sent, where None says null."""

    LEFT_OUT = "left out"


LEFT_OUT = LeftOut.LEFT_OUT


@dataclass(frozen=True)
class Operation:
    """What the contract of an operation says about how it travels."""

    name: str
    method: str
    path: str
    auth: str
    query: Sequence[str]
    nullable: Sequence[str]
    has_body: bool
    takes: Mapping[str, str]
    gives: str
    is_list: bool
    #: Its body is bytes, not JSON.
    sends_bytes: bool = False


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    items: list[T]
    #: Give it as ``cursor`` to get the next page; None: this was the last one.
    next_cursor: str | None


class Caller:
    """Makes calls of a service. Its methods are those of the operations."""

    def __init__(
        self,
        url: str,
        signer: Signer | None = None,
        *,
        api_key: str | None = None,
        admin_key: str | None = None,
        http: httpx.AsyncClient | None = None,
        timeout_sec: float = 45.0,
        patience_sec: float = 65.0,
    ) -> None:
        """
        :param url: address of the service, for example ``http://127.0.0.1:8080``; a path prefix is kept
        :param signer: signs the operations that must be signed, and those that may be, unless they name another agent
        :param timeout_sec: bound of one attempt; the service itself may wait 30 s for the ledger
        :param patience_sec: how long a call waits in all when the service says that it came too often (429)
        :raises ValueError: when the address is not an http or https URL
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f'"{url}" is not the address of a service; give one such as http://127.0.0.1:8080')
        self.url = url.rstrip("/")
        self.signer = signer
        #: How far the service's clock is ahead of this machine's, milliseconds.
        self.ahead_ms = 0
        self._api_key = api_key
        self._admin_key = admin_key
        # A redirect would change what was signed.
        self._http = http or httpx.AsyncClient(follow_redirects=False)
        self._timeout_sec = timeout_sec
        self._patience_sec = patience_sec

    @property
    def pubkey(self) -> str:
        """The signer's key. :raises ValueError: when the client has no signer"""
        if self.signer is None:
            raise ValueError("this client has no signer: give LegworkClient one")
        return str(self.signer.pubkey())

    async def _call(
        self,
        operation: Operation,
        fields: Mapping[str, Any],
        idempotency_key: str | None = None,
        *,
        content: bytes | None = None,
    ) -> Any:
        if operation.auth == "signed" and self.signer is None:
            raise ValueError(f"{operation.name} must be signed: give LegworkClient a signer")
        given = {
            name: encode(operation.takes.get(name, ""), value)
            for name, value in fields.items()
            if value is not LEFT_OUT and (value is not None or name in operation.nullable)
        }
        url, body = self._request(operation, given)
        answer = await self._in_its_time(operation, given, url, body if content is None else content, idempotency_key)
        try:
            told = answer.json()
            if not isinstance(told, list if operation.is_list else dict):
                raise TypeError("it is of another kind")
            parsed = decode(operation.gives, told)
        except (ValueError, TypeError, AttributeError) as error:
            where = f"{operation.method} {url}"
            raise LegworkProtocolError(f"{where} answered in another form than this version knows") from error
        return Page(parsed, next_cursor(answer.headers.get("link"))) if operation.is_list else parsed

    def _request(self, operation: Operation, given: dict[str, Any]) -> tuple[httpx.URL, bytes]:
        rest = dict(given)

        def fill(match: re.Match[str]) -> str:
            value = rest.pop(match[1], None)
            if not isinstance(value, str) or value == "":
                raise ValueError(f"{operation.name} needs {match[1]}")
            return quote(value, safe="")

        path = re.sub(r"\{(\w+)\}", fill, operation.path)
        query = {name: _text(rest.pop(name)) for name in operation.query if name in rest}
        url = httpx.URL(self.url + path + (f"?{urlencode(query)}" if query else ""))
        return url, json.dumps(rest, ensure_ascii=False, allow_nan=False).encode() if operation.has_body else b""

    async def _in_its_time(
        self, operation: Operation, given: dict[str, Any], url: httpx.URL, body: bytes, key: str | None
    ) -> httpx.Response:
        """Signs anew, once, in the service's time, when the service refused this machine's clock. Rule S-214."""
        try:
            return await self._send(operation, given, url, body, key)
        except LegworkApiError as error:
            if error.code != "stale_nonce" or error.answered_at_ms is None:
                raise
            ahead_ms = error.answered_at_ms - int(time.time() * 1000)
            # Its clock is right, and its signer took long: it would be asked for another signature in vain.
            if abs(ahead_ms - self.ahead_ms) < NONCE_WINDOW_MS / 2:
                raise
            self.ahead_ms = ahead_ms
        return await self._send(operation, given, url, body, key)

    async def _send(
        self, operation: Operation, given: dict[str, Any], url: httpx.URL, body: bytes, key: str | None
    ) -> httpx.Response:
        """Tries GETs and PUTs three times when no answer comes or a 502, 503 or 504 does, and waits a 429 out."""
        attempts = _ATTEMPTS if operation.method in ("GET", "PUT") else 1
        patience = self._patience_sec
        attempt = 1
        while True:
            try:
                return await self._send_once(operation, self._headers(operation, given, url, body, key), url, body)
            except (LegworkApiError, LegworkNetworkError) as error:
                wait = _wait_asked(error)
                if wait is not None and wait <= patience:
                    patience -= wait
                    await asyncio.sleep(wait)
                    continue
                if attempt == attempts or (isinstance(error, LegworkApiError) and error.status not in _RETRIED):
                    raise
            await asyncio.sleep(_RETRY_PAUSE_SEC * 2 ** (attempt - 1) * (0.5 + random.random()))
            attempt += 1

    def _headers(
        self, operation: Operation, given: dict[str, Any], url: httpx.URL, body: bytes, key: str | None
    ) -> dict[str, str]:
        """Made again for each attempt, because a signature serves once."""
        headers = {"accept": "application/json, application/problem+json"}
        if operation.has_body:
            headers["content-type"] = "application/octet-stream" if operation.sends_bytes else "application/json"
        if operation.sends_bytes:
            # So that the signature is checked before the body is read.
            digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
            headers["content-digest"] = f"sha-256=:{digest}:"
        if key is not None:
            headers["idempotency-key"] = key
        if operation.auth == "key" and self._api_key is not None:
            headers["x-api-key"] = self._api_key
        if operation.auth == "admin" and self._admin_key is not None:
            headers["x-admin-key"] = self._admin_key
        if self.signer is not None and self._signs(operation, given):
            nonce = create_nonce(int(time.time() * 1000) + self.ahead_ms)
            host, path = url.netloc.decode(), url.raw_path.decode()
            headers |= sign_request(self.signer, operation.method, host, path, body, nonce)
        return headers

    def _signs(self, operation: Operation, given: Mapping[str, Any]) -> bool:
        """An agent speaks for itself only: what may be unsigned goes unsigned in the name of another."""
        if operation.auth in ("open", "admin"):
            return False
        return operation.auth == "signed" or given.get("agentPubkey", self.pubkey) == self.pubkey

    async def _send_once(
        self, operation: Operation, headers: dict[str, str], url: httpx.URL, body: bytes
    ) -> httpx.Response:
        try:
            answer = await self._http.request(
                operation.method,
                url,
                headers=headers,
                content=body if operation.has_body else None,
                timeout=self._timeout_sec,
            )
        except httpx.TimeoutException as error:
            raise LegworkNetworkError(f"{operation.method} {url}: no answer within {self._timeout_sec} s") from error
        except httpx.HTTPError as error:
            why = f"{error}; check that the service runs, and its address"
            raise LegworkNetworkError(f"{operation.method} {url}: {why}") from error
        if answer.is_success:
            return answer
        raise refusal_in(answer)


def _wait_asked(error: LegworkError) -> float | None:
    """How long a service that was asked too often wants to be left alone, seconds."""
    if not isinstance(error, LegworkApiError) or error.status != 429 or error.retry_after_sec is None:
        return None
    return max(float(error.retry_after_sec), _RETRY_PAUSE_SEC)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def refusal_in(answer: httpx.Response) -> LegworkApiError:
    asked = answer.headers.get("retry-after", "")
    # A date in its place is not understood: clocks differ.
    retry_after_sec = int(asked) if re.fullmatch(r"\d{1,6}", asked) else None
    try:
        answered_at_ms = int(parsedate_to_datetime(answer.headers["date"]).timestamp() * 1000)
    except (KeyError, ValueError, TypeError):
        answered_at_ms = None
    try:
        problem = answer.json()
        code, detail = problem["code"], problem["detail"]
    except (ValueError, KeyError, TypeError):
        code, detail, problem = "unreadable_problem", answer.text[:200] or "an answer without a body", None
    return LegworkApiError(
        str(code),
        answer.status_code,
        str(detail),
        problem=problem,
        retry_after_sec=retry_after_sec,
        answered_at_ms=answered_at_ms,
    )


_LINK = re.compile(r"<([^>]*)>\s*((?:;\s*[^,;]+)*)")


def next_cursor(link: str | None) -> str | None:
    """The cursor of the ``rel="next"`` link of a Link header (RFC 8288); None: there is none."""
    for target, parameters in _LINK.findall(link or ""):
        if re.search(r';\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?(?:;|\s|$)', parameters, re.IGNORECASE):
            return next(iter(parse_qs(urlsplit(target).query).get("cursor", [])), None)
    return None
