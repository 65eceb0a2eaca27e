"""Terms: what binds both sides of a listing. What a draft means, so that what the service builds can be compared with it. Rule T-50."""

from __future__ import annotations

from typing import Any, Literal

from ._generated import models as m
from .geo import estimated_duration_min, great_circle_km
from .money import parse_sol

TermsChoice = Literal["plain", "standard", "guarded"] | m.OwnTerms

#: The least stake in SOL: two empty accounts.
MIN_STAKE_LAMPORTS = 1_781_760
_MAX_CLOCK_SEC = 30 * 86_400
#: Fifths of the budget that are the stake, and how many usual reviews long the review is.
_PRESETS = {"standard": (1, 1), "guarded": (2, 3)}
_USUAL = {
    "package": {"handoffSec": 45 * 60, "reviewSec": 24 * 3600, "arbitrationSec": 72 * 3600},
    "task": {"handoffSec": 30 * 60, "reviewSec": 3600, "arbitrationSec": 24 * 3600},
}


def chosen_terms(
    choice: TermsChoice | None,
    kind: Literal["package", "task"],
    budget: int,
    carry_sec: int,
    arbiter: str | None,
    *,
    least_in_token: int | None = None,
) -> m.Terms | None:
    """The terms that a choice means for a listing; None for ``plain``.

    :param budget: base units
    :param least_in_token: the least stake in the token that it pays in; None: it pays in SOL
    :param arbiter: who rules where the choice names nobody
    :raises ValueError: when it names no arbiter and the service has none, or a stake in SOL where a token is paid
    """
    if choice is None or choice == "plain":
        return None
    given: dict[str, Any] = {"preset": choice} if isinstance(choice, str) else {**choice}
    fifths, reviews = _PRESETS[given.get("preset", "standard")]
    usual = _USUAL[kind]
    arbiter = given.get("arbiterPubkey", arbiter)
    if arbiter is None:
        raise ValueError("terms: this service names no arbiter of its own; give arbiterPubkey")
    stake = max(budget * fifths // 5, MIN_STAKE_LAMPORTS if least_in_token is None else least_in_token)
    if "stakeSol" in given:
        if least_in_token is not None:
            raise ValueError("terms: stakeSol is in SOL, and the listing pays in a token; give stake in its base units")
        stake = parse_sol(given["stakeSol"])
    stake = given.get("stake", stake)
    return {
        "receiverPubkey": given.get("receiverPubkey"),
        "arbiterPubkey": arbiter,
        "stake": stake,
        "stakeLamports": stake if least_in_token is None else None,
        "carrySec": given.get("carrySec", carry_sec),
        "handoffSec": given.get("handoffSec", usual["handoffSec"]),
        "reviewSec": given.get("reviewSec", reviews * usual["reviewSec"]),
        "arbitrationSec": given.get("arbitrationSec", usual["arbitrationSec"]),
        "cosignedPickup": given.get("cosignedPickup", False),
    }


def package_carry_sec(origin_lat: float, origin_lng: float, dest_lat: float, dest_lng: float) -> int:
    """The usual carry of a package: two hours, and twice the way from origin to destination."""
    minutes = estimated_duration_min(great_circle_km(origin_lat, origin_lng, dest_lat, dest_lng))
    return min(_MAX_CLOCK_SEC, 2 * 3600 + 2 * minutes * 60)


def task_carry_sec(claim_timeout_sec: int) -> int:
    """The usual carry of a task: the time for a leg, and ten minutes."""
    return claim_timeout_sec + 600
