import type { LegStage } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import type { DigitalTaskRow, EvidenceRow, LegMoveRow, PackageRow } from '../db/schema.js';
import { personal } from '../db/sealing.js';

/** A listing that a key is a party of: rank 0 if the key listed it or works in it, 1 if others only name it. */
export interface PartyPosition {
  id: string;
  rank: number;
}

/**
 * Packages in transit and tasks in progress, with terms, that the key is a party of: those that it listed or works in before those of
 * others that only name it, which anybody can have do so; each oldest first.
 *
 * @param after the last one of the page before
 */
export async function positionsOfParty(
  db: Db,
  pubkey: string,
  { after, limit }: { after: PartyPosition | undefined; limit: number },
): Promise<PartyPosition[]> {
  const rest = after ? sql`having (min(rank), id) > (${after.rank}::int4, ${after.id}::uuid)` : sql``;
  const { rows } = await sql<PartyPosition>`
    select id, min(rank) as rank from (
      select swarms.package_id as id, 0 as rank from legs join swarms on swarms.id = legs.swarm_id
        where legs.agent_pubkey = ${pubkey} and legs.stage is not null and legs.ended_at is null and swarms.status = 'active'
      union all select id, 0 from packages where shipper_pubkey = ${pubkey} and status = 'in_transit' and terms is not null
      union all select id, 1 from packages where terms ->> 'receiverPubkey' = ${pubkey} and status = 'in_transit'
      union all select id, 1 from packages where terms ->> 'arbiterPubkey' = ${pubkey} and status = 'in_transit'
        and exists (select from swarms join legs on legs.swarm_id = swarms.id
          where swarms.package_id = packages.id and legs.stage = 'disputed')
      union all select task_id, 0 from digital_legs
        where agent_pubkey = ${pubkey} and stage is not null and status = 'in_progress'
      union all select id, 0 from digital_tasks
        where shipper_pubkey = ${pubkey} and status = 'in_progress' and terms is not null
      union all select id, 1 from digital_tasks where terms ->> 'receiverPubkey' = ${pubkey} and status = 'in_progress'
      union all select id, 1 from digital_tasks where terms ->> 'arbiterPubkey' = ${pubkey} and status = 'in_progress'
        and exists (select from digital_legs where task_id = digital_tasks.id and stage = 'disputed')) party
    group by id ${rest} order by min(rank), id limit ${limit}`.execute(db);
  return rows;
}

/** The packages and the tasks with these ids, as long as they are under way. */
export async function listingsUnderWay(
  db: Db,
  ids: readonly string[],
): Promise<{ parcels: PackageRow[]; tasks: DigitalTaskRow[] }> {
  const parcels = db.selectFrom('packages').selectAll().where('id', 'in', ids).where('status', '=', 'in_transit');
  const tasks = db.selectFrom('digital_tasks').selectAll().where('id', 'in', ids).where('status', '=', 'in_progress');
  return { parcels: await parcels.execute(), tasks: await tasks.execute() };
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
  await trx
    .insertInto('evidence')
    .values({ ...row, text: personal(row.text) })
    .execute();
  return true;
}

/** The sha256 of the reasons that a leg's arbiter gave for its rulings, as they stand in their transactions. Rule T-113. */
export async function reasonsOf(db: Db | Trx, legId: string): Promise<string[]> {
  const ruled = db.selectFrom('leg_moves').select('hash').where('leg_id', '=', legId).where('by_whom', '=', 'arbiter');
  return (await ruled.execute()).flatMap(({ hash }) => hash ?? []);
}

/** Drops what an author stored and does not keep. */
export async function dropEvidence(
  trx: Trx,
  { legId, author, kept }: { legId: string; author: string; kept: readonly string[] },
): Promise<void> {
  const stored = trx.deleteFrom('evidence').where('leg_id', '=', legId).where('author_pubkey', '=', author);
  await stored.where('hash', 'not in', kept).execute();
}

/** One text of an author; undefined: it is not here. */
export async function readEvidence(
  trx: Trx,
  { legId, author, hash }: { legId: string; author: string; hash: string },
): Promise<string | undefined> {
  const found = trx.selectFrom('evidence').select('text').where('leg_id', '=', legId);
  return (await found.where('author_pubkey', '=', author).where('hash', '=', hash).executeTakeFirst())?.text;
}

export async function evidenceOf(db: Db, legId: string): Promise<EvidenceRow[]> {
  return db.selectFrom('evidence').selectAll().where('leg_id', '=', legId).orderBy('created_at').execute();
}

/** The record of an arbiter in packages whose terms name it. */
export interface ArbiterRecord {
  ruled: bigint;
  silent: bigint;
  open: bigint;
  mean_percent: number | null;
}

export async function readArbiterRecord(db: Db, arbiterPubkey: string): Promise<ArbiterRecord> {
  const { rows } = await sql<ArbiterRecord>`
    with judged as (
      select legs.id, legs.stage = 'disputed' and swarms.status = 'active' as is_open
        from packages join swarms on swarms.package_id = packages.id join legs on legs.swarm_id = swarms.id
        where packages.terms ->> 'arbiterPubkey' = ${arbiterPubkey}
      union all select digital_legs.id, digital_legs.stage = 'disputed' and digital_legs.status = 'in_progress'
        from digital_tasks join digital_legs on digital_legs.task_id = digital_tasks.id
        where digital_tasks.terms ->> 'arbiterPubkey' = ${arbiterPubkey})
    select
      count(*) filter (where by_whom = 'arbiter') as ruled,
      count(*) filter (where by_whom = 'silence') as silent,
      (select count(*) from judged where is_open) as open,
      (avg(leg_moves.percent) filter (where by_whom = 'arbiter'))::float8 as mean_percent
    from judged join leg_moves on leg_moves.leg_id = judged.id`.execute(db);
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
    select stage, count(*)::int4 as legs, max(extract(epoch from now() - since) / (terms ->> 'arbitrationSec')::float8)
      filter (where stage = 'disputed')::float8 as share
    from (
      select legs.stage, legs.since, packages.terms
        from swarms join packages on packages.id = swarms.package_id join legs on legs.swarm_id = swarms.id
        where swarms.status = 'active' and packages.terms is not null and legs.ended_at is null
      union all select digital_legs.stage, digital_legs.since, digital_tasks.terms
        from digital_legs join digital_tasks on digital_tasks.id = digital_legs.task_id
        where digital_legs.status = 'in_progress' and digital_legs.stage is not null) clocked
    group by stage`.execute(db);
  return {
    legs: Object.fromEntries(rows.map(({ stage, legs }) => [stage, legs])),
    disputeShare: Math.max(0, ...rows.map(({ share }) => share ?? 0)),
  };
}

/** How a leg was ruled, if that is what its last dispute came to; a ruling that gives an agent nothing rejects its result. */
export async function standingRuling(
  db: Db | Trx,
  legId: string,
): Promise<Pick<LegMoveRow, 'by_whom' | 'percent' | 'at' | 'signature'> | undefined> {
  const last = await db
    .selectFrom('leg_moves')
    .select(['move', 'by_whom', 'percent', 'at', 'signature'])
    .where('leg_id', '=', legId)
    .where('move', 'in', ['dispute', 'rule', 'reject'])
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return last?.move === 'dispute' ? undefined : last;
}
