import type { TermsArgs } from '@legwork/program-client';
import { address } from '@solana/kit';
import { SOL } from './delivery.js';
import { keyOf } from './keys.js';

export const EVIDENCE_HASH = new Uint8Array(32).fill(11);
/** The runtime burns what comes there. */
export const INCINERATOR = address('1nc1nerator11111111111111111111111111111111');
export const REASON_HASH = new Uint8Array(32).fill(12);

export const NOBODY = address('11111111111111111111111111111111');

/** An odd stake, and clocks that differ from each other. */
export const STAKE = SOL / 10n + 1n;
export const CARRY = 7_200n;
export const HANDOFF = 2_700n;
export const REVIEW = 3_600n;
export const ARBITRATION = 5_400n;
/** The lister signs the first pickup too. */
export const COSIGNED = 1;

/** Terms that a budget of one SOL may have: with a receiver, without any flag. */
export async function terms(changes: Partial<TermsArgs> = {}): Promise<TermsArgs> {
  return {
    receiver: (await keyOf('receiver')).address,
    arbiter: (await keyOf('arbiter')).address,
    stake: STAKE,
    carry: Number(CARRY),
    handoff: Number(HANDOFF),
    review: Number(REVIEW),
    arbitration: Number(ARBITRATION),
    flags: 0,
    ...changes,
  };
}
