import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { BidRow } from './schema.js';
import { trustAdjustment } from './trustEvents.js';

export type NewBid = Omit<BidRow, 'created_at' | 'ended_at' | 'ended_because'>;

const standing = sql<boolean>`expires_at > now()`;

/** The agent's bid that is not ended, for the same package, pickup and drop-off; `is_standing`: it has not expired either. */
export async function findRival(
  trx: Trx,
  bid: NewBid,
): Promise<{ id: string; signed: boolean; is_standing: boolean } | undefined> {
  return trx
    .selectFrom('bids')
    .select(['id', 'signed', standing.as('is_standing')])
    .where('package_id', '=', bid.package_id)
    .where('agent_pubkey', '=', bid.agent_pubkey)
    .where('pickup_lat', '=', bid.pickup_lat)
    .where('pickup_lng', '=', bid.pickup_lng)
    .where('dropoff_lat', '=', bid.dropoff_lat)
    .where('dropoff_lng', '=', bid.dropoff_lng)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
}

export async function insertBid(trx: Trx, bid: NewBid): Promise<BidRow> {
  return trx.insertInto('bids').values(bid).returningAll().executeTakeFirstOrThrow();
}

/** Takes the bid out of the running for good. */
export async function endBid(trx: Trx, id: string, because: 'replaced' | 'withdrawn'): Promise<void> {
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: because })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** How many live bids the agent has on the package; with `signedOnly`, those that its key signed. */
export async function countLiveBidsOf(
  trx: Trx,
  bidder: { packageId: string; agentPubkey: string; signedOnly: boolean },
): Promise<number> {
  let query = trx
    .selectFrom('bids')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('package_id', '=', bidder.packageId)
    .where('agent_pubkey', '=', bidder.agentPubkey)
    .where('ended_at', 'is', null)
    .where(standing);
  if (bidder.signedOnly) query = query.where('signed', '=', true);
  const { count } = await query.executeTakeFirstOrThrow();
  return Number(count);
}

/** A bid with what became of it. */
export interface BidWithFate extends BidRow {
  is_expired: boolean;
  /** The swarm that a leg was made in of it; null: none, or one that was never formed on the ledger. */
  chosen_in: string | null;
}

const bidsWithFate = (db: Db | Trx) =>
  db
    .selectFrom('bids')
    .selectAll('bids')
    .select([
      sql<boolean>`bids.expires_at <= now()`.as('is_expired'),
      sql<string | null>`(
        select swarms.id from legs join swarms on swarms.id = legs.swarm_id
        where legs.bid_id = bids.id and (swarms.status <> 'failed' or swarms.form_signature is not null)
        limit 1)`.as('chosen_in'),
    ]);

export async function findBid(db: Db | Trx, id: string): Promise<BidWithFate | undefined> {
  return bidsWithFate(db).where('bids.id', '=', id).executeTakeFirst();
}

/** A page of the bids on a package, newest first; `before` is the last id of the page before. */
export async function pageOfBids(
  db: Db,
  page: { packageId: string; before: string | undefined; limit: number },
): Promise<BidWithFate[]> {
  let query = bidsWithFate(db).where('package_id', '=', page.packageId).orderBy('bids.id', 'desc').limit(page.limit);
  if (page.before !== undefined) query = query.where('bids.id', '<', page.before);
  return query.execute();
}

/** An agent's standing: has_history once a leg of its ended, completed or lost. */
export interface Standing {
  reliability_score: number;
  has_history: boolean;
  /** Percent points, 0 or below. */
  trust_adjustment: number;
}

/** A bid with the standing of its agent. */
export type WeighedBid = BidRow & Standing;

/**
 * Whether a leg of the agent's ended without completion: its swarm was formed on the ledger and failed later, or it was
 * assigned a leg of a digital task that was released, or whose task failed. Rule M-12.
 */
const lostLeg = (agent: RawBuilder<string>) =>
  sql<boolean>`(exists (
    select from legs join swarms on swarms.id = legs.swarm_id
    where legs.agent_pubkey = ${agent} and swarms.status = 'failed' and swarms.form_signature is not null)
  or exists (
    select from barred_agents where barred_agents.agent_pubkey = ${agent} and release_signature is not null)
  or exists (
    select from digital_legs
    where digital_legs.agent_pubkey = ${agent} and digital_legs.status = 'failed' and assign_signature is not null))`;

/**
 * The bids on the package that are live, oldest first, each with its agent's standing. By the clock of the database as it
 * goes on: the now() of a transaction that waited for a lock is past.
 */
export async function liveBids(db: Db | Trx, packageId: string): Promise<WeighedBid[]> {
  return db
    .selectFrom('bids')
    .leftJoin('reputations', 'reputations.agent_pubkey', 'bids.agent_pubkey')
    .selectAll('bids')
    .select([
      sql<number>`coalesce(reputations.reliability_score, 0)`.as('reliability_score'),
      sql<boolean>`coalesce(reputations.legs_completed > 0, false) or ${lostLeg(sql.ref('bids.agent_pubkey'))}`.as(
        'has_history',
      ),
      trustAdjustment(sql.ref('bids.agent_pubkey')).as('trust_adjustment'),
    ])
    .where('bids.package_id', '=', packageId)
    .where('bids.ended_at', 'is', null)
    .where('bids.expires_at', '>', sql<Date>`clock_timestamp()`)
    .orderBy('bids.id')
    .execute();
}

/** What the mirror says of an agent, as selection and payment see it. */
export async function standingInMirror(db: Db, agentPubkey: string): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select coalesce(max(reliability_score), 0)::int4 as reliability_score,
      coalesce(bool_or(legs_completed > 0), false) or ${lostLeg(sql<string>`${agentPubkey}`)} as has_history,
      ${trustAdjustment(sql<string>`${agentPubkey}`)} as trust_adjustment
    from reputations where agent_pubkey = ${agentPubkey}`.execute(db);
  return rows[0] ?? { reliability_score: 0, has_history: false, trust_adjustment: 0 };
}

export async function countBids(db: Db | Trx, packageId: string): Promise<number> {
  const { count } = await db
    .selectFrom('bids')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('package_id', '=', packageId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Takes an agent's bids on the package out of the running: the ledger refused it as a courier. */
export async function excludeBids(trx: Trx, packageId: string, agentPubkey: string): Promise<void> {
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: 'excluded' })
    .where('package_id', '=', packageId)
    .where('agent_pubkey', '=', agentPubkey)
    .where('ended_at', 'is', null)
    .execute();
}
