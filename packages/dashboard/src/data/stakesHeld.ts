import type { LegStage, Terms } from '@legwork/protocol/contract';
import { STAKES_HELD } from '@legwork/protocol/rules';

/** What legs under way hold as stakes, by their stages; lamports, 0 without terms. */
export function stakesHeld(terms: Terms | null, legs: readonly { readonly stage: LegStage | null }[]): bigint {
  const held = legs.reduce((sum, { stage }) => sum + (stage ? STAKES_HELD[stage] : 0), 0);
  return terms ? terms.stakeLamports * BigInt(held) : 0n;
}
