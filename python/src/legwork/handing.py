"""Hands in results with their files, and reads what others claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._generated import models as m
from .client import LegworkClient
from .documents import read_result_document, result_hash
from .errors import LegworkApiError, TransactionRefusedError
from .fees import sign_affordably
from .files import Artifact, Result, ResultFile, measure, upload_file
from .legs import Listed, leg_on_ledger, listed, listed_task, read_leg
from .making import Made, submit_move
from .moves import Move, expected_move, require_move
from .verifying import task_hash


@dataclass(frozen=True)
class Claimed:
    """A result that its agent claims to be right, by the sha256 that the ledger has. All texts were written by strangers."""

    #: Its title, description and instructions are those that the poster signed for.
    task: m.DigitalTaskDetail
    leg: m.DigitalLegDetail
    text: str
    #: Its files: ``save_file`` gets them, and makes sure of their sha256.
    artifacts: Sequence[Artifact]
    #: Give it as ``claimed_hash`` of the move that confirms or disputes it.
    hash: str


async def hand_in(
    client: LegworkClient,
    task_id: str,
    leg_id: str,
    result: str | Result,
    *,
    said: Listed | None = None,
) -> tuple[m.CompleteDigitalLegAnswer, Made | None]:
    """Hands in the result of a leg of a digital task, and its files first. With terms it then claims the leg: checks that what the service built
    claims exactly this leg with exactly the sha256 of this result and these files, and signs it. Safe to repeat with the same result.

    :param said: the task with the terms by which the caller has decided; None: as the service says now
    :returns: what the service answered, and the claim; None: the task has no terms, or the leg is claimed already
    :raises LegworkApiError: ``not_your_leg``, ``leg_out_of_order``, ``invalid_status`` and others
    :raises TransactionRefusedError: when the service built another transaction, or says otherwise than the ledger
    """
    if client.signer is None:
        raise ValueError("to hand in takes a signer: give LegworkClient one")
    text, files = (result, ()) if isinstance(result, str) else (result.text, result.files)
    artifacts = [await _uploaded(client, task_id, leg_id, one) for one in files]
    named: list[m.CompleteDigitalLegBodyArtifactsItem] = [
        {"sha256": one["sha256"], "name": one["name"], "contentType": one["contentType"]} for one in artifacts
    ]
    answer = await client.complete_digital_leg(
        task_id=task_id, leg_id=leg_id, agent_pubkey=client.pubkey, result=text, artifacts=named or None
    )
    said = said or await listed(client, task_id=task_id)
    wire = answer["claimTransaction"]
    if wire is None:
        await _require_nothing_to_claim(client, said, leg_id)
        return answer, None
    own_hash = result_hash(text, artifacts)
    if answer["resultHash"] != own_hash:
        raise TransactionRefusedError(
            f"the service would have {answer['resultHash']} claimed, which is not the result's sha256"
        )
    leg = await leg_on_ledger(client, said, leg_id)
    expected = expected_move(leg, client.pubkey, Move("claim", hash=own_hash))
    read = require_move(wire, leg, expected, [client.pubkey])
    return answer, await submit_move(client, leg_id, await sign_affordably(client, read.message))


async def _uploaded(client: LegworkClient, task_id: str, leg_id: str, file: ResultFile) -> Artifact:
    """Once the result is handed in no file is taken any more: whether it is this one, the hash of the result says."""
    try:
        return await upload_file(client, task_id, leg_id, file)
    except LegworkApiError as error:
        if error.code not in ("result_submitted", "invalid_status"):
            raise
        return await measure(file)


async def _require_nothing_to_claim(client: LegworkClient, said: Listed, leg_id: str) -> None:
    """Where the service has nothing claimed, the ledger says whether that is right. Rule A-107."""
    leg = await read_leg(client, said, said.legs[leg_id])
    if leg is not None and leg.terms is not None and leg.status in ("pending", "accepted"):
        raise TransactionRefusedError(
            f"the result is handed in, and by the ledger the leg at {leg.address} is not claimed: claim it with make_move"
        )


async def read_claimed(client: LegworkClient, task_id: str, leg_id: str) -> Claimed | None:
    """Reads what the claim of a leg with terms rests on, and holds what the service says of it against the ledger.

    :param client: must have the signer of the task's poster or receiver
    :returns: None: the leg is not claimed now, or the service has no text with the sha256 that is claimed
    :raises TransactionRefusedError: when the service says otherwise than the ledger
    """
    task = await client.get_digital_task(task_id=task_id)
    said = listed_task(task)
    at = await leg_on_ledger(client, said, leg_id)
    if said.id != task_id.lower() or task_hash(task) != at.terms_hash.hex():
        raise TransactionRefusedError(f"the service says of task {task_id} what its poster did not sign for")
    if at.status != "claimed" or at.result_hash is None:
        return None
    hash_ = at.result_hash.hex()
    stored = (await client.list_evidence(leg_id=leg_id)).items
    evidence = next((one["text"] for one in stored if result_hash(one["text"]) == hash_), None)
    if evidence is None:
        return None
    text, artifacts = read_result_document(evidence)
    return Claimed(task, task["legs"][at.index], text, artifacts, hash_)
