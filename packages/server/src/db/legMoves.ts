import { type EventPayload, type LegStage, toLamports } from '@legwork/protocol/contract';
import { type ClockedListing, legClockEnd, maxOpeningCost, OPENING_SEC } from '@legwork/protocol/rules';
import { sql, type UpdateObject } from 'kysely';
import { termsOf } from '../ledger/terms.js';
import type { Db, Trx } from './connect.js';
import type { Database, LegMoveRow, LegRow, LegsTable, MovedLamports, PackageRow } from './schema.js';
import { findPackage } from './packages.js';
import { findSwarm, formedSwarm, type SwarmWithLegs } from './swarms.js';

/** A leg with terms, in a swarm that is formed. */
export type ClockedLeg = LegRow & { stage: LegStage; since: Date };

export const isClocked = (leg: LegRow): leg is ClockedLeg => leg.stage !== null && leg.since !== null;

/** What the clocks of a package's legs follow from. */
export function clockedListing(parcel: PackageRow, legs: readonly LegRow[]): ClockedListing {
  return {
    kind: 'package',
    terms: termsOf(parcel),
    deadline: parcel.deadline,
    shipperPubkey: parcel.shipper_pubkey,
    legs: legs.filter(isClocked).map((leg) => ({ agentPubkey: leg.agent_pubkey, stage: leg.stage, since: leg.since })),
  };
}

/** A move, as a row tells it. */
export type NewMove = Pick<LegMoveRow, 'leg_id' | 'move' | 'signer_pubkey' | 'signature' | 'at'> &
  Partial<Pick<LegMoveRow, 'by_whom' | 'percent' | 'hash'>> & { movements?: readonly MovedLamports[] };

export async function insertMove(trx: Trx, { movements = [], ...move }: NewMove): Promise<void> {
  const row = { by_whom: null, percent: null, hash: null, ...move };
  await trx
    .insertInto('leg_moves')
    .values({ ...row, movements: JSON.stringify(movements) })
    .execute();
}

/** Columns of a leg that a move changes; not its status. */
export type StageColumns = Omit<UpdateObject<Database, 'legs'>, 'status'> & Pick<LegsTable, 'stage' | 'since'>;

export async function setStage(trx: Trx, legId: string, columns: StageColumns): Promise<void> {
  await trx
    .updateTable('legs')
    .set(columns as UpdateObject<Database, 'legs'>)
    .where('id', '=', legId)
    .execute();
}

/** Writes when silence decides about each leg, which may change with every move of another one. */
export async function setClocks(trx: Trx, parcel: PackageRow): Promise<SwarmWithLegs> {
  const swarm = await formedSwarm(trx, parcel.id);
  if (swarm === undefined) throw new Error(`package ${parcel.id} has no swarm whose legs have clocks`);
  const listing = clockedListing(parcel, swarm.legs);
  for (const leg of swarm.legs) {
    const until = legClockEnd(listing, leg.leg_index);
    if (until?.getTime() === leg.until?.getTime()) continue;
    await trx.updateTable('legs').set({ until }).where('id', '=', leg.id).execute();
    leg.until = until;
  }
  return swarm;
}

/** What the legs of a swarm with terms were at the start: every one is to be accepted from now on. */
export async function beginClocks(trx: Trx, parcel: PackageRow, swarmId: string, at: Date): Promise<void> {
  await trx
    .updateTable('legs')
    .set({ stage: 'pending', since: at })
    .where('swarm_id', '=', swarmId)
    .where('ended_at', 'is', null)
    .execute();
  await setClocks(trx, parcel);
}

/** What the first courier of each place in the chain was to be paid, and what its couriers lost by silence. */
async function priceOf(db: Db | Trx, leg: LegRow) {
  const rows = await db
    .selectFrom('legs')
    .select(['agreed_payment_lamports', 'forfeited_lamports'])
    .where('swarm_id', '=', leg.swarm_id)
    .where('leg_index', '=', leg.leg_index)
    .orderBy('id')
    .execute();
  const [first] = rows;
  if (first === undefined) throw new Error(`leg ${leg.id} is not in its swarm`);
  return maxOpeningCost({
    firstPaymentLamports: first.agreed_payment_lamports,
    forfeitedLamports: rows.map((row) => row.forfeited_lamports),
  });
}

