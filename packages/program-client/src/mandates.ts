import {
  type AccountMeta,
  AccountRole,
  type Address,
  address,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import { associatedTokenAddress, mandateAddress, TOKEN_PROGRAM_ADDRESS } from './addresses.js';
import { listingRent, rentMinimum } from './accounts.js';
import type { RelayErrorName } from './errors.js';
import { getCloseMandateInstruction, getSetMandateInstruction, type Mandate } from './generated/index.js';
import { SOL_ASSET, type TokenAsset } from './tokens.js';

/** In the arbiter's place of a mandate: any. All zero, as nobody's key. */
export const ANY_ARBITER = address('11111111111111111111111111111111');

/** The permissions of a mandate, as bits. */
export const PERMITS = { packages: 1, tasks: 2, onlyWithTerms: 4 } as const;

/** The limits that an owner sets. */
export interface MandateLimits {
  /** Bits of {@link PERMITS}. */
  readonly permits: number;
  /** Of each period, in lamports or base units; in SOL the rents of what is listed count, too. */
  readonly cap: bigint;
  /** Seconds, above 0. */
  readonly period: number;
  /** Unix seconds; 0: never. */
  readonly expiresAt: bigint;
  /** The longest time to a deadline, in seconds. */
  readonly maxAhead: number;
  /** The one arbiter of all terms, or {@link ANY_ARBITER}. */
  readonly arbiter: Address;
}

/** Between whom a mandate is. */
export interface MandateParties {
  readonly owner: TransactionSigner;
  readonly delegate: Address;
  /** Undefined: SOL. */
  readonly asset?: TokenAsset | undefined;
}

/** Lets a delegate list with an owner's money, or bounds it anew. Transfers to the mandate's address or its associated token account fund it. */
export async function setMandate(
  programAddress: Address,
  { owner, delegate, asset }: MandateParties,
  limits: MandateLimits,
): Promise<Instruction> {
  const number = asset?.number ?? SOL_ASSET;
  const mandate = await mandateAddress(programAddress, { owner: owner.address, delegate, asset: number });
  return getSetMandateInstruction({ ...limits, owner, delegate, mandate, asset: number }, { programAddress });
}

/**
 * Ends a mandate: its lamports come to its owner, and its tokens to the owner's associated token account, which must exist.
 *
 * @param hasTokens true if the mandate has an associated token account; one that is left out can be had by making the mandate again
 */
export async function closeMandate(
  programAddress: Address,
  { owner, delegate, asset }: MandateParties,
  hasTokens = asset !== undefined,
): Promise<Instruction> {
  const number = asset?.number ?? SOL_ASSET;
  const mandate = await mandateAddress(programAddress, { owner: owner.address, delegate, asset: number });
  const closing = getCloseMandateInstruction({ owner, mandate }, { programAddress });
  if (asset === undefined || !hasTokens) return closing;
  const tokens: AccountMeta[] = [{ address: TOKEN_PROGRAM_ADDRESS, role: AccountRole.READONLY }];
  for (const holder of [mandate, owner.address]) {
    tokens.push({ address: await associatedTokenAddress(holder, asset.mint), role: AccountRole.WRITABLE });
  }
  return { ...closing, accounts: [...closing.accounts, ...tokens] };
}

/** The fields that decide how much can still be listed. */
type Spending = Pick<Mandate, 'cap' | 'period' | 'expiresAt' | 'periodStart' | 'spent'>;

const hasExpired = ({ expiresAt }: Spending, now: bigint) => expiresAt !== 0n && now >= expiresAt;

/** The rest of the cap in this period. */
function leftOfCap({ cap, period, periodStart, spent }: Spending, now: bigint): bigint {
  const counted = now >= periodStart + BigInt(period) ? 0n : spent;
  return cap > counted ? cap - counted : 0n;
}

/**
 * How much a delegate may still list at an instant: a budget, and in SOL the rents of the listing with it.
 *
 * @param balance its balance: tokens of its associated token account, or lamports above the rent of its own account
 * @param now unix seconds
 */
export function mandateLeft(mandate: Spending, balance: bigint, now: bigint): bigint {
  if (hasExpired(mandate, now)) return 0n;
  const allowed = leftOfCap(mandate, now);
  return balance < allowed ? balance : allowed;
}

/** A delegate's intended listing. */
export interface MandateWish {
  readonly kind: 'package' | 'task';
  /** 0 is SOL, else the number of an asset. */
  readonly asset: number;
  readonly maxBudget: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** Of its terms; null: it has none. */
  readonly arbiter: Address | null;
}

/** The rents that a listing takes from a mandate, lamports: of its account and, in SOL, of its vault. */
export function listingRents({ kind, asset, arbiter }: Pick<MandateWish, 'kind' | 'asset' | 'arbiter'>): bigint {
  const own = listingRent(kind, arbiter !== null);
  return asset === SOL_ASSET ? own + rentMinimum(0) : own;
}

/**
 * Why the program would not let a mandate pay for a listing, by the name of its error; undefined: it would. Rule P-116.
 *
 * @param held its lamports above the rent of its own account, and the tokens of its associated token account
 * @param now unix seconds
 */
export function mandateRefusal(
  mandate: Mandate,
  wish: MandateWish,
  held: { readonly lamports: bigint; readonly tokens: bigint },
  now: bigint,
): RelayErrorName | undefined {
  if (hasExpired(mandate, now)) return 'MandateExpired';
  if (!permits(mandate, wish, now)) return 'MandateForbids';
  const isInSol = wish.asset === SOL_ASSET;
  const lamports = listingRents(wish) + (isInSol ? wish.maxBudget : 0n);
  if ((isInSol ? lamports : wish.maxBudget) > leftOfCap(mandate, now)) return 'MandateExceeded';
  const isCovered = lamports <= held.lamports && (isInSol || wish.maxBudget <= held.tokens);
  return isCovered ? undefined : 'MandateEmpty';
}

function permits(mandate: Mandate, { kind, asset, deadline, arbiter }: MandateWish, now: bigint): boolean {
  const isAny = mandate.arbiter === ANY_ARBITER;
  const permitted = kind === 'package' ? PERMITS.packages : PERMITS.tasks;
  const hasTermsPermitted =
    arbiter === null
      ? isAny && (mandate.permits & PERMITS.onlyWithTerms) === 0
      : arbiter !== mandate.owner && (isAny || arbiter === mandate.arbiter);
  return (
    asset === mandate.asset &&
    (mandate.permits & permitted) !== 0 &&
    deadline - now <= BigInt(mandate.maxAhead) &&
    hasTermsPermitted
  );
}
