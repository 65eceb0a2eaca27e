import type { EventPayload } from '@legwork/protocol/contract';
import { type Coordinate, greatCircleKm, maxOpeningCost, OPENING_SEC } from '@legwork/protocol/rules';
import { sql } from 'kysely';
import { type NewBid, sealedBid } from '../bids/bidRows.js';
import type { Db, Trx } from '../db/connect.js';
import { isHalted } from '../db/finality.js';
import { type ListedAsset, told } from '../ledger/assets.js';
import { trustAdjustment } from '../identity/credentialRows.js';
import { type Standing, lostLeg } from '../agents/reputationRows.js';
import type { BidRow, LegRow, PackageRow } from '../db/schema.js';
import { sealedLeg, swarmOfLeg } from '../packages/swarmRows.js';

/** The price cap for a replacement: the agreed pay of the first courier at this place in the chain, plus all stakes lost there by silence. */
export async function priceOf(db: Db | Trx, leg: LegRow) {
  const rows = await db
    .selectFrom('legs')
    .select(['agreed_payment_lamports', 'forfeited_lamports'])
    .where('swarm_id', '=', leg.swarm_id)
    .where('leg_index', '=', leg.leg_index)
    .orderBy('formation')
    .execute();
  const [first] = rows;
  if (first === undefined) throw new Error(`leg ${leg.id} is not in its swarm`);
  return maxOpeningCost({
    firstPaymentLamports: first.agreed_payment_lamports,
    forfeitedLamports: rows.map((row) => row.forfeited_lamports),
  });
}

/** The places of a leg that only the ledger knows. */
export const NOWHERE = { pickup_lat: 0, pickup_lng: 0, dropoff_lat: 0, dropoff_lng: 0, distance_km: 0 } as const;

/** True if the places of the leg are known here; a bidder on one without them would be sent nowhere, and lose a stake. Rule S-258. */
export const hasPlaces = (leg: Pick<LegRow, keyof typeof NOWHERE>): boolean =>
  Object.keys(NOWHERE).some((column) => leg[column as keyof typeof NOWHERE] !== 0);

/** The same of a row of `legs`. */
export const HAS_PLACES = sql<boolean>`(legs.distance_km, legs.pickup_lat, legs.pickup_lng) <> (0, 0, 0)`;

/** Where the next courier of a vacant leg picks the parcel up. */
export function pickupOf(leg: LegRow) {
  return { lat: leg.opening_lat ?? leg.pickup_lat, lng: leg.opening_lng ?? leg.pickup_lng };
}

/** The payload of an event about an opening. */
export async function openingOf(
  db: Db | Trx,
  { parcel, asset }: { parcel: Pick<PackageRow, 'id'>; asset: ListedAsset },
  leg: LegRow,
): Promise<Omit<EventPayload<'LEG_OPENED'>, 'closesAt'>> {
  return {
    kind: 'package',
    packageId: parcel.id,
    swarmId: leg.swarm_id,
    legId: leg.id,
    legIndex: leg.leg_index,
    pickup: pickupOf(leg),
    dropoff: { lat: leg.dropoff_lat, lng: leg.dropoff_lng },
    ...told('maxCost', asset, await priceOf(db, leg)),
  };
}

/** Opens for bids a leg that is vacant since then, by the ledger. @returns when they are evaluated first */
export async function openLeg(trx: Trx, legId: string, since: Date): Promise<Date> {
  const closesAt = new Date(since.getTime() + OPENING_SEC * 1000);
  await trx.updateTable('legs').set({ evaluate_at: closesAt }).where('id', '=', legId).execute();
  return closesAt;
}

/** A leg whose clock has ended, with the subject of its intent. */
export interface OverdueLeg {
  id: string;
  since: Date;
  /** Null: the clock ended with its ruling. */
  until: Date | null;
  subject: string;
}

/**
 * Legs for which silence has decided, oldest first: claims and disputes from their clock's end on, rulings at once, couriers who did
 * not come after a grace. Never who carries the parcel. Rule T-57.
 */
