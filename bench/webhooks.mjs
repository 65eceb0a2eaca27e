// The cost of filtered subscribers beside unfiltered ones, in processor time of the service, and how many events webhooks post a second.
// Run after `npx tsc -b`: node bench/webhooks.mjs [sockets, 1000 unless given] [events, 200 unless given] [webhooks, 100 unless given]
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@legwork/postgres';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { createLegworkClient } from '../packages/sdk/dist/index.js';
import { usageOf } from './processes.mjs';

const require = createRequire(new URL('../packages/server/package.json', import.meta.url));
const pg = require('pg');
const WebSocket = require('ws');
const { generateKeyPairSigner } = require('@solana/kit');

const SOCKETS = Number(process.argv[2] ?? 1000);
const EVENTS = Number(process.argv[3] ?? 200);
const WEBHOOKS = Number(process.argv[4] ?? 100);
/** Connections that are opened side by side. */
const AT_ONCE = 50;
const AGENT = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const BERLIN = { lat: 52.52, lng: 13.4 };

let nextId = 0;
const newId = () => {
  nextId += 1;
  return `01900000-0000-7000-8000-${nextId.toString(16).padStart(12, '0')}`;
};

function subscribe(url, heard) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
    socket.on('message', heard);
  });
}

/** A listing and a bid on it, each in a transaction of its own, as the service appends them. */
async function append(client, count, packages) {
  for (let index = 0; index < count; index += 2) {
    const packageId = packages[index / 2] ?? newId();
    const subject = `package:${packageId}`;
    const listed = {
      packageId,
      shipperPubkey: AGENT,
      origin: BERLIN,
      destination: BERLIN,
      maxBudgetLamports: 5,
      deadline: '2030-01-01T00:00:00.000Z',
      onChainPackage: AGENT,
      listSignature: 'x'.repeat(88),
    };
    const bid = { packageId, bidId: newId(), agentPubkey: AGENT };
    const insert = 'insert into events (type, subject, payload) values ($1, $2, $3)';
    await client.query(insert, ['PACKAGE_LISTED', subject, listed]);
    await client.query(insert, ['BID_STORED', subject, bid]);
  }
}

/** Sockets that ask for this, and what telling them takes. */
async function measure({ instance, client }, { name, queryOf, packages = [], expected = SOCKETS * EVENTS }) {
  let received = 0;
  const sockets = [];
  const url = `${instance.url.replace('http', 'ws')}/ws`;
  while (sockets.length < SOCKETS) {
    const some = Math.min(AT_ONCE, SOCKETS - sockets.length);
    const opened = Array.from({ length: some }, (_, index) =>
      subscribe(`${url}?${queryOf(sockets.length + index)}`, () => (received += 1)),
    );
    sockets.push(...(await Promise.all(opened)));
  }
  const before = (await usageOf(instance.pid)).cpuSec;
  await append(client, EVENTS, packages);
  while (received < expected) await sleep(20);
  const cpuSec = (await usageOf(instance.pid)).cpuSec - before;
  for (const socket of sockets) socket.terminate();
  await sleep(500);
  process.stdout.write(`${name}: ${received} deliveries, ${cpuSec.toFixed(2)} s of processor\n`);
  return cpuSec;
}

async function measureSubscribers(parts) {
  const all = { name: `${SOCKETS} subscribers of everything`, queryOf: () => '' };
  await measure(parts, { ...all, name: 'once, to be warm' });
  const plain = await measure(parts, all);
  const packages = Array.from({ length: EVENTS / 2 }, newId);
  const filtered = {
    'what concerns a key': { queryOf: () => `agent=${AGENT}` },
    'what is near': { queryOf: () => 'near=52.5,13.4&radiusKm=100' },
    'a package each': {
      queryOf: (index) => `package=${packages[index % packages.length]}`,
      packages,
      expected: 2 * SOCKETS,
    },
  };
  for (const [name, more] of Object.entries(filtered)) {
    const cost = await measure(parts, { name: `${SOCKETS} subscribers of ${name}`, ...more });
    process.stdout.write(`  ${(cost / plain).toFixed(2)} of what those of everything cost\n`);
  }
}

async function measureWebhooks({ instance, client }) {
  let taken = 0;
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { data } = JSON.parse(body);
      if (data.challenge === undefined) taken += 1;
      response.end(JSON.stringify({ answer: data.challenge }));
    });
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const owner = createLegworkClient({ url: instance.url, signer: await generateKeyPairSigner() });
  for (let index = 0; index < WEBHOOKS; index += 1) {
    await owner.registerWebhook({ url: `http://127.0.0.1:${receiver.address().port}/` });
  }
  const begun = performance.now();
  const before = (await usageOf(instance.pid)).cpuSec;
  await append(client, EVENTS, []);
  while (taken < WEBHOOKS * EVENTS) await sleep(20);
  const seconds = (performance.now() - begun) / 1000;
  const cpuSec = (await usageOf(instance.pid)).cpuSec - before;
  process.stdout.write(
    `${EVENTS} events to ${WEBHOOKS} webhooks of one address: ${Math.round(taken / seconds)} a second, ` +
      `${((cpuSec / taken) * 1000).toFixed(2)} ms of processor each (receivers share this machine)\n`,
  );
  receiver.closeAllConnections();
  receiver.close();
}

const folder = await mkdtemp(join(tmpdir(), 'relay-bench-webhooks-'));
const postgres = await startPostgres({ dataDir: folder, log: () => undefined });
const instance = await startOwnInstance({
  DATABASE_URL: postgres.connectionString,
  LIMIT_READS: '0',
  LIMIT_WRITES: '0',
  LIMIT_EVENT_SOCKETS: '0',
  LIMIT_WEBHOOKS: '0',
  LIMIT_WEBHOOKS_PER_ADDRESS: '0',
  WEBHOOK_TARGETS: 'any',
});
const client = new pg.Client(postgres.connectionString);
try {
  await client.connect();
  await measureSubscribers({ instance, client });
  await measureWebhooks({ instance, client });
} finally {
  await client.end();
  await instance.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
