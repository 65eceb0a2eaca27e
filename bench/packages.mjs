// How many packages a second live their whole life, from the listing to the settlement: three bids, two legs, each confirmed.
// Many are under way at once. Run it after `npm run build`: node bench/packages.mjs [packages, 200 unless given] [at once, 16 unless given] [counts]
// With `counts` it also says what one package takes: statements, RPCs, writes and so on. Counting makes all the rest slower.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { confirmLeg, followEvents, listPackage } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { cpuOf, PACKAGES_A_SHIPPER, parcel, registered, UNLIMITED } from './market.mjs';

const PACKAGES = Number(process.argv[2] ?? 200);
const AT_ONCE = Number(process.argv[3] ?? 16);
const COUNTS =
  process.argv[4] === 'counts' ? join(await mkdtemp(join(tmpdir(), 'legwork-counts-')), 'counts.json') : undefined;
const COUNTED = new URL('counted.mjs', import.meta.url).href;
const counting = COUNTS && { LEGWORK_COUNTS: COUNTS, NODE_OPTIONS: `--import ${COUNTED}` };

/** What the service has asked for so far, by name; nothing when it is not counted. */
async function countsOf(pid) {
  if (COUNTS === undefined) return {};
  await rm(COUNTS, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(COUNTS, 'utf8').catch(() => '');
    if (text.endsWith('}')) return JSON.parse(text);
    await sleep(10);
  }
}

function showCounts(before, after) {
  const perPackage = Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / PACKAGES]);
  const names = perPackage
    .filter(([, count]) => count >= 0.05)
    .toSorted(([a, most], [b, least]) => a.split(':')[0].localeCompare(b.split(':')[0]) || least - most);
  for (const [name, count] of names) console.log(`${count.toFixed(1).padStart(9)}  ${name}`);
}

const ORIGIN = { pickupLat: 52.5208, pickupLng: 13.3989 };
const MEETING = { lat: 52.515, lng: 13.435 };
const DESTINATION = { dropoffLat: 52.5031, dropoffLng: 13.4694 };
const FIRST = { ...ORIGIN, dropoffLat: MEETING.lat, dropoffLng: MEETING.lng, distanceKm: 3, costSol: 0.002 };
const SECOND = { pickupLat: MEETING.lat, pickupLng: MEETING.lng, ...DESTINATION, distanceKm: 3, costSol: 0.002 };
const DEARER = { ...FIRST, costSol: 0.003 };

/** Resolves when the event of this type came for the package. */
function eventsOf(url, signal) {
  const seen = new Map();
  const waiting = new Map();
  void (async () => {
    for await (const event of followEvents({ url, since: 0, topics: ['SWARM_FORMED', 'PACKAGE_DELIVERED'], signal })) {
      const key = `${event.type} ${event.packageId}`;
      seen.set(key, true);
      waiting.get(key)?.();
    }
  })().catch((error) => {
    if (!signal.aborted) throw error;
  });
  return (type, id) =>
    new Promise((resolve) => {
      const key = `${type} ${id}`;
      if (seen.has(key)) resolve();
      else waiting.set(key, resolve);
    });
}

async function live({ shipper, couriers, rpc, came }, index) {
  const { id } = await listPackage(shipper.client, shipper.signer, parcel(`bench ${index}`));
  const bid = ({ client, signer }, offer) =>
    client.submitBid({ packageId: id, agentPubkey: signer.address, estimatedDurationMin: 20, ...offer });
  await Promise.all([bid(couriers[0], FIRST), bid(couriers[2], DEARER)]);
  // Only with this one there is a chain.
  await bid(couriers[1], SECOND);
  await came('SWARM_FORMED', id);
  const { swarm } = await shipper.client.getPackage({ packageId: id });
  for (const leg of swarm.legs) {
    const next = swarm.legs[leg.legIndex + 1];
    const recipient = next ? couriers.find(({ signer }) => signer.address === next.agentPubkey) : shipper;
    await confirmLeg(recipient.client, rpc, recipient.signer, leg.id);
  }
  await came('PACKAGE_DELIVERED', id);
}

const instance = await startOwnInstance({ ...UNLIMITED, ...counting });
const ended = new AbortController();
try {
  const { url } = instance;
  const came = eventsOf(url, ended.signal);
  const couriers = await Promise.all([registered(url), registered(url), registered(url)]);
  const shippers = await Promise.all(
    Array.from({ length: Math.ceil(PACKAGES / PACKAGES_A_SHIPPER) }, () => registered(url)),
  );
  const rpc = createSolanaRpc((await shippers[0].client.getConfig()).rpcUrl);
  let index = 0;
  const begun = performance.now();
  const [before, counted] = [await cpuOf(instance.pid), await countsOf(instance.pid)];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (index < PACKAGES) {
        const own = index++;
        await live({ shipper: shippers[own % shippers.length], couriers, rpc, came }, own);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const [service, others] = (await cpuOf(instance.pid)).map((ms, at) => ((ms - before[at]) / PACKAGES).toFixed(1));
  console.log(
    `${PACKAGES} packages, ${AT_ONCE} at once: ${(PACKAGES / seconds).toFixed(1)} a second from listing to settlement`,
  );
  console.log(`CPU a package: service ${service} ms, PostgreSQL and ledger ${others} ms`);
  showCounts(counted, await countsOf(instance.pid));
} finally {
  ended.abort();
  await instance.stop();
}
