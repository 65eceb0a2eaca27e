import { getEventListeners } from 'node:events';
import { setImmediate as nextRound } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../src/logging/createLogger.js';
import { withService } from '../support/service.js';

const service = withService({ logTo: openLog('/dev/full'), settings: () => ({ LOG_LEVEL: 'info' }) });

test('however much waits at once for the database and the ledger, Node has nothing to warn of', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on('warning', note);
  const context = await service.current.context();
  onTestFinished(async () => {
    process.off('warning', note);
    await Promise.all([context.db.destroy(), context.limits.close()]);
  });

  const { db, ledger, patience } = context;
  const waits = Array.from({ length: 30 }, () => [
    sql`select pg_sleep(0.1)`.execute(db),
    ledger.rpc.getSlot({ commitment: 'confirmed' }).send(),
  ]);
  await Promise.all(waits.flat());
  await nextRound();
  expect(warnings).toEqual([]);
  // All that waits hears of the end by one listener.
  expect(getEventListeners(patience.givenUp, 'abort')).toHaveLength(1);
});

test('a log that cannot be written changes no answer (S-82)', async () => {
  const { url } = service.current.server;
  expect((await fetch(`${url}/packages`)).status).toBe(200);
  await sql`alter table agents rename to agents_away`.execute(service.current.db);
  const broken = await fetch(`${url}/agents`);
  expect([broken.status, await broken.json()]).toEqual([500, expect.objectContaining({ code: 'internal_error' })]);
  await sql`alter table agents_away rename to agents`.execute(service.current.db);
  expect((await fetch(`${url}/agents`)).status).toBe(200);
});
