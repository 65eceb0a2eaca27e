// How long a bid takes to become a formed swarm: POST /bids sent -> SWARM_FORMED received, on an instance of its own.
// Run it after `npm run build`: node bench/formation.mjs [packages, 100 unless given]
import { performance } from 'node:perf_hooks';
import { createRelayClient, followEvents, listPackage } from '@agent-relay/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { startOwnInstance } from '../examples/dist/demo/instance.js';

const PACKAGES = Number(process.argv[2] ?? 100);
const PACKAGES_A_SHIPPER = 50;
/** The bench asks more often than a client may. */
const UNLIMITED = { LIMIT_BIDS: '0', LIMIT_WRITES: '0', LIMIT_READS: '0' };
const BERLIN = { originLat: 52.5208, originLng: 13.3989, destLat: 52.5031, destLng: 13.4694 };

async function registered(url) {
  const signer = await generateKeyPairSigner();
  const client = createRelayClient({ url, signer });
  await client.registerAgent({ agentPubkey: signer.address });
  return { signer, client };
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

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

    const times = [];
    let shipper;
    for (let index = 0; index < PACKAGES; index += 1) {
      if (index % PACKAGES_A_SHIPPER === 0) shipper = await registered(url);
      const item = await listPackage(shipper.client, shipper.signer, {
        ...BERLIN,
        description: `bench ${index}`,
        weightKg: 1,
        volumeLitres: 1,
        maxBudgetSol: 0.01,
      });
      const formed = new Promise((resolve) => {
        heard = () => formedAt.has(item.id) && resolve(formedAt.get(item.id));
      });
      const sentAt = performance.now();
      await courier.client.submitBid({
        packageId: item.id,
        agentPubkey: courier.signer.address,
        pickupLat: BERLIN.originLat,
        pickupLng: BERLIN.originLng,
        dropoffLat: BERLIN.destLat,
        dropoffLng: BERLIN.destLng,
        distanceKm: 6,
        estimatedDurationMin: 20,
        costSol: 0.005,
      });
      heard();
      times.push((await formed) - sentAt);
    }
    times.sort((a, b) => a - b);
    console.log(
      `bid -> SWARM_FORMED over ${PACKAGES} packages, one after the other: ` +
        `p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms, ` +
        `slowest ${times.at(-1).toFixed(1)} ms`,
    );
  } finally {
    ended.abort();
    await instance.stop();
  }
}

await main();
