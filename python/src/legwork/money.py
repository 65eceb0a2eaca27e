"""Amounts: whole lamports, and SOL as people write it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

SOL_DECIMALS = 9
LAMPORTS_PER_SOL = 10**SOL_DECIMALS
#: The largest amount that exists here: every amount is an exact JSON integer.
MAX_LAMPORTS = 2**53 - 1
#: One part in so many of a lamport is noise of float arithmetic.
_NOISE_PARTS = 1000


def parse_sol(value: float | str | Decimal) -> int:
    """Reads an amount of SOL as lamports, exactly: ``0.1`` is 100,000,000. Rule M-2.

    :raises ValueError: for what is no amount, is negative or too large, or has more than nine decimals
    """
    return parse_units(value, SOL_DECIMALS)


def parse_units(value: float | str | Decimal, decimals: int) -> int:
    """The same as base units of an asset with so many decimals: ``parse_units("1.5", 6)`` is 1,500,000 of USDC.

    :raises ValueError: for what is no amount, is negative or too large, or has more decimals
    """
    try:
        exact = Decimal(repr(value) if isinstance(value, float) else value) * 10**decimals
    except (InvalidOperation, TypeError) as error:
        raise ValueError(f"{value!r} is not an amount; give a decimal number such as 0.25") from error
    if not exact.is_finite() or exact < 0 or exact > MAX_LAMPORTS:
        raise ValueError(f"{value} is no amount; give at least 0 and at most {format_units(MAX_LAMPORTS, decimals)}")
    nearest = int(exact.to_integral_value())
    if exact != nearest and (nearest == 0 or abs(exact - nearest) * _NOISE_PARTS > 1):
        raise ValueError(
            f"{value} has more than {decimals} decimals; the smallest amount is {format_units(1, decimals)}"
        )
    return nearest


def format_sol(lamports: int) -> str:
    """Writes lamports as decimal SOL without trailing zeros: ``0.3``, ``1``, ``-0.000000001``. Rule M-3."""
    return format_units(lamports, SOL_DECIMALS)


def format_units(amount: int, decimals: int) -> str:
    """The same for base units of an asset with so many decimals."""
    whole, fraction = divmod(abs(amount), 10**decimals)
    digits = str(fraction).rjust(decimals, "0").rstrip("0") if decimals else ""
    return f"{'-' if amount < 0 else ''}{whole}{'.' if digits else ''}{digits}"
