import type { KeyObject } from 'node:crypto';
import { createLegworkClient, type Fetch, LegworkApiError, type LegworkClient } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { sql } from 'kysely';
import { afterEach } from 'vitest';
import type { Config } from '../../src/config.js';
import type { AppContext } from '../../src/context.js';
import type { Db } from '../../src/db/connect.js';
import { startEvents } from '../../src/events/fanout.js';
import { startSequencer } from '../../src/events/sequencer.js';
import { buildHttp, drainHttp } from '../../src/http/httpServer.js';
import { runs } from '../../src/operations/index.js';
import { startWebhooks } from '../../src/webhooks/deliver.js';
import { appendOne } from '../events/log.js';
import { testContext } from '../http/service.js';
import { Receiver } from './receiver.js';

/** A service that posts to loopback. */
export interface Hooks {
  context: AppContext;
  url: string;
  /** Commits events, one a package. @returns the ids of their packages */
  append(count: number): Promise<string[]>;
  /** A client of a new key, at an address. */
  client(from?: string): Promise<LegworkClient>;
  stop(): Promise<void>;
}

const ends: ((hasFailed: boolean) => unknown)[] = [];
afterEach(async ({ task }) => {
  for (const end of ends.splice(0).reverse()) await end(task.result?.state === 'fail');
});

export async function startReceiver(): Promise<Receiver> {
  const receiver = await Receiver.start();
  ends.push(() => receiver.stop());
  return receiver;
}

/** @param decisionKey of another replica */
export async function startHooks(
  databaseUrl: string,
  departures: Partial<Config> = {},
  decisionKey?: KeyObject,
): Promise<Hooks> {
  const webhooks = { targets: 'any', perKey: 20, perAddress: 100 } as const;
  const logged: string[] = [];
  const context = await testContext(databaseUrl, logged, { webhooks, trustProxy: ['127.0.0.1'], ...departures });
  if (decisionKey) context.ledger = { ...context.ledger, decisionKey };
  else await context.db.deleteFrom('webhooks').execute();
  const app = await buildHttp(context, runs);
  const events = await startEvents(context);
  const loops = [startSequencer(context), startWebhooks(context, events.fanout)];
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await Promise.all([drainHttp(app), events.stop(), ...loops.map((loop) => loop.stop())]);
    await context.db.destroy();
  };
  const hooks: Hooks = {
    context,
    url,
    append: async (count) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) ids.push(await appendOne(context.db));
      context.wakers.sequencer.wake();
      return ids;
    },
    client: async (from = '192.0.2.1') => {
      const at: Fetch = (input, init) => {
        const headers = new Headers(init?.headers);
        headers.set('x-forwarded-for', from);
        return fetch(input, { ...init, headers });
      };
      return createLegworkClient({ url, signer: await generateKeyPairSigner(), fetch: at });
    },
    stop: () => (stopped ??= stop()),
  };
  ends.push(async (hasFailed) => {
    if (hasFailed) await tellOf(context.db, logged).catch(() => undefined);
    await hooks.stop();
  });
  return hooks;
}

/** Says what its service knew last: a delivery that does not come has many reasons. */
async function tellOf(db: Db, logged: readonly string[]): Promise<void> {
  const rows = await db.selectFrom('webhooks').selectAll().execute();
  const columns = rows.map((row) =>
    JSON.stringify({ ...row, sealed: '' }, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  process.stderr.write([...logged.slice(-100), ...columns, ''].join('\n'));
}

/** Lets time pass for receivers that fail: their tries are that much older, and the next one that much nearer. */
export async function passHours(db: Db, hours: number): Promise<void> {
  const passed = sql`make_interval(hours => ${hours})`;
  await sql`update webhooks set available_at = available_at - ${passed}, failing_since = failing_since - ${passed}`.execute(
    db,
  );
}

/** Of each package, the events in the order in which they are in the log. */
export async function logOf(db: Db, after: number): Promise<number[]> {
  const rows = await db.selectFrom('events').select('seq').where('seq', '>', BigInt(after)).orderBy('seq').execute();
  return rows.map(({ seq }) => Number(seq));
}

/** A webhook of a new key. */
export async function registered(hooks: Hooks, { url, secret }: Receiver, more: object = {}) {
  const owner = await hooks.client();
  return { owner, hook: await owner.registerWebhook({ url, secret, ...more }) };
}

/** The refusal of a call. */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ code: string; field: string | undefined; message: string }> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof LegworkApiError)) throw new Error(`not refused: ${String(error)}`);
  return { code: error.code, field: error.errors[0]?.field, message: error.message };
}
