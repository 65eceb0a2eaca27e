import { estimatedDurationMin } from '@legwork/protocol/rules';
import { sql } from 'kysely';
import { compiled } from '../db/statements.js';
import type { Db, Trx } from '../db/connect.js';
import { lostLeg, type Standing } from '../agents/reputationRows.js';
import type { BidRow } from '../db/schema.js';
import { trustAdjustment } from '../identity/credentialRows.js';
import { personal, rounded, withPersonal } from '../db/sealing.js';
import { traceparent } from '../tracing/spans.js';
import { isSignedOnly, type UnsignedCalls } from '../identity/signingKeys.js';

export type NewBid = Omit<BidRow, 'created_at' | 'ended_at' | 'ended_because' | 'is_erased' | 'personal'>;

/** A bid that is stored, as it was given. */
export type StoredBid = NewBid & Pick<BidRow, 'created_at'>;

/** Where a bid, and the leg that is made of it, begins and ends. */
export const BID_PLACES = ['pickup_lat', 'pickup_lng', 'dropoff_lat', 'dropoff_lng'] as const;

/** The bid as it is stored. */
export const sealedBid = <Row extends Pick<BidRow, (typeof BID_PLACES)[number] | 'reasoning'>>(bid: Row) => ({
  ...withPersonal(bid, rounded(bid, BID_PLACES)),
  reasoning: personal(bid.reasoning),
});

/** The agent's other bids on the package when a bid comes. */
export interface Rivals {
  /** The agent's bid that is not ended for the same pickup and drop-off; it may have expired. */
  same: { id: string; signed: boolean; isStanding: boolean } | undefined;
  /** How many live bids the agent has on the package for other places; to a signed bid those count that its key signed. */
  others: number;
}

type Near = Pick<BidRow, 'id' | 'signed' | (typeof BID_PLACES)[number]> & { isStanding: boolean };

/** The columns that tell a bid from its agent's others. */
export type OneOfAgent = Pick<BidRow, 'agent_pubkey' | 'signed' | (typeof BID_PLACES)[number]>;

/**
 * Reads what their agents' bids on the package that are not ended are to each of the bids, in their order. The caller holds the
 * package's lock. Places are compared here, since they may be sealed: only those that are the same to whole degrees, or that
 * were stored as they are.
 */
export async function findRivals(trx: Trx, packageId: string, bids: readonly OneOfAgent[]): Promise<Rivals[]> {
  const column = (place: (typeof BID_PLACES)[number]) => sql`${bids.map((bid) => bid[place])}::float8[]`;
  const whole = bids.map((bid) => rounded(bid, BID_PLACES));
  const wholeColumn = (place: (typeof BID_PLACES)[number]) => sql`${whole.map((bid) => bid[place])}::float8[]`;
  const isNear = sql`bids.pickup_lat in (bid.pickup_lat, whole_pickup_lat) and bids.pickup_lng in (bid.pickup_lng, whole_pickup_lng)
    and bids.dropoff_lat in (bid.dropoff_lat, whole_dropoff_lat) and bids.dropoff_lng in (bid.dropoff_lng, whole_dropoff_lng)`;
  const { rows } = await sql<{ near: Near[]; live: number }>`
    select
      coalesce(json_agg(json_build_object(
        'id', bids.id, 'signed', bids.signed, 'isStanding', expires_at > now(), 'personal', personal,
        'pickup_lat', bids.pickup_lat, 'pickup_lng', bids.pickup_lng,
        'dropoff_lat', bids.dropoff_lat, 'dropoff_lng', bids.dropoff_lng)) filter (where ${isNear}), '[]') as near,
      (count(*) filter (where expires_at > now() and (bids.signed or not bid.signed)))::int4 as live
    from unnest(
      ${bids.map((bid) => bid.agent_pubkey)}::text[], ${bids.map((bid) => bid.signed)}::boolean[],
      ${sql.join(BID_PLACES.map(column))}, ${sql.join(BID_PLACES.map(wholeColumn))}
    ) with ordinality as bid (
      agent_pubkey, signed, ${sql.join(BID_PLACES.map((place) => sql.ref(place)))},
      ${sql.join(BID_PLACES.map((place) => sql.ref(`whole_${place}`)))}, nth)
    left join bids on package_id = ${packageId} and bids.agent_pubkey = bid.agent_pubkey
      and ended_at is null and leg_id is null and not is_erased
    group by nth order by nth`.execute(trx);
  return rows.map(({ near, live }, index) => {
    // There is one at most.
    const same = near.find((one) => BID_PLACES.every((place) => one[place] === bids[index]?.[place]));
    const isCounted = same?.isStanding === true && (same.signed || bids[index]?.signed === false);
    return { same, others: isCounted ? live - 1 : live };
  });
}

type Offered = 'id' | 'agent_pubkey' | 'distance_km' | 'cost_lamports' | (typeof BID_PLACES)[number];

/** The columns that a leg takes from its bid. */
export function offeredBy(bid: Pick<BidRow, Offered>) {
  return {
    bid_id: bid.id,
    agent_pubkey: bid.agent_pubkey,
    pickup_lat: bid.pickup_lat,
    pickup_lng: bid.pickup_lng,
    dropoff_lat: bid.dropoff_lat,
    dropoff_lng: bid.dropoff_lng,
    distance_km: bid.distance_km,
    estimated_duration_min: estimatedDurationMin(bid.distance_km),
    cost_lamports: bid.cost_lamports,
  };
}

