import { endSignatureOf, hasTerms, type LegFacts, type ListingFacts, ruleKind } from '@legwork/program-client/facts';
import type { Terms as KeptTerms } from '@legwork/protocol/contract';
import { toLamports } from '@legwork/protocol/contract';
import { legClockEnd } from '@legwork/protocol/rules';

const instant = (second: bigint) => new Date(Number(second) * 1000);

/**
 * When silence decides about each leg that somebody has; never, where there are no terms, or where a reclaim ended it.
 *
 * @returns undefined when the node does not say when something was done
 */
export function clocksOf(listing: ListingFacts, legs: readonly LegFacts[]): (Date | null)[] | undefined {
  const { terms, poster } = listing;
  if (terms === null || endSignatureOf(listing) !== null) return legs.map(() => null);
  const clocked = legs.filter(hasTerms).flatMap(({ courier, turn: { stage, since } }) => {
    return since === null ? [] : [{ agentPubkey: courier, stage, since: instant(since) }];
  });
  if (clocked.length < legs.length) return undefined;
  const kept: KeptTerms = {
    receiverPubkey: terms.receiver,
    arbiterPubkey: terms.arbiter,
    stakeLamports: toLamports(terms.stake),
    carrySec: terms.carry,
    handoffSec: terms.handoff,
    reviewSec: terms.review,
    arbitrationSec: terms.arbitration,
    cosignedPickup: terms.flags !== 0,
  };
  const clockedListing = {
    kind: ruleKind(listing),
    terms: kept,
    deadline: instant(listing.deadline),
    shipperPubkey: poster,
    legs: clocked,
  };
  return legs.map(({ index }) => legClockEnd(clockedListing, index));
}
