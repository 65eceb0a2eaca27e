import { sweepArtifacts } from './artifacts/sweepArtifacts.js';
import { sweepLimits } from './api/limits.js';
import type { AppContext } from './context.js';
import { sweepIdempotencyKeys } from './db/idempotencyKeys.js';
import { sweepNewcomers } from './agents/newcomerRows.js';
import { sweepNonces } from './identity/nonces.js';
import { sweepCourierReadings } from './personal/privateRows.js';
import { sweepLapses } from './legs/waitingRows.js';
import { type Loop, startLoop } from './loop.js';

const EVERY_MS = 60_000;
const SWEEPS = [sweepNonces, sweepIdempotencyKeys, sweepLimits, sweepNewcomers, sweepLapses, sweepCourierReadings];

/** Deletes the expired records that requests left behind, at the start and then once a minute. */
export function startSweeps(context: Pick<AppContext, 'artifacts' | 'db' | 'log'>): Loop {
  const { db, log } = context;
  return startLoop({
    name: 'sweeps',
    log,
    pollMs: EVERY_MS,
    async round() {
      for (const sweep of [...SWEEPS.map((records) => () => records(db)), () => sweepArtifacts(context)]) {
        await sweep().catch((error: unknown) => log.warn({ err: error }, 'old records were not removed'));
      }
      return false;
    },
  });
}
