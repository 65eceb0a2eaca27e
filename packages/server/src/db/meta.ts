import { ForeignDatabaseError } from '../errors.js';
import type { Db } from './connect.js';

async function recordOnce(db: Db, key: string, value: string): Promise<string> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirstOrThrow();
  return row.value;
}

/**
 * Ties the database to the ledger and the program at its first use, and checks it at every later start: rows that mirror
 * one ledger mean nothing beside another.
 *
 * @throws ForeignDatabaseError
 */
export async function requireOwnDatabase(db: Db, genesisHash: string, programId: string): Promise<void> {
  const ledger = await recordOnce(db, 'genesis_hash', genesisHash);
  if (ledger !== genesisHash) throw new ForeignDatabaseError('ledger', ledger, genesisHash);
  const program = await recordOnce(db, 'program_id', programId);
  if (program !== programId) throw new ForeignDatabaseError('program', program, programId);
}
