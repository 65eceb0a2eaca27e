import { type Lamports, toLamports } from '../contract/money.js';
import { type Coordinate, greatCircleKm } from './geo.js';

/**
 * Something like what is asked about that was settled: what it paid, a package at the scores of today, and to
 * whom.
 */
interface Settled {
  readonly hasTerms: boolean;
  readonly paidLamports: Lamports;
  /** From its listing, or the end of its bidding window, until it had its agents, seconds. */
  readonly formedSec: number;
  readonly agents: readonly string[];
}
export interface SettledPackage extends Settled {
  readonly origin: Coordinate;
  readonly destination: Coordinate;
  readonly weightKg: number;
}
export interface SettledTask extends Settled {
  readonly legs: number;
  readonly capabilities: readonly string[];
}

export interface PackageWish extends Pick<SettledPackage, 'origin' | 'destination' | 'hasTerms'> {
  readonly weightKg: number | undefined;
}
export type TaskWish = Pick<SettledTask, 'legs' | 'capabilities' | 'hasTerms'>;

/** The expected cost of a listing, by what was settled. */
export interface Quote {
  readonly expectedLamports: Lamports;
  readonly lowLamports: Lamports;
  readonly highLamports: Lamports;
  readonly formedSec: number;
  /** The agents paid for similar ones. */
  readonly agents: readonly string[];
  /** How many the price was found from. */
  readonly settled: number;
  /** How many of these lie within 15 % of it. */
  readonly close: number;
  /** How they are like it, in words. */
  readonly alike: string;
}

/** So many have to be alike before the search for them ends; a price is found from so many at most. */
const ENOUGH = 5;
const MOST = 25;
/** The distance from a price, in percent of it, within which another is as good. */
export const CLOSE_PERCENT = 15;
/** Prices move: of what is alike only so many count, the newest. */
const NEWEST = 100;
/**
 * Of a package that is alike: how far away it may begin, kilometres, and by which factors distance and weight
 * may differ.
 */
const RADII_KM = [25, 250, Infinity];
const DISTANCE_FACTOR = 2;
const WEIGHT_FACTOR = 4;

/** The way in metres: of the shortest a kilometre counts. */
const metresOf = ({ origin, destination }: Pick<SettledPackage, 'origin' | 'destination'>) =>
  Math.max(1_000, Math.round(greatCircleKm(origin, destination) * 1_000));

const isWithinFactor = (one: number, other: number, factor: number) => one <= other * factor && other <= one * factor;

const compare = (one: bigint | number, other: bigint | number) => (one < other ? -1 : one > other ? 1 : 0);

/** The element that so many tenths of the others lie below. */
function tenth<T extends bigint | number>(values: readonly T[], tenths: number): T {
  const sorted = values.toSorted(compare);
  const value = sorted[Math.round(((sorted.length - 1) * tenths) / 10)];
  if (value === undefined) throw new RangeError('a quote of nothing');
  return value;
}

const isClose = (one: bigint, price: bigint) =>
  one * 100n >= price * BigInt(100 - CLOSE_PERCENT) && one * 100n <= price * BigInt(100 + CLOSE_PERCENT);

/**
 * The price between low and high that most of the prices are close to: the middle of those, and of
 * several such middles the one nearest to the median. Couriers' prices lie in heaps, one for each
 * courier of a way, and a median lies at the edge of a heap as easily as in the middle of one.
 */
function middleOfMost(prices: readonly bigint[], low: bigint, high: bigint): bigint {
  const median = tenth(prices, 5);
  const farness = (price: bigint) => (price < median ? median - price : price - median);
  const middles = prices.map((lowest) => {
    // Both ends are close to the middle as it is rounded, or a heap would not be close to its own price.
    const heap = prices.filter((one) => {
      const middle = (lowest + one) / 2n;
      return one >= lowest && isClose(lowest, middle) && isClose(one, middle);
    });
    const middle = (lowest + tenth(heap, 10)) / 2n;
    const price = middle < low ? low : middle > high ? high : middle;
    return { price, size: prices.filter((one) => isClose(one, price)).length };
  });
  const most = Math.max(...middles.map(({ size }) => size));
  const [nearest = median] = middles
    .filter(({ size }) => size === most)
    .map(({ price }) => price)
    .toSorted((one, other) => compare(farness(one), farness(other)) || compare(one, other));
  return nearest;
}

