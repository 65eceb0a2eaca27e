"""What a listing can pay in. A service's word is taken for what a token is called, and not for what it is. Rule M-100."""

from __future__ import annotations

from dataclasses import dataclass

from .client import LegworkClient
from .errors import TransactionRefusedError
from .money import SOL_DECIMALS
from .program import address
from .terms import MIN_STAKE_LAMPORTS
from .tokens import Token, token_on_ledger

#: Of USDC by the genesis of their clusters; it has 6 decimals on each.
_USDC = {
    "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG": "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
}
_USDC_DECIMALS = 6


@dataclass(frozen=True)
class Asset:
    """What amounts count base units of."""

    #: ``sol``, or as the service calls it.
    name: str
    #: Of whole units.
    decimals: int
    #: The least budget and stake, base units.
    min_amount: int
    #: None: SOL.
    token: Token | None


SOL = Asset("sol", SOL_DECIMALS, MIN_STAKE_LAMPORTS, None)


async def paid_in(client: LegworkClient, name: str = SOL.name) -> Asset:
    """The asset that the service means by this name, or by the mint of its token, as the ledger has it.

    :raises ValueError: when the service lists nothing in it
    :raises TransactionRefusedError: when the service says otherwise of it than the ledger, or calls another token USDC
    """
    if name == SOL.name:
        return SOL
    config, ledger = await client.config(), await client.ledger()
    offered = [one for one in config.get("assets", []) if one["mint"] is not None]
    found = next((one for one in offered if name in (one["asset"], one["mint"])), None)
    if found is None:
        known = ", ".join([SOL.name, *(one["asset"] for one in offered)])
        raise ValueError(f"asset: this service lists nothing in {name}; give one of {known}")
    token = await token_on_ledger(ledger, config["programId"], found["number"])
    if token is None or (token.mint, token.decimals) != (found["mint"], found["decimals"]):
        raise TransactionRefusedError(f"asset: {name} is another token on the ledger than the service says")
    usdc = _USDC.get(await ledger.genesis_hash())
    if usdc is not None and (name == "usdc" or token.mint == usdc):
        if (token.mint, token.decimals) != (usdc, _USDC_DECIMALS):
            raise TransactionRefusedError(f"asset: usdc is {usdc} with {_USDC_DECIMALS} decimals, not {token.mint}")
    return Asset(found["asset"], token.decimals, found["minAmount"], token)


async def funder_of(
    client: LegworkClient, mandate_owner: str | None, asset: Asset, *, delegate: str | None = None
) -> str:
    """The funder of what a wallet lists: itself, or the mandate that an owner gave it. Rule M-96.

    :param delegate: that wallet; None: this one
    """
    delegate = delegate or client.pubkey
    if mandate_owner is None:
        return delegate
    number = 0 if asset.token is None else asset.token.number
    return address((await client.config())["programId"], "mandate", mandate_owner, delegate, number)
