export type Random = () => number;

/** Numbers from 0 to below 1 that follow from the seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What decides about the story of this number, the same for every run with this seed. */
export function randomOf(seed: number, number: number): Random {
  return seededRandom(seed ^ Math.imul(number + 1, 0x9e3779b1));
}

export function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

/** What can be drawn, each with its share; together they are 1. */
export type Shares<T> = readonly (readonly [T, number])[];

export function choose<T>(shares: Shares<T>, random: Random): T {
  let left = random();
  for (const [value, share] of shares) {
    left -= share;
    if (left < 0) return value;
  }
  const last = shares.at(-1);
  if (!last) throw new RangeError('There is nothing to choose from.');
  return last[0];
}

/** A whole number from 0 to below the bound. */
export function below(bound: number, random: Random): number {
  return Math.floor(random() * bound);
}
