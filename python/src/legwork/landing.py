"""Hands in what was signed. What landed is never told as failed: the ledger is asked where the service does not say."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from solders.transaction import VersionedTransaction

from .client import LegworkClient
from .errors import LegworkApiError, LegworkError, LegworkNetworkError, TransactionRefusedError
from .fees import is_to_be_relayed, relay
from .transactions import to_wire

T = TypeVar("T")

_ATTEMPTS = 3
_PAUSE_SEC = 0.5
#: Where the service took a transaction and did not say what came of it, it may land so much later.
_MAY_LAND_SEC = 5.0


async def submit_signed(
    client: LegworkClient,
    transaction: VersionedTransaction,
    submit: Callable[[str | None, str | None], Awaitable[T]],
) -> T | None:
    """Submits a signed transaction, the same bytes up to three times when no answer comes. One that the service is to pay for it completes
    first, the same bytes again for the same one.

    :param submit: takes the wire transaction, or the signature of one that landed before
    :returns: None: the service does not say what came of it, and the ledger has it
    :raises LegworkApiError: ``transaction_failed`` when the ledger refuses it
    """
    if is_to_be_relayed(transaction):
        transaction = await relay(client, transaction)
    signature = str(transaction.signatures[0])
    try:
        return await _submit_or_find(to_wire(transaction), signature, submit)
    except LegworkError as error:
        is_limit = isinstance(error, LegworkApiError) and error.status == 429
        if is_refusal(error) or not await _lands(client, signature, 0 if is_limit else _MAY_LAND_SEC):
            raise
        return None


async def _lands(client: LegworkClient, signature: str, seconds: float) -> bool:
    try:
        return await (await client.ledger()).lands_within(signature, seconds)
    except LegworkError:
        return False


async def _submit_or_find(wire: str, signature: str, submit: Callable[[str | None, str | None], Awaitable[T]]) -> T:
    attempt = 1
    while True:
        try:
            return await submit(wire, None)
        except LegworkNetworkError:
            if attempt == _ATTEMPTS:
                raise
        except LegworkApiError as error:
            if error.code != "transaction_failed":
                raise
            # An expired transaction is refused also when it landed in its time: then its signature tells.
            try:
                return await submit(None, signature)
            except LegworkError:
                raise error from None
        await asyncio.sleep(_PAUSE_SEC * attempt)
        attempt += 1


def is_refusal(error: BaseException) -> bool:
    """A refusal is about what was asked for; anything else says nothing about it."""
    if not isinstance(error, LegworkApiError):
        return isinstance(error, TransactionRefusedError)
    is_unsaid = error.code in ("not_confirmed_on_chain", "unreadable_problem")
    return error.status < 500 and error.status != 429 and not is_unsaid
