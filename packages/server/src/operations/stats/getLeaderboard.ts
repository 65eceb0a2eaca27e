import { LEADERBOARD_SIZE, type operations } from '@legwork/protocol/contract';
import { mostReliable } from '../../db/reputations.js';
import type { Run } from '../run.js';
import { viewReputation } from '../agents/view.js';

export const getLeaderboard: Run<typeof operations.getLeaderboard> = async ({ db }) => {
  const rows = await mostReliable(db, LEADERBOARD_SIZE);
  return {
    answer: rows.map((row, index) => ({
      ...viewReputation(row.agent_pubkey, row.on_chain_pda, row),
      rank: index + 1,
      displayName: row.display_name,
    })),
    // It has one page.
    total: () => Promise.resolve(rows.length),
  };
};