/** Where the next courier of a vacant leg picks the parcel up. */
export function pickupOf(leg: LegRow) {
  return { lat: leg.opening_lat ?? leg.pickup_lat, lng: leg.opening_lng ?? leg.pickup_lng };
}

/** What an event says of an opening. */
export async function openingOf(
  db: Db | Trx,
  packageId: string,
  leg: LegRow,
): Promise<Omit<EventPayload<'LEG_OPENED'>, 'closesAt'>> {
  return {
    kind: 'package',
    packageId,
    swarmId: leg.swarm_id,
    legId: leg.id,
    legIndex: leg.leg_index,
    pickup: pickupOf(leg),
    dropoff: { lat: leg.dropoff_lat, lng: leg.dropoff_lng },
    maxCostLamports: await priceOf(db, leg),
  };
}

/** Opens for bids a leg that is vacant since then, by the ledger. @returns when they are evaluated first */
export async function openLeg(trx: Trx, legId: string, since: Date): Promise<Date> {
  const closesAt = new Date(since.getTime() + OPENING_SEC * 1000);
  await trx.updateTable('legs').set({ evaluate_at: closesAt }).where('id', '=', legId).execute();
  return closesAt;
}

/** The bid for the vacant leg that the coordinator decided for, if it is this agent's at this price. */
export async function decidedBid(trx: Trx, legId: string, wanted: { agent: string; payment: bigint }) {
  return trx
    .selectFrom('bids')
    .innerJoin('outbox', (join) => join.on(sql`outbox.payload ->> 'bidId'`, '=', sql`bids.id::text`))
    .selectAll('bids')
    .where('outbox.kind', '=', 'assign_leg')
    .where('bids.leg_id', '=', legId)
    .where('bids.agent_pubkey', '=', wanted.agent)
    .where('bids.cost_lamports', '=', toLamports(wanted.payment))
    .limit(1)
    .executeTakeFirst();
}

/** Ends the row of a vacant leg, whose place another courier takes. */
export async function endLeg(trx: Trx, legId: string, at: Date): Promise<void> {
  await trx.updateTable('legs').set({ ended_at: at, until: null, evaluate_at: null }).where('id', '=', legId).execute();
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: 'replaced' })
    .where('leg_id', '=', legId)
    .where('ended_at', 'is', null)
    .execute();
}

/** A move with the leg that it was made of. */
export type MoveOfLeg = LegMoveRow & { leg_index: number };

/** The moves of the package's legs, in the ledger's order. */
export async function movesOf(db: Db | Trx, packageId: string): Promise<MoveOfLeg[]> {
  return db
    .selectFrom('leg_moves')
    .innerJoin('legs', 'legs.id', 'leg_moves.leg_id')
    .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
    .selectAll('leg_moves')
    .select('legs.leg_index')
    .where('swarms.package_id', '=', packageId)
    .orderBy('leg_moves.id')
    .execute();
}

/** Returns whether a package with terms is at one of the addresses. */
export async function haveTerms(db: Db, addresses: readonly string[]): Promise<boolean> {
  if (addresses.length === 0) return false;
  const row = await db
    .selectFrom('packages')
    .select('id')
    .where('on_chain_package', 'in', addresses)
    .where('terms', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A leg with its swarm and its package, also one whose place another courier took; undefined: there is none. */
export async function findLeg(
  db: Db | Trx,
  id: string,
): Promise<{ leg: LegRow; swarm: SwarmWithLegs; parcel: PackageRow } | undefined> {
  const leg = await db.selectFrom('legs').selectAll().where('id', '=', id).executeTakeFirst();
  const swarm = leg && (await findSwarm(db, leg.swarm_id));
  const parcel = swarm && (await findPackage(db, swarm.package_id));
  return leg && swarm && parcel && { leg, swarm, parcel };
}
