import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toLamports } from '../../src/contract/money.js';
import { quotePackage, quoteTask, type SettledPackage } from '../../src/rules/quotes.js';

const BERLIN = { lat: 52.5, lng: 13.4 };
const KM = 1 / 111.195;

/** So many kilometres to the north of a place. */
const north = (km: number, from = BERLIN) => ({ lat: from.lat + km * KM, lng: from.lng });

const settled = (km: number, sol: number, changes: Partial<SettledPackage> = {}): SettledPackage => {
  const { origin = BERLIN } = changes;
  return {
    origin,
    destination: north(km, origin),
    weightKg: 2,
    hasTerms: false,
    paidLamports: toLamports(BigInt(Math.round(sol * 1e9))),
    formedSec: 10,
    agents: ['a'],
    ...changes,
  };
};
const wish = { origin: BERLIN, destination: north(10), weightKg: 2, hasTerms: false };
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

test('a package costs what most of the like cost for a kilometre, times its kilometres (M-90)', () => {
  const quote = quotePackage(
    [settled(10, 0.1), settled(5, 0.1), settled(20, 0.1), settled(10, 0.3), settled(10, 0.2)],
    wish,
  );
  expect(Number(quote?.expectedLamports) / 1e9).toBeCloseTo(0.2, 3);
  expect(quote).toMatchObject({ settled: 5, formedSec: 10, agents: ['a'] });
});

test('the price is the middle of where most lie, not the median between two heaps (M-90)', () => {
  const paid = [0.1, 0.1, 0.1, 0.1, 0.16, 0.17, 0.18, 0.19, 0.2];
  const quote = quotePackage(
    paid.map((sol) => settled(10, sol)),
    wish,
  );
  expect(Number(quote?.expectedLamports) / 1e9).toBeCloseTo(0.18, 6);
  expect(quote?.close).toBe(5);
  const task = { legs: 2, capabilities: [], hasTerms: false, formedSec: 1, agents: ['a'] };
  const tasks = paid.map((sol) => ({ ...task, paidLamports: toLamports(BigInt(Math.round(sol * 1e9))) }));
  const legwork = quoteTask(tasks, { legs: 1, capabilities: [], hasTerms: false });
  expect(Number(legwork?.expectedLamports) / 1e9).toBeCloseTo(0.09, 6);
});

test('what is near counts before what is far, and what has terms as it has before what has not (M-90)', () => {
  const far = { origin: north(100) };
  const near = times(5, settled(10, 0.1));
  const price = (all: SettledPackage[], hasTerms = false) =>
    Math.round(Number(quotePackage(all, { ...wish, hasTerms })?.expectedLamports) / 1e7) / 100;
  expect(price([...near, ...times(20, settled(10, 0.9, far))])).toBe(0.1);
  expect(price([...near.slice(1), ...times(20, settled(10, 0.9, far))])).toBe(0.9);
  expect(price([...near, ...times(5, settled(10, 0.5, { hasTerms: true }))], true)).toBe(0.5);
  expect(price(near, true)).toBe(0.1);
  expect(quotePackage(near, { ...wish, hasTerms: true })?.alike).toContain('with terms or without');
});

test('what goes much farther, or weighs much more, says nothing about it (M-90)', () => {
  expect(quotePackage([settled(25, 1), settled(4, 1), settled(10, 1, { weightKg: 9 })], wish)).toBeUndefined();
  expect(quotePackage([], wish)).toBeUndefined();
  expect(quoteTask([], { legs: 1, capabilities: [], hasTerms: false })).toBeUndefined();
});

test('a quote lies within its range, and does not depend on the order of what was settled (M-90)', () => {
  const one = fc.record({
    km: fc.double({ min: 0.1, max: 60, noNaN: true }),
    sol: fc.double({ min: 0.001, max: 2, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 24 }), (given) => {
      const all = given.map(({ km, sol }) => settled(km, sol));
      const quote = quotePackage(all, wish);
      if (quote === undefined) return;
      expect(quote.lowLamports).toBeLessThanOrEqual(quote.expectedLamports);
      expect(quote.expectedLamports).toBeLessThanOrEqual(quote.highLamports);
      expect(quotePackage(all.toReversed(), wish)?.expectedLamports).toBe(quote.expectedLamports);
    }),
  );
});

test('no other price in the range is as near to more of what was paid (M-90)', () => {
  const price = fc.double({ min: 0.01, max: 0.05, noNaN: true });
  fc.assert(
    fc.property(fc.array(price, { minLength: 1, maxLength: 25 }), price, (paid, other) => {
      const quote = quotePackage(
        paid.map((sol) => settled(10, sol)),
        wish,
      );
      const [low, high] = [Number(quote?.lowLamports) / 1e9, Number(quote?.highLamports) / 1e9];
      // A thousandth less than 15 %, because lamports are whole and ways are counted in metres.
      const close = (to: number) => paid.filter((sol) => Math.abs(sol / to - 1) <= 0.149).length;
      for (const one of [...paid, other].filter((sol) => sol >= low && sol <= high))
        expect(close(one)).toBeLessThanOrEqual(quote?.close ?? 0);
    }),
    // Some lie apart as far as a heap may reach, to the lamport; in the second case its middle lies just below low.
    {
      examples: [
        [[0.0233491745, 0.0172580855, 0.0294402645, 0.0315900605, 0.01], 0.01],
        [[0.0188936496785, 0.0120651855, 0.0222699275, 0.0102554075, 0.0222017035, 0.0163234865, 0.0138749615], 0.01],
      ],
    },
  );
});
