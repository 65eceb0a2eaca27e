import { checkBid } from '@legwork/protocol/rules';
import { solRules } from '../src/wallet/assetRules.js';
import { greatCircleKm, SOL, toLamports } from '@legwork/sdk';
import type { Bid, Coordinate } from '@legwork/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { couldCarry, errandOf, legalBid } from '../src/courier/legalBid.js';
import { bestStretch, isInTime, mightJoin } from '../src/courier/stretch.js';
import { questionsOf } from '../src/engine/ownWork.js';
import type { Parcel } from '../src/engine/search.js';
import { policySchema } from '../src/index.js';
import type { Policy } from '../src/index.js';

const NOW = Date.UTC(2026, 0, 5, 6);
const HOUR_MS = 3_600_000;

/** Within some 30 km, so that many stretches are possible; now and then anywhere on earth. */
const place = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      lat: fc.double({ min: 52.4, max: 52.6, noNaN: true }),
      lng: fc.double({ min: 13.2, max: 13.6, noNaN: true }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lng: fc.double({ min: -180, max: 180, noNaN: true }),
    }),
  },
);
const sol = fc.integer({ min: 0, max: 10_000_000 }).map((lamports) => lamports / 1e9);
const pair = ({ lat, lng }: Coordinate) => [lat, lng];

const policy = fc
  .record({
    ways: fc.array(fc.record({ from: place, to: place }), { minLength: 1, maxLength: 3 }),
    isAtHome: fc.boolean(),
    maxDetourKm: fc.integer({ min: 0, max: 20 }),
    radiusKm: fc.integer({ min: 1, max: 40 }),
    price: fc.record({ base: sol, perKm: sol, perHour: sol, margin: fc.nat(99).map((percent) => `${percent}%`) }),
    minPayment: sol,
    maxKg: fc.integer({ min: 1, max: 60 }),
  })
  .map(({ ways, isAtHome, maxDetourKm, radiusKm, price, minPayment, maxKg }) =>
    policySchema.parse({
      key: 'a.json',
      limits: { minPayment },
      courier: {
        ...(isAtHome
          ? { home: pair(ways[0]?.from ?? { lat: 0, lng: 0 }), radiusKm }
          : { itinerary: ways.map(({ from, to }) => ({ from: pair(from), to: pair(to) })), maxDetourKm }),
        price,
        vehicle: { maxKg },
      },
    }),
  );

const parcel = fc
  .record({
    origin: place,
    destination: place,
    weightKg: fc.integer({ min: 0, max: 60 }),
    volumeLitres: fc.integer({ min: 0, max: 150 }),
    budget: fc.bigInt({ min: 1n, max: 2_000_000_000n }),
    hours: fc.integer({ min: -1, max: 100 }),
  })
  .map(({ origin, destination, weightKg, volumeLitres, budget, hours }) => ({
    packageId: 'p',
    shipperPubkey: 'shipper',
    originLat: origin.lat,
    originLng: origin.lng,
    destLat: destination.lat,
    destLng: destination.lng,
    text: '',
    weightKg,
    volumeLitres,
    ...SOL,
    maxPay: toLamports(budget),
    deadline: new Date(NOW + hours * HOUR_MS),
  }))
  // Only what the rules read.
  .map((view) => view as unknown as Parcel);

const bids = fc
  .array(fc.record({ pickup: place, dropoff: place, agentPubkey: fc.constantFrom('courier', 'other') }), {
    maxLength: 15,
  })
  .map((all) =>
    all.map(
      ({ pickup, dropoff, agentPubkey }) =>
        ({
          agentPubkey,
          pickupLat: pickup.lat,
          pickupLng: pickup.lng,
          dropoffLat: dropoff.lat,
          dropoffLng: dropoff.lng,
        }) as Bid,
    ),
  );

const carried = { kg: 2, litres: 5 };

function stretchOf(view: Parcel, live: readonly Bid[], rules: Policy) {
  if (
    !rules.courier ||
    !couldCarry(view, { pubkey: 'courier', policy: rules, assets: [solRules(rules)], carried }, NOW)
  )
    return undefined;
  return bestStretch(errandOf(view, live, 'courier'), rules.courier);
}

