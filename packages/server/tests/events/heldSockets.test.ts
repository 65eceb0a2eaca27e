import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config.js';
import type { AppContext } from '../../src/context.js';
import { startSequencer } from '../../src/events/sequencer.js';
import { type Events, startEvents } from '../../src/events/fanout.js';
import { testContext, UNLIMITED } from '../http/service.js';
import { withTestDatabase } from '../support/database.js';
import { Listener, refusal } from './client.js';
import { appendOne, migrateDatabase, until } from './log.js';

const database = withTestDatabase(migrateDatabase);

interface Streams {
  context: AppContext;
  events: Events;
  server: Server;
  port: number;
  url: string;
}

async function startStreams(departures: Partial<Config> = {}): Promise<Streams> {
  const context = await testContext(database.connectionString, [], { trustProxy: ['127.0.0.1'], ...departures });
  const events = await startEvents(context);
  const sequencer = startSequencer(context);
  const server = createServer();
  events.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await Promise.all([events.stop(), sequencer.stop()]);
    server.close();
    await Promise.all([context.db.destroy(), context.limits.close()]);
  });
  const { port } = server.address() as AddressInfo;
  return { context, events, server, port, url: `ws://127.0.0.1:${port}/ws` };
}

/** Asks for an upgrade and never ends its own side. */
async function ask({ port }: Streams, path: string): Promise<{ socket: Socket; ended: Promise<unknown> }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).resume();
  const ended = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  await once(socket, 'connect');
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n` +
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  return { socket, ended };
}

const openConnections = ({ server }: Streams) =>
  new Promise<number>((resolve) => {
    server.getConnections((_error, count) => resolve(count));
  });

const from = (client: string) => ({ headers: { 'x-forwarded-for': client } });

/** Nothing can be read from the log until `release`. */
async function holdTheLog({ db }: AppContext): Promise<() => Promise<void>> {
  const trx = await db.startTransaction().execute();
  await sql`lock table events in access exclusive mode`.execute(trx);
  const release = async () => void (trx.isRolledBack || (await trx.rollback().execute()));
  onTestFinished(release);
  return release;
}

describe('a refused upgrade', () => {
  test('[S-32] is closed by the service, also where its client keeps its own side open', async () => {
    const streams = await startStreams();
    const asked = await Promise.all(Array.from({ length: 20 }, () => ask(streams, '/no-such-path')));
    await Promise.all(asked.map(({ ended }) => ended));
    await expect.poll(() => openConnections(streams)).toBe(0);
  });
});

describe('one address', () => {
  test('[S-79] holds so many event sockets and no more, until one of them ends', async () => {
    const streams = await startStreams({ eventSocketsPerAddress: 3 });
    const [first] = await Promise.all([1, 2, 3].map(() => new Listener(streams.url, from('192.0.2.1')).opened()));
    const { status, body } = await refusal(streams.url, from('192.0.2.1'));
    expect([status, body['code']]).toEqual([429, 'rate_limited']);
    expect(body['detail']).toBe('3 event sockets are held open for one address here; close one of them first.');
    await new Listener(streams.url, from('192.0.2.2')).opened();
    await first?.end();
    await until(() => streams.events.openSockets() === 3);
    await new Listener(streams.url, from('192.0.2.1')).opened();
  });

  test('[S-18] uses up a read for each upgrade it asks for, whatever the path', async () => {
    const streams = await startStreams({ limits: { ...UNLIMITED, reads: 3 } });
    const elsewhere = `${new URL(streams.url).origin}/elsewhere`;
    expect((await refusal(elsewhere, from('192.0.2.3'))).status).toBe(404);
    expect((await refusal(`${streams.url}?since=x`, from('192.0.2.3'))).status).toBe(400);
    await new Listener(streams.url, from('192.0.2.3')).opened();
    const { status, body, retryAfter } = await refusal(streams.url, from('192.0.2.3'));
    expect([status, body['code']]).toEqual([429, 'rate_limited']);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    await new Listener(streams.url, from('192.0.2.4')).opened();
  });
});

describe('replays', () => {
  test('[S-80] take turns, so that others find a connection to the database', async () => {
    const streams = await startStreams();
    await appendOne(streams.context.db);
    streams.context.wakers.sequencer.wake();
    const live = await new Listener(`${streams.url}?since=0`).opened();
    await live.until(1);
    const release = await holdTheLog(streams.context);
    const readers = await Promise.all(
      Array.from({ length: 40 }, () => new Listener(`${streams.url}?since=0`).opened()),
    );
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(streams.context.db);
    expect(rows).toEqual([{ one: 1 }]);
    await release();
    await Promise.all(readers.map((reader) => reader.until(1)));
  });
});

describe('stopping', () => {
  test('[S-44] ends sockets whose upgrade is not decided yet', async () => {
    const streams = await startStreams();
    const release = await holdTheLog(streams.context);
    // A number beyond the newest event is looked up in the log.
    const { ended } = await ask(streams, '/ws?since=1000000');
    await expect.poll(() => openConnections(streams)).toBe(1);
    const stopped = streams.events.stop();
    await ended;
    await expect.poll(() => openConnections(streams)).toBe(0);
    await release();
    await stopped;
  });
});
