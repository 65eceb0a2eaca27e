import type { Address, KeyPairSigner } from '@solana/kit';
import type { TermsArgs } from '@legwork/program-client';
import { CANNOT_SET_TIME } from './backend.js';
import type { Outcome } from './ledger.js';

/** The time of the ledger when a test begins; a validator's own, roughly. */
export const NOW = CANNOT_SET_TIME ? BigInt(Math.floor(Date.now() / 1_000)) : 1_800_000_000n;
export const DEADLINE = NOW + 86_400n;
export const SOL = 1_000_000_000n;
export const TERMS_HASH = new Uint8Array(32).fill(7);

/** Everything about one delivery that its instructions need. */
export interface Delivery {
  readonly shipper: KeyPairSigner;
  readonly funder: KeyPairSigner;
  /** Pays in the funder's place, who is its owner. */
  readonly mandate?: Address;
  readonly packageId: Uint8Array;
  readonly package: Address;
  readonly vault: Address;
  readonly swarm: Address;
}

export interface Listing {
  readonly maxBudget?: bigint;
  readonly deadline?: bigint;
  /** False: the shipper's address is given, without a signature. */
  readonly shipperSigns?: boolean;
  readonly terms?: TermsArgs;
}

/** The outcome of a transaction that the test builds on. */
export function must(outcome: Outcome): Outcome {
  if (outcome.error !== undefined) throw new Error(`${outcome.error}\n${outcome.logs.join('\n')}`);
  return outcome;
}
