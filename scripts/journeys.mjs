// How many files and functions of the service run for five journeys: what one has to read to follow them.
// It counts by the engine's own coverage, on an instance of its own, each journey after one like it that warms up.
// Run it after `npx tsc -b`: node scripts/journeys.mjs
import { utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSolanaRpc } from '@solana/kit';
import { WebSocket } from 'ws';
import { confirmLeg, followEvents, listDigitalTask, listPackage } from '@legwork/sdk';
import { bidOnParcel, parcel, registered, UNLIMITED } from '../bench/market.mjs';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { root } from './bootstrap.mjs';

/** The engine's inspector of a process that did not expect one. */
async function inspect(pid) {
  process.kill(pid, 'SIGUSR1');
  for (;;) {
    const found = await fetch('http://127.0.0.1:9229/json/list').catch(() => sleep(50));
    const [target] = (await found?.json()) ?? [];
    if (target) return connect(target.webSocketDebuggerUrl);
  }
}

async function connect(url) {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const waiting = new Map();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
  });
  let last = 0;
  const ask = (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { ask, close: () => socket.close() };
}

/** Our functions that ran since the last call, by file. */
async function ran({ ask }) {
  const { result } = await ask('Profiler.takePreciseCoverage');
  const ours = result.filter(({ url }) => /\/packages\/[^/]+\/dist\//.test(url));
  const run = ours.map(({ functions }) =>
    functions.filter(({ functionName, ranges }) => functionName && ranges[0].count),
  );
  const counts = run.map((functions) => functions.length).filter((count) => count > 0);
  return { files: counts.length, functions: counts.reduce((sum, count) => sum + count, 0) };
}

/**
 * The five journeys. Each is prepared with the people and with what the one before it has made; what it answers is then run and
 * counted.
 */
const JOURNEYS = {
  'draft -> listed':
    async ({ shipper }) =>
    async () => ({
      item: await listPackage(shipper.client, shipper.signer, parcel('one')),
    }),
  'bid -> formed':
    async ({ courier, heard }, { item }) =>
    async () => {
      const formed = heard('SWARM_FORMED', item.id);
      await bidOnParcel(courier, item.id);
      await formed;
      return { item };
    },
  'confirm -> settled': async ({ shipper, heard }, { item }) => {
    const { swarm } = await shipper.client.getPackage({ packageId: item.id });
    const { rpcUrl } = await shipper.client.getConfig();
    return async () => {
      const settled = heard('PACKAGE_DELIVERED', item.id);
      await confirmLeg(shipper.client, createSolanaRpc(rpcUrl), shipper.signer, swarm.legs[0].id);
      await settled;
    };
  },
  'claim -> assigned': async ({ shipper, courier }) => {
    const legs = [{ instruction: 'Say how many words this has.' }];
    const wanted = { title: 'Words', description: 'Something small.', maxBudgetSol: 0.01, legs, terms: 'plain' };
    const {
      id: taskId,
      legs: made,
      paymentPerLegSol: bidSol,
    } = await listDigitalTask(shipper.client, shipper.signer, wanted);
    const leg = { taskId, legId: made[0].id, agentPubkey: courier.signer.address };
    return async () => {
      await courier.client.bidDigitalLeg({ ...leg, bidSol });
      return { leg };
    };
  },
  'result -> paid':
    async ({ courier, heard }, { leg }) =>
    async () => {
      const settled = heard('TASK_COMPLETED', leg.taskId);
      await courier.client.completeDigitalLeg({ ...leg, result: '6' });
      await settled;
    },
};

/** Hears an event of a listing, past or coming. */
function hearing(url, signal) {
  const events = [];
  const asked = new Set();
  void (async () => {
    for await (const event of followEvents({ url, since: 0, signal })) {
      events.push(event);
      for (const look of asked) look();
    }
  })().catch((error) => signal.aborted || Promise.reject(error));
  return (type, id) =>
    new Promise((resolve) => {
      const look = () => {
        const found = events.find((one) => one.type === type && (one.packageId ?? one.taskId) === id);
        if (found) resolve(found);
        else asked.add(look);
      };
      look();
    });
}

// The compiled output, not the command in one piece: that would be one file.
utimesSync(`${root}/packages/cli/dist/.tsbuildinfo`, new Date(), new Date());
const instance = await startOwnInstance(UNLIMITED);
const ended = new AbortController();
try {
  const inspector = await inspect(instance.pid);
  await inspector.ask('Profiler.enable');
  await inspector.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const people = {
    shipper: await registered(instance.url),
    courier: await registered(instance.url),
    heard: hearing(instance.url, ended.signal),
  };
  const rows = {};
  for (const round of ['warm up', 'counted']) {
    let made = {};
    for (const [name, journey] of Object.entries(JOURNEYS)) {
      const run = await journey(people, made);
      await ran(inspector);
      made = await run();
      if (round === 'counted') rows[name] = await ran(inspector);
    }
  }
  console.table(rows);
  inspector.close();
} finally {
  ended.abort();
  await instance.stop();
}
