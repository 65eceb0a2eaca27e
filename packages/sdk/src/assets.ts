import { assetAddress, mandateAddress, SOL_ASSET as SOL_NUMBER, type TokenAsset } from '@legwork/program-client';
import { amountOf, isInSol, lamportsToSolNumber, SOL, unitsFromWire } from '@legwork/protocol/contract';
import type { Asset, Lamports } from '@legwork/protocol/contract';
import { type PayableAsset, SOL_ASSET } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import type { Address } from '@solana/kit';
import type { ServiceConfig } from './client.js';

/** A token that a listing pays in, with the account of its asset on the ledger. */
export interface PaidToken extends TokenAsset {
  readonly account: Address;
}

/** The asset that a listing pays in. */
export interface PaidIn extends PayableAsset {
  /** Undefined: SOL. */
  readonly token: PaidToken | undefined;
}

/** By the genesis of their clusters: nobody is told another token than its issuer's is USDC. It has 6 decimals on each. */
const USDC: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};

/**
 * The asset that the service means by this name, or by the mint of its token.
 *
 * @throws {RangeError} when it lists nothing in it, calls another token USDC, or gives USDC other decimals: an amount would mean more
 *   than it says. Rule M-100.
 */
export async function paidIn(config: ServiceConfig, name: string = SOL.asset): Promise<PaidIn> {
  if (name === SOL.asset) return { ...SOL_ASSET, token: undefined };
  const found = config.assets.find(({ asset, mint }) => asset === name || mint === name);
  if (found?.mint == null) {
    const known = [SOL.asset, ...config.assets.flatMap(({ asset, mint }) => (mint === null ? [] : [asset]))];
    throw new RangeError(`asset: this service lists nothing in ${name}; give one of ${known.join(', ')}`);
  }
  const { asset, number, decimals, minAmount } = found;
  const usdc = USDC[config.genesisHash];
  const isMeant = name === 'usdc' || found.mint === usdc;
  if (usdc !== undefined && isMeant && (found.mint !== usdc || decimals !== 6)) {
    throw new RangeError(`asset: usdc is ${usdc} with 6 decimals, not ${found.mint} with ${decimals}`);
  }
  const account = await assetAddress(address(config.programId), number);
  return { asset, decimals, minAmount, token: { number, mint: address(found.mint), account } };
}

type Asked<Name extends string> = { readonly [Field in Name | `${Name}Sol`]?: Field extends Name ? string : number };

/** An amount as a call asks for it: `bidSol` of SOL; of anything else `bid`, in base units. */
export function asked<Name extends 'maxBudget' | 'cost' | 'bid'>(
  name: Name,
  amount: Lamports,
  asset: Pick<Asset, 'asset'>,
): Asked<Name> {
  const [field, value] = isInSol(asset) ? [`${name}Sol`, lamportsToSolNumber(amount)] : [name, String(amount)];
  return { [field]: value } as Asked<Name>;
}

/** The most that a listing may cost: in SOL, or in base units of another asset, which are decimal digits. */
export type Budget =
  | { readonly maxBudgetSol: number; readonly maxBudget?: undefined; readonly asset?: 'sol' | undefined }
  | { readonly maxBudget: string; readonly asset?: string | undefined; readonly maxBudgetSol?: undefined };

/** The budget of a draft, base units. @throws {MoneyError} */
export const budgetOf = ({ maxBudgetSol, maxBudget }: Budget) =>
  amountOf(maxBudgetSol, maxBudget === undefined ? undefined : unitsFromWire(maxBudget));

/** The funder that a draft names: the lister, or the mandate that an owner gave it. */
export async function funderOf(
  { programId }: ServiceConfig,
  { mandateOwnerPubkey }: { mandateOwnerPubkey?: string | undefined },
  lister: string,
  { token }: PaidIn,
): Promise<Address> {
  if (mandateOwnerPubkey === undefined) return address(lister);
  const seeds = { owner: address(mandateOwnerPubkey), delegate: address(lister), asset: token?.number ?? SOL_NUMBER };
  return mandateAddress(address(programId), seeds);
}

/** The number on the ledger of what the service says that a listing pays in. @throws as {@link paidIn} */
export async function numberOf(config: ServiceConfig, name: string | undefined): Promise<number> {
  return (await paidIn(config, name)).token?.number ?? SOL_NUMBER;
}
