import type { PackageView, Terms } from '@legwork/sdk';
import type { Policy } from '../policy/policy.js';
import type { StakeRules } from '../wallet/stakes.js';

/** What decides about terms: the policy, and who may rule by it. */
export interface TermsRules {
  readonly accept: Policy['accept'];
  readonly stakes: StakeRules;
}

/** A leg takes at most this part of its carry clock, as the service has it: one half. */
const CARRY_PARTS = 2;

/**
 * Why a courier takes no leg that is bound by these terms; undefined: it does. Rule A-34.
 *
 * @param minutes how long the leg takes
 */
export function disagreement(terms: Terms, minutes: number, { accept, stakes }: TermsRules): string | undefined {
  const { arbiterPubkey, stakeLamports, carrySec, handoffSec, reviewSec, arbitrationSec } = terms;
  if (!stakes.arbiters.includes(arbiterPubkey)) return `${arbiterPubkey} rules its disputes`;
  if (stakeLamports > stakes.perLeg || stakeLamports > stakes.inAll) return 'its stake is above a limit';
  if (carrySec < accept.shortestCarrySec) return `a leg has ${carrySec} seconds`;
  if (carrySec < CARRY_PARTS * minutes * 60)
    return `a leg has ${carrySec} seconds, and this one takes ${minutes} minutes`;
  if (handoffSec < accept.shortestHandoffSec) return `a handoff has ${handoffSec} seconds`;
  if (reviewSec + arbitrationSec > accept.longestRulingSec) return 'review and arbitration last too long';
  return undefined;
}

/** Whether the shipper takes bids of this key. */
export function isWelcome({ requirements }: Pick<PackageView, 'requirements'>, pubkey: string): boolean {
  return requirements?.blocked?.includes(pubkey) !== true;
}
