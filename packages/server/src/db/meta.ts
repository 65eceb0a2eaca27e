import { sql } from 'kysely';
import { ForeignDatabaseError } from '../errors.js';
import { compiled } from './compiled.js';
import type { Db, Trx } from './connect.js';

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

/** Lets one replica at a time decide what `meta` says, until the transaction ends. */
export async function lockMeta(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('meta', 0))`.execute(trx);
}

const valueOf = compiled((db, { key }: { key: string }) =>
  db.selectFrom('meta').select('value').where('key', '=', key),
);

export async function readMeta(db: Db | Trx, key: string): Promise<string | undefined> {
  return (await valueOf(db, { key }))[0]?.value;
}

export async function setMeta(trx: Db | Trx, key: string, value: string): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
