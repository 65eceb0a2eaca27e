import { formatSol, RelayError } from '@legwork/protocol/contract';
import { type Coordinate, HANDOFF_RADIUS_KM, isWithinHandoff } from '@legwork/protocol/rules';
import type { AppContext } from '../../context.js';
import type { Trx } from '../../db/connect.js';
import { findLeg, openingOf } from '../../db/legMoves.js';
import { hadLeg, insertOpeningBid } from '../../db/openings.js';
import type { NewBid } from '../../db/bids.js';
import type { BidRow, LegRow, PackageRow } from '../../db/schema.js';
import { keepBindingCalls } from '../../db/signedCalls.js';
import { inTransaction } from '../../db/transaction.js';
import { requireQualified } from '../qualified.js';
import { type Bidding, lockForBids, newBid, requireGoodBid, tellOfBids } from './bidding.js';
import { type PlacedBid, type Prospect, prospectsOf } from './placeBids.js';

/** A bid for a vacant leg, in a database transaction that holds the package's lock. */
interface Asked {
  parcel: PackageRow;
  legId: string;
  now: Date;
}

/**
 * Places a bid for a vacant leg. It is signed: its package has terms.
 *
 * @throws RelayError when a rule of bids refuses it
 */
export async function placeForLeg(context: AppContext, bidding: Bidding, legId: string): Promise<PlacedBid & Prospect> {
  const placed = await inTransaction(context.db, async (trx) => {
    const parcel = await lockForBids(trx, bidding.input.packageId);
    const now = context.clock();
    const bid = newBid(bidding, parcel, now);
    await requireQualified(context, trx, parcel, { agentPubkey: bid.agent_pubkey, signed: bid.signed });
    requireGoodBid(context, bidding.input, parcel, now);
    await keepBindingCalls(trx, bidding.call ? [bidding.call] : []);
    const stored = await placeOpeningBid(trx, { parcel, legId, now }, bid);
    await tellOfBids(trx, parcel, [bid], now);
    return { bid: stored, parcel };
  });
  const [prospect] = await prospectsOf(context, [bidding]);
  if (!prospect) throw new Error('a bidder without a prospect');
  return { ...placed, ...prospect };
}

/**
 * Stores a bid for a vacant leg.
 *
 * @throws RelayError `not_found`, `invalid_status`, `deadline_passed`, `agent_barred`, `bid_above_budget`, `invalid_input`
 */
async function placeOpeningBid(trx: Trx, { parcel, legId, now }: Asked, bid: NewBid): Promise<BidRow> {
  const leg = await requireVacant(trx, parcel, legId, now);
  if (await hadLeg(trx, leg.swarm_id, bid.agent_pubkey)) {
    throw refused('agent_barred', 'agentPubkey', 'has, or had, a leg of this package; bid on another one');
  }
  const opening = await openingOf(trx, parcel.id, leg);
  requireNear('pickup', { lat: bid.pickup_lat, lng: bid.pickup_lng }, opening.pickup);
  requireNear('dropoff', { lat: bid.dropoff_lat, lng: bid.dropoff_lng }, opening.dropoff);
  if (bid.cost_lamports > opening.maxCostLamports) {
    throw refused(
      'bid_above_budget',
      'costSol',
      `is ${formatSol(bid.cost_lamports)} SOL; this leg may cost at most ${formatSol(opening.maxCostLamports)} SOL`,
    );
  }
  return insertOpeningBid(trx, bid);
}

async function requireVacant(trx: Trx, parcel: PackageRow, legId: string, now: Date): Promise<LegRow> {
  const found = await findLeg(trx, legId);
  if (found?.parcel.id !== parcel.id) throw refused('not_found', 'legId', 'no leg of this package has this id');
  const { leg } = found;
  if (parcel.status !== 'in_transit' || leg.stage !== 'vacant' || leg.ended_at !== null) {
    throw refused('invalid_status', 'legId', 'is of a leg that takes no bids; GET /openings lists those that do');
  }
  if (now < parcel.deadline) return leg;
  throw refused(
    'deadline_passed',
    'legId',
    `is of a package whose deadline passed at ${parcel.deadline.toISOString()}`,
  );
}

function requireNear(what: 'pickup' | 'dropoff', given: Coordinate, wanted: Coordinate): void {
  if (isWithinHandoff(given, wanted)) return;
  const place = `${wanted.lat},${wanted.lng}`;
  throw refused('invalid_input', `${what}Lat`, `must lie within ${HANDOFF_RADIUS_KM} km of where the leg is: ${place}`);
}

const refused = (code: Parameters<typeof RelayError.field>[0], field: string, message: string) =>
  RelayError.field(code, field, message);
