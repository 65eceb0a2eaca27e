import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '../../context.js';
import { connect } from '../../db/connect.js';
import { dueForEvaluation } from '../../db/packages.js';
import { type Loop, startLoop } from '../../loop.js';
import { evaluatePackage } from './evaluatePackage.js';

const POLL_MS = 500;
/** Packages evaluated side by side, so that a crowded one does not hold up the others. */
const CONCURRENCY = 4;
/** A package whose evaluation failed is left alone for this long. */
const AFTER_ERROR_MS = 2_000;

/** Starts evaluating packages whose evaluation is due. What is due is in the database: a crash forgets nothing. */
export function startEvaluator(context: AppContext): Loop {
  const { config, log } = context;
  // Its own, two connections an evaluation: those of requests may all be waiting for a turn that an evaluation holds.
  const db = connect(config.databaseUrl, 2 * CONCURRENCY, (error) => log.warn({ err: error }, 'idle connection lost'));
  const busy = new Map<string, Promise<void>>();
  let stopped = false;

  async function evaluate(packageId: string): Promise<void> {
    try {
      if (!(await evaluatePackage(context, db, packageId))) return;
      context.wake.outbox();
      log.info({ packageId }, 'chain chosen');
    } catch (error) {
      log.error({ err: error, packageId }, 'evaluation failed, it will be tried again');
      if (!stopped) await sleep(AFTER_ERROR_MS, undefined, { ref: false });
    }
  }

  const loop = startLoop({
    name: 'evaluator',
    log,
    pollMs: POLL_MS,
    async turn() {
      const free = CONCURRENCY - busy.size;
      if (free === 0) return false;
      const due = await dueForEvaluation(context.db, { except: [...busy.keys()], limit: free });
      for (const packageId of due) {
        // What is due stays due: it is evaluated once there is money again.
        if (!(await context.funds.isAboveReserve())) break;
        const done = evaluate(packageId).finally(() => {
          busy.delete(packageId);
          loop.wake();
        });
        busy.set(packageId, done);
      }
      return false;
    },
  });

  return {
    wake: loop.wake,
    async stop() {
      stopped = true;
      await loop.stop();
      await Promise.all(busy.values());
      await db.destroy();
    },
  };
}
