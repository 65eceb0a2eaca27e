import { NONCE_WINDOW_MS } from '@legwork/protocol/contract';
import { LegworkApiError } from './errors.js';

/** How far the service's clock is ahead of this machine's, milliseconds. */
export interface ServiceClock {
  aheadMs: number;
}

/**
 * Makes a call that is signed anew, once, in the service's time, when the service refused this machine's: the clocks of phones are wrong
 * at times. Rule S-214.
 */
export async function inItsTime<T>(clock: ServiceClock, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { code, answeredAtMs } = error instanceof LegworkApiError ? error : {};
    if (code !== 'stale_nonce' || answeredAtMs === undefined) throw error;
    const aheadMs = answeredAtMs - Date.now();
    // Its clock is right, and its signer took long: it would be asked for another signature in vain.
    if (!(Math.abs(aheadMs - clock.aheadMs) >= NONCE_WINDOW_MS / 2)) throw error;
    clock.aheadMs = aheadMs;
    return call();
  }
}
