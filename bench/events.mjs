// How many events reach subscribers a second: sockets on one service, each of which gets every event.
// Run after `npx tsc -b`: node bench/events.mjs [sockets, 1000 unless given] [events, 200 unless given]
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@legwork/postgres';
import { startOwnInstance } from '../examples/dist/demo/instance.js';

const require = createRequire(new URL('../packages/server/package.json', import.meta.url));
const pg = require('pg');
const WebSocket = require('ws');

const SOCKETS = Number(process.argv[2] ?? 1000);
const EVENTS = Number(process.argv[3] ?? 200);
/** Connections that are opened side by side. */
const AT_ONCE = 50;

function subscribe(url, heard) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
    socket.on('message', heard);
  });
}

/** One event a transaction, as the service appends them; the payload is that of a package that was delivered. */
async function append(client, count) {
  for (let index = 0; index < count; index += 1) {
    const packageId = `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
    const payload = { packageId, settleSignature: 'x'.repeat(88), refundLamports: index };
    await client.query('insert into events (type, subject, payload) values ($1, $2, $3)', [
      'PACKAGE_DELIVERED',
      `package:${packageId}`,
      payload,
    ]);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'relay-bench-events-'));
const postgres = await startPostgres({ dataDir: folder, log: () => undefined });
const instance = await startOwnInstance({
  DATABASE_URL: postgres.connectionString,
  LIMIT_READS: '0',
  LIMIT_EVENT_SOCKETS: '0',
});
const sockets = [];
try {
  let received = 0;
  let first;
  let last;
  const heard = () => {
    received += 1;
    last = performance.now();
    first ??= last;
  };
  const url = `${instance.url.replace('http', 'ws')}/ws`;
  while (sockets.length < SOCKETS) {
    const some = Math.min(AT_ONCE, SOCKETS - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: some }, () => subscribe(url, heard)))));
  }
  const client = new pg.Client(postgres.connectionString);
  await client.connect();
  await append(client, EVENTS);
  await client.end();
  while (received < SOCKETS * EVENTS) await new Promise((resolve) => setTimeout(resolve, 20));
  const seconds = (last - first) / 1000;
  process.stdout.write(
    `${EVENTS} events to ${SOCKETS} sockets: ${received} deliveries in ${seconds.toFixed(2)} s, ` +
      `${Math.round(received / seconds)} a second (the subscribers share this machine)\n`,
  );
} finally {
  for (const socket of sockets) socket.terminate();
  await instance.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
