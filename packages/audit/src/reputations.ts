import { gapBefore } from './errors.js';
import type { LedgerFacts } from './facts.js';

/** Somebody paid for the reputation of an agent that had none. */
export function openReputation(facts: LedgerFacts, agent: string, address: string, signature: string): void {
  if (facts.reputations.has(agent)) throw gapBefore(signature, `${agent} had a reputation`);
  facts.reputations.set(agent, { address, accepted: 0n, completed: 0n, signature });
}

/** The agent accepted a leg, of whatever kind. */
export function acceptLeg(facts: LedgerFacts, agent: string, address: string, signature: string): void {
  const before = facts.reputations.get(agent);
  facts.reputations.set(agent, {
    address,
    accepted: (before?.accepted ?? 0n) + 1n,
    completed: before?.completed ?? 0n,
    signature,
  });
}

/** The agent completed a leg that it had accepted. */
export function completeLeg(facts: LedgerFacts, agent: string, signature: string): void {
  const reputation = facts.reputations.get(agent);
  if (!reputation) throw gapBefore(signature, `${agent} never accepted a leg`);
  reputation.completed += 1n;
  reputation.signature = signature;
}
