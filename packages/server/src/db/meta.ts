import { sql } from 'kysely';
import { ForeignDatabaseError } from '../errors.js';
import type { HistoryPosition } from './appliedInstructions.js';
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

const CURSOR = 'watcher_cursor';
/** Separates slot and signature in the cursor's text. */
const SEPARATOR = ':';

/** The last transaction up to which the history is final and mirrored; undefined: nothing is yet. */
export async function readCursor(db: Db): Promise<HistoryPosition | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', CURSOR).executeTakeFirst();
  const [slot, signature] = row?.value.split(SEPARATOR) ?? [];
  return slot === undefined || signature === undefined ? undefined : { slot: BigInt(slot), signature };
}

/** Moves the cursor, never backwards: another replica may be further. */
export async function moveCursor(db: Db, { signature, slot }: HistoryPosition): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key: CURSOR, value: `${slot}${SEPARATOR}${signature}` })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((eb) => ({ value: eb.ref('excluded.value') }))
        .where(
          sql<boolean>`split_part(meta.value, ${SEPARATOR}, 1)::int8 <= split_part(excluded.value, ${SEPARATOR}, 1)::int8`,
        ),
    )
    .execute();
}
