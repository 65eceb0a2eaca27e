import { performance } from 'node:perf_hooks';
import type { AppContext } from '../context.js';
import { connect } from '../db/connect.js';
import { dueForEvaluation } from '../db/packages.js';
import { type Loop, startLoop } from '../loop.js';
import { evaluatePackage } from './evaluatePackage.js';

const POLL_MS = 500;
/** Packages evaluated side by side, so that a crowded one does not hold up the others. */
const CONCURRENCY = 4;
/** A package whose evaluation failed is left alone for this long. */
const AFTER_ERROR_MS = 2_000;
/** A package whose chain the coordinator cannot pay for now is left alone for about as long as a reading of its balance is good for. */
const WITHOUT_MEANS_MS = 3_000;
/**
 * A package whose bids make no chain yet is left alone for as long as it took to find out, at most this long: while bids stream
 * in, at least half of the time is theirs, and they share the next evaluation.
 */
const LONGEST_REST_MS = 100;

/** Starts evaluating packages whose evaluation is due. What is due is in the database: a crash forgets nothing. */
export function startEvaluator(context: AppContext): Loop {
  const { config, log, patience } = context;
  const waker = context.wakers.evaluator;
  // Its own, two connections an evaluation: those of requests may all wait in line behind an evaluation.
  const lost = (error: Error) => log.warn({ err: error }, 'idle connection lost');
  const db = connect(config.databaseUrl, 2 * CONCURRENCY, lost, patience);
  const busy = new Map<string, Promise<void>>();
  const resting = new Map<string, NodeJS.Timeout>();
  let stopped = false;

  function rest(packageId: string, ms: number): void {
    if (stopped) return;
    const over = () => {
      resting.delete(packageId);
      waker.wake();
    };
    resting.set(packageId, setTimeout(over, ms));
  }

  async function evaluate(packageId: string): Promise<void> {
    const begunAt = performance.now();
    try {
      const evaluation = await evaluatePackage(context, db, packageId);
      if (evaluation === 'formed') {
        context.wakers.outbox.wake();
        log.info({ packageId }, 'chain chosen');
      } else if (evaluation === 'waits') rest(packageId, WITHOUT_MEANS_MS);
      else rest(packageId, Math.min(performance.now() - begunAt, LONGEST_REST_MS));
    } catch (error) {
      log.error({ err: error, packageId }, 'evaluation failed, it will be tried again');
      rest(packageId, AFTER_ERROR_MS);
    }
  }

  const loop = startLoop({
    name: 'evaluator',
    log,
    pollMs: POLL_MS,
    waker,
    async round() {
      const free = CONCURRENCY - busy.size;
      if (free === 0) return false;
      const due = await dueForEvaluation(context.db, { except: [...busy.keys(), ...resting.keys()], limit: free });
      for (const packageId of due) {
        // What is due stays due: it is evaluated once there is money again.
        if (!(await context.funds.isAboveReserve())) break;
        const done = evaluate(packageId).finally(() => {
          busy.delete(packageId);
          waker.wake();
        });
        busy.set(packageId, done);
      }
      return false;
    },
  });

  return {
    async stop() {
      stopped = true;
      for (const timer of resting.values()) clearTimeout(timer);
      await loop.stop();
      await Promise.all(busy.values());
      await db.destroy();
    },
  };
}
