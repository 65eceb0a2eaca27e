import type { operations } from '@legwork/protocol/contract';
import { pageOfAgents } from '../../db/agents.js';
import { cutPage, readCursor, timePosition } from '../cursor.js';
import type { Run } from '../run.js';
import { viewAgent } from './view.js';

export const listAgents: Run<typeof operations.listAgents> = async ({ config, db }, { limit, cursor }) => {
  const rows = await pageOfAgents(db, config.unsignedCalls, {
    before: readCursor(timePosition, cursor),
    limit: limit + 1,
  });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [row.registered_at.toISOString(), row.pubkey]);
  return { answer: page.map((row) => viewAgent(row.pubkey, row, row.signed_only)), nextCursor };
};
