import { below, choose, randomOf, type Shares, shuffled } from '../draws.js';
import { type SignedHand, type Story, tellHand, tellStory } from '../stories.js';

/** How the service hears of a confirmation: as the SDK does it, not at all, or through a tool afterwards. */
export type Report = 'sdk' | 'never' | 'tool';

/** What a courier offers to do. */
export interface Offer {
  readonly from: number;
  readonly to: number;
  /** Which of the agents. */
  readonly courier: number;
  readonly costSol: number;
  /** How its courier bids, if it signs. */
  readonly hand: SignedHand;
}

/** Everything about a package that its seed decides. */
export interface PackageStory extends Story {
  /** Together they reach from the origin to the destination. */
  readonly offers: readonly Offer[];
  /** The first courier bids on another stretch before, and withdraws that. */
  readonly withdraws: boolean;
  /** By the index of the leg. */
  readonly reports: readonly Report[];
  /** Legs that are confirmed of a package that is reclaimed. */
  readonly legsKept: number;
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

const REPORTS: Shares<Report> = [
  ['sdk', 0.6],
  ['never', 0.3],
  ['tool', 0.1],
];
const WITHDRAWAL_SHARE = 0.3;
const MOST_LEGS = 3;

/** @param agents - how many there are to choose from */
export function tellPackageStory(seed: number, number: number, agents: number): PackageStory {
  const random = randomOf(seed, number);
  const stretches = STRETCHES[below(STRETCHES.length, random)] ?? [];
  const chosen = shuffled([...Array(agents).keys()], random);
  return {
    ...tellStory(number, random),
    offers: stretches.map(([from, to], index) => ({
      from,
      to,
      courier: chosen[index] ?? 0,
      costSol: (20 + below(60, random)) / 1000,
      hand: tellHand(random),
    })),
    withdraws: random() < WITHDRAWAL_SHARE,
    reports: Array.from({ length: MOST_LEGS }, () => choose(REPORTS, random)),
    legsKept: below(stretches.length, random),
  };
}
