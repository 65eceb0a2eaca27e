// How long the choice of a chain takes: 1,000, 10,000 and 100,000 bids around a route of 60 km, each the median of some runs.
// Run after `npx tsc -b`: node bench/optimizer.mjs
import { toLamports } from '../packages/protocol/dist/contract/index.js';
import { findBestRoute } from '../packages/protocol/dist/rules/index.js';

const KM = 1 / 111.2;
const LAT = 52.5;
const LNG = 13;
const KM_EAST = KM / Math.cos((LAT * Math.PI) / 180);
const LENGTH_KM = 60;
const WIDTH_KM = 6;
const RUNS = 9;

/** Numbers from 0 to 1, the same in every run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function scene(count, agents) {
  const random = numbers(1);
  const place = () => ({
    lat: LAT + (random() - 0.5) * WIDTH_KM * KM,
    lng: LNG + random() * LENGTH_KM * KM_EAST,
  });
  return Array.from({ length: count }, (_, index) => {
    const [pickup, dropoff] = [place(), place()].sort((a, b) => a.lng - b.lng);
    const distanceKm = 1.2 * Math.hypot((dropoff.lat - pickup.lat) / KM, (dropoff.lng - pickup.lng) / KM_EAST) + 0.1;
    return {
      id: `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
      agentPubkey: `agent ${Math.floor(random() * agents)}`,
      pickup,
      dropoff,
      distanceKm,
      costLamports: toLamports(BigInt(Math.floor(1e6 + distanceKm * (3e6 + random() * 4e6)))),
      rho: Math.floor(random() * 101),
    };
  });
}

function measure(name, count, agents, budgetSol) {
  const bids = scene(count, agents);
  const target = {
    origin: { lat: LAT, lng: LNG },
    destination: { lat: LAT, lng: LNG + LENGTH_KM * KM_EAST },
    budgetLamports: toLamports(BigInt(Math.round(budgetSol * 1e9))),
    shipperPubkey: 'shipper',
    deadlineMs: 72 * 3_600_000,
  };
  const options = { evaluatedAtMs: 0, now: () => performance.now(), timeBoundMs: 60_000 };
  let found;
  const times = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    found = findBestRoute(target, bids, options);
    return performance.now() - started;
  }).sort((a, b) => a - b);
  const median = times[Math.floor(RUNS / 2)].toFixed(1);
  process.stdout.write(
    `${name.padEnd(38)} ${median.padStart(8)} ms  ${found.bids.length} legs, ${found.exact ? 'exact' : 'cut short'}\n`,
  );
}

measure('1,000 bids', 1_000, 1_000, 1);
measure('10,000 bids', 10_000, 10_000, 1);
measure('10,000 bids of 300 agents', 10_000, 300, 1);
measure('10,000 bids, budget just enough', 10_000, 10_000, 0.19);
measure('10,000 bids, budget never enough', 10_000, 10_000, 0.15);
measure('100,000 bids', 100_000, 100_000, 1);
