"""A leg as the ledger has it. The service only says whose listing it is of, and where in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ._generated import models as m
from .assets import paid_in
from .client import LegworkClient
from .errors import TransactionRefusedError
from .ledger import CLOCK, Ledger, clock_seconds
from .money import SOL_DECIMALS
from .program import address, decode_account, id_bytes
from .tokens import Token, token_on_ledger

#: Stands for no receiver in the program's terms.
NOBODY = "11111111111111111111111111111111"
#: The lister signs the first pickup too.
COSIGNED_PICKUP = 1


@dataclass(frozen=True)
class TimedLeg:
    """The account of a leg."""

    index: int
    #: ``pending``, ``accepted``, ``carried``, ``claimed``, ``disputed``, ``ruled``, ``vacant`` or ``completed``.
    status: str
    #: Its courier, or the agent of a task's leg.
    worker: str
    reputation: str
    formation: int
    #: Who disputed: 1 the lister, 2 the receiver.
    note: int
    #: Of a task's leg: the sha256 of what is claimed.
    result_hash: bytes | None


@dataclass(frozen=True)
class Leg(TimedLeg):
    """A leg with terms or without, and all that signing about it names, as the ledger says at one moment."""

    program: str
    config: str
    listing: str
    #: None of a task.
    swarm: str | None
    vault: str
    address: str
    before: str | None
    after: str | None
    lister: str
    #: Unix seconds.
    deadline: int
    terms_hash: bytes
    #: Tells the listing from one at the same address on another cluster; all zero: no text can be about it.
    nonce: bytes
    terms: Mapping[str, Any] | None
    #: That it pays in; None: SOL.
    token: Token | None
    next: TimedLeg | None
    #: Unix seconds.
    now: int


@dataclass(frozen=True)
class Listed:
    """A package or a digital task as the service tells of it."""

    id: str
    is_task: bool
    lister: str
    terms: m.Terms | None
    #: What it pays in: ``sol``, another name of the service, or a mint.
    asset: str
    decimals: int
    #: Leg indexes by id.
    legs: Mapping[str, int]


async def listed(client: LegworkClient, *, package_id: str | None = None, task_id: str | None = None) -> Listed:
    """What the service says of a listing.

    :raises TransactionRefusedError: when it answers with another one
    """
    if task_id is not None:
        return _checked(listed_task(await client.get_digital_task(task_id=task_id)), task_id)
    if package_id is None:
        raise ValueError("give package_id or task_id")
    return _checked(listed_package(await client.get_package(package_id=package_id)), package_id)


def listed_package(parcel: m.PackageDetail) -> Listed:
    """The same of a package that was read already."""
    legs = [] if parcel["swarm"] is None else parcel["swarm"]["legs"]
    places = {leg["id"]: leg["legIndex"] for leg in legs}
    return _listed(parcel, False, places)


def listed_task(task: m.DigitalTaskDetail) -> Listed:
    """The same of a task that was read already."""
    places = {leg["id"]: leg["legIndex"] for leg in task["legs"]}
    return _listed(task, True, places)


def _listed(shown: m.PackageDetail | m.DigitalTaskDetail, is_task: bool, places: Mapping[str, int]) -> Listed:
    said = (shown["id"], is_task, shown["shipperPubkey"], shown["terms"], shown["asset"], shown["decimals"])
    return Listed(*said, places)


def _checked(found: Listed, asked: str) -> Listed:
    if found.id == asked.lower():
        return found
    raise TransactionRefusedError(f"the service answers with {found.id} instead of {asked}")


async def read_leg(client: LegworkClient, said: Listed, index: int) -> Leg | None:
    """Reads a leg at the address that follows from lister, listing and index; None: the ledger does not have it. Rule A-105.

    :raises TransactionRefusedError: when it is bound by other terms than the service says, or pays in something else
    """
    name, program = "task" if said.is_task else "package", (await client.config())["programId"]
    listing = address(program, name, said.lister, id_bytes(said.id))
    leg = await read_leg_of(await client.ledger(), program, listing, index, is_task=said.is_task)
    if leg is not None:
        for what, found, told in [*terms_compared(leg.terms, said.terms), *await _asset_compared(client, leg, said)]:
            if found != told:
                raise TransactionRefusedError(
                    f"the {what} of {name} {said.id} is {found} on the ledger, and {told} by the service: nothing is signed"
                )
    return leg


async def _asset_compared(client: LegworkClient, leg: Leg, said: Listed) -> Sequence[tuple[str, Any, Any]]:
    """What nobody lists in any more goes by its mint. Rule M-100."""
    found = "sol" if leg.token is None else leg.token.mint
    told = said.asset
    if leg.token is not None and told not in ("sol", leg.token.mint):
        try:
            named = (await paid_in(client, told)).token
        except ValueError:
            named = None
        told = told if named is None else named.mint
    decimals = SOL_DECIMALS if leg.token is None else leg.token.decimals
    return [("asset", found, told), ("number of its asset's decimals", decimals, said.decimals)]


async def read_leg_of(ledger: Ledger, program: str, listing: str, index: int, *, is_task: bool) -> Leg | None:
    """Reads a leg of the listing at this address, no matter what anybody says of it; None: the ledger does not have it."""
    return await (_leg_of_task if is_task else _leg_of_package)(ledger, program, listing, index)


async def _leg_of_task(ledger: Ledger, program: str, listing: str, index: int) -> Leg | None:
    place = address(program, "task_leg", listing, index)
    found, account, clock = await ledger.accounts([listing, place, CLOCK])
    if found is None or account is None:
        return None
    task = decode_account("task", found)
    leg = decode_account("task_leg", account)
    timed = _timed(program, leg, leg["agent"], leg["turn"], 0, leg["result_hash"])
    places: dict[str, Any] = {"swarm": None, "address": place, "before": None, "after": None, "next": None}
    places["token"] = await token_on_ledger(ledger, program, task["asset"])
    return _leg(program, listing, task, task["poster"], timed, clock, places)


async def _leg_of_package(ledger: Ledger, program: str, listing: str, index: int) -> Leg | None:
    swarm = address(program, "swarm", listing)
    place, after = address(program, "leg", swarm, index), address(program, "leg", swarm, index + 1)
    found, account, clock, formed, following = await ledger.accounts([listing, place, CLOCK, swarm, after])
    if found is None or account is None or formed is None:
        return None
    package, swarmed, leg = (
        decode_account("package", found),
        decode_account("swarm", formed),
        decode_account("leg", account),
    )
    formation = swarmed["formation"]
    timed = _timed(program, leg, leg["courier"], leg["turn"], formation, None)
    has_next = following is not None and swarmed["total_legs"] > timed.index + 1
    places: dict[str, Any] = {"swarm": swarm, "address": place, "after": after if has_next else None, "next": None}
    places["before"] = None if index == 0 else address(program, "leg", swarm, index - 1)
    if has_next and following is not None:
        one = decode_account("leg", following)
        places["next"] = _timed(program, one, one["courier"], one["turn"], formation, None)
    places["token"] = await token_on_ledger(ledger, program, package["asset"])
    return _leg(program, listing, package, package["shipper"], timed, clock, places)


def _timed(
    program: str,
    leg: Mapping[str, Any],
    worker: str,
    turn: Mapping[str, Any] | None,
    formation: int,
    result: bytes | None,
) -> TimedLeg:
    """Without terms a leg has no clock, and a confirmation of it names the swarm's formation."""
    number, note = (formation, 0) if turn is None else (turn["formation"], turn["note"])
    reputation = address(program, "reputation", worker)
    return TimedLeg(leg["index"], leg["status"], worker, reputation, number, note, result)


