import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { UnreachableError } from './errors.js';
import { unless } from './waiting.js';

/** Between two attempts, milliseconds. */
const PAUSE_MS = 500;

/** Who waits, and who hears of it. */
export interface Waiting {
  /** How long faults that pass are waited for, all together, milliseconds. */
  withinMs: number;
  log: Logger;
  /** Hears, in sentences, what the person who starts it should know and the log says too. */
  tell?: ((line: string) => void) | undefined;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

/** Says a line to the log and to the person who starts the service. */
export const saying =
  ({ log, tell }: Pick<Waiting, 'log' | 'tell'>) =>
  (line: string): void => {
    log.warn(line);
    tell?.(line);
  };

/**
 * Begins something that needs the database and the ledger, as soon as they answer: what keeps them from it and passes by itself is
 * waited for, and said once. Rule S-81.
 *
 * @param begin changes nothing when it fails
 * @param discard ends what began after the signal
 * @throws UnreachableError when the time is over; at once, what does not pass by itself, and the signal's reason
 */
export async function onceReachable<T>(
  begin: () => Promise<T>,
  discard: (late: T) => unknown,
  waiting: Waiting,
): Promise<T> {
  const { withinMs, signal } = waiting;
  const say = saying(waiting);
  const since = new Date();
  const startedAt = performance.now();
  const said = new Set<string>();
  for (;;) {
    const beginning = begin();
    try {
      return await unless(signal, beginning);
    } catch (error) {
      if (signal?.aborted) void beginning.then(discard).catch(() => undefined);
      if (signal?.aborted || !(error instanceof UnreachableError && error.passes)) throw error;
      if (performance.now() - startedAt >= withinMs) throw error.after(withinMs);
      const { message } = error;
      if (!said.has(message)) say(`${message} Waiting for it since ${clockOf(since)}, for up to ${withinMs / 1000} s.`);
      said.add(message);
    }
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** To the second, in UTC. */
const clockOf = (instant: Date) => `${instant.toISOString().slice(11, 19)} UTC`;
