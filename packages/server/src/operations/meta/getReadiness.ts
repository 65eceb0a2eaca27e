import { RelayError, type operations } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { ask } from '@legwork/program-client/history';
import type { Db } from '../../db/connect.js';
import { within } from '../../waiting.js';
import type { Run } from '../run.js';

/** How long a probe waits, milliseconds: silence counts as an answer. Rule S-81. */
const ANSWER_WITHIN_MS = 3_000;

/** More than the smallest `work_mem` holds, so that PostgreSQL writes them to its disk and drops them again. */
const ROWS_TO_WRITE = 5_000;

export const getReadiness: Run<typeof operations.getReadiness> = async ({ db, ledger, log }) => {
  const parts = {
    database: within(ANSWER_WITHIN_MS, useDatabase(db)),
    ledger: within(ANSWER_WITHIN_MS, ask(ledger.rpc.getHealth())),
  };
  // All at once: a probe that fails while another is awaited must not become an unhandled rejection.
  const outcomes = await Promise.allSettled(Object.values(parts));
  const missing = Object.keys(parts).filter((name, index) => {
    const outcome = outcomes[index];
    if (outcome?.status !== 'rejected') return false;
    log.warn({ err: outcome.reason as unknown, part: name }, 'not ready');
    return true;
  });
  if (missing.length > 0) throw new RelayError('not_ready', `no answer from: ${missing.join(', ')}`);
  return { answer: { status: 'ok' } };
};

/** Reads and writes: on a full disk reading still works. Rule S-82. */
function useDatabase(db: Db): Promise<unknown> {
  return db.transaction().execute(async (trx) => {
    await sql`set local work_mem = '64kB'`.execute(trx);
    await sql`select count(*) from generate_series(1, ${sql.lit(ROWS_TO_WRITE)})`.execute(trx);
  });
}
