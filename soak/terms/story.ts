import { below, choose, randomOf, type Shares, shuffled } from '../draws.js';
import type { Story } from '../stories.js';

/**
 * What happens to a package with terms. `healed`: a courier accepts and does not come, and another one takes its place. `unsigned`:
 * nobody confirms, and the clock pays. `ruled`: the shipper disputes, and the arbiter divides.
 */
export type Plot = 'healed' | 'unsigned' | 'ruled';

const PLOTS: readonly Plot[] = ['healed', 'unsigned', 'ruled'];

/** Everything about a package with terms that its seed decides. */
export interface TermsStory extends Story {
  readonly plot: Plot;
  /** Which of the couriers: the first, the one that does not come, who takes its place, and a rival of that. */
  readonly couriers: readonly number[];
  readonly costSol: number;
  readonly stakeSol: number;
  /** What the arbiter leaves of the payment. */
  readonly percent: number;
}

const POSTINGS: Shares<'reported' | 'silent'> = [
  ['reported', 0.6],
  ['silent', 0.4],
];
const CLOSING_SHARE = 0.5;

/**
 * @param nth - how many there were before: each plot comes in its turn
 * @param couriers - how many there are to choose from
 */
export function tellTermsStory(seed: number, number: number, nth: number, couriers: number): TermsStory {
  const random = randomOf(seed, number);
  return {
    number,
    plot: PLOTS[nth % PLOTS.length] ?? 'healed',
    fate: 'completed',
    posting: choose(POSTINGS, random),
    cancelsAfterMs: 0,
    isAlone: false,
    closes: random() < CLOSING_SHARE,
    couriers: shuffled([...Array(couriers).keys()], random),
    costSol: (20 + below(60, random)) / 1000,
    stakeSol: (10 + below(40, random)) / 1000,
    percent: 1 + below(100, random),
  };
}
