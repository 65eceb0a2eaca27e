import type { Terms as KeptTerms } from '@legwork/protocol/contract';
import { toLamports } from '@legwork/protocol/contract';
import { legClockEnd } from '@legwork/protocol/rules';
import { hasTerms } from '../replay/legs.js';
import type { FormationFacts, PackageFacts } from '../replay/packageFacts.js';

const instant = (second: bigint) => new Date(Number(second) * 1000);

/**
 * When silence decides about each leg, by index; never, where there are no terms.
 *
 * @returns undefined when the node does not say when something was done
 */
export function clocksOf(parcel: PackageFacts, { legs }: FormationFacts): (Date | null)[] | undefined {
  const { terms, poster } = parcel;
  if (terms === null) return legs.map(() => null);
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
  const listing = {
    kind: 'package' as const,
    terms: kept,
    deadline: instant(parcel.deadline),
    shipperPubkey: poster,
    legs: clocked,
  };
  return legs.map(({ index }) => legClockEnd(listing, index));
}
