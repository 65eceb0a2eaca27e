/** What one kill hits. */
export type Target = 'service' | 'ledger' | 'postgres' | 'all';

/** A kill: of what, and when. */
export interface Kill {
  readonly target: Target;
  /** It falls so many steps of agents after the instance was ready, */
  readonly steps: number;
  /** and so many milliseconds after that step began. */
  readonly delayMs: number;
  /** Whether PostgreSQL's supervisor dies with its server. */
  readonly supervisorToo: boolean;
  /** Which of the two services, when it hits a service; undefined: both. */
  readonly service: 0 | 1 | undefined;
}

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

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

const MOST_STEPS = 16;
/** About the longest step. */
const LONGEST_DELAY_MS = 250;

/** `kills` of each target, in random order. */
export function planKills(targets: readonly Target[], kills: number, random: Random): Kill[] {
  const each = targets.flatMap((target) => Array.from({ length: kills }, () => target));
  return shuffled(each, random).map((target) => ({
    target,
    steps: 1 + Math.floor(random() * MOST_STEPS),
    delayMs: random() * LONGEST_DELAY_MS,
    supervisorToo: target === 'all' || random() < 0.5,
    service: target === 'all' ? undefined : ([0, 1, undefined] as const)[Math.floor(random() * 3)],
  }));
}
