import type { Artifact } from '@legwork/protocol/contract';
import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.js';
import type { LegClaim } from '../tasks/taskLegRows.js';
import type { ArtifactRow, ArtifactsTable } from '../db/schema.js';

/** The life of a file that is never handed in, during which it counts for its sender. */
const KEEP = '24 hours';

/** The upload of this file for this claim, if it was begun. */
export async function findArtifact(
  db: Db | Trx,
  { id, claim }: LegClaim,
  sha256: string,
): Promise<ArtifactRow | undefined> {
  return db
    .selectFrom('artifacts')
    .selectAll()
    .where('leg_id', '=', id)
    .where('claim', '=', claim)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
}

export async function insertArtifact(trx: Trx, artifact: Insertable<ArtifactsTable>): Promise<ArtifactRow> {
  return trx.insertInto('artifacts').values(artifact).returningAll().executeTakeFirstOrThrow();
}

/** The upload, locked until the transaction ends; undefined: it was swept meanwhile. */
export async function lockArtifact(trx: Trx, id: string): Promise<ArtifactRow | undefined> {
  return trx.selectFrom('artifacts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Bytes that were announced, kept or not, and how many files the claim has. */
export interface Announced {
  ofTask: number;
  /** In the last 24 hours. */
  ofAgent: number;
  ofClient: number;
  files: number;
}

const ANNOUNCING = 0x61727466;

/** Reads the announced files and locks them for their reader until the transaction ends. */
export async function readAnnounced(
  trx: Trx,
  { task_id: taskId, id, claim }: LegClaim,
  { agentPubkey, client }: { agentPubkey: string; client: string },
): Promise<Announced> {
  await sql`select pg_advisory_xact_lock(${ANNOUNCING})`.execute(trx);
  const day = sql`created_at > now() - ${KEEP}::interval`;
  const { rows } = await sql<Announced>`select
    (select coalesce(sum(bytes), 0)::float8 from artifacts where leg_id in (select id from digital_legs where task_id = ${taskId})) as "ofTask",
    (select coalesce(sum(bytes), 0)::float8 from artifacts where agent_pubkey = ${agentPubkey} and ${day}) as "ofAgent",
    (select coalesce(sum(bytes), 0)::float8 from artifacts where client = ${client} and ${day}) as "ofClient",
    (select count(*)::int4 from artifacts where leg_id = ${id} and claim = ${claim}) as files`.execute(trx);
  const [announced] = rows;
  if (!announced) throw new Error('a sum has no row');
  return announced;
}

/** The state of an upload once another part is kept. */
export type Progress = Pick<ArtifactRow, 'received' | 'hash_state' | 'store_upload' | 'part_tags'>;

export async function setProgress(trx: Db | Trx, id: string, progress: Progress): Promise<void> {
  await trx.updateTable('artifacts').set(progress).where('id', '=', id).where('stored_at', 'is', null).execute();
}

/** Forgets what was kept: the upload begins again. */
export async function restartUpload(db: Db, id: string): Promise<void> {
  await setProgress(db, id, { received: 0n, hash_state: null, store_upload: null, part_tags: [] });
}

export async function markStored(db: Db, id: string): Promise<ArtifactRow | undefined> {
  return db
    .updateTable('artifacts')
    .set((eb) => ({ stored_at: eb.fn.coalesce('stored_at', sql<Date>`now()`) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

const CONTENT = 0x73686132;

/** Until the transaction ends nobody else completes an upload of this sha256, or removes what is stored under it. */
export async function lockContent(trx: Trx, sha256: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${sha256}, ${CONTENT}))`.execute(trx);
}

/** The files among these that the claim has stored, in no order. */
export async function storedOf(
  db: Db | Trx,
  { id, claim }: LegClaim,
  sha256s: readonly string[],
): Promise<Pick<ArtifactRow, 'sha256' | 'bytes'>[]> {
  if (sha256s.length === 0) return [];
  return db
    .selectFrom('artifacts')
    .select(['sha256', 'bytes'])
    .where('leg_id', '=', id)
    .where('claim', '=', claim)
    .where('sha256', 'in', sha256s)
    .where('stored_at', 'is not', null)
    .execute();
}

/**
 * Makes these the files of the claim's result, and no others. Rule M-83.
 *
 * @throws Error when one of them is not stored for this very claim
 */
export async function nameArtifacts(trx: Trx, { id, claim }: LegClaim, artifacts: readonly Artifact[]): Promise<void> {
  const ofClaim = () => trx.updateTable('artifacts').where('leg_id', '=', id).where('claim', '=', claim);
  await ofClaim().set({ position: null, name: null, content_type: null }).where('position', 'is not', null).execute();
  for (const [position, { sha256, name, contentType }] of artifacts.entries()) {
    const { numUpdatedRows } = await ofClaim()
      .set({ position, name, content_type: contentType })
      .where('sha256', '=', sha256)
      .where('stored_at', 'is not', null)
      .executeTakeFirst();
    // The agent lost the leg and got it again meanwhile.
    if (numUpdatedRows !== 1n) throw new Error(`claim ${claim} of leg ${id} has no file ${sha256}`);
  }
}

/** The files of the results of a task's legs, by leg, in order. */
export async function artifactsOfTask(db: Db | Trx, taskId: string): Promise<Map<string, Artifact[]>> {
  const rows = await db
    .selectFrom('artifacts')
    .innerJoin('digital_legs', (join) =>
      join.onRef('digital_legs.id', '=', 'artifacts.leg_id').onRef('digital_legs.claim', '=', 'artifacts.claim'),
    )
    .select(['artifacts.leg_id', 'artifacts.sha256', 'artifacts.bytes', 'artifacts.name', 'artifacts.content_type'])
    .where('digital_legs.task_id', '=', taskId)
    .where('artifacts.position', 'is not', null)
    .orderBy('artifacts.position')
    .$narrowType<{ name: string; content_type: string }>()
    .execute();
  const byLeg = new Map<string, Artifact[]>();
  for (const { leg_id: legId, sha256, bytes, name, content_type: contentType } of rows) {
    byLeg.set(legId, [...(byLeg.get(legId) ?? []), { sha256, bytes: Number(bytes), name, contentType }]);
  }
  return byLeg;
}

/** Uploads older than a day that no leg holds: their claim ended, or its confirmed result does not name them. Rule M-81. */
export async function uselessArtifacts(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('artifacts')
    .innerJoin('digital_legs', 'digital_legs.id', 'artifacts.leg_id')
    .select('artifacts.id')
    .where('artifacts.created_at', '<', sql<Date>`now() - ${KEEP}::interval`)
    .where((eb) =>
      eb.or([
        eb('digital_legs.status', '=', 'failed'),
        eb('digital_legs.agent_pubkey', 'is', null),
        eb('artifacts.claim', '<>', eb.ref('digital_legs.claim')),
        eb.and([eb('digital_legs.status', '=', 'completed'), eb('artifacts.position', 'is', null)]),
      ]),
    )
    .orderBy('artifacts.created_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Reports whether somebody else has, or is about to have, the same bytes. */
export async function isKeptForOthers(trx: Trx, { id, sha256 }: Pick<ArtifactRow, 'id' | 'sha256'>): Promise<boolean> {
  const other = await trx
    .selectFrom('artifacts')
    .select('id')
    .where('sha256', '=', sha256)
    .where('id', '<>', id)
    .whereRef('received', '=', 'bytes')
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

export async function deleteArtifact(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('artifacts').where('id', '=', id).execute();
}

/** Forgets from which address uploads came, once it counts no more. */
export async function forgetClients(db: Db): Promise<void> {
  await db
    .updateTable('artifacts')
    .set({ client: null })
    .where('client', 'is not', null)
    .where('created_at', '<', sql<Date>`now() - ${KEEP}::interval`)
    .execute();
}
