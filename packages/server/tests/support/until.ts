import { setTimeout as sleep } from 'node:timers/promises';

/** Less than a test may take, so that what did not come is named. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * Looks again and again until something is found, and returns it. Each look costs the service that is waited for, so the pauses grow.
 *
 * @param what says what is waited for, when it does not come
 */
export async function until<T>(what: string | (() => string), look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; Date.now() < deadline; pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(pauseMs);
  }
  throw new Error(`waited in vain for: ${typeof what === 'string' ? what : what()}`);
}
