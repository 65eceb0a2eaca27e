import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createUuid, toLamports } from '@legwork/protocol/contract';
import pino from 'pino';
import type { AppContext } from '../../src/context.js';
import { createWakers } from '../../src/createContext.js';
import { connect, type Db } from '../../src/db/connect.js';
import { migrate } from '../../src/db/migrate.js';
import { appendEvent } from '../../src/db/events.js';
import { inTransaction } from '../../src/db/transaction.js';

/** The context that `startEvents` needs, on a real database. */
export function eventsContext(databaseUrl: string, pool = 10) {
  const db = connect(databaseUrl, pool, () => undefined);
  const numbered: AppContext['numbered'] = new EventEmitter();
  return { db, log: pino({ level: 'silent' }), config: { databaseUrl }, numbered, wakers: createWakers() };
}

/** Brings a new test database to the service's schema. */
export async function migrateDatabase(connectionString: string): Promise<void> {
  const db = connect(connectionString, 2, () => undefined);
  await migrate(db);
  await db.destroy();
}

/** Commits one event; its package id tells it from the others. */
export async function appendOne(
  db: Db,
  type: 'PACKAGE_FAILED' | 'PACKAGE_DELIVERED' = 'PACKAGE_FAILED',
): Promise<string> {
  const packageId = createUuid();
  await inTransaction(db, async (trx) => {
    if (type === 'PACKAGE_FAILED') {
      appendEvent(trx, type, `package:${packageId}`, { packageId, failureReason: 'cancelled' });
    } else {
      const payload = { packageId, settleSignature: 'signature', refundLamports: toLamports(5n) };
      appendEvent(trx, type, `package:${packageId}`, payload);
    }
  });
  return packageId;
}

/** Waits until `condition` holds; a test that waits in vain fails by its own timeout. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}
