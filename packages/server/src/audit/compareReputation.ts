import { reliabilityScore } from '@agent-relay/protocol';
import type { ReputationRow } from '../db/schema.js';
import type { ReputationFacts } from './facts.js';
import type { Findings } from './findings.js';

/** Compares a mirrored reputation with what the ledger's transactions add up to; undefined: the agent is in none. */
export function compareReputation(row: ReputationRow, facts: ReputationFacts | undefined, findings: Findings): void {
  const subject = `agent ${row.agent_pubkey}`;
  if (facts === undefined) {
    findings.differ(subject, 'has a reputation here; no transaction of the ledger gave the agent a leg');
    return;
  }
  const { accepted, completed, signature } = facts;
  findings.same(subject, 'legs accepted', row.legs_accepted, accepted, signature);
  findings.same(subject, 'legs completed', row.legs_completed, completed, signature);
  findings.same(subject, 'reliability score', row.reliability_score, reliabilityScore(completed, accepted), signature);
  findings.same(subject, 'reputation address', row.on_chain_pda, facts.address, signature);
}