def _leg(
    program: str,
    listing: str,
    found: Mapping[str, Any],
    lister: str,
    timed: TimedLeg,
    clock: bytes | None,
    places: Mapping[str, Any],
) -> Leg:
    return Leg(
        **vars(timed),
        **places,
        program=program,
        config=address(program, "config"),
        listing=listing,
        vault=address(program, "vault", listing),
        lister=lister,
        deadline=found["deadline"],
        terms_hash=found["terms_hash"],
        nonce=found["nonce"],
        terms=found["terms"],
        now=clock_seconds(clock),
    )


def terms_compared(found: Mapping[str, Any] | None, wanted: m.Terms | None) -> Sequence[tuple[str, Any, Any]]:
    """Each field of the terms that the ledger has or would have, beside the one that is wanted. Rule T-1."""
    if found is None or wanted is None:
        return [("presence of terms", found is not None, wanted is not None)]
    return [
        ("receiver", found["receiver"], wanted["receiverPubkey"] or NOBODY),
        ("arbiter", found["arbiter"], wanted["arbiterPubkey"]),
        ("stake (base units)", found["stake"], wanted["stake"]),
        ("carry clock (seconds)", found["carry"], wanted["carrySec"]),
        ("handoff clock (seconds)", found["handoff"], wanted["handoffSec"]),
        ("review clock (seconds)", found["review"], wanted["reviewSec"]),
        ("arbitration clock (seconds)", found["arbitration"], wanted["arbitrationSec"]),
        ("flags", found["flags"], COSIGNED_PICKUP if wanted["cosignedPickup"] else 0),
    ]


async def leg_on_ledger(client: LegworkClient, said: Listed, leg_id: str) -> Leg:
    """The leg that a move is of.

    :raises TransactionRefusedError: when the ledger has no such leg, or the service says otherwise than the ledger
    """
    if leg_id not in said.legs:
        raise TransactionRefusedError(f"{said.id} has no leg {leg_id}")
    leg = await read_leg(client, said, said.legs[leg_id])
    if leg is None:
        raise TransactionRefusedError(f"the ledger has no leg {said.legs[leg_id] + 1} of {said.id}")
    return leg


def with_terms(said: Listed, terms: m.Terms | None) -> Listed:
    """The listing with the terms by which a caller has decided: a leg that is bound by others is refused. Rule A-106."""
    return replace(said, terms=terms)
