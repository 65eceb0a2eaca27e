import { setTimeout as sleep } from 'node:timers/promises';
import type { IsolationLevel } from 'kysely';
import type { Db, Trx } from './connect.js';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const MAX_TRIES = 20;

function mayPassNextTime(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/**
 * Runs `work` in one transaction and commits it; again, after a jittered pause, when the database asks for it
 * (serialization failure, deadlock). `work` must have no effect outside the transaction.
 */
export async function inTransaction<T>(
  db: Db,
  work: (trx: Trx) => Promise<T>,
  isolation: IsolationLevel = 'read committed',
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().setIsolationLevel(isolation).execute(work);
    } catch (error) {
      if (!mayPassNextTime(error) || tries === MAX_TRIES) throw error;
      await sleep(Math.random() * Math.min(200, 5 * 2 ** tries));
    }
  }
}
