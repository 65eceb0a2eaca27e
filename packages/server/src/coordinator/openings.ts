import { toLamports } from '@legwork/protocol/contract';
import { bestOpeningBid } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { findLeg } from '../legs/moveRows.js';
import { clearOpening, dueOpenings, liveOpeningBids, lockPackageOfLeg, priceOf } from '../legs/openingRows.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import { packageSubject } from '../db/listings.js';
import { inTransaction, lineUpAtAgents } from '../db/transaction.js';
import { admissible } from './admission.js';
import { standingOf } from './chooseChain.js';
import { decideIntent, replacement } from './decisions.js';
import { canAdvance, FEE_LAMPORTS, holdFunds } from './funds.js';

const BATCH = 20;

/** Chooses couriers for the vacant legs whose bids are due. @returns whether there may be more */
export async function evaluateOpenings(context: AppContext, ledgerTime: Date): Promise<boolean> {
  const due = await dueOpenings(context.db, { ledgerTime, limit: BATCH });
  for (const legId of due) await evaluateOpening(context, legId, ledgerTime);
  return due.length === BATCH;
}

/** Decides who takes a vacant leg: the best live bid, at exactly what it asks. Rule T-59. */
async function evaluateOpening(context: AppContext, legId: string, ledgerTime: Date): Promise<void> {
  const isDecided = await inTransaction(context.db, async (trx) => {
    const bidders = (await liveOpeningBids(trx, legId)).map((bid) => bid.agent_pubkey);
    await Promise.all([lineUpAtAgents(trx, bidders), holdFunds(context, trx)]);
    const parcel = await lockPackageOfLeg(trx, legId);
    const found = await findLeg(trx, legId);
    if (!parcel || !found || !takesBids(parcel, found.leg, ledgerTime)) return clear(trx, legId);
    const { leg, swarm } = found;
    const bids = await admissibleBids(context, trx, parcel, leg);
    // One that came meanwhile keeps the leg due: what its agent has won elsewhere is not certain.
    if (bids.some(({ bid }) => !bidders.includes(bid.agent_pubkey))) return false;
    const best = bestOpeningBid(bids);
    if (best === undefined) return clear(trx, legId);
    const cost = toLamports(FEE_LAMPORTS);
    if (!(await canAdvance(context, trx, cost))) return false;
    const maxCostLamports = await priceOf(trx, leg);
    const chosen = replacement({ parcel, swarm, leg, bid: best.bid, maxCostLamports });
    const key = `assign_leg:${legId}:${best.id}`;
    const payload = { vacantLegId: legId, bidId: best.id };
    const intent = {
      kind: 'assign_leg',
      subject: packageSubject(parcel.id),
      key,
      ...payload,
      costLamports: cost,
    } as const;
    const considered = bids.map(({ id, rho }) => [id, rho] as const);
    await decideIntent(context, trx, intent, { chosen, considered, at: context.clock() });
    await clearOpening(trx, legId);
    return true;
  });
  if (isDecided) context.log.info({ legId }, 'replacement chosen');
}

function takesBids({ status, deadline }: PackageRow, { stage, ended_at }: LegRow, now: Date): boolean {
  return stage === 'vacant' && ended_at === null && status === 'in_transit' && now < deadline;
}

async function clear(trx: Trx, legId: string): Promise<false> {
  await clearOpening(trx, legId);
  return false;
}

/** The live bids of agents that nothing keeps from the leg, as they are weighed. */
async function admissibleBids(context: AppContext, trx: Trx, parcel: PackageRow, leg: LegRow) {
  const bids = await admissible(context, trx, parcel, await liveOpeningBids(trx, leg.id));
  return bids.map((bid) => ({
    id: bid.id,
    costLamports: bid.cost_lamports,
    rho: standingOf(context.config, bid),
    bid,
  }));
}
