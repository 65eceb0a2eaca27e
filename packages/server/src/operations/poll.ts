import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 10;
/** Many calls may wait for a slow ledger: the longer one has waited, the less often it asks. */
const PAUSE_GROWTH = 1.3;
const LAST_PAUSE_MS = 200;

/**
 * Reads again and again until `isDone` accepts the reading, or `withinMs` milliseconds are over. It holds no connection
 * between two readings.
 *
 * @returns the last reading, done or not
 */
export async function poll<T>(read: () => Promise<T>, isDone: (reading: T) => boolean, withinMs: number): Promise<T> {
  const until = performance.now() + withinMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LAST_PAUSE_MS, pause * PAUSE_GROWTH)) {
    const reading = await read();
    if (isDone(reading) || performance.now() >= until) return reading;
    await sleep(pause);
  }
}
