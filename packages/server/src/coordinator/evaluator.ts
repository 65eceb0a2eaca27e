import { performance } from 'node:perf_hooks';
import type { AppContext } from '../context.js';
import { connect, type Db } from '../db/connect.js';
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
  const evaluator = new Evaluator(context);
  const loop = startLoop({
    name: 'evaluator',
    log: context.log,
    pollMs: POLL_MS,
    waker: context.wakers.evaluator,
    async round() {
      await evaluator.begin();
      return false;
    },
  });
  return {
    async stop() {
      evaluator.rouse();
      await loop.stop();
      await evaluator.end();
    },
  };
}

/** Evaluates several packages side by side; each rests after an evaluation that came to nothing. */
class Evaluator {
  readonly #context: AppContext;
  /** Its own, two connections an evaluation: those of requests may all wait in line behind an evaluation. */
  readonly #db: Db;
  readonly #busy = new Map<string, Promise<void>>();
  readonly #resting = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(context: AppContext) {
    const { config, log, patience, keyRing } = context;
    const lost = (error: Error) => log.warn({ err: error }, 'idle connection lost');
    this.#context = context;
    this.#db = connect(config.databaseUrl, 2 * CONCURRENCY, lost, { ...patience, keyRing });
  }

  /** Begins as many of the due evaluations as there is room for. */
  async begin(): Promise<void> {
    const { db, funds, wakers } = this.#context;
    const free = CONCURRENCY - this.#busy.size;
    if (free === 0) return;
    const due = await dueForEvaluation(db, { except: [...this.#busy.keys(), ...this.#resting.keys()], limit: free });
    for (const packageId of due) {
      // What is due stays due: it is evaluated once there is money again.
      if (!(await funds.isAboveReserve())) return;
      const done = this.#evaluate(packageId).finally(() => {
        this.#busy.delete(packageId);
        wakers.evaluator.wake();
      });
      this.#busy.set(packageId, done);
    }
  }

  async #evaluate(packageId: string): Promise<void> {
    const { log, wakers } = this.#context;
    const begunAt = performance.now();
    try {
      const evaluation = await evaluatePackage(this.#context, this.#db, packageId);
      if (evaluation === 'formed') {
        wakers.outbox.wake();
        log.info({ packageId }, 'chain chosen');
      } else if (evaluation === 'waits') this.#rest(packageId, WITHOUT_MEANS_MS);
      else this.#rest(packageId, Math.min(performance.now() - begunAt, LONGEST_REST_MS));
    } catch (error) {
      log.error({ err: error, packageId }, 'evaluation failed, it will be tried again');
      this.#rest(packageId, AFTER_ERROR_MS);
    }
  }

  #rest(packageId: string, ms: number): void {
    if (this.#stopped) return;
    const over = () => {
      this.#resting.delete(packageId);
      this.#context.wakers.evaluator.wake();
    };
    this.#resting.set(packageId, setTimeout(over, ms));
  }

  /** Ends every rest, and lets none begin: no timer keeps the process. */
  rouse(): void {
    this.#stopped = true;
    for (const timer of this.#resting.values()) clearTimeout(timer);
  }

  /** Waits for the evaluations under way. */
  async end(): Promise<void> {
    await Promise.all(this.#busy.values());
    await this.#db.destroy();
  }
}
