import type { LegStage } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Db, Trx } from './connect.js';
import type { EvidenceRow, PackageRow } from './schema.js';

/** A list of turns looks at so many packages of a key at most. */
const MOST_PACKAGES = 200;

/**
 * Packages in transit with terms that the key is a party of, oldest first: those it carries or shipped before those of others that only
 * name it, which anybody can have do so.
 */
export async function packagesOfParty(db: Db, pubkey: string): Promise<PackageRow[]> {
  const { rows } = await sql<{ id: string }>`
    select packages.id from packages join (
      select swarms.package_id as id, 0 as rank from legs join swarms on swarms.id = legs.swarm_id
        where legs.agent_pubkey = ${pubkey} and legs.ended_at is null and swarms.status = 'active'
      union all select id, 0 from packages where shipper_pubkey = ${pubkey} and status = 'in_transit'
      union all select id, 1 from packages where terms ->> 'receiverPubkey' = ${pubkey} and status = 'in_transit'
      union all select id, 1 from packages where terms ->> 'arbiterPubkey' = ${pubkey} and status = 'in_transit'
        and exists (select from swarms join legs on legs.swarm_id = swarms.id
          where swarms.package_id = packages.id and legs.stage = 'disputed')) party using (id)
    where packages.status = 'in_transit' and packages.terms is not null
    group by packages.id order by min(party.rank), packages.id limit ${MOST_PACKAGES}`.execute(db);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  return db.selectFrom('packages').selectAll().where('id', 'in', ids).orderBy('id').execute();
}

/** How often an author may add to the evidence of a leg. */
export const MOST_EVIDENCE = 4;

/** Keeps the text; one that the author gave before stays. @returns false when the author has no room left */
export async function insertEvidence(trx: Trx, row: Omit<EvidenceRow, 'created_at'>): Promise<boolean> {
  const kept = await trx
    .selectFrom('evidence')
    .select('hash')
    .where('leg_id', '=', row.leg_id)
    .where('author_pubkey', '=', row.author_pubkey)
    .execute();
  if (kept.some(({ hash }) => hash === row.hash)) return true;
  if (kept.length >= MOST_EVIDENCE) return false;
  await trx.insertInto('evidence').values(row).execute();
  return true;
}

export async function evidenceOf(db: Db, legId: string): Promise<EvidenceRow[]> {
  return db.selectFrom('evidence').selectAll().where('leg_id', '=', legId).orderBy('created_at').execute();
}

/** What an arbiter did in packages whose terms name it. */
export interface ArbiterRecord {
  ruled: bigint;
  silent: bigint;
  open: bigint;
  mean_percent: number | null;
}

export async function readArbiterRecord(db: Db, arbiterPubkey: string): Promise<ArbiterRecord> {
  const { rows } = await sql<ArbiterRecord>`
    select
      count(*) filter (where by_whom = 'arbiter') as ruled,
      count(*) filter (where by_whom = 'silence') as silent,
      (select count(*) from packages join swarms on swarms.package_id = packages.id
        join legs on legs.swarm_id = swarms.id
        where packages.terms ->> 'arbiterPubkey' = ${arbiterPubkey} and legs.stage = 'disputed'
          and swarms.status = 'active') as open,
      (avg(leg_moves.percent) filter (where by_whom = 'arbiter'))::float8 as mean_percent
    from packages join swarms on swarms.package_id = packages.id
    join legs on legs.swarm_id = swarms.id join leg_moves on leg_moves.leg_id = legs.id
    where packages.terms ->> 'arbiterPubkey' = ${arbiterPubkey}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}

/** Legs with terms under way, and how far the arbiters are with the dispute that ends first. */
export interface ClockReading {
  legs: Partial<Record<LegStage, number>>;
  /** Of its arbitration window, 0 to 1 and beyond. */
  disputeShare: number;
}

export async function readClocks(db: Db): Promise<ClockReading> {
  const { rows } = await sql<{ stage: LegStage; legs: number; share: number | null }>`
    select legs.stage, count(*)::int4 as legs, max(extract(epoch from now() - legs.since)
      / (packages.terms ->> 'arbitrationSec')::float8) filter (where legs.stage = 'disputed')::float8 as share
    from swarms join packages on packages.id = swarms.package_id join legs on legs.swarm_id = swarms.id
    where swarms.status = 'active' and packages.terms is not null and legs.ended_at is null
    group by legs.stage`.execute(db);
  return {
    legs: Object.fromEntries(rows.map(({ stage, legs }) => [stage, legs])),
    disputeShare: Math.max(0, ...rows.map(({ share }) => share ?? 0)),
  };
}
