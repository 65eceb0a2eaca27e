import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from './instance.js';
import type { Lies } from './lies.js';
import type { Quiet } from './plan.js';
import { type Target, tellTrouble, type Trouble } from './troubles.js';

/** For the troubles, unless their time is given; what is in flight then gets the rest of the quarter of an hour. */
const LONGEST_MS = 11 * 60_000;
/** When no step begins for so long, the trouble begins anyway. */
const PATIENCE_MS = 5_000;

/** Counts the steps of all agents, for troubles that fall into one. */
export class Steps {
  #count = 0;
  #waiting: { at: number; resolve: () => void } | undefined;

  readonly begin = (): void => {
    this.#count += 1;
    if (this.#waiting && this.#count >= this.#waiting.at) this.#waiting.resolve();
  };

  /** Resolves when so many more have begun. */
  async more(steps: number): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      this.#waiting = { at: this.#count + steps, resolve };
    });
    await Promise.race([reached, sleep(PATIENCE_MS)]);
    this.#waiting = undefined;
  }
}

/** The work that goes on meanwhile. */
interface Making {
  readonly steps: Steps;
  readonly quiet: Quiet;
  readonly lies: Lies;
  readonly made: Map<Target, number>;
  readonly tell: (line: string) => void;
  readonly progress: () => string;
  /** So long trouble is made; undefined: until all that is planned is over. */
  readonly minutes: number | undefined;
  /** Done once half of it is over. */
  readonly halfway: () => Promise<void>;
}

/** Makes trouble as planned, one after the other, and counts it in `made`. @throws Error when something does not come back or time runs out */
export async function makeTrouble(
  instance: Instance,
  plan: readonly Trouble[],
  { steps, quiet, lies, made, tell, progress, minutes, halfway }: Making,
): Promise<void> {
  const began = Date.now();
  const longestMs = minutes === undefined ? LONGEST_MS : minutes * 60_000;
  let isHalf = false;
  for (const [index, trouble] of plan.entries()) {
    const share = minutes === undefined ? index / plan.length : (Date.now() - began) / longestMs;
    if (Date.now() - began > longestMs) {
      if (minutes !== undefined) return;
      throw new Error(`time ran out after ${index} of ${plan.length} troubles`);
    }
    if (!isHalf && share >= 0.5) {
      isHalf = true;
      await halfway();
    }
    await steps.more(trouble.steps);
    await sleep(trouble.delayMs);
    const ms = await quiet.during(async () => {
      await instance.suffer(trouble);
      await lies.hush(() => instance.up());
    });
    made.set(trouble.target, (made.get(trouble.target) ?? 0) + 1);
    tell(
      `${index + 1}${minutes === undefined ? ` of ${plan.length}` : ''}: ${tellTrouble(trouble)}, ready after ${ms} ms; ${progress()}`,
    );
  }
}
