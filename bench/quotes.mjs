// How far the price at which a package forms lies from what a quote said when it was listed, in a market that daemons play: couriers with
// prices of their own a kilometre, shippers who post all over the city. Quotes before anything was settled do not count.
// Packages go to the first chain that is whole, so no quote can know how couriers' prices differ: `spread` is how far at most,
// in percent of 0.004 SOL a kilometre. So it says too what this market allows: how often the next package of the same way formed as near to
// the one before, and how often it would lie as near to the best price of its way, which is known afterwards alone.
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

/** The quote for each package when it was listed; null: it had formed by then. */
const quotes = new Map();
/** The first swarm of each. */
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
    formed.set(id, swarm);
  }
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const at = (values, share) => values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;

/** A package that was quoted: how far off the quote was, and what may have made it so. */
function resultOf(id) {
  const [quote, { totalLamports, legs }] = [quotes.get(id), formed.get(id)];
  const cost = legs.reduce((sum, leg) => sum + Number(leg.costLamports), 0);
  const roadKm = legs.reduce((sum, leg) => sum + leg.distanceKm, 0);
  return {
    off: Number(totalLamports) / Number(quote.expectedLamports) - 1,
    isInRange: totalLamports >= quote.lowLamports && totalLamports <= quote.highLamports,
    settled: quote.basis.settled,
    legs: legs.length,
    km: quote.distanceKm,
    bonus: Number(totalLamports) / cost - 1,
    costPerKm: cost / 1e9 / roadKm,
    paid: Number(totalLamports),
    way: [legs[0].pickupLat, legs[0].pickupLng, legs.at(-1).dropoffLat, legs.at(-1).dropoffLng].join(),
  };
}

/** The errors of groups beside each other. */
function tellBy(name, results, groupOf) {
  const groups = [...new Set(results.map(groupOf))].toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b));
  const rows = groups.map((group) => {
    const offs = results.filter((result) => groupOf(result) === group).map(({ off }) => off);
    const sorted = offs.toSorted((a, b) => a - b);
    return {
      [name]: group,
      packages: offs.length,
      [`within ${percent(WITHIN)}`]: percent(offs.filter((off) => Math.abs(off) <= WITHIN).length / offs.length),
      'a tenth is below': percent(at(sorted, 0.1)),
      'in the middle': percent(at(sorted, 0.5)),
      'a tenth is above': percent(at(sorted, 0.9)),
    };
  });
  console.table(rows);
}

const stepOf = (value, steps) => `${steps.filter((step) => step <= value).at(-1) ?? 0} and more`;

const isNear = (price, to) => Math.abs(price / to - 1) <= WITHIN;

/** The bounds that no quote can beat. */
function tellBounds(results) {
  const ways = [...new Set(results.map(({ way }) => way))].map((way) =>
    results.filter((result) => result.way === way).map(({ paid }) => paid),
  );
  const next = ways.flatMap((prices) => prices.slice(1).map((price, index) => isNear(price, prices[index])));
  const best = ways.map((prices) => {
    const candidates = prices.flatMap((one) => prices.map((other) => (one + other) / 2));
    return Math.max(...candidates.map((to) => prices.filter((price) => isNear(price, to)).length));
  });
  console.log(
    `this market: of two packages one after the other on the same of ${ways.length} ways ${percent(next.filter(Boolean).length / next.length)} formed ` +
      `within ${percent(WITHIN)} of each other; within that of the best price of their way: ${percent(best.reduce((a, b) => a + b) / results.length)}`,
  );
}

function tell() {
  const all = [...formed.keys()].filter((id) => quotes.get(id));
  const results = all.filter((id) => quotes.get(id).expectedLamports !== null).map(resultOf);
  const close = results.filter(({ off }) => Math.abs(off) <= WITHIN).length / results.length;
  const sorted = results.map(({ off }) => Math.abs(off)).toSorted((a, b) => a - b);
  console.log(
    `${all.length} packages were quoted and formed, ${all.length - results.length} of them before anything like them was settled`,
  );
  console.log(
    `within ${percent(WITHIN)} of the quote: ${percent(close)} (goal ${percent(SHARE)}); in its range: ${percent(results.filter(({ isInRange }) => isInRange).length / results.length)}`,
  );
  console.log(`off by ${percent(at(sorted, 0.5))} in the middle, ${percent(at(sorted, 0.9))} at nine tenths`);
  tellBounds(results);
  tellBy('legs', results, ({ legs }) => `${legs}`);
  tellBy('km', results, ({ km }) => stepOf(km, [0, 3, 5, 7, 9, 12, 15]));
  tellBy('bonus by scores, percent', results, ({ bonus }) => `${Math.round(bonus * 20) * 5}`);
  tellBy('settled ones known', results, ({ settled }) => stepOf(settled, [0, 5, 10, 20, 25]));
  tellBy('asked a road kilometre, SOL', results, ({ costPerKm }) => (Math.round(costPerKm * 4000) / 4000).toFixed(5));
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
