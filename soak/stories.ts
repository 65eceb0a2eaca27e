import { type Random, seededRandom, shuffled } from './plan.js';

/**
 * How a package comes to be: listed by its shipper, who tells the service or nobody; or sponsored, posted over REST or
 * with a tool, under a name that makes repeats safe, or without one.
 */
export type Posting = 'reported' | 'silent' | 'sponsored' | 'tool' | 'unnamed';

/**
 * What its people have in mind. `raced`: the shipper cancels while the swarm forms. `reclaimed`: the last courier
 * vanishes. `forgotten`: nobody carries it.
 */
export type Fate = 'delivered' | 'cancelled' | 'raced' | 'reclaimed' | 'forgotten';

/** How the service hears of a confirmation: as the SDK does it, not at all, or through a tool afterwards. */
export type Report = 'sdk' | 'never' | 'tool';

/** What a courier offers to do. */
export interface Offer {
  readonly from: number;
  readonly to: number;
  /** Which of the couriers. */
  readonly courier: number;
  readonly costSol: number;
  /** Bid with a tool, unsigned, instead of over REST. */
  readonly byTool: boolean;
}

/** Everything about a package that its seed decides. */
export interface Story {
  readonly number: number;
  readonly posting: Posting;
  readonly fate: Fate;
  /** Together they reach from the origin to the destination. */
  readonly offers: readonly Offer[];
  /** The first courier bids on another stretch before, and withdraws that. */
  readonly withdraws: boolean;
  /** By the index of the leg. */
  readonly reports: readonly Report[];
  /** How long after the last bid began the shipper cancels, in a race. */
  readonly cancelsAfterMs: number;
  /** Legs that are confirmed of a package that is reclaimed. */
  readonly legsKept: number;
  /** The shipper takes back the rent of its package at the end. */
  readonly closes: boolean;
}

/** The stretches of a package, from stop to stop, by how many there are. */
const STRETCHES: readonly (readonly [number, number])[][] = [
  [[0, 3]],
  [
    [0, 2],
    [2, 3],
  ],
  [
    [0, 1],
    [1, 2],
    [2, 3],
  ],
];

const FATES: readonly (readonly [Fate, number])[] = [
  ['delivered', 0.58],
  ['cancelled', 0.14],
  ['raced', 0.1],
  ['reclaimed', 0.1],
  ['forgotten', 0.08],
];
const POSTINGS: readonly (readonly [Posting, number])[] = [
  ['reported', 0.4],
  ['silent', 0.25],
  ['sponsored', 0.2],
  ['tool', 0.15],
];
/** Only its own shipper's money is raced for: the coordinator would close the package meanwhile. */
const OWN_POSTINGS: typeof POSTINGS = [
  ['reported', 0.6],
  ['silent', 0.4],
];
const REPORTS: readonly (readonly [Report, number])[] = [
  ['sdk', 0.6],
  ['never', 0.3],
  ['tool', 0.1],
];
const TOOL_SHARE = 0.4;
const WITHDRAWAL_SHARE = 0.3;
const CLOSING_SHARE = 0.3;
const MOST_LEGS = 3;
/** About as long as it takes to form a swarm. */
const LONGEST_HESITATION_MS = 200;

function choose<T>(shares: readonly (readonly [T, number])[], random: Random): T {
  let left = random();
  for (const [item, share] of shares) {
    left -= share;
    if (left < 0) return item;
  }
  const last = shares.at(-1);
  if (!last) throw new RangeError('There is nothing to choose from.');
  return last[0];
}

function postingFor(fate: Fate, random: Random): Posting {
  if (fate === 'forgotten') return 'unnamed';
  return choose(fate === 'raced' ? OWN_POSTINGS : POSTINGS, random);
}

/** The story of a soak's package of this number, the same for every run with this seed. */
export function tellStory(seed: number, number: number, couriers: number): Story {
  const random = seededRandom(seed ^ Math.imul(number + 1, 0x9e3779b1));
  const fate = choose(FATES, random);
  const stretches = STRETCHES[Math.floor(random() * STRETCHES.length)] ?? [];
  const chosen = shuffled([...Array(couriers).keys()], random);
  return {
    number,
    fate,
    posting: postingFor(fate, random),
    offers: stretches.map(([from, to], index) => ({
      from,
      to,
      courier: chosen[index] ?? 0,
      costSol: (20 + Math.floor(random() * 60)) / 1000,
      byTool: random() < TOOL_SHARE,
    })),
    withdraws: random() < WITHDRAWAL_SHARE,
    reports: Array.from({ length: MOST_LEGS }, () => choose(REPORTS, random)),
    cancelsAfterMs: random() * LONGEST_HESITATION_MS,
    legsKept: Math.floor(random() * stretches.length),
    closes: random() < CLOSING_SHARE,
  };
}
