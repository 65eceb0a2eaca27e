import { RelayError, type operations } from '@agent-relay/protocol';
import { pageOfBids } from '../../db/bids.js';
import { findPackage, isListed } from '../../db/packages.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import type { Run } from '../implement.js';
import { isBiddingOpen } from './biddingWindow.js';
import { viewBid } from './viewBid.js';

export const listBids: Run<typeof operations.listBids> = async ({ db, clock }, input, caller) => {
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const item = await findPackage(db, input.packageId);
  if (!item || !isListed(item)) throw RelayError.field('not_found', 'packageId', 'no listed package has this id');
  const isOpen = isBiddingOpen(item, clock());
  const rows = await pageOfBids(db, { packageId: item.id, before, limit: input.limit + 1 });
  const { page, nextCursor } = cutPage(rows, input.limit, (row) => [row.id]);
  return { answer: page.map((row) => viewBid(row, isOpen && row.agent_pubkey !== caller.pubkey)), nextCursor };
};
