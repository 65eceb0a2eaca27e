import { getAddressDecoder, getU64Decoder } from '@solana/kit';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { getPackageSize, getTaskSize, getTermsEncoder } from './generated/index.js';

/** The rent minimum of an account with so many bytes, lamports: the same on every cluster. */
export const rentMinimum = (bytes: number): bigint => BigInt(128 + bytes) * 6_960n;

/** Bytes of an account of the token program. */
export const TOKEN_ACCOUNT_BYTES = 165;

/** The rent of an account of the token program, lamports. */
export const TOKEN_ACCOUNT_RENT = rentMinimum(TOKEN_ACCOUNT_BYTES);

/** The rent of the account that a listing opens, lamports, without that of its vault. */
export function listingRent(kind: 'package' | 'task', hasTerms: boolean): bigint {
  const tail = hasTerms ? getTermsEncoder().fixedSize : 0;
  return rentMinimum((kind === 'package' ? getPackageSize() : getTaskSize()) + tail);
}

const OWNER_AT = 32;
const AMOUNT_AT = 64;
const STATE_AT = 108;
const INITIALIZED = 1;

/** An account of the token program. */
export interface TokenAccount {
  readonly mint: Address;
  readonly owner: Address;
  /** Base units. */
  readonly amount: bigint;
  /** False: its issuer has frozen it. */
  readonly isOpen: boolean;
}

/** Reads an account of the token program from its bytes. */
export function readTokenAccount(data: ReadonlyUint8Array): TokenAccount {
  const keyAt = (at: number) => getAddressDecoder().decode(data, at);
  const amount = getU64Decoder().decode(data, AMOUNT_AT);
  return { mint: keyAt(0), owner: keyAt(OWNER_AT), amount, isOpen: data[STATE_AT] === INITIALIZED };
}