/** The first of the sets that holds enough; else the largest of them. */
function firstWithEnough<T>(sets: readonly { alike: string; of: readonly T[] }[]) {
  const most = Math.max(...sets.map(({ of }) => of.length));
  return sets.find(({ of }) => of.length >= Math.min(ENOUGH, most)) ?? { alike: '', of: [] };
}

function quoteOf<T extends Settled>(
  all: readonly T[],
  closest: readonly T[],
  alike: string,
  priceOf: (one: T) => bigint,
) {
  const prices = closest.map(priceOf);
  const [low, high] = [tenth(prices, 1), tenth(prices, 9)];
  const expected = middleOfMost(prices, low, high);
  return {
    expectedLamports: toLamports(expected),
    lowLamports: toLamports(low),
    highLamports: toLamports(high),
    close: prices.filter((one) => isClose(one, expected)).length,
    formedSec: tenth(
      closest.map(({ formedSec }) => formedSec),
      5,
    ),
    agents: [...new Set(all.flatMap(({ agents }) => agents))],
    settled: closest.length,
    alike,
  };
}

/**
 * The payment that couriers would get for the package: the price that most of 25 packages are close to, of what
 * a kilometre of them pays, times its kilometres. These are, of the newest hundred that are alike, those whose
 * way is most as long. A package is alike if it begins within 25 km, else 250, else anywhere, goes half to
 * twice as far and weighs a quarter to four times as much; with the same kind of terms, if any is. Rule M-90.
 *
 * @param settled newest first
 * @returns undefined when nothing like it was settled
 */
export function quotePackage(settled: readonly SettledPackage[], wish: PackageWish): Quote | undefined {
  const metres = metresOf(wish);
  const similar = settled.filter(
    (one) =>
      isWithinFactor(metresOf(one), metres, DISTANCE_FACTOR) &&
      (wish.weightKg === undefined || isWithinFactor(one.weightKg, wish.weightKg, WEIGHT_FACTOR)),
  );
  const bound = similar.filter(({ hasTerms }) => hasTerms === wish.hasTerms);
  const found = firstWithEnough([
    ...RADII_KM.map((radiusKm) => ({
      alike: `${radiusKm === Infinity ? 'anywhere' : `that began within ${radiusKm} km`}, ${wish.hasTerms ? 'with' : 'without'} terms`,
      of: bound.filter(({ origin }) => radiusKm === Infinity || greatCircleKm(origin, wish.origin) <= radiusKm),
    })),
    { alike: 'anywhere, with terms or without', of: similar },
  ]);
  if (found.of.length === 0) return undefined;
  const ratio = (one: SettledPackage) => Math.abs(Math.log(metresOf(one) / metres));
  const closest = found.of
    .slice(0, NEWEST)
    .toSorted((one, other) => compare(ratio(one), ratio(other)))
    .slice(0, MOST);
  const priceOf = (one: SettledPackage) => (one.paidLamports * BigInt(metres)) / BigInt(metresOf(one));
  return quoteOf(found.of, closest, found.alike, priceOf);
}

/**
 * The payment that agents would get for the digital task: the price that most of the
 * 25 newest tasks are close to, of what they paid for a leg, times its legs. Those
 * count that require what it requires; with the same kind of terms, if any do.
 *
 * @param settled newest first
 * @returns undefined when nothing like it was settled
 */
export function quoteTask(settled: readonly SettledTask[], wish: TaskWish): Quote | undefined {
  const able = settled.filter(({ capabilities }) => wish.capabilities.every((one) => capabilities.includes(one)));
  const required = wish.capabilities.length === 0 ? '' : ' that require the same';
  const found = firstWithEnough([
    {
      alike: `${wish.hasTerms ? 'with' : 'without'} terms${required}`,
      of: able.filter(({ hasTerms }) => hasTerms === wish.hasTerms),
    },
    { alike: `with terms or without${required}`, of: able },
  ]);
  if (found.of.length === 0) return undefined;
  const priceOf = ({ paidLamports, legs }: SettledTask) => (paidLamports * BigInt(wish.legs)) / BigInt(legs);
  return quoteOf(found.of, found.of.slice(0, MOST), found.alike, priceOf);
}
