import type { AgentOrder, ListedAgent, operations } from '@legwork/protocol/contract';
import { toLamports } from '@legwork/protocol/contract';
import { pageOfAgents, type RankedAgentRow } from '../../db/agentRanking.js';
import { cutPage, numberPosition, numbersPosition, readCursor, timePosition } from '../cursor.js';
import type { Run } from '../run.js';

/** Where an agent stands in each order: what the order goes by, then the address. */
const POSITIONS: Record<AgentOrder, typeof timePosition | typeof numberPosition | typeof numbersPosition> = {
  newest: timePosition,
  earned: numberPosition,
  recent: timePosition,
  completed: numberPosition,
  reliability: numbersPosition,
};

export const listAgents: Run<typeof operations.listAgents> = async ({ config, db }, { order, q, limit, cursor }) => {
  const after = readCursor<readonly string[]>(POSITIONS[order], cursor);
  const rows = await pageOfAgents(db, config.unsignedCalls, { order, prefix: q, after, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [...keysOf(order, row), row.agent_pubkey]);
  return { answer: page.map(viewListedAgent), nextCursor };
};

/** What the order goes by, of this agent. */
function keysOf(order: AgentOrder, row: RankedAgentRow): string[] {
  const { registered_at, last_completed_at, legs_completed, reliability_score, earned } = row;
  const keys = {
    newest: [registered_at?.toISOString()],
    earned: [earned],
    recent: [last_completed_at?.toISOString()],
    completed: [legs_completed],
    reliability: [reliability_score, legs_completed],
  }[order];
  return keys.map(String);
}

function viewListedAgent(row: RankedAgentRow): ListedAgent {
  return {
    agentPubkey: row.agent_pubkey,
    displayName: row.display_name,
    capabilities: row.capabilities ?? [],
    requireSignedCalls: row.signed_only,
    registeredAt: row.registered_at,
    reputation: {
      legsAccepted: Number(row.legs_accepted ?? 0n),
      legsCompleted: Number(row.legs_completed ?? 0n),
      reliabilityScore: row.reliability_score ?? 0,
    },
    earnedLamports: row.earned ?? toLamports(0n),
    lastCompletedAt: row.last_completed_at,
  };
}
