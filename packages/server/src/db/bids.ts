import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { BidRow } from './schema.js';

export type NewBid = Omit<BidRow, 'created_at' | 'ended_at' | 'ended_because'>;

/** Stores the bid; the same agent's live bid for the same pickup and drop-off ends. */
export async function replaceBid(trx: Trx, bid: NewBid): Promise<BidRow> {
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: 'replaced' })
    .where('package_id', '=', bid.package_id)
    .where('agent_pubkey', '=', bid.agent_pubkey)
    .where('pickup_lat', '=', bid.pickup_lat)
    .where('pickup_lng', '=', bid.pickup_lng)
    .where('dropoff_lat', '=', bid.dropoff_lat)
    .where('dropoff_lng', '=', bid.dropoff_lng)
    .where('ended_at', 'is', null)
    .execute();
  return trx.insertInto('bids').values(bid).returningAll().executeTakeFirstOrThrow();
}

/** An agent's standing: has_history once a leg of its ended, completed or lost. */
export interface Standing {
  reliability_score: number;
  has_history: boolean;
}

/** A bid with the standing of its agent. */
export type WeighedBid = BidRow & Standing;

/** A leg of the agent's that ended without completion: its swarm was formed on the ledger and failed later. */
const lostLeg = (agent: RawBuilder<string>) =>
  sql<boolean>`exists (
    select from legs join swarms on swarms.id = legs.swarm_id
    where legs.agent_pubkey = ${agent} and swarms.status = 'failed' and swarms.form_signature is not null)`;

/** The bids on the package that are live at the database's now, oldest first, each with its agent's standing. */
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
    ])
    .where('bids.package_id', '=', packageId)
    .where('bids.ended_at', 'is', null)
    .where('bids.expires_at', '>', sql<Date>`now()`)
    .orderBy('bids.id')
    .execute();
}

/** What the mirror says of an agent, as selection and payment see it. */
export async function standingInMirror(db: Db, agentPubkey: string): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select coalesce(max(reliability_score), 0)::int4 as reliability_score,
      coalesce(bool_or(legs_completed > 0), false) or ${lostLeg(sql<string>`${agentPubkey}`)} as has_history
    from reputations where agent_pubkey = ${agentPubkey}`.execute(db);
  return rows[0] ?? { reliability_score: 0, has_history: false };
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
