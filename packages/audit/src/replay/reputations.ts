import { gapBefore } from '../errors.js';

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

/** Records that the agent accepted a leg, of either kind. */
export function acceptLeg(reputations: Reputations, agent: string, address: string, signature: string): void {
  const before = reputations.get(agent);
  reputations.set(agent, {
    address,
    accepted: (before?.accepted ?? 0n) + 1n,
    completed: before?.completed ?? 0n,
    signature,
  });
}

/** Records that the agent completed a leg that it had accepted. */
export function completeLeg(reputations: Reputations, agent: string, signature: string): void {
  const reputation = reputations.get(agent);
  if (!reputation) throw gapBefore(signature, `${agent} never accepted a leg`);
  reputation.completed += 1n;
  reputation.signature = signature;
}
