"""What every implementation agrees on: bytes that are signed, hashed and sent, by the project's own vectors."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from solders.keypair import Keypair
from vectors import ROOT, named, vectors

from legwork import LegworkProtocolError, estimated_duration_min, great_circle_km, result_hash
from legwork.documents import package_terms_hash, task_terms_hash
from legwork.events import read_frame
from legwork.identity import (
    check_credential,
    decode_multibase_key,
    did_of,
    encode_multibase_key,
    keys_of_document,
    parse_did,
)
from legwork.legs import Leg, TimedLeg
from legwork.moves import INCINERATOR, Move, expected_move
from legwork.program import address, decode_instruction, instruction
from legwork.receipts import ReceiptError, verify_chain
from legwork.signing import sign_request, signed_request_text
from legwork.terms import chosen_terms, package_carry_sec, task_carry_sec

MOVES = vectors("moves")
REQUESTS = vectors("signed-request")
TERMS = vectors("terms")
CREDENTIALS = vectors("credentials")
RECEIPTS = json.loads((ROOT / "examples/receipts/vectors.json").read_text("utf-8"))


@pytest.mark.parametrize("case", **named(REQUESTS["cases"]))
def test_signs_requests(case: dict[str, Any]) -> None:
    """(M-31, M-33)"""
    key = Keypair.from_seed(bytes.fromhex(REQUESTS["secretKeyHex"]))
    parts = (case["method"], case["host"], case["path"], case["body"].encode(), case["nonce"])
    assert signed_request_text(*parts) == case["text"]
    assert sign_request(key, *parts) == case["headers"]


@pytest.mark.parametrize("case", **named(vectors("result-hash")["cases"]))
def test_hashes_results(case: dict[str, Any]) -> None:
    """(M-58, M-83)"""
    assert result_hash(case["result"], case.get("artifacts", ())) == case["sha256Hex"]


@pytest.mark.parametrize("case", **named(vectors("terms-hash")["cases"]))
def test_hashes_what_a_package_says(case: dict[str, Any]) -> None:
    """(M-30)"""
    told = case["terms"]
    found = package_terms_hash(
        description=told["description"],
        origin=told["origin"],
        destination=told["destination"],
        weight_kg=told["weightKg"],
        volume_litres=told["volumeLitres"],
        requirements=told.get("requirements"),
        salt=told.get("salt"),
        private=told.get("private"),
    )
    assert found == case["sha256Hex"]


@pytest.mark.parametrize("case", **named(vectors("task-terms-hash")["cases"]))
def test_hashes_what_a_task_says(case: dict[str, Any]) -> None:
    """(M-50)"""
    told = case["terms"]
    found = task_terms_hash(
        title=told["title"],
        description=told["description"],
        instructions=told["instructions"],
        requirements=told.get("requirements"),
        salt=told.get("salt"),
    )
    assert found == case["sha256Hex"]


@pytest.mark.parametrize("case", **named(TERMS["cases"]))
def test_knows_the_terms_that_a_choice_means(case: dict[str, Any]) -> None:
    """(T-50)"""
    origin, destination = TERMS["origin"], TERMS["destination"]
    places = (origin["lat"], origin["lng"], destination["lat"], destination["lng"])
    is_task = case["kind"] == "task"
    carry_sec = task_carry_sec(TERMS["claimTimeoutSec"]) if is_task else package_carry_sec(*places)
    found = chosen_terms(case["choice"], case["kind"], case["budgetLamports"], carry_sec, TERMS["arbiterPubkey"])
    wanted = case["terms"]
    assert found == (None if wanted is None else {**wanted, "stake": int(wanted["stake"])})


def test_measures_as_the_service_does() -> None:
    """(M-5, M-6)"""
    assert great_circle_km(52.521918, 13.413215, 52.501389, 13.283611) == pytest.approx(9.06, abs=0.01)
    assert [estimated_duration_min(km) for km in (0.25, 15, 15.25)] == [1, 30, 31]


ACCOUNTS = MOVES["accounts"]
COURIERS = ACCOUNTS["couriers"]
PROGRAM = ACCOUNTS["programAddress"]
HASH = "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0"


def leg(index: int, status: str, **changes: Any) -> Leg:
    """A leg of the vectors' package as the ledger would have it."""
    timed = [
        TimedLeg(
            place, "accepted", COURIERS[place], ACCOUNTS["reputations"][place], MOVES["formations"][place], 2, None
        )
        for place in (0, 1)
    ]
    made = Leg(
        **{**vars(timed[index]), "status": status},
        program=PROGRAM,
        config=ACCOUNTS["config"],
        listing=ACCOUNTS["listing"],
        swarm=ACCOUNTS["swarm"],
        vault=ACCOUNTS["vault"],
        address=ACCOUNTS["legs"][index],
        before=None if index == 0 else ACCOUNTS["legs"][0],
        after=ACCOUNTS["legs"][1] if index == 0 else None,
        lister=ACCOUNTS["shipper"],
        deadline=2_000,
        terms_hash=bytes(32),
        nonce=bytes(8),
        terms={"receiver": ACCOUNTS["receiver"], "arbiter": ACCOUNTS["arbiter"], "stake": 5, "flags": 1},
        token=None,
        next=timed[1] if index == 0 else None,
        now=1_000,
    )
    return replace(made, **changes)


