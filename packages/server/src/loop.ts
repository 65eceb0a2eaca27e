import type { Logger } from 'pino';

/**
 * Ends the rest of one background worker. It is made before the worker, so its callers need not know whether
 * it runs yet. The worker's poll is the guarantee; a wake only saves the wait.
 */
export class Waker {
  #woken = false;
  #isAnything = false;
  #names = new Set<string>();
  #rouse: (() => void) | undefined;

  /** There may be something to do now. @param name of what it is about, if it is that alone */
  wake(name?: string): void {
    this.#woken = true;
    if (name === undefined) this.#isAnything = true;
    else this.#names.add(name);
    this.#rouse?.();
  }

  /**
   * Resolves after `ms` milliseconds, or at a wake; at once after one since the last rest.
   *
   * @returns what there may be something to do about; undefined: anything
   */
  async rest(ms: number): Promise<ReadonlySet<string> | undefined> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#rouse = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const names = this.#woken && !this.#isAnything ? this.#names : undefined;
    this.#rouse = undefined;
    this.#woken = false;
    this.#isAnything = false;
    this.#names = new Set();
    return names;
  }
}

/** Background work under way. */
export interface Loop {
  /** Ends after the round under way. */
  stop: () => Promise<void>;
}

/** A pause after a round that threw, so that a database that is away is not asked in a tight circle. */
const AFTER_ERROR_MS = 1_000;

/** Runs `round` again and again: at once while it returns true (there may be more to do), else after a wake or `pollMs`. */
export function startLoop(options: {
  name: string;
  log: Logger;
  pollMs: number;
  /** Gets the names of what it was woken for; undefined: anything may be due. */
  round: (names?: ReadonlySet<string>) => Promise<boolean>;
  /** Without one only the poll begins another round. */
  waker?: Waker;
}): Loop {
  const { waker = new Waker() } = options;
  let stopped = false;

  async function run(): Promise<void> {
    let names: ReadonlySet<string> | undefined;
    while (!stopped) {
      let pause = options.pollMs;
      try {
        const isUnderWay = await options.round(names);
        names = undefined;
        if (isUnderWay) continue;
      } catch (error) {
        options.log.error({ err: error, loop: options.name }, 'a round failed, the loop goes on');
        pause = Math.max(pause, AFTER_ERROR_MS);
      }
      if (!stopped) names = await waker.rest(pause);
    }
  }

  const running = run();
  return {
    async stop() {
      stopped = true;
      waker.wake();
      await running;
    },
  };
}
