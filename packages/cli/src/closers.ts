import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './screen.js';

/** One Ctrl-C may arrive twice: from the terminal and, a moment later, forwarded by npm. */
const SAME_KEYPRESS_MS = 700;

/** The user or the system asks this process to end. */
export interface StopSignal {
  /** Aborted by the first Ctrl-C, SIGTERM or hang-up, or when a parent with an IPC channel to this process is gone. */
  readonly signal: AbortSignal;
  /** Resolves at the same moment. */
  readonly requested: Promise<void>;
}

/**
 * Takes over SIGINT, SIGTERM and SIGHUP for the rest of this process. A process with an IPC channel also stops when
 * that closes: its parent is gone.
 *
 * @param onForce - called at a second Ctrl-C, to end without order
 */
export function listenForStop(onForce: () => void): StopSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const stop = () => {
    firstAt ??= Date.now();
    if (controller.signal.aborted && Date.now() - firstAt > SAME_KEYPRESS_MS) onForce();
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  process.once('disconnect', stop);
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return { signal: controller.signal, requested };
}

interface Closer {
  readonly name: string;
  readonly close: () => Promise<void> | void;
  readonly force: () => Promise<void> | void;
}

/** How long a forced end may take, in milliseconds. */
const FORCE_MS = 2000;

/** Closes what was opened, in reverse order; one that fails does not keep the others open. */
export class Closers {
  /** Not closed yet; the last one may be closing. */
  readonly #closers: Closer[] = [];
  #forced: Promise<void> | undefined;

  /**
   * @param name - as in the message of a problem: "PostgreSQL"
   * @param force - ends at once what would outlive this process
   */
  add(name: string, close: Closer['close'], force: Closer['force'] = () => undefined): void {
    this.#closers.push({ name, close, force });
  }

  /**
   * Closes everything once. Whatever takes too long is ended by force, and so is everything after it.
   *
   * @param withinMs - how long everything together may take before force
   * @returns one sentence for each part that did not close properly
   */
  async close(withinMs: number): Promise<string[]> {
    const problems: string[] = [];
    const closing = (async () => {
      for (let closer = this.#closers.at(-1); closer && !this.#forced; closer = this.#closers.at(-1)) {
        try {
          await closer.close();
        } catch (error) {
          problems.push(`${closer.name} did not stop properly: ${messageOf(error)}`);
        }
        if (!this.#forced) this.#closers.pop();
      }
      return true;
    })();
    if (!(await Promise.race([closing, sleep(withinMs, false, { ref: false })]))) {
      problems.push(`${this.#closers.at(-1)?.name} did not stop within ${withinMs / 1000} seconds.`);
      void this.force();
    }
    await this.#forced;
    return problems;
  }

  /** Ends at once, in no order, what would outlive this process. Repeated calls are the same call; none rejects. */
  force(): Promise<void> {
    this.#forced ??= Promise.race([this.#forceAll(), sleep(FORCE_MS, undefined, { ref: false })]);
    return this.#forced;
  }

  async #forceAll(): Promise<void> {
    for (const closer of this.#closers.toReversed()) {
      try {
        await closer.force();
      } catch {
        // Nothing more can be done about it; continue with the others.
      }
    }
  }
}
