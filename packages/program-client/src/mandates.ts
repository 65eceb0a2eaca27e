import { type AccountMeta, AccountRole, type Address, type Instruction, type TransactionSigner } from '@solana/kit';
import { associatedTokenAddress, mandateAddress, TOKEN_PROGRAM_ADDRESS } from './addresses.js';
import { getCloseMandateInstruction, getSetMandateInstruction, type Mandate } from './generated/index.js';
import { SOL_ASSET, type TokenAsset } from './tokens.js';

/** What a mandate permits, as bits. */
export const PERMITS = { packages: 1, tasks: 2, onlyWithTerms: 4 } as const;

/** What an owner sets. */
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
  /** The one arbiter of all terms; the system program's address, which is all zero: any. */
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
 * @param hasTokens whether the mandate has an associated token account; one that is left out can be had by making the mandate again
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

/** What counts for how much can still be listed. */
type Spending = Pick<Mandate, 'cap' | 'period' | 'expiresAt' | 'periodStart' | 'spent'>;

/**
 * How much a delegate may still list at an instant: a budget, and in SOL the rents of the listing with it.
 *
 * @param balance what lies in it: tokens of its associated token account, or lamports above the rent of its own account
 * @param now unix seconds
 */
export function mandateLeft(mandate: Spending, balance: bigint, now: bigint): bigint {
  const { cap, period, expiresAt, periodStart, spent } = mandate;
  if (expiresAt !== 0n && now >= expiresAt) return 0n;
  const counted = now >= periodStart + BigInt(period) ? 0n : spent;
  const allowed = cap > counted ? cap - counted : 0n;
  return balance < allowed ? balance : allowed;
}
