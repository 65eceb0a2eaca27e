import type { PrivatePartName, PrivateReader } from '@legwork/protocol/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Sealed } from '../db/keyRing.js';
import type { Db, Trx } from '../db/connect.js';
import type { PrivateReadingRow } from '../db/schema.js';
import { deleteInBatches } from '../db/transaction.js';

export async function insertPrivateParts(trx: Trx, packageId: string, sealed: Sealed): Promise<void> {
  await trx
    .insertInto('private_parts')
    .values({ package_id: packageId, ...sealed })
    .execute();
}

export async function findPrivateParts(trx: Trx, packageId: string): Promise<Sealed | undefined> {
  return trx
    .selectFrom('private_parts')
    .select(['key', 'sealed'])
    .where('package_id', '=', packageId)
    .executeTakeFirst();
}

/** A key that reads a part of a package. */
export interface Reading {
  packageId: string;
  part: PrivatePartName;
  readerPubkey: string;
  readAs: PrivateReader;
}

/** Notes a reading: a row a part and key, so that nobody fills the table by reading again and again. */
export async function noteReading(trx: Trx, { packageId, part, readerPubkey, readAs }: Reading): Promise<void> {
  await trx
    .insertInto('private_readings')
    .values({ package_id: packageId, part, reader_pubkey: readerPubkey, read_as: readAs })
    .onConflict((conflict) =>
      conflict
        .columns(['package_id', 'part', 'reader_pubkey', 'read_as'])
        .doUpdateSet({ times: sql`private_readings.times + 1`, last_at: sql<Date>`now()` }),
    )
    .execute();
}

const A_MONTH_AGO = sql`now() - interval '30 days'`;

/**
 * When the courier first read private parts of packages that it has not carried, of the last 30 days. It carried one if it took or
 * completed a leg of it. One that its shipper took back before counts for nothing. Rule S-151.
 */
export const uncarriedBy = (courier: RawBuilder<string>) => sql<Date[]>`array(
  select first_at from courier_readings reading
  where reading.reader_pubkey = ${courier} and first_at > ${A_MONTH_AGO} and not exists (
    select from swarms join legs on legs.swarm_id = swarms.id join packages on packages.id = swarms.package_id
    where swarms.package_id = reading.package_id and legs.agent_pubkey = ${courier} and (
      legs.status = 'completed'
      or exists (select from leg_moves where leg_moves.leg_id = legs.id and leg_moves.move in ('take', 'handover'))
      or packages.status = 'failed' and legs.stage = 'accepted' and legs.ended_at is null)))`;

/** Waits for the courier's readings that are under way: of those that race, each sees what those before it noted. */
export async function lockReader(trx: Trx, courier: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`reader:${courier}`}, 0))`.execute(trx);
}

/** Notes that the courier reads of the package; the first time counts. The caller holds the lock of the reader. @returns undefined: it is not the first */
export async function noteCourierReading(trx: Trx, courier: string, packageId: string): Promise<Date | undefined> {
  const noted = await trx
    .insertInto('courier_readings')
    .values({ reader_pubkey: courier, package_id: packageId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('first_at')
    .executeTakeFirst();
  return noted?.first_at;
}

export async function uncarriedReadings(trx: Trx, courier: string): Promise<Date[]> {
  const { rows } = await sql<{ uncarried: Date[] }>`
    select ${uncarriedBy(sql`asked.courier`)} as uncarried from (select ${courier}::text as courier) asked`.execute(
    trx,
  );
  return rows[0]?.uncarried ?? [];
}

/** Deletes readings that no longer count. @returns how many */
export async function sweepCourierReadings(db: Db): Promise<number> {
  return deleteInBatches(db, 'courier_readings', sql`first_at <= ${A_MONTH_AGO}`);
}

/** The readings of a package's private parts, the first reader first. */
export async function readingsOf(db: Db, packageId: string): Promise<PrivateReadingRow[]> {
  return db
    .selectFrom('private_readings')
    .selectAll()
    .where('package_id', '=', packageId)
    .orderBy('first_at')
    .orderBy('part')
    .orderBy('reader_pubkey')
    .execute();
}
