import type { PrivatePartName, PrivateReader } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Sealed } from '../privacy/keyRing.js';
import type { Db, Trx } from './connect.js';
import type { PrivateReadingRow } from './schema.js';

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

/** Who read what of a package, the first to read first. */
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
