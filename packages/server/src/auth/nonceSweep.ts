import { sql } from 'kysely';
import type { AppContext } from '../context.js';
import type { Db } from '../db/connect.js';

const EVERY_MS = 60_000;
/** Far past the two minutes in which a nonce may be fresh on any replica's clock. */
const KEEP = '10 minutes';
const BATCH = 5000;
/** A sweep ends after this many batches: a flood is removed over several sweeps, not in one long one. */
const MAX_BATCHES = 20;

/** Deletes nonces that no signature could use any more. @returns how many */
export async function sweepNonces(db: Db): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const result = await sql`
      delete from nonces where ctid = any (array(
        select ctid from nonces where used_at < now() - ${KEEP}::interval limit ${BATCH}
      ))`.execute(db);
    const count = Number(result.numAffectedRows ?? 0n);
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}

/** Sweeps once a minute until stopped; `stop` waits for a sweep under way. */
export function startNonceSweep({ db, log }: Pick<AppContext, 'db' | 'log'>): { stop: () => Promise<void> } {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = sweepNonces(db).catch((error: unknown) => log.warn({ err: error }, 'old nonces were not removed'));
  }, EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
