import type { Agent, Reputation } from '@legwork/protocol/contract';
import type { AgentRow, ReputationRow } from '../../db/schema.js';

/** `registered` is undefined for a wallet that never registered. */
export function viewAgent(agentPubkey: string, registered: AgentRow | undefined, signedOnly: boolean): Agent {
  return {
    agentPubkey,
    displayName: registered?.display_name ?? null,
    capabilities: registered?.capabilities ?? [],
    requireSignedCalls: signedOnly,
    registeredAt: registered?.registered_at ?? null,
  };
}

/** The mirror of a reputation account; zeros when the ledger shows none. */
export function viewReputation(agentPubkey: string, onChainPDA: string, row: ReputationRow | undefined): Reputation {
  return {
    agentPubkey,
    onChainPDA,
    legsAccepted: Number(row?.legs_accepted ?? 0n),
    legsCompleted: Number(row?.legs_completed ?? 0n),
    reliabilityScore: row?.reliability_score ?? 0,
    mirroredAt: row?.mirrored_at ?? null,
  };
}
