import { sweepNonces } from '../api/nonceSweep.js';
import type { AppContext } from '../context.js';
import { sweepIdempotencyKeys } from '../db/idempotencyKeys.js';
import { sweepNewcomers } from '../db/newcomers.js';
import { sweepLimits } from '../api/limitsSweep.js';

const EVERY_MS = 60_000;
const SWEEPS = [sweepNonces, sweepIdempotencyKeys, sweepLimits, sweepNewcomers];

/** Forgets what requests left behind, once a minute until stopped; `stop` waits for a sweep under way. */
export function startSweeps({ db, log }: Pick<AppContext, 'db' | 'log'>): { stop: () => Promise<void> } {
  let running: Promise<unknown> = Promise.resolve();
  const sweepAll = async (): Promise<void> => {
    for (const sweep of SWEEPS) {
      await sweep(db).catch((error: unknown) => log.warn({ err: error }, 'old records were not removed'));
    }
  };
  const timer = setInterval(() => {
    running = sweepAll();
  }, EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
