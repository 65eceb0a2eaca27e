import { gapBefore } from '../errors.js';
import type { LegFacts, TermsLeg } from './legs.js';

/** What the ledger's transactions add up to for one agent. */
export interface ReputationFacts {
  address: string;
  accepted: bigint;
  completed: bigint;
  /** Of the transaction that changed it last. */
  signature: string;
}

/** By agent, over the legs of packages and of digital tasks. */
export type Reputations = Map<string, ReputationFacts>;

/** Records a reputation that was paid for before the agent's first leg. */
export function openReputation(reputations: Reputations, agent: string, address: string, signature: string): void {
  if (reputations.has(agent)) throw gapBefore(signature, `${agent} had a reputation`);
  reputations.set(agent, { address, accepted: 0n, completed: 0n, signature });
}

/** Records that a leg of either kind was given to the agent, which counts at once unless the assignment says later. */
export function giveLeg(
  reputations: Reputations,
  { courier: agent, turn }: LegFacts,
  address: string,
  signature: string,
): void {
  const { accepted = 0n, completed = 0n } = reputations.get(agent) ?? {};
  const counts = turn?.isCounted === false ? 0n : 1n;
  reputations.set(agent, { address, accepted: accepted + counts, completed, signature });
}

/** Records that a leg with terms counts as accepted from now on, if it does not yet. Rule T-100. */
export function countLeg(reputations: Reputations, { courier, turn }: TermsLeg, signature: string): void {
  if (turn.isCounted) return;
  const reputation = reputations.get(courier);
  if (!reputation) throw gapBefore(signature, `${courier} was never given a leg`);
  turn.isCounted = true;
  reputation.accepted += 1n;
  reputation.signature = signature;
}

/** Records that the agent completed a leg that it had accepted. */
export function completeLeg(reputations: Reputations, agent: string, signature: string): void {
  const reputation = reputations.get(agent);
  if (!reputation) throw gapBefore(signature, `${agent} never accepted a leg`);
  reputation.completed += 1n;
  reputation.signature = signature;
}
