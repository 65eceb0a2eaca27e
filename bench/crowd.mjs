// The effect of a crowd of bids on one package: bids a second while it fills up, and how long the bid that completes a chain then
// takes to become a formed swarm. Run after `npx tsc -b`: node bench/crowd.mjs [bids, 5000 unless given] [at once, 16 unless given]
import { followEvents, listPackage } from '@legwork/sdk';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { cpuOf, lightFetch, registered, UNLIMITED } from './market.mjs';

const BIDS = Number(process.argv[2] ?? 5000);
const BIDS_A_COURIER = 90;
const AT_ONCE = Number(process.argv[3] ?? 16);
const ORIGIN = { lat: 52.5, lng: 13 };
const DESTINATION = { lat: 52.5, lng: 13.88 };

function bid({ signer }, packageId, from, to, costSol) {
  return {
    packageId,
    agentPubkey: signer.address,
    pickupLat: from.lat,
    pickupLng: from.lng,
    dropoffLat: to.lat,
    dropoffLng: to.lng,
    distanceKm: 70,
    estimatedDurationMin: 60,
    costSol,
    expiresInSec: 3600,
  };
}

/** Somewhere along the way, but never near its end: these bids alone make no chain. */
const place = () => ({ lat: 52.48 + Math.random() * 0.04, lng: 13 + Math.random() * 0.8 });

/** CPU milliseconds of this process so far. */
function ownCpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function fill(couriers, packageId) {
  let next = 0;
  const worker = async () => {
    while (next < BIDS) {
      const courier = couriers[next % couriers.length];
      next += 1;
      await courier.client.submitBid(
        bid(courier, packageId, place(), place(), (10 + Math.floor(Math.random() * 100)) / 1000),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const instance = await startOwnInstance(UNLIMITED);
const ended = new AbortController();
try {
  const { url } = instance;
  const shipper = await registered(url);
  const couriers = await Promise.all(
    Array.from({ length: Math.ceil(BIDS / BIDS_A_COURIER) }, () => registered(url, { fetch: lightFetch })),
  );
  const { id } = await listPackage(shipper.client, shipper.signer, {
    originLat: ORIGIN.lat,
    originLng: ORIGIN.lng,
    destLat: DESTINATION.lat,
    destLng: DESTINATION.lng,
    description: 'what everybody wants to carry',
    weightKg: 1,
    volumeLitres: 1,
    maxBudgetSol: 0.5,
    terms: 'plain',
  });
  const formed = (async () => {
    for await (const event of followEvents({ url, since: 0, topics: ['SWARM_FORMED'], signal: ended.signal })) {
      return event;
    }
    return undefined;
  })();
  const before = [...(await cpuOf(instance.pid)), ownCpu()];
  const begun = performance.now();
  await fill(couriers, id);
  const seconds = (performance.now() - begun) / 1000;
  const after = [...(await cpuOf(instance.pid)), ownCpu()];
  const [service, others, own] = after.map((ms, index) => ((ms - before[index]) / BIDS).toFixed(2));
  const [winner] = couriers;
  const sent = performance.now();
  await winner.client.submitBid(bid(winner, id, ORIGIN, DESTINATION, 0.4));
  const answered = performance.now();
  await formed;
  process.stdout.write(
    `${BIDS} bids on one package by ${couriers.length} couriers: ${Math.round(BIDS / seconds)} a second; then one that completes ` +
      `a chain: answered in ${(answered - sent).toFixed(0)} ms, formed in ${(performance.now() - sent).toFixed(0)} ms\n` +
      `CPU a bid: service ${service} ms, PostgreSQL and ledger ${others} ms, those who bid ${own} ms\n`,
  );
} finally {
  ended.abort();
  await instance.stop();
}
