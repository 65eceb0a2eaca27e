"""What a key that keeps its legs going does next, by its clocks. Times are given, and none is waited for. (T-46)"""

from datetime import datetime, timedelta, timezone
from typing import Any, cast

import pytest

from legwork import models as m
from legwork.steps import Step, TaskAtHand, next_step, next_task_step, parcel_at_hand, until_notice

NOW = datetime(2026, 5, 11, 12, 0, tzinfo=timezone.utc)
OWN, OTHER = "own", "other"
SOON, LATER = timedelta(seconds=119), timedelta(hours=2)


def turn(stage: str, actions: list[str], *, until: timedelta | None = LATER, of: str = OWN, index: int = 0) -> Any:
    end = None if until is None else NOW + until
    return {
        "stage": stage,
        "actions": actions,
        "until": end,
        "agentPubkey": of,
        "legId": f"leg{index}",
        "legIndex": index,
    }


def parcel(deadline: timedelta = timedelta(hours=9), *, cosigned: bool = False) -> m.PackageDetail:
    legs = [
        {"id": f"leg{index}", "legIndex": index, "agentPubkey": pubkey, "estimatedDurationMin": 30}
        for index, pubkey in enumerate((OWN, OTHER))
    ]
    made = {"deadline": NOW + deadline, "terms": {"cosignedPickup": cosigned}, "swarm": {"legs": legs}}
    return cast(m.PackageDetail, made)


def task_step(given: Any, deadline: timedelta = timedelta(hours=9)) -> Step | None:
    at = TaskAtHand(given, cast(m.DigitalTaskDetail, {"deadline": NOW + deadline}), cast(m.DigitalLegDetail, {}), NOW)
    return next_task_step(at, OWN)


@pytest.mark.parametrize(
    ("given", "deadline", "wanted"),
    [
        (turn("pending", ["accept", "vacate"]), timedelta(hours=9), Step("accept")),
        # What would end after the deadline is not begun.
        (turn("pending", ["accept", "vacate"]), timedelta(minutes=29), Step("move", "vacate")),
        (turn("accepted", ["take", "vacate"]), timedelta(hours=9), Step("pick_up", "take")),
        (turn("accepted", ["take", "vacate"], until=SOON), timedelta(hours=9), Step("pick_up", "take", is_last=True)),
        # Once its clock is over, to leave would cost the stake.
        (turn("accepted", ["take"], until=-SOON), timedelta(hours=9), Step("pick_up", "take")),
        (turn("accepted", ["vacate"], until=SOON), timedelta(hours=9), Step("move", "vacate", unless_held=True)),
        (turn("accepted", ["vacate"]), timedelta(hours=9), None),
        (turn("accepted", ["take", "vacate"]), timedelta(minutes=29), Step("move", "vacate")),
        (turn("carried", ["claim"]), timedelta(hours=9), Step("carry")),
        (turn("carried", ["claim"], until=SOON), timedelta(hours=9), Step("carry", is_last=True)),
        (turn("carried", ["claim"]), SOON, Step("carry", is_last=True)),
        (turn("claimed", ["crank"], until=-SOON), timedelta(hours=9), Step("move", "crank")),
        (turn("ruled", ["crank"], until=None), timedelta(hours=9), Step("move", "crank")),
        (turn("claimed", []), timedelta(hours=9), None),
    ],
)
def test_a_courier_does_what_is_due(given: Any, deadline: timedelta, wanted: Step | None) -> None:
    assert next_step(parcel_at_hand(given, parcel(deadline), OWN, NOW), OWN) == wanted


def test_a_courier_waits_for_the_shipper_who_signs_too() -> None:
    at = parcel_at_hand(turn("accepted", ["take", "vacate"]), parcel(cosigned=True), OWN, NOW)
    assert next_step(at, OWN) == Step("pick_up", "take", is_cosigned=True)


def test_the_next_courier_takes_over_and_ends_no_review() -> None:
    carried = turn("carried", ["confirm"], of=OWN, index=0)
    at = parcel_at_hand(carried, parcel(), OTHER, NOW)
    assert at.own is not None and next_step(at, OTHER) == Step("pick_up", "confirm")
    over = parcel_at_hand(turn("claimed", ["crank"], until=-SOON, of=OWN), parcel(), "stranger", NOW)
    assert over.own is None and next_step(over, "stranger") == Step("move", "crank")


@pytest.mark.parametrize(
    ("given", "deadline", "wanted"),
    [
        (turn("pending", ["accept", "vacate"]), timedelta(hours=9), Step("accept")),
        (turn("pending", ["accept", "vacate"]), SOON, Step("move", "vacate")),
        (turn("accepted", ["claim", "vacate"]), timedelta(hours=9), Step("work")),
        (turn("accepted", ["claim", "vacate"], until=SOON), timedelta(hours=9), Step("work", is_last=True)),
        (turn("accepted", ["claim"], until=-SOON), timedelta(hours=9), Step("work")),
        (turn("accepted", ["vacate"], until=SOON), timedelta(hours=9), Step("move", "vacate")),
        (turn("claimed", ["crank"], until=-SOON), timedelta(hours=9), Step("move", "crank")),
        # What others claim is not this key's to pay.
        (turn("claimed", ["confirm", "dispute"], of=OTHER), timedelta(hours=9), None),
    ],
)
def test_a_worker_does_what_is_due(given: Any, deadline: timedelta, wanted: Step | None) -> None:
    assert task_step(given, deadline) == wanted


def test_knows_when_to_look_again() -> None:
    """Two minutes before a clock ends, and when it ends, whatever happens."""
    assert until_notice(parcel_at_hand(turn("carried", ["claim"]), parcel(), OWN, NOW)) == LATER - timedelta(
        seconds=120
    )
    assert until_notice(parcel_at_hand(turn("carried", ["claim"], until=SOON), parcel(), OWN, NOW)) == SOON
