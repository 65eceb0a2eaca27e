import { below, choose, type Random, randomOf, type Shares, shuffled } from '../plan.js';
import { type SignedHand, type Story, tellHand } from '../stories.js';

/**
 * The fate of a package with terms. `healed`: a courier accepts and does not come, and another one takes its
 * place. `unsigned`: nobody confirms, and the clock pays. `ruled`: the shipper disputes, and the arbiter divides.
 */
export type Plot = 'healed' | 'unsigned' | 'ruled';

/**
 * The fate of a digital task with terms. `verified`: of two legs the poster confirms the first, and the
 * receiver the second one. `unread`: nobody confirms, and the clock pays. `judged`: the receiver disputes,
 * and the arbiter divides. `rejected`: the poster disputes, the arbiter leaves nothing, and another agent
 * does it. `left`: its agent leaves in time, `overdue`: its agent is silent, and another one does it.
 */
export type TaskPlot = 'verified' | 'unread' | 'judged' | 'rejected' | 'left' | 'overdue';

const PLOTS: readonly Plot[] = ['healed', 'unsigned', 'ruled'];
const TASK_PLOTS: readonly TaskPlot[] = ['verified', 'judged', 'unread', 'left', 'overdue', 'rejected'];

/** The seed's decisions on anything with terms. */
interface BoundStory extends Story {
  /** Which of those who have reputation accounts of their own take part, by their roles. */
  readonly workers: readonly number[];
  readonly stakeSol: number;
  /** The share of the payment that the arbiter leaves. */
  readonly percent: number;
}

/** Everything about a package with terms that its seed decides. */
export interface TermsStory extends BoundStory {
  readonly plot: Plot;
  readonly costSol: number;
}

/** Everything about a digital task with terms that its seed decides. */
export interface TaskTermsStory extends BoundStory {
  readonly plot: TaskPlot;
  /** How its agents claim legs. */
  readonly claims: SignedHand;
}

const POSTINGS: Shares<'reported' | 'silent'> = [
  ['reported', 0.6],
  ['silent', 0.4],
];
const CLOSING_SHARE = 0.5;

function tellBound(number: number, workers: number, random: Random): BoundStory {
  return {
    number,
    fate: 'completed',
    posting: choose(POSTINGS, random),
    cancelsAfterMs: 0,
    isAlone: false,
    closes: random() < CLOSING_SHARE,
    workers: shuffled([...Array(workers).keys()], random),
    stakeSol: (10 + below(40, random)) / 1000,
    percent: 1 + below(100, random),
  };
}

/**
 * @param nth - how many there were before: each plot comes in its turn, from one on that the seed draws
 * @param couriers - how many there are to choose from
 */
export function tellTermsStory(seed: number, number: number, nth: number, couriers: number): TermsStory {
  const random = randomOf(seed, number);
  const plot = PLOTS[(seed + nth) % PLOTS.length] ?? 'healed';
  return { ...tellBound(number, couriers, random), plot, costSol: (20 + below(60, random)) / 1000 };
}

/** As `tellTermsStory`, of digital tasks. */
export function tellTaskTermsStory(seed: number, number: number, nth: number, agents: number): TaskTermsStory {
  const random = randomOf(seed, number);
  const plot = TASK_PLOTS[(seed + nth) % TASK_PLOTS.length] ?? 'verified';
  return { ...tellBound(number, agents, random), plot, claims: tellHand(random) };
}
