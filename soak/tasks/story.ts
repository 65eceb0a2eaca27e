import { below, choose, type Random, randomOf, type Shares, shuffled } from '../plan.js';
import { type SignedHand, type Story, tellHand, tellStory } from '../stories.js';

/**
 * The mishap of the first agent that has a leg. `releases`: it gives the leg back. `wavers`: it gives the leg
 * back and hands in at once. `vanishes`: its time runs out. `late`: it hands in just when its time runs out.
 */
export type Mishap = 'none' | 'releases' | 'wavers' | 'vanishes' | 'late';

/** How a result is handed in: once, twice at once, or at once with another result. */
export type Delivery = 'once' | 'twice' | 'torn';

/** Everything about a leg that the seed decides. */
export interface LegStory {
  /** Which of the agents may have it, in the order in which they try. Nobody is in two legs of a task. */
  readonly agents: readonly number[];
  /** How many of them want it at once. */
  readonly rivals: number;
  /** How an agent claims it that signs, */
  readonly claims: SignedHand;
  /** and how it hands in. */
  readonly delivers: SignedHand;
  readonly mishap: Mishap;
  /** How much after its time an agent that is late hands in. */
  readonly lateMs: number;
  readonly delivery: Delivery;
  /** Tries what is refused: to hand in before its turn, in another's place, unsigned for one who signs, or once more. */
  readonly isProbed: boolean;
  /** Withdraws its reservation, if it has one, and claims the leg again. */
  readonly withdraws: boolean;
  readonly resultCharacters: number;
}

/** Everything about a digital task that its seed decides. */
export interface TaskStory extends Story {
  readonly legs: readonly LegStory[];
  /** The service splits it into legs. */
  readonly isPlanned: boolean;
  /** All legs are claimed before the first one is worked on. */
  readonly isEager: boolean;
  readonly claimTimeoutSec: number;
  /** Before it is cancelled somebody has its first leg and gives it back. */
  readonly isTried: boolean;
  /** Legs that are completed of a task that is reclaimed. */
  readonly legsKept: number;
  /** The last agent of a task that is reclaimed hands in when that happens. */
  readonly isContested: boolean;
}

/** Longer than any outage. */
const PATIENT_SEC = 1_800;
/** The shortest there is. */
const SHORT_SEC = 60;

const MISHAPS: Shares<Mishap> = [
  ['none', 0.7],
  ['releases', 0.15],
  ['wavers', 0.15],
];
const TIME_OUTS: Shares<Mishap> = [
  ['vanishes', 0.5],
  ['late', 0.5],
];
const DELIVERIES: Shares<Delivery> = [
  ['once', 0.4],
  ['twice', 0.3],
  ['torn', 0.3],
];
/** The longest takes as long as several kills. */
const LENGTHS: Shares<number> = [
  [40, 0.75],
  [20_000, 0.2],
  [200_000, 0.05],
];
const MOST_LEGS = 4;
const MOST_RIVALS = 4;
const LATE_WITHIN_MS = 400;
const PROBED_SHARE = 0.4;
const WITHDRAWAL_SHARE = 0.3;
const PLANNED_SHARE = 0.25;
const EAGER_SHARE = 0.5;
const TRIED_SHARE = 0.5;
const CONTESTED_SHARE = 0.6;

/** Reports whether an agent may run out of time although the story does not say so: outages take as long. */
export function isShort({ claimTimeoutSec }: TaskStory): boolean {
  return claimTimeoutSec < PATIENT_SEC;
}

function tellLeg(agents: readonly number[], random: Random): LegStory {
  return {
    agents,
    rivals: 1 + below(Math.min(MOST_RIVALS, agents.length), random),
    claims: tellHand(random),
    delivers: tellHand(random),
    mishap: choose(MISHAPS, random),
    lateMs: (random() - 0.5) * 2 * LATE_WITHIN_MS,
    delivery: choose(DELIVERIES, random),
    isProbed: random() < PROBED_SHARE,
    withdraws: random() < WITHDRAWAL_SHARE,
    resultCharacters: choose(LENGTHS, random),
  };
}

/** The legs, each with agents of its own. */
function tellLegs(count: number, agents: number, random: Random): LegStory[] {
  const chosen = shuffled([...Array(agents).keys()], random);
  return Array.from({ length: count }, (_, leg) =>
    tellLeg(
      chosen.filter((_agent, rank) => rank % count === leg),
      random,
    ),
  );
}

/** @param agents - how many there are to choose from */
export function tellTaskStory(seed: number, number: number, agents: number): TaskStory {
  const random = randomOf(seed, number);
  const legs = tellLegs(1 + below(MOST_LEGS, random), agents, random);
  return {
    ...tellStory(number, random),
    legs,
    isPlanned: random() < PLANNED_SHARE,
    isEager: random() < EAGER_SHARE,
    claimTimeoutSec: PATIENT_SEC,
    isTried: random() < TRIED_SHARE,
    legsKept: below(legs.length, random),
    isContested: random() < CONTESTED_SHARE,
  };
}

/** A task of one or two legs, one of which somebody has until the time for it runs out. */
export function tellSlowTaskStory(seed: number, number: number, agents: number): TaskStory {
  const random = randomOf(seed, number);
  const story = tellTaskStory(seed, number, agents);
  const legs = tellLegs(1 + below(2, random), agents, random);
  const slow = below(legs.length, random);
  return {
    ...story,
    ...tellStory(number, random, 'completed'),
    legs: legs.map((leg, index) => ({ ...leg, mishap: index === slow ? choose(TIME_OUTS, random) : 'none' })),
    claimTimeoutSec: SHORT_SEC,
  };
}
