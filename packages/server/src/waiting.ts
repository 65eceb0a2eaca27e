import type { EventEmitter } from 'node:events';
import { Waker } from './loop.js';

/** The answer, if it comes within `ms` milliseconds. @throws Error that says it did not, or what the answer failed with */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let bound: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    bound = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(bound);
  }
}

/** The waiters for each signal: a listener for each of them would cost as much as what they wait for. */
const waiting = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

function waitingFor(signal: AbortSignal): Set<(reason: unknown) => void> {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const rejects = new Set<(reason: unknown) => void>();
  waiting.set(signal, rejects);
  signal.addEventListener('abort', () => rejects.forEach((reject) => reject(signal.reason)), { once: true });
  return rejects;
}

/** The answer, if it comes before the signal, if any, is aborted. @throws the signal's reason, or what the answer failed with */
export function unless<T>(givenUp: AbortSignal | undefined, answer: Promise<T>): Promise<T> {
  if (givenUp === undefined) return answer;
  return new Promise((resolve, reject) => {
    if (givenUp.aborted) reject(givenUp.reason as Error);
    const rejects = waitingFor(givenUp).add(reject);
    void answer.then(resolve, reject).then(() => rejects.delete(reject));
  });
}

/** The hint tells what this process does: only for another one's doing the first pause is felt. */
const FIRST_PAUSE_MS = 40;
/** Many calls may wait for a slow ledger: the longer one has waited, the less often it asks. */
const PAUSE_GROWTH = 1.5;
const LAST_PAUSE_MS = 200;

/** An event after which it is worth reading again. Nothing is lost when one is missed. */
export interface Hint {
  of: EventEmitter;
  name: string;
}

/**
 * Reads again and again until `isDone` accepts the reading, or `withinMs` milliseconds are over. It holds no connection
 * between two readings.
 *
 * @returns the last reading, done or not
 */
export async function poll<T>(
  read: () => Promise<T>,
  isDone: (reading: T) => boolean,
  withinMs: number,
  hint: Hint,
): Promise<T> {
  const until = performance.now() + withinMs;
  const waker = new Waker();
  const wake = () => waker.wake();
  hint.of.on(hint.name, wake);
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LAST_PAUSE_MS, pause * PAUSE_GROWTH)) {
      const reading = await read();
      if (isDone(reading) || performance.now() >= until) return reading;
      await waker.rest(pause);
    }
  } finally {
    hint.of.off(hint.name, wake);
  }
}
