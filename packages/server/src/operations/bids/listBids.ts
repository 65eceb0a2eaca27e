import type { operations } from '@legwork/protocol/contract';
import { pageOfBids } from '../../db/bids.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import { requirePackage } from '../packages/guards.js';
import type { Run } from '../run.js';
import { isBiddingOpen, viewBid } from './view.js';

export const listBids: Run<typeof operations.listBids> = async ({ db, clock }, input, caller) => {
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const parcel = await requirePackage(db, input.packageId);
  const isOpen = isBiddingOpen(parcel, clock());
  const rows = await pageOfBids(db, { packageId: parcel.id, before, limit: input.limit + 1 });
  const { page, nextCursor } = cutPage(rows, input.limit, (row) => [row.id]);
  return { answer: page.map((row) => viewBid(row, isOpen && row.agent_pubkey !== caller.pubkey)), nextCursor };
};
