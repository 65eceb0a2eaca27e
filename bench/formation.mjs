// How long a bid takes to become a formed swarm: POST /bids sent -> SWARM_FORMED received, on an instance of its own.
// Run it after `npm run build`: node bench/formation.mjs [packages, 100 unless given]
import { performance } from 'node:perf_hooks';
import { followEvents, listPackage } from '@legwork/sdk';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { bidOnParcel, cpuOf, PACKAGES_A_SHIPPER, parcel, registered, summary, UNLIMITED } from './market.mjs';

const PACKAGES = Number(process.argv[2] ?? 100);

async function main() {
  const instance = await startOwnInstance(UNLIMITED);
  const ended = new AbortController();
  try {
    const { url } = instance;
    const courier = await registered(url);
    const formedAt = new Map();
    let heard = () => undefined;
    void (async () => {
      for await (const event of followEvents({ url, since: 0, topics: ['SWARM_FORMED'], signal: ended.signal })) {
        formedAt.set(event.packageId, performance.now());
        heard();
      }
    })().catch((error) => {
      if (!ended.signal.aborted) throw error;
    });

    const items = [];
    let shipper;
    for (let index = 0; index < PACKAGES; index += 1) {
      if (index % PACKAGES_A_SHIPPER === 0) shipper = await registered(url);
      items.push(await listPackage(shipper.client, shipper.signer, parcel(`bench ${index}`)));
    }

    const times = [];
    const before = await cpuOf(instance.pid);
    for (const item of items) {
      const formed = new Promise((resolve) => {
        heard = () => formedAt.has(item.id) && resolve(formedAt.get(item.id));
      });
      const sentAt = performance.now();
      await bidOnParcel(courier, item.id);
      heard();
      times.push((await formed) - sentAt);
    }
    const after = await cpuOf(instance.pid);
    const [service, others] = after.map((ms, index) => ((ms - before[index]) / PACKAGES).toFixed(1));
    console.log(`bid -> SWARM_FORMED over ${PACKAGES} packages, one after the other: ${summary(times)}`);
    console.log(`CPU a formation: service ${service} ms, PostgreSQL and ledger ${others} ms`);
  } finally {
    ended.abort();
    await instance.stop();
  }
}

await main();
