import type { TermsArgs } from '@legwork/program-client';
import type { Address, KeyPairSigner } from '@solana/kit';

export const RESULT_HASH = new Uint8Array(32).fill(9);

/** Everything about one task that its instructions need. */
export interface Job {
  readonly poster: KeyPairSigner;
  readonly funder: KeyPairSigner;
  /** Pays in the funder's place, who is its owner. */
  readonly mandate?: Address;
  readonly taskId: Uint8Array;
  readonly task: Address;
  readonly vault: Address;
}

export interface TaskListing {
  readonly numLegs?: number;
  readonly maxBudget?: bigint;
  readonly deadline?: bigint;
  /** False: the poster's address is given, without a signature. */
  readonly posterSigns?: boolean;
  readonly terms?: TermsArgs;
}

/** A leg that ends with its task; the coordinator paid its rent unless somebody else is named. */
export interface ClosedLeg {
  readonly index: number;
  readonly rentPayer?: Address;
}

/** The first legs of a task. */
export function firstLegs(count: number): ClosedLeg[] {
  return Array.from({ length: count }, (_, index) => ({ index }));
}
