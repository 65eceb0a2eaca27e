"""Takes listings back: cancels, reclaims or closes what this wallet listed, or what its mandate paid for."""

from __future__ import annotations

from typing import Literal

from ._generated import models as m
from .assets import funder_of, paid_in
from .client import LegworkClient
from .errors import LedgerRefusedError, LegworkApiError, TransactionRefusedError
from .fees import send_affordably
from .legs import Listed, listed_package, listed_task
from .program import address, decode_account, id_bytes
from .tokens import token_on_ledger
from .transactions import read_transaction, require_signers

End = Literal["cancel", "reclaim", "close"]
_REASONS: dict[str, str] = {"cancel": "cancelled", "reclaim": "reclaimed"}


async def end_listing(
    client: LegworkClient, how: End, *, package_id: str | None = None, task_id: str | None = None
) -> str | None:
    """Ends a package or a digital task, and waits until the ledger has confirmed it. What is left of the budget returns to its funder. Safe to
    repeat.

    :param how: ``cancel``: before anybody is assigned. ``reclaim``: after the deadline, or before the first pickup. ``close``: of what is over,
        for the rent of its account
    :returns: the signature; None: it ended so before
    :raises LegworkApiError: ``invalid_status`` when it cannot end so now
    :raises TransactionRefusedError: when the service built another transaction
    :raises LedgerRefusedError: when the ledger refuses it
    """
    shown, said = await _read(client, package_id, task_id)
    is_owner = await _has_mandated(client, said, shown["funderPubkey"])
    try:
        built = await _build(client, how, said, client.pubkey if is_owner else None)
        return await _send(client, how, said, said.lister if is_owner else client.pubkey, built)
    except (LegworkApiError, LedgerRefusedError) as error:
        if isinstance(error, LegworkApiError) and error.code != "invalid_status":
            raise
        # Another run of the same wallet may have been faster.
        shown, _ = await _read(client, package_id, task_id)
        if how not in _REASONS or shown["failureReason"] != _REASONS[how]:
            raise
        return None


async def _read(
    client: LegworkClient, package_id: str | None, task_id: str | None
) -> tuple[m.PackageDetail | m.DigitalTaskDetail, Listed]:
    if task_id is not None:
        task = await client.get_digital_task(task_id=task_id)
        return task, listed_task(task)
    if package_id is None:
        raise ValueError("give package_id or task_id")
    parcel = await client.get_package(package_id=package_id)
    return parcel, listed_package(parcel)


async def _has_mandated(client: LegworkClient, said: Listed, funder: str) -> bool:
    """Whether a mandate of this wallet paid for another one's listing: then its owner ends it as the lister could. Rule P-118."""
    if client.pubkey == said.lister or funder == said.lister:
        return False
    asset = await paid_in(client, said.asset)
    return funder == await funder_of(client, client.pubkey, asset, delegate=said.lister)


async def _build(
    client: LegworkClient, how: End, said: Listed, owner: str | None
) -> m.BuildCancelTxAnswer | m.BuildCancelDigitalTaskTxAnswer:
    if said.is_task:
        task = {
            "cancel": client.build_cancel_digital_task_tx,
            "reclaim": client.build_reclaim_digital_task_tx,
            "close": client.build_close_digital_task_tx,
        }
        return await task[how](task_id=said.id, mandate_owner_pubkey=owner)
    parcel = {"cancel": client.build_cancel_tx, "reclaim": client.build_reclaim_tx, "close": client.build_close_tx}
    return await parcel[how](package_id=said.id, mandate_owner_pubkey=owner)


async def _send(
    client: LegworkClient,
    how: End,
    said: Listed,
    lister: str,
    built: m.BuildCancelTxAnswer | m.BuildCancelDigitalTaskTxAnswer,
) -> str:
    """The listing has to be the one at the address that follows from lister and id, and its funder and token are the ledger's."""
    program, ledger = (await client.config())["programId"], await client.ledger()
    kind = "task" if said.is_task else "package"
    place = address(program, kind, lister, id_bytes(said.id))
    [account] = await ledger.accounts([place])
    try:
        found = decode_account(kind, account or b"")
    except ValueError as error:
        raise TransactionRefusedError(f"the ledger has no {kind} {said.id} at {place}") from error
    token = await token_on_ledger(ledger, program, found["asset"])
    read = read_transaction(built["transaction"], program, f"{how}_{kind}", token=token)
    ends, funder = read.decoded.accounts[kind], read.decoded.accounts["funder"]
    if (ends, funder) != (place, found["funder"]):
        raise TransactionRefusedError(
            f"the transaction ends what is at {ends} for {funder}, but {kind} {said.id} is at {place}, of {found['funder']}"
        )
    require_signers(read, [client.pubkey])
    return await send_affordably(client, read.message, built["lastValidBlockHeight"])
