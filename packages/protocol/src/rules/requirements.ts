import type { Requirements } from '../contract/terms.js';

/** What an agent has to show. */
export interface Qualified {
  readonly agentPubkey: string;
  /** Percent. */
  readonly reliabilityScore: number;
  readonly legsCompleted: number;
  /** What it says it can do. */
  readonly capabilities: readonly string[];
}

/** What of the requirements the agent misses, in words; undefined: nothing. Rule T-53. */
export function missedRequirement(required: Requirements | null, agent: Qualified): string | undefined {
  if (required === null) return undefined;
  const { minScore = 0, minCompleted = 0, capabilities = [], blocked = [] } = required;
  if (blocked.includes(agent.agentPubkey)) return 'who listed it takes no bids of this agent';
  if (agent.reliabilityScore < minScore) {
    return `its reliability score is ${agent.reliabilityScore}; at least ${minScore} is required`;
  }
  if (agent.legsCompleted < minCompleted) {
    return `it has completed ${agent.legsCompleted} legs; at least ${minCompleted} are required`;
  }
  const missing = capabilities.find((one) => !agent.capabilities.includes(one));
  return missing === undefined
    ? undefined
    : `its registration does not name ${JSON.stringify(missing)}, which is required`;
}
