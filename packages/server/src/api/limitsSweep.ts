import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { deleteInBatches } from '../db/transaction.js';

/** Past it a count is old on every replica's clock, milliseconds. */
const KEEP_MS = 10 * 60_000;

/** Deletes counts of minutes long past. @returns how many */
export function sweepLimits(db: Db): Promise<number> {
  return deleteInBatches(db, 'rate_limits', sql`expire < ${Date.now() - KEEP_MS}`);
}
