import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.js';
import type { Database } from './schema.js';

/** `rate_limits` belongs to the library that counts in it. */
type Table = keyof Database | 'rate_limits';

const BATCH = 5000;
/** A sweep ends after this many batches: a flood is removed over several sweeps, not in one long one. */
const MAX_BATCHES = 20;

/** Deletes the rows of a table that meet the condition, in batches that hold no lock for long. @returns how many */
export async function deleteInBatches(db: Db, table: Table, condition: RawBuilder<unknown>): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const result = await sql`
      delete from ${sql.table(table)} where ctid = any (array(
        select ctid from ${sql.table(table)} where ${condition} limit ${BATCH}
      ))`.execute(db);
    const count = Number(result.numAffectedRows ?? 0n);
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}
