"""The client of a service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import TypeVar

from typing_extensions import ParamSpec, Self

from ._call import Page
from ._generated.client import Operations
from ._generated.models import GetConfigAnswer
from .ledger import Ledger

T = TypeVar("T")
P = ParamSpec("P")


class LegworkClient(Operations):
    """A typed client: one async method an operation. Amounts are int, instants datetime, lists come as pages.

    Each call may raise ``LegworkApiError`` (refused), ``LegworkNetworkError`` (no answer) or ``LegworkProtocolError`` (an answer of
    another form).
    """

    _config: GetConfigAnswer | None = None
    _ledger: Ledger | None = None

    async def config(self) -> GetConfigAnswer:
        """The service's configuration, read once: it does not change while the service runs."""
        if self._config is None:
            self._config = await self.get_config()
        return self._config

    async def ledger(self) -> Ledger:
        """Where the ledger is read: what ``trust_ledger`` was given, else where the service says."""
        if self._ledger is None:
            self._ledger = Ledger((await self.config())["rpcUrl"])
        return self._ledger

    def trust_ledger(self, url: str) -> None:
        """Reads the ledger here from now on. What is signed then depends on no word of the service about it."""
        self._ledger = Ledger(url)

    async def close(self) -> None:
        """Closes its connections."""
        await self._http.aclose()
        if self._ledger is not None:
            await self._ledger.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def every_item(list_: Callable[P, Awaitable[Page[T]]], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
    """Walks a list page by page: ``async for parcel in every_item(client.list_packages, status="listed")``."""
    while True:
        page = await list_(*args, **kwargs)
        for item in page.items:
            yield item
        if page.next_cursor is None:
            return
        kwargs["cursor"] = page.next_cursor
