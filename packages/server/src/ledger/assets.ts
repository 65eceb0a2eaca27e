import { assetAddress, getAssetDecoder, SOL_ASSET as SOL_NUMBER } from '@legwork/program-client';
import { ask, type LedgerRpc } from '@legwork/program-client/history';
import { isInSol, type Lamports, lamportsToSolNumber, LegworkError, SOL, toLamports } from '@legwork/protocol/contract';
import { type PayableAsset, SOL_ASSET } from '@legwork/protocol/rules';
import { type Address, getAddressDecoder, getBase64Encoder } from '@solana/kit';
import type { Config } from '../config.js';

/** An asset that listings here can be paid in. */
export interface ListedAsset extends PayableAsset {
  /** Of its account on the ledger; 0: SOL. */
  readonly number: number;
  /** True if it takes new listings here: ASSETS names it. */
  readonly isOffered: boolean;
  /** Null: SOL. */
  readonly token: {
    readonly mint: Address;
    /** Of the asset on the ledger. */
    readonly account: Address;
    /** True if the coordinator can mint more of it: a token for trials. */
    readonly isOurs: boolean;
  } | null;
}

/** By their numbers. */
export type Assets = ReadonlyMap<number, ListedAsset>;

const SOL_LISTED: ListedAsset = { ...SOL_ASSET, number: SOL_NUMBER, isOffered: true, token: null };

/** The assets of a service that knows no tokens. */
export const SOL_ALONE: Assets = new Map([[SOL_NUMBER, SOL_LISTED]]);

/** The asset of a row. @throws Error when the ledger did not show it at the start */
export function assetOf(assets: Assets, { asset }: { asset: number }): ListedAsset {
  const found = assets.get(asset);
  if (found === undefined) throw new Error(`asset ${asset} is in the database, and the ledger does not show it`);
  return found;
}

/** The number of the asset that is at this address on the ledger; undefined: SOL. @throws Error when it is unknown here */
export function numberOf(assets: Assets, account: Address | undefined): number {
  if (account === undefined) return SOL_NUMBER;
  const found = [...assets.values()].find(({ token }) => token?.account === account);
  if (found === undefined) throw new Error(`ASSETS does not name the asset ${account}`);
  return found.number;
}

/** The asset that the amounts of a row count, for answers. */
export function inAsset(assets: Assets, row: { asset: number }) {
  const { asset, decimals } = assetOf(assets, row);
  return { asset, decimals };
}

/** True if its payments count among an agent's earnings, which are in SOL. Rule M-94. */
export const isEarning = ({ asset }: { asset: number }): boolean => asset === SOL_NUMBER;

/** An amount that an answer shows in lamports as well; null of a token. */
export const lamportsOf = ({ asset }: { asset: number }, amount: Lamports): Lamports | null =>
  asset === SOL_NUMBER ? amount : null;

/** An amount that an answer shows in SOL as well; null of a token. */
export const solOf = ({ asset }: { asset: number }, amount: Lamports): number | null =>
  asset === SOL_NUMBER ? lamportsToSolNumber(amount) : null;

/** An amount as an event tells it. */
type Told<Name extends string> = { [K in `${Name}Lamports`]: Lamports | null } & { [K in Name]?: Lamports } & {
  asset?: string;
};

/** An amount as an event tells it: of SOL as it always was, of a token in base units too. */
export function told<Name extends string>(name: Name, asset: ListedAsset, amount: Lamports): Told<Name> {
  const named = isInSol(asset) ? {} : { [name]: amount, asset: asset.asset };
  // The compiler does not follow names that are put together.
  return { [`${name}Lamports`]: isInSol(asset) ? amount : null, ...named } as Told<Name>;
}

/** @throws LegworkError `invalid_input` when this service lists nothing in it */
export function requireAsset(assets: Assets, name: string = SOL.asset): ListedAsset {
  const all = [...assets.values()];
  const found = all.find(({ asset, token }) => asset === name || token?.mint === name);
  if (found !== undefined) return found;
  const known = all.flatMap(({ asset, isOffered }) => (isOffered ? [asset] : [])).join(', ');
  throw LegworkError.field(
    'invalid_input',
    'asset',
    `${name} is nothing that this service lists; give one of ${known}`,
  );
}

/** Refuses an ask in SOL for a payment in a token. Rule M-92. @throws LegworkError `invalid_input` */
export function requireSaidIn(asset: ListedAsset, name: 'bid' | 'cost', sol: number | undefined): void {
  if (sol === undefined || asset.token === null) return;
  throw LegworkError.field(
    'invalid_input',
    `${name}Sol`,
    `is in SOL, and this pays in ${asset.asset}: give ${name} in its base units, of which one ${asset.asset} has ${10n ** BigInt(asset.decimals)}`,
  );
}

type Known = { rpc: LedgerRpc; programAddress: Address; coordinator: Address };

const MINT_AUTHORITY_AT = 4;

/**
 * Reads the assets that the setting names, and what else was listed in, which goes by its mint. One that the ledger does not show
 * yet is left out.
 */
export async function readAssets(known: Known, named: Config['assets'], listed: readonly number[]): Promise<Assets> {
  const unnamed = listed.filter((number) => named.every((one) => one.number !== number));
  const wanted = [...named, ...unnamed.map((number) => ({ name: undefined, number }))];
  const read = await Promise.all(wanted.map(({ name, number }) => readAsset(known, name, number)));
  return new Map([...SOL_ALONE, ...read.flatMap((one) => (one === undefined ? [] : [[one.number, one] as const]))]);
}

async function readAsset(
  { rpc, programAddress, coordinator }: Known,
  name: string | undefined,
  number: number,
): Promise<ListedAsset | undefined> {
  const account = await assetAddress(programAddress, number);
  const data = await dataOf(rpc, account, programAddress);
  if (data === undefined) return undefined;
  const { mint, decimals, minAmount } = getAssetDecoder().decode(data);
  const minted = await dataOf(rpc, mint);
  const isOurs = minted?.[0] === 1 && getAddressDecoder().decode(minted, MINT_AUTHORITY_AT) === coordinator;
  const token = { mint, account, isOurs };
  const isOffered = name !== undefined;
  return { asset: name ?? mint, number, isOffered, decimals, minAmount: toLamports(minAmount), token };
}

async function dataOf(rpc: LedgerRpc, account: Address, owner?: Address) {
  const { value } = await ask(rpc.getAccountInfo(account, { commitment: 'confirmed', encoding: 'base64' }));
  if (value === null || (owner !== undefined && value.owner !== owner)) return undefined;
  return getBase64Encoder().encode(value.data[0]);
}

/** Refuses a new listing in an asset that is closed or not offered here. @throws LegworkError `invalid_input` */
export async function requireOpen(
  { rpc, programAddress }: Omit<Known, 'coordinator'>,
  asset: ListedAsset,
): Promise<void> {
  if (asset.token === null) return;
  const data = await dataOf(rpc, asset.token.account, programAddress);
  const isOpen = data !== undefined && getAssetDecoder().decode(data).isOpen !== 0;
  if (isOpen && asset.isOffered) return;
  const why = asset.isOffered ? 'its authority has closed it' : 'this service does not offer it any more';
  throw LegworkError.field('invalid_input', 'asset', `${asset.asset} takes no new listings: ${why}`);
}
