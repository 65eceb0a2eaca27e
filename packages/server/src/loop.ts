import type { Logger } from 'pino';

/** Background work that can be hurried and ended. */
export interface Loop {
  /** There may be something to do now. */
  wake: () => void;
  /** Ends after the turn under way. */
  stop: () => Promise<void>;
}

/** A pause after a turn that threw, so that a database that is away is not asked in a tight circle. */
const AFTER_ERROR_MS = 1_000;

/**
 * Runs `turn` again and again: at once while it answers true (there was something to do), else after a wake or `pollMs`.
 * The poll is the guarantee, the wake only saves the wait.
 */
export function startLoop(options: { name: string; log: Logger; pollMs: number; turn: () => Promise<boolean> }): Loop {
  let stopped = false;
  let woken = false;
  let rouse: (() => void) | undefined;

  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        rouse = undefined;
        resolve();
      }
      rouse = done;
    });
  }

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      let pause = options.pollMs;
      try {
        if (await options.turn()) continue;
      } catch (error) {
        options.log.error({ err: error, loop: options.name }, 'a turn failed, the loop goes on');
        pause = Math.max(pause, AFTER_ERROR_MS);
      }
      if (!stopped && !woken) await rest(pause);
    }
  }

  const running = run();
  return {
    wake() {
      woken = true;
      rouse?.();
    },
    async stop() {
      stopped = true;
      rouse?.();
      await running;
    },
  };
}