describe("a courier's rules", () => {
  test('find for every input a stretch within detour, vehicle and way, or none (A-30)', () => {
    const fits: string[] = [];
    fc.assert(
      fc.property(policy, parcel, bids, (rules, view, live) => {
        const courier = rules.courier;
        const stretch = stretchOf(view, live, rules);
        if (!stretch || !courier) return;
        fits.push(stretch.fit);
        const { pickup, dropoff, way, share, detourKm } = stretch;
        expect(view.weightKg + carried.kg).toBeLessThanOrEqual(courier.vehicle.maxKg);
        expect(view.volumeLitres + carried.litres).toBeLessThanOrEqual(courier.vehicle.maxLitres);
        expect(share).toBeGreaterThan(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(detourKm).toBeLessThanOrEqual(way ? courier.maxDetourKm : courier.radiusKm);
        const others = live.filter(({ agentPubkey }) => agentPubkey === 'other');
        const { origin, destination } = errandOf(view, [], 'courier');
        const starts = [origin, ...others.map((bid) => ({ lat: bid.dropoffLat, lng: bid.dropoffLng }))];
        const ends = [destination, ...others.map((bid) => ({ lat: bid.pickupLat, lng: bid.pickupLng }))];
        const isAt = (places: Coordinate[], at: Coordinate) => places.some((one) => greatCircleKm(one, at) === 0);
        const joined = [isAt(starts, pickup), isAt(ends, dropoff)];
        expect(joined).toContain(true);
        expect(stretch.fit === 'hopes' || !joined.includes(false)).toBe(true);
        expect(greatCircleKm(dropoff, destination)).toBeLessThan(greatCircleKm(pickup, destination));
      }),
      { numRuns: 2_000 },
    );
    for (const fit of ['whole', 'joins', 'hopes']) expect(fits.filter((one) => one === fit).length).toBeGreaterThan(20);
  });

  test('make only bids that the service takes, at a price that the policy takes (A-31, M-7, M-16)', () => {
    let found = 0;
    fc.assert(
      fc.property(
        policy,
        parcel,
        bids,
        fc.integer({ min: 0, max: 300 }),
        fc.double({ min: 0.9, max: 3, noNaN: true }),
        (rules, view, live, durationMin, factor) => {
          const stretch = stretchOf(view, live, rules);
          if (!stretch) return;
          const distanceKm = Math.ceil(greatCircleKm(stretch.pickup, stretch.dropoff) * factor * 1000) / 1000;
          const bid = legalBid(view, stretch, { distanceKm, durationMin }, { policy: rules, of: solRules(rules) }, NOW);
          if (!bid) return;
          found += 1;
          const { lowest, rule, highest } = bid.price;
          expect(lowest <= rule && rule <= highest).toBe(true);
          expect(lowest >= rules.limits.minPayment).toBe(true);
          // A share of the budget, in millionths.
          expect(highest <= (view.maxPay * BigInt(Math.round(stretch.share * 1e6))) / 1_000_000n).toBe(true);
          for (const costLamports of [lowest, rule, highest]) {
            const terms = { agentPubkey: 'courier', ...bid, costLamports };
            const target = {
              ...view,
              asset: SOL,
              status: 'listed' as const,
              budgetLamports: view.maxPay,
              deadlineMs: view.deadline.getTime(),
            };
            expect(checkBid(terms, target, NOW)).toBeUndefined();
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(found).toBeGreaterThan(20);
  });

  test('whatever suits whole begins where its courier looks for work (A-116)', () => {
    let found = 0;
    fc.assert(
      fc.property(policy, parcel, (rules, view) => {
        const stretch = stretchOf(view, [], rules);
        if (stretch?.fit !== 'whole') return;
        found += 1;
        const circles = questionsOf(rules, ['package', 'opening']).flatMap(({ near, radiusKm = 0 }) => {
          const [lat, lng] = near?.split(',').map(Number) ?? [];
          return lat === undefined || lng === undefined ? [] : [{ center: { lat, lng }, radiusKm }];
        });
        const isFound = circles.some(({ center, radiusKm }) => greatCircleKm(center, stretch.pickup) <= radiusKm);
        expect(isFound).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(found).toBeGreaterThan(20);
  });

  test('read bids of others wherever these could make a stretch of the own way possible (A-30)', () => {
    fc.assert(
      fc.property(policy, parcel, bids, (rules, view, live) => {
        const courier = rules.courier;
        if (!courier?.itinerary || courier.maxDetourKm > 2) return;
        const stretch = stretchOf(view, live, rules);
        if (stretch?.fit !== 'joins' || stretch.detourKm > 0.001) return;
        expect(mightJoin(errandOf(view, [], 'courier'), courier)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('bid for no parcel that would come too late, by days and hours of the itinerary (A-30)', () => {
    const days = fc.option(fc.uniqueArray(fc.nat(6), { minLength: 1 }), { nil: undefined });
    const hours = fc.option(
      fc.tuple(fc.nat(1439), fc.nat(1440)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b, 1) })),
      { nil: undefined },
    );
    fc.assert(
      fc.property(days, hours, fc.nat(600), fc.nat(9 * 1440), fc.nat(7 * 1440), (on, between, minutes, left, later) => {
        const nowMs = NOW + later * 60_000;
        const deadlineMs = nowMs + left * 60_000;
        const way = { days: on, between };
        // Minute by minute until it may set out.
        let arrives = Infinity;
        for (let setsOut = nowMs; setsOut <= deadlineMs && arrives === Infinity; setsOut += 60_000) {
          const at = new Date(setsOut);
          const minute = at.getHours() * 60 + at.getMinutes();
          if (on && !on.includes((at.getDay() + 6) % 7)) continue;
          if (!between || (minute >= between.from && minute <= between.to)) arrives = setsOut + minutes * 60_000;
        }
        expect(isInTime(way, minutes, deadlineMs, nowMs)).toBe(arrives <= deadlineMs);
      }),
    );
  });
});
