import type { ExplainedLeg } from '@legwork/protocol/rules';
import { agreedOf, type ClockedLeg, kindOf, type ListingRow } from '../../db/legMoves.js';
import { termsOf } from '../../ledger/terms.js';

/** What the words about a leg need to know of it. */
export function explain(listing: ListingRow, leg: ClockedLeg): ExplainedLeg {
  return {
    kind: kindOf(listing),
    stage: leg.stage,
    agentPubkey: leg.agent_pubkey,
    paymentLamports: agreedOf(listing, leg),
    stakeLamports: termsOf(listing).stakeLamports,
    percent: leg.percent,
  };
}
