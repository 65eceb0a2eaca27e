import { type AgentBid, type operations, toLamports } from '@legwork/protocol/contract';
import { type AgentBidRow, pageOfAgentBids } from '../../db/agentBids.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import type { Run } from '../run.js';
import { isBiddingOpen, viewOffer } from './view.js';

export const listAgentBids: Run<typeof operations.listAgentBids> = async ({ db, clock }, input, caller) => {
  const { agentPubkey, limit } = input;
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const rows = await pageOfAgentBids(db, { agentPubkey, before, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [row.id]);
  const [isOwn, now] = [caller.pubkey === agentPubkey, clock()];
  return { answer: page.map((row) => viewAgentBid(row, !isOwn && isBiddingOpen(row, now))), nextCursor };
};

function viewAgentBid(row: AgentBidRow, sealed: boolean): AgentBid {
  const { chosen_as: leg, winner } = row;
  const fate = fateOf(row);
  return {
    ...viewOffer(row, sealed),
    fate,
    chosenAs: leg && {
      swarmId: leg.swarmId,
      legId: leg.legId,
      legIndex: leg.legIndex,
      paymentLamports: toLamports(BigInt(leg.payment)),
    },
    lostTo:
      fate === 'lost' && winner
        ? {
            swarmId: winner.swarmId,
            totalLegs: winner.totalLegs,
            costLamports: toLamports(BigInt(winner.cost)),
            totalLamports: toLamports(BigInt(winner.total)),
          }
        : null,
    packageStatus: row.package_status,
    packageDescription: row.package_description,
  };
}

/** Rule S-135. */
function fateOf(row: AgentBidRow): AgentBid['fate'] {
  if (row.chosen_as !== null) return 'chosen';
  if (row.stood_at_end) return 'lost';
  return row.ended_because ?? (row.is_expired ? 'expired' : 'live');
}
