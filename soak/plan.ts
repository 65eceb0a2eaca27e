import { below, type Random, shuffled } from './draws.js';

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

const MOST_STEPS = 32;
/** About the longest step. */
const LONGEST_DELAY_MS = 250;

/** `kills` of each target, in random order. */
export function planKills(targets: readonly Target[], kills: number, random: Random): Kill[] {
  const each = targets.flatMap((target) => Array.from({ length: kills }, () => target));
  return shuffled(each, random).map((target) => ({
    target,
    steps: 1 + below(MOST_STEPS, random),
    delayMs: random() * LONGEST_DELAY_MS,
    supervisorToo: target === 'all' || random() < 0.5,
    service: target === 'all' ? undefined : ([0, 1, undefined] as const)[below(3, random)],
  }));
}
