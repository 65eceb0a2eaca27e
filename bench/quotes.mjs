// How far the price at which a package forms lies from what a quote said when it was listed, in a market that daemons play: couriers with
// prices of their own a kilometre, shippers who post all over the city. What was quoted before anything was settled does not count.
// Packages go to the first chain that is whole, so what couriers ask apart from each other no quote can know: `spread` is how far at most,
// in percent of 0.004 SOL a kilometre.
//   node bench/quotes.mjs [minutes, 6 unless given] [couriers, 20 unless given] [spread, 25 unless given]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PLACES } from '../examples/dist/demo/agents/cast.js';
import { agentsPlot } from '../examples/dist/demo/agents/plot.js';
import { startOwnInstance } from '../examples/dist/demo/instance.js';
import { tellStory } from '../examples/dist/demo/story.js';
import { UNLIMITED } from './market.mjs';

const [minutes = 6, couriers = 20, spread = 25] = process.argv.slice(2).map(Number);
/** The goal: so much of the packages form within so much of the quote. */
const [WITHIN, SHARE] = [0.15, 0.9];

const courier = (_, index) => {
  const { lat, lng } = PLACES[index % PLACES.length];
  return {
    name: `C${index}`,
    role: 'courier',
    policy: {
      courier: {
        home: [lat, lng],
        radiusKm: 6 + (index % 7),
        price: { perKm: Number((0.004 * (1 + (((index % 11) - 5) / 5) * (spread / 100))).toFixed(6)) },
        handoff: { how: 'auto' },
        vehicle: { maxKg: 60, maxLitres: 300 },
      },
      limits: { legsAtOnce: 8, minPayment: 0.003 },
    },
  };
};

const quotes = new Map();
const formed = new Map();

/** Asks for a quote of each package as it is listed, and reads at which price it forms. */
async function watch(client) {
  for (const parcel of (await client.listPackages({ limit: 100 })).items) {
    const { id, status, originLat, originLng, destLat, destLng, weightKg } = parcel;
    if (!quotes.has(id)) {
      const isNew = status === 'listed';
      const places = { originLat, originLng, destLat, destLng, weightKg };
      const terms = parcel.terms === null ? 'plain' : { arbiterPubkey: parcel.terms.arbiterPubkey };
      quotes.set(id, isNew ? await client.quote({ ...places, terms }) : null);
    }
    if (formed.has(id) || !['in_transit', 'delivered'].includes(status)) continue;
    const { swarm } = await client.getPackage({ packageId: id });
    formed.set(id, swarm.totalLamports);
  }
}

function tell() {
  const all = [...formed].filter(([id]) => quotes.get(id));
  const known = all.filter(([id]) => quotes.get(id).expectedLamports !== null);
  const off = known.map(([id, price]) => Number(price) / Number(quotes.get(id).expectedLamports) - 1);
  const within = known.filter(
    ([id, price]) => price >= quotes.get(id).lowLamports && price <= quotes.get(id).highLamports,
  );
  const close = off.filter((share) => Math.abs(share) <= WITHIN).length / off.length;
  const sorted = off.map(Math.abs).toSorted((a, b) => a - b);
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  console.log(
    `${all.length} packages were quoted and formed, ${all.length - known.length} of them before anything like them was settled`,
  );
  console.log(
    `within ${percent(WITHIN)} of the quote: ${percent(close)} (goal ${percent(SHARE)}); in its range: ${percent(within.length / known.length)}`,
  );
  console.log(
    `off by ${percent(sorted[Math.floor(sorted.length / 2)])} in the middle, ${percent(sorted[Math.floor(sorted.length * 0.9)])} at nine tenths`,
  );
  return close >= SHARE;
}

const home = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
const instance = await startOwnInstance({ ...UNLIMITED, NEWCOMER_IP_SOL: '1', NEWCOMER_DAY_SOL: '2' });
const plot = agentsPlot({
  groups: { couriers: Array.from({ length: couriers }, courier) },
  shippers: Array.from({ length: 6 }, (_, index) => `S${index}`),
  posters: [],
  postEveryMs: 2_000,
  drainMs: 20_000,
  disturb: async (_, { client }) => {
    for (const end = Date.now() + minutes * 60_000; Date.now() < end; await pause(500)) await watch(client);
  },
});
try {
  await tellStory(plot, { url: instance.url, home, resume: false, say: () => undefined });
  process.exitCode = tell() ? 0 : 1;
} finally {
  await instance.stop();
  await rm(home, { recursive: true, force: true });
}
