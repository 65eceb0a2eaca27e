import type { PackageRow } from '../db/schema.js';
import { inAsset, lamportsOf } from '../ledger/assets.js';
import { type AnswerOf, lamportsFromWire, type operations, LegworkError } from '@legwork/protocol/contract';
import type { Considered } from '../coordinator/decisions.js';
import { readRouteBids } from '../bids/bidRows.js';
import type { Trx } from '../db/connect.js';
import { findFormationDecision, findReplacementDecisions } from '../db/decisions.js';
import { firstLegs, legOfBid } from '../legs/legRows.js';
import { packageSubject } from '../db/listings.js';
import { findSwarm, newestSwarm, type SwarmWithLegs } from './swarmRows.js';
import { inTransaction } from '../db/transaction.js';
import type { AppContext } from '../context.js';
import type { In, Out } from '../operations/run.js';
import { requirePackage } from '../listings/kinds.js';

type Answer = AnswerOf<typeof operations.getDecision>;

export async function getDecision(
  { db, ledger }: AppContext,
  { packageId, swarmId }: In<'getDecision'>,
): Out<'getDecision'> {
  const answer = await inTransaction(
    db,
    async (trx): Promise<Answer> => {
      const parcel = await requirePackage(trx, packageId);
      const swarm = await requireSwarm(trx, packageId, swarmId);
      const kept = await findFormationDecision(trx, swarm.id);
      return {
        packageId,
        swarmId: swarm.id,
        swarmStatus: swarm.status,
        decidedAt: kept?.decided_at ?? swarm.created_at,
        exact: swarm.exact,
        origin: { lat: parcel.origin_lat, lng: parcel.origin_lng },
        destination: { lat: parcel.dest_lat, lng: parcel.dest_lng },
        ...inAsset(ledger.assets, parcel),
        budget: parcel.max_budget_lamports,
        budgetLamports: lamportsOf(parcel, parcel.max_budget_lamports),
        deadline: parcel.deadline,
        shipperPubkey: parcel.shipper_pubkey,
        // Without its places nobody can make the choice again.
        considered:
          kept?.considered == null || parcel.erased_at !== null
            ? null
            : await viewConsidered(trx, parcel, kept.considered),
        chosen: (await firstLegs(trx, swarm.id)).map((leg) => ({
          bidId: leg.bid_id,
          payment: leg.agreed_payment_lamports,
          paymentLamports: lamportsOf(parcel, leg.agreed_payment_lamports),
        })),
        replacements: await viewReplacements(trx, parcel),
      };
    },
    'repeatable read',
  );
  return { answer };
}

/** Couriers who took the place of others, as the ledger shows them, with what they were chosen of. */
async function viewReplacements(trx: Trx, parcel: PackageRow): Promise<Answer['replacements']> {
  const decisions = await findReplacementDecisions(trx, packageSubject(parcel.id));
  const shown: Answer['replacements'] = [];
  for (const { chosen, considered, decided_at: decidedAt } of decisions) {
    const { bid: bidId, maxCostLamports } = JSON.parse(chosen ?? '{}') as { bid?: string; maxCostLamports?: number };
    const leg = bidId === undefined ? undefined : await legOfBid(trx, bidId);
    if (leg === undefined || bidId === undefined || maxCostLamports === undefined) continue;
    shown.push({
      legId: leg.id,
      formerLegId: leg.former_id,
      legIndex: leg.leg_index,
      decidedAt,
      bidId,
      payment: leg.agreed_payment_lamports,
      paymentLamports: lamportsOf(parcel, leg.agreed_payment_lamports),
      maxCost: lamportsFromWire(maxCostLamports),
      maxCostLamports: lamportsOf(parcel, lamportsFromWire(maxCostLamports)),
      considered: await viewConsidered(trx, parcel, considered ?? '[]'),
    });
  }
  return shown;
}

/** The swarm that is asked for, by default the newest. @throws LegworkError `not_found` */
async function requireSwarm(trx: Trx, packageId: string, swarmId: string | undefined): Promise<SwarmWithLegs> {
  const swarm = swarmId === undefined ? await newestSwarm(trx, packageId) : await findSwarm(trx, swarmId);
  if (swarm?.package_id === packageId) return swarm;
  throw swarmId === undefined
    ? LegworkError.field('not_found', 'packageId', 'no chain was chosen for this package yet')
    : LegworkError.field('not_found', 'swarmId', 'no swarm of this package has this id');
}

/** @param considered as it is kept: `[id, rho]` of each bid, in JSON */
async function viewConsidered(
  trx: Trx,
  parcel: PackageRow,
  considered: string,
): Promise<NonNullable<Answer['considered']>> {
  const weighed = JSON.parse(considered) as Considered[];
  const ids = weighed.map(([id]) => id);
  const bids = new Map((await readRouteBids(trx, ids)).map((bid) => [bid.id, bid]));
  return weighed.map(([id, rho]) => {
    const bid = bids.get(id);
    if (!bid) throw new Error(`bid ${id} was considered and is gone`);
    return {
      id,
      agentPubkey: bid.agent_pubkey,
      pickup: { lat: bid.pickup_lat, lng: bid.pickup_lng },
      dropoff: { lat: bid.dropoff_lat, lng: bid.dropoff_lng },
      distanceKm: bid.distance_km,
      estimatedDurationMin: bid.estimated_duration_min,
      cost: bid.cost_lamports,
      costLamports: lamportsOf(parcel, bid.cost_lamports),
      rho,
      expiresAt: bid.expires_at,
    };
  });
}
