import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './userError.js';

interface Closer {
  readonly name: string;
  readonly close: () => Promise<void> | void;
}

/** What was opened, closed in the opposite order; one that fails does not keep the others open. */
export class Closers {
  readonly #closers: Closer[] = [];

  /** @param name - as a problem with it would be told: "PostgreSQL" */
  add(name: string, close: Closer['close']): void {
    this.#closers.push({ name, close });
  }

  /**
   * Closes everything once.
   *
   * @param withinMs - how long all of it may take together
   * @returns one sentence for each part that did not close properly
   */
  async close(withinMs: number): Promise<string[]> {
    const problems: string[] = [];
    let current = '';
    const closing = (async () => {
      for (let closer = this.#closers.pop(); closer; closer = this.#closers.pop()) {
        current = closer.name;
        try {
          await closer.close();
        } catch (error) {
          problems.push(`${closer.name} did not stop properly: ${messageOf(error)}`);
        }
      }
      return true;
    })();
    const done = await Promise.race([closing, sleep(withinMs, false, { ref: false })]);
    if (!done) problems.push(`${current} did not stop within ${withinMs / 1000} seconds.`);
    return problems;
  }
}
