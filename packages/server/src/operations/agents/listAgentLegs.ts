import type { operations } from '@agent-relay/protocol';
import { pageOfLegs } from '../../db/legs.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import type { Run } from '../implement.js';
import { viewQueuedLeg } from '../views.js';

export const listAgentLegs: Run<typeof operations.listAgentLegs> = async ({ db, config }, input) => {
  const { agentPubkey, status, limit, cursor } = input;
  const [before] = readCursor(idPosition, cursor) ?? [];
  const rows = await pageOfLegs(db, { agentPubkey, status, before, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [row.id]);
  return { answer: page.map((row) => viewQueuedLeg(config, row)), nextCursor };
};