/** Stores bids on one package and asks for its evaluation: at once, or when its bidding window closes. @returns when */
export async function insertBids(trx: Trx, packageId: string, bids: readonly NewBid[]): Promise<Date> {
  const stored = await trx
    .with('scheduled', (scheduled) =>
      scheduled
        .updateTable('packages')
        .set((eb) => ({
          bids_version: eb('bids_version', '+', 1n),
          // greatest() passes over null: a package without a window.
          evaluate_at: sql<Date>`greatest(now(), bidding_closes_at)`,
          evaluate_trace: traceparent() ?? null,
        }))
        .where('id', '=', packageId),
    )
    .insertInto('bids')
    .values(bids.map(sealedBid))
    .returning('created_at')
    .executeTakeFirstOrThrow();
  return stored.created_at;
}

/** Takes the bids out of the running for good. */
export async function endBids(trx: Trx, ids: readonly string[], because: 'replaced' | 'withdrawn'): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('bids')
    .set({ ended_at: sql<Date>`now()`, ended_because: because })
    .where('id', 'in', ids)
    .where('ended_at', 'is', null)
    .execute();
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

/** The columns that the choice of a chain needs: a crowd of bids is read again and again. */
const ROUTE_COLUMNS = [
  'id',
  'agent_pubkey',
  'pickup_lat',
  'pickup_lng',
  'dropoff_lat',
  'dropoff_lng',
  'distance_km',
  'cost_lamports',
  'expires_at',
  'client',
  'personal',
] as const satisfies (keyof BidRow)[];

/** The bids with these ids as a choice saw them, with the durations that their agents told, in no order. */
export async function readRouteBids(trx: Trx, ids: readonly string[]) {
  return trx
    .selectFrom('bids')
    .select([...ROUTE_COLUMNS, 'estimated_duration_min'])
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .execute();
}

/** A bid with the standing of its agent. */
export type WeighedBid = Pick<BidRow, (typeof ROUTE_COLUMNS)[number]> & Standing & { is_newcomer: boolean };

const readingLiveBids = (unsignedCalls: UnsignedCalls) =>
  compiled((db, { packageId }: { packageId: string }) =>
    db
      .with(
        (cte) => cte('live').materialized(),
        (from) =>
          from
            .selectFrom('bids')
            .select([...ROUTE_COLUMNS, 'signed'])
            .where('package_id', '=', packageId)
            .where('leg_id', 'is', null)
            .where('ended_at', 'is', null)
            .where('expires_at', '>', sql<Date>`clock_timestamp()`),
      )
      .with(
        (cte) => cte('bidders').materialized(),
        (from) =>
          from
            .selectFrom((live) => live.selectFrom('live').select('live.agent_pubkey').distinct().as('bidder'))
            .leftJoin('reputations', 'reputations.agent_pubkey', 'bidder.agent_pubkey')
            .leftJoin('signing_keys', 'signing_keys.pubkey', 'bidder.agent_pubkey')
            .select([
              'bidder.agent_pubkey',
              isSignedOnly(unsignedCalls).as('signed_only'),
              sql<boolean>`reputations.agent_pubkey is null`.as('is_newcomer'),
              sql<number>`coalesce(reputations.reliability_score, 0)`.as('reliability_score'),
              sql<boolean>`coalesce(reputations.legs_completed > 0, false) or ${lostLeg(sql.ref('bidder.agent_pubkey'))}`.as(
                'has_history',
              ),
              trustAdjustment(sql.ref('bidder.agent_pubkey')).as('trust_adjustment'),
            ]),
      )
      .selectFrom('live')
      .innerJoin('bidders', 'bidders.agent_pubkey', 'live.agent_pubkey')
      .selectAll('live')
      .select(['reliability_score', 'has_history', 'trust_adjustment', 'is_newcomer'])
      .where((eb) => eb.or([eb('live.signed', '=', true), eb('signed_only', '=', false)]))
      .orderBy('live.id'),
  );

const readLiveBids = {
  all: readingLiveBids('all'),
  newcomers: readingLiveBids('newcomers'),
  none: readingLiveBids('none'),
};

/**
 * The bids on the package that are live, oldest first, each with its agent's standing, which is looked up once an agent.
 * Unsigned ones do not count in the name of a key that unsigned calls no longer bind (M-38). The clock is the database's
 * clock_timestamp(): the now() of a transaction that waited for a lock is past.
 */
export async function liveBids(db: Db | Trx, packageId: string, unsignedCalls: UnsignedCalls): Promise<WeighedBid[]> {
  return readLiveBids[unsignedCalls](db, { packageId });
}

const counting = compiled((db, { packageId }: { packageId: string }) =>
  db
    .selectFrom('bids')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('package_id', '=', packageId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`),
);

export async function countBids(db: Db | Trx, packageId: string): Promise<number> {
  const [row] = await counting(db, { packageId });
  return Number(row?.count ?? 0n);
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