def task_leg(status: str) -> Leg:
    """The leg of the vectors' task."""
    of = ACCOUNTS["task"]
    places = {"listing": of["listing"], "vault": of["vault"], "address": of["leg"], "swarm": None}
    result = {"result_hash": bytes.fromhex(HASH), "formation": MOVES["taskFormation"]}
    return leg(0, status, **places, **result, after=None, next=None)


#: Who makes which move of which leg, by the name of the case; the form that names its worker's reputation is the last one.
CASES: dict[str, tuple[Callable[[], Leg], str, Move]] = {
    "its courier accepts leg 0": (lambda: leg(0, "pending"), COURIERS[0], Move("accept")),
    "its courier takes leg 0, and the shipper signs the pickup": (lambda: leg(0, "accepted"), COURIERS[0], Move("take")),
    "its courier leaves leg 0, which has none before it": (lambda: leg(0, "accepted"), COURIERS[0], Move("vacate")),
    "anyone vacates leg 1, shown with leg 0": (lambda: leg(1, "accepted"), ACCOUNTS["stranger"], Move("vacate")),
    "its courier claims leg 0": (lambda: leg(0, "carried"), COURIERS[0], Move("claim", hash=HASH)),
    "the receiver disputes leg 0": (lambda: leg(0, "claimed"), ACCOUNTS["receiver"], Move("dispute", hash=HASH)),
    "the arbiter rules leg 0 to 70 percent": (lambda: leg(0, "disputed"), ACCOUNTS["arbiter"], Move("rule", percent=70)),
    "anyone ends the dispute of leg 0 after the arbitration": (lambda: leg(0, "disputed"), ACCOUNTS["stranger"], Move("crank")),
    "shipper and courier agree that leg 0 is open again": (lambda: leg(0, "disputed"), ACCOUNTS["shipper"], Move("agree", percent=0)),
    "the next courier takes over leg 0: the larger of both numbers": (lambda: leg(0, "carried"), COURIERS[1], Move("confirm")),
    "anyone confirms leg 0 after the review: its own number": (lambda: leg(0, "claimed"), ACCOUNTS["stranger"], Move("crank")),
    "the receiver confirms leg 1, the last one": (lambda: leg(1, "carried"), ACCOUNTS["receiver"], Move("confirm")),
    "its agent accepts the leg of the task": (lambda: task_leg("pending"), COURIERS[0], Move("accept")),
    "anyone vacates the leg of the task": (lambda: task_leg("pending"), ACCOUNTS["stranger"], Move("vacate")),
    "its agent claims the leg of the task with the hash of its result": (lambda: task_leg("accepted"), COURIERS[0], Move("claim", hash=HASH)),
    "the poster disputes the leg of the task": (lambda: task_leg("claimed"), ACCOUNTS["shipper"], Move("dispute", hash=HASH)),
    "the receiver confirms the leg of the task, with the hash that is claimed": (
        lambda: task_leg("claimed"),
        ACCOUNTS["receiver"],
        Move("confirm", claimed_hash=HASH),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", **named([one for one in MOVES["cases"] if one["instruction"] != "assignLeg"]))
def test_makes_the_instruction_of_a_move(case: dict[str, Any]) -> None:
    """Both forms are expected where one may name the reputation, and the vectors have one of them. (A-105, T-2)"""
    make, mover, move = CASES[case["name"]]
    forms = [
        (bytes(form.data).hex(), [(str(one.pubkey), one.is_signer, one.is_writable) for one in form.accounts])
        for form in expected_move(make(), mover, move).forms
    ]
    wanted = [(one["address"], one["isSigner"], one["isWritable"]) for one in case["accounts"]]
    assert (case["dataHex"], wanted) in forms


@pytest.mark.parametrize("case", **named(MOVES["cases"]))
def test_reads_what_it_wrote(case: dict[str, Any]) -> None:
    make, mover, move = CASES.get(case["name"], CASES["its courier accepts leg 0"])
    for form in expected_move(make(), mover, move).forms:
        read = decode_instruction(PROGRAM, form)
        assert read is not None
        again = instruction(PROGRAM, read.name, read.accounts, read.arguments)
        assert bytes(again.data) == bytes(form.data)


def test_silence_burns_what_nobody_gets() -> None:
    forms = expected_move(leg(0, "disputed"), ACCOUNTS["stranger"], Move("crank")).forms
    read = decode_instruction(PROGRAM, forms[0])
    assert read is not None and read.accounts["fee"] == INCINERATOR


def test_derives_the_addresses_of_the_program() -> None:
    package = bytes.fromhex(MOVES["packageIdHex"])
    listing = address(PROGRAM, "package", ACCOUNTS["shipper"], package)
    swarm = address(PROGRAM, "swarm", listing)
    found = [address(PROGRAM, "leg", swarm, index) for index in (0, 1)]
    assert (listing, swarm, found) == (ACCOUNTS["listing"], ACCOUNTS["swarm"], ACCOUNTS["legs"])
    assert address(PROGRAM, "config") == ACCOUNTS["config"]
    assert address(PROGRAM, "vault", listing) == ACCOUNTS["vault"]
    assert [address(PROGRAM, "reputation", one) for one in COURIERS] == ACCOUNTS["reputations"]
    task = address(PROGRAM, "task", ACCOUNTS["shipper"], package)
    assert address(PROGRAM, "task_leg", task, 0) == ACCOUNTS["task"]["leg"]


def test_knows_keys_by_their_names() -> None:
    """(M-62)"""
    for one in vectors("did-documents")["keys"]:
        assert encode_multibase_key(one["pubkey"]) == one["multibase"]
        assert decode_multibase_key(one["multibase"]) == one["pubkey"]
        assert parse_did(did_of(one["pubkey"])) == one["pubkey"]
    for one in vectors("did-documents")["documents"]:
        assert keys_of_document(one["document"]) == [one["pubkey"], *one["formerKeys"]]
    assert parse_did("did:svc:1") is None
    assert decode_multibase_key("z" + "1" * 47) is None


@pytest.mark.parametrize("case", **named(CREDENTIALS["cases"]))
def test_checks_credentials(case: dict[str, Any]) -> None:
    """(M-64)"""
    keys = CREDENTIALS["issuerPubkeys"]
    found = check_credential(case["jwt"], issuers=keys, now_sec=case["nowSec"], max_age_sec=case.get("maxAgeSec"))
    assert found.refusal == case.get("reason")


@pytest.mark.parametrize("case", **named(RECEIPTS))
def test_checks_receipts(case: dict[str, Any]) -> None:
    """(S-210)"""
    if "fault" in case:
        with pytest.raises(ReceiptError) as caught:
            verify_chain(case["chain"])
        assert str(caught.value).startswith(case["fault"])
        return
    custody = verify_chain(case["chain"])
    told = [f"{one['from']} gave it to {one['to']} at {one['at']}" for one in case["chain"]]
    assert [said.split(": ")[0] for said in case["says"]] == told
    assert custody.holder == case["chain"][-1]["to"]
    assert custody.unproven == [place for place, one in enumerate(case["chain"]) if one["signed"] is None]


def test_an_event_of_a_newer_service_keeps_its_number() -> None:
    """(S-31)"""
    assert read_frame('{"type": "HEAD", "seq": 7, "occurredAt": "2026-05-11T00:00:00.000Z"}') == (7, None)
    told = {"type": "BID_WITHDRAWN", "seq": 8, "occurredAt": "2026-05-11T00:00:00.000Z"}
    seq, event = read_frame(json.dumps({**told, "packageId": "p", "bidId": "b", "agentPubkey": "a"}))
    assert seq == 8 and event is not None and event["occurredAt"].year == 2026
    for frame in ("no JSON", "{}", "[]", json.dumps(told), '{"type": "HEAD", "seq": "7"}'):
        with pytest.raises(LegworkProtocolError):
            read_frame(frame)
