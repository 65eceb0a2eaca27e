import type { Terms as LedgerTerms } from '@legwork/program-client';
import type { Terms } from '@legwork/protocol/contract';
import type { Term } from './signedListing.js';

/** Stands for no receiver in the program's terms. */
const NOBODY = '11111111111111111111111111111111';
/** The lister signs the first pickup too. */
export const COSIGNED_PICKUP = 1;

/**
 * Each field of the terms that the ledger has or would have, beside the one that is wanted. Rule T-1.
 *
 * @param found null: none
 * @param wanted null: none
 */
export function termsCompared(found: LedgerTerms | null, wanted: Terms | null): readonly Term[] {
  if (found === null || wanted === null) return [['terms', presence(found), presence(wanted)]];
  return [
    ['receiver', found.receiver, wanted.receiverPubkey ?? NOBODY],
    ['arbiter', found.arbiter, wanted.arbiterPubkey],
    ['stake (lamports)', found.stake, wanted.stakeLamports],
    ['carry clock (seconds)', found.carry, wanted.carrySec],
    ['handoff clock (seconds)', found.handoff, wanted.handoffSec],
    ['review clock (seconds)', found.review, wanted.reviewSec],
    ['arbitration clock (seconds)', found.arbitration, wanted.arbitrationSec],
    ['flags', found.flags, wanted.cosignedPickup ? COSIGNED_PICKUP : 0],
  ];
}

const presence = (terms: object | null) => (terms === null ? 'none' : 'some');