export async function overdueLegs(
  db: Db,
  { ledgerTime, graceSec, limit }: { ledgerTime: Date; graceSec: number; limit: number },
): Promise<OverdueLeg[]> {
  const isOverdue = sql`(stage = 'ruled'
      or until <= ${ledgerTime} and stage in ('claimed', 'disputed')
      or until <= ${ledgerTime}::timestamptz - make_interval(secs => ${graceSec}) and stage in ('pending', 'accepted'))`;
  const { rows } = await sql<OverdueLeg>`
    select id, since, until, subject from (
      select legs.id, since, until, 'package:' || swarms.package_id as subject
        from legs join swarms on swarms.id = legs.swarm_id
        where legs.ended_at is null and ${isOverdue}
      union all select id, since, until, 'task:' || task_id
        from digital_legs where status = 'in_progress' and ${isOverdue}) overdue
    where not exists (select from outbox where outbox.unique_key = 'crank_leg:' || id || ':' || extract(epoch from since)::int8)
    and not ${isHalted(sql`subject`)}
    order by until nulls first limit ${limit}`.execute(db);
  return rows;
}

/** Reports whether any clock runs: only then does the ledger's time matter. */
export async function hasClocks(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (
    select from legs where ended_at is null and (until is not null or stage = 'ruled')
  ) or exists (
    select from digital_legs where status = 'in_progress' and (until is not null or stage = 'ruled')
  ) as found`.execute(db);
  return rows[0]?.found === true;
}

/** Vacant legs whose bids are to be evaluated by the ledger's clock, oldest first. While a replacement is under way, none is. */
export async function dueOpenings(
  db: Db,
  { ledgerTime, limit }: { ledgerTime: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select legs.id from legs join swarms on swarms.id = legs.swarm_id
    where legs.evaluate_at <= ${ledgerTime} and legs.stage = 'vacant' and legs.ended_at is null and swarms.status = 'active'
      and not ${isHalted(sql`'package:' || swarms.package_id`)}
    order by legs.evaluate_at limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** A live bid for a vacant leg, with the standing of its agent. */
type WeighedOpeningBid = BidRow & Standing;

export async function liveOpeningBids(trx: Db | Trx, legId: string): Promise<WeighedOpeningBid[]> {
  const agent = sql.ref<string>('bids.agent_pubkey');
  return trx
    .selectFrom('bids')
    .leftJoin('reputations', 'reputations.agent_pubkey', 'bids.agent_pubkey')
    .selectAll('bids')
    .select([
      sql<number>`coalesce(reputations.reliability_score, 0)`.as('reliability_score'),
      sql<boolean>`coalesce(reputations.legs_completed > 0, false) or ${lostLeg(agent)}`.as('has_history'),
      trustAdjustment(agent).as('trust_adjustment'),
    ])
    .where('bids.leg_id', '=', legId)
    .where('bids.ended_at', 'is', null)
    .where('bids.expires_at', '>', sql<Date>`clock_timestamp()`)
    .orderBy('bids.id')
    .execute();
}

/** The next bid for the leg makes an evaluation due again. */
export async function clearOpening(trx: Trx, legId: string): Promise<void> {
  await trx.updateTable('legs').set({ evaluate_at: null }).where('id', '=', legId).execute();
}

/** The bids for the leg are evaluated again, at once: the time at which it became vacant is over. */
export async function reopen(trx: Trx, legId: string): Promise<void> {
  await trx
    .updateTable('legs')
    .set({ evaluate_at: sql<Date>`since` })
    .where('id', '=', legId)
    .where('ended_at', 'is', null)
    .where('stage', '=', 'vacant')
    .execute();
}

/** The program refused the bid: it is not chosen again. */
export async function excludeBid(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: 'excluded' })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** Stores a bid for a vacant leg in the place of the agent's earlier one; evaluated at once, unless bids are being gathered. */
export async function insertOpeningBid(trx: Trx, bid: NewBid): Promise<BidRow> {
  const { leg_id: legId, agent_pubkey: agent } = bid;
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: 'replaced' })
    .where('leg_id', '=', legId)
    .where('agent_pubkey', '=', agent)
    .where('ended_at', 'is', null)
    .execute();
  await trx
    .updateTable('legs')
    .set({ evaluate_at: sql<Date>`coalesce(evaluate_at, since)` })
    .where('id', '=', legId)
    .execute();
  return trx.insertInto('bids').values(sealedBid(bid)).returningAll().executeTakeFirstOrThrow();
}

/** Returns whether the agent has, or had, a leg of the swarm. Rule T-71. */
export async function hadLeg(trx: Db | Trx, swarmId: string, agentPubkey: string): Promise<boolean> {
  const row = await trx
    .selectFrom('legs')
    .select('id')
    .where('swarm_id', '=', swarmId)
    .where('agent_pubkey', '=', agentPubkey)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Bids for the place that the leg began at end: it begins somewhere else now. */
export async function moveOpeningTo(trx: Trx, leg: LegRow, pickup: { lat: number; lng: number }): Promise<LegRow> {
  const moved = { ...leg, opening_lat: pickup.lat, opening_lng: pickup.lng };
  const { opening_lat, opening_lng, personal } = sealedLeg(moved);
  await trx.updateTable('legs').set({ opening_lat, opening_lng, personal }).where('id', '=', leg.id).execute();
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: 'excluded' })
    .where('leg_id', '=', leg.id)
    .where('ended_at', 'is', null)
    .execute();
  return moved;
}

/** The leg goes between these places, of which nobody here knew any more. */
export async function placeLeg(
  trx: Trx,
  leg: LegRow,
  { pickup, dropoff }: { pickup: Coordinate; dropoff: Coordinate },
): Promise<LegRow> {
  const placed = {
    ...leg,
    pickup_lat: pickup.lat,
    pickup_lng: pickup.lng,
    dropoff_lat: dropoff.lat,
    dropoff_lng: dropoff.lng,
    distance_km: greatCircleKm(pickup, dropoff),
    // Written, it is found as work.
    opening_lat: null,
    opening_lng: null,
  };
  const { pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, distance_km, opening_lat, opening_lng, personal } =
    sealedLeg(placed);
  const places = { pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, distance_km, opening_lat, opening_lng };
  await trx
    .updateTable('legs')
    .set({ ...places, personal })
    .where('id', '=', leg.id)
    .execute();
  return placed;
}

/** Vacant legs that take bids, oldest first. */
export async function openLegs(
  db: Db,
  { packageId, limit }: { packageId: string | undefined; limit: number },
): Promise<(LegRow & Pick<PackageRow, 'description' | 'deadline'> & { package_id: string })[]> {
  let query = db
    .selectFrom('legs')
    .innerJoin('swarms', 'swarms.id', 'legs.swarm_id')
    .innerJoin('packages', 'packages.id', 'swarms.package_id')
    .selectAll('legs')
    .select(['swarms.package_id', 'packages.description', 'packages.deadline'])
    .where('legs.stage', '=', 'vacant')
    .where('legs.ended_at', 'is', null)
    .where('packages.status', '=', 'in_transit')
    .where('packages.deadline', '>', sql<Date>`now()`)
    .where(HAS_PLACES)
    .orderBy('legs.id')
    .limit(limit);
  if (packageId !== undefined) query = query.where('swarms.package_id', '=', packageId);
  return query.execute();
}

/** The package of a leg, locked until the transaction ends. */
export async function lockPackageOfLeg(trx: Trx, legId: string): Promise<PackageRow | undefined> {
  const swarm = await swarmOfLeg(trx, legId);
  if (swarm === undefined) return undefined;
  return trx.selectFrom('packages').selectAll().where('id', '=', swarm.package_id).forUpdate().executeTakeFirst();
}
