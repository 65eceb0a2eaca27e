import { sql } from 'kysely';
import type { Db } from './connect.js';
import type { IntentKind, OutboxRow } from './schema.js';

/** Intents of one kind that are not done. */
export interface OutboxDepth {
  kind: IntentKind;
  status: OutboxRow['status'];
  intents: bigint;
  /** Seconds since the oldest of them was decided. */
  oldestSec: number;
}

/** What is in the outbox, other than what is done; the ages are by the database's clock. */
export async function readOutboxDepth(db: Db): Promise<OutboxDepth[]> {
  return db
    .selectFrom('outbox')
    .select((select) => [
      'kind',
      'status',
      select.fn.countAll<bigint>().as('intents'),
      sql<number>`extract(epoch from now() - min(created_at))::float8`.as('oldestSec'),
    ])
    .where('status', '<>', 'done')
    .groupBy(['kind', 'status'])
    .execute();
}

/** How many events are committed and wait for their number. */
export async function countUnnumberedEvents(db: Db): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((select) => select.fn.countAll<bigint>().as('waiting'))
    .where('seq', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.waiting);
}
