/*
 * The coordinator decides for packages: which chain of bids carries one, and who takes over a leg that became vacant.
 *
 * An evaluation is due when something could change its answer: a bid, a withdrawal, the end of a bidding window, a reputation, a
 * failed formation. What is due is a column of the package, so a crash forgets nothing and any replica may be the one that decides.
 *
 *   due → bids read → best chain searched → funds held → decided → intent
 *
 * - The search (protocol/rules/route) is pure. It runs outside any transaction, on the bids of one version; the decision is made under
 *   the package's lock and only if the bids still have that version. A bid that comes meanwhile makes the answer void, never wrong.
 * - The coordinator never promises the same lamports twice, over all replicas: who decides holds its funds, or a share of them, and has its
 *   turn at the agents of the chain. These come before the package's lock, wherever both are taken.
 * - A decision is kept with all that it was made from, sealed with the coordinator's key. The outbox proves it before it signs, and
 *   the audit makes it again.
 * - A crowded package rests between evaluations, a while that follows from what the last one took, so that streaming bids share one.
 *
 * Invariants: the search sees no database, the decision sees nothing but what it is sealed with, and a
 * package is given away once.
 */
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '../context.js';
import { connect, type Db } from '../db/connect.js';
import { dueForEvaluation, readBidsVersion } from '../packages/evaluationRows.js';
import { type Loop, startLoop } from '../loop.js';
import { evaluatePackage } from './evaluatePackage.js';

const POLL_MS = 500;
/** Packages evaluated side by side, so that a crowded one does not hold up the others. */
const CONCURRENCY = 4;
/** A package whose evaluation failed is left alone for this long. */
const AFTER_ERROR_MS = 2_000;
/** A package whose chain the coordinator cannot pay for now is left alone for about as long as a reading of its balance is good for. */
const WITHOUT_MEANS_MS = 3_000;
/** A package whose bids make no chain yet is left alone for as long as it took to find out, at most this long. */
const REST_MS = 100;
/**
 * While bids stream in it is left alone for so many times as long, at most this long: nearly all of the time is theirs, and they
 * share the next evaluation. That comes sooner once they stop.
 */
const TIMES_AS_LONG = 10;
const LONGEST_REST_MS = 1_000;
/** Milliseconds between two looks whether bids still come; less where the evaluation took less. */
const LOOK_MS = 25;

/** Starts evaluating packages whose evaluation is due. What is due is in the database: a crash forgets nothing. */
export function startEvaluator(context: AppContext): Loop {
  const evaluator = new Evaluator(context);
  const loop = startLoop({
    name: 'evaluator',
    log: context.log,
    pollMs: POLL_MS,
    waker: context.wakers.evaluator,
    async round(packages) {
      await evaluator.begin(packages);
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
  readonly #resting = new Map<string, Promise<void>>();
  /** True if something that is due may have been passed over: a package under evaluation then, or one more than there was room for. */
  #hasPassedOver = false;
  /** When all that is due is looked for at the latest, however many packages are named. */
  #looksAt = 0;
  /** Aborted: nothing rests any more. */
  readonly #roused = new AbortController();

  constructor(context: AppContext) {
    const { config, log, patience, keyRing } = context;
    const lost = (error: Error) => log.warn({ err: error }, 'idle connection lost');
    this.#context = context;
    // Every package at rest listens to it.
    setMaxListeners(0, this.#roused.signal);
    this.#db = connect(config.databaseUrl, 2 * CONCURRENCY, lost, { ...patience, keyRing });
  }

  /**
   * Begins as many of the due evaluations as there is room for.
   *
   * @param named packages that bids just came for, which need not be looked for; undefined: anything may be due
   */
  async begin(named: ReadonlySet<string> | undefined): Promise<void> {
    const { funds, wakers } = this.#context;
    this.#hasPassedOver = this.#busy.size > 0;
    const free = CONCURRENCY - this.#busy.size;
    if (free === 0) return;
    const due = await this.#due(named, free);
    this.#hasPassedOver ||= due.length === free;
    for (const packageId of due) {
      // A due package stays due: it is evaluated once there is money again.
      if (!(await funds.isAboveReserve())) return;
      const done = this.#evaluate(packageId).finally(() => {
        this.#busy.delete(packageId);
        if (this.#hasPassedOver) wakers.evaluator.wake();
      });
      this.#busy.set(packageId, done);
    }
  }

  async #due(named: ReadonlySet<string> | undefined, limit: number): Promise<string[]> {
    const except = new Set([...this.#busy.keys(), ...this.#resting.keys()]);
    const now = performance.now();
    if (named !== undefined && now < this.#looksAt) {
      return [...named].filter((packageId) => !except.has(packageId)).slice(0, limit);
    }
    this.#looksAt = now + POLL_MS;
    return dueForEvaluation(this.#context.db, { except: [...except], limit });
  }

  async #evaluate(packageId: string): Promise<void> {
    const { log } = this.#context;
    const begunAt = performance.now();
    try {
      const evaluation = await evaluatePackage(this.#context, this.#db, packageId);
      if (evaluation === 'formed') log.info({ packageId }, 'chain chosen');
      else if (evaluation === 'waits') this.#rest(packageId, this.#pause(WITHOUT_MEANS_MS));
      else this.#rest(packageId, this.#whileBidsCome(packageId, performance.now() - begunAt));
    } catch (error) {
      log.error({ err: error, packageId }, 'evaluation failed, it will be tried again');
      this.#rest(packageId, this.#pause(AFTER_ERROR_MS));
    }
  }

  #rest(packageId: string, rest: Promise<void>): void {
    const { log, wakers } = this.#context;
    const over = async () => {
      await rest.catch((error: unknown) => {
        if (!this.#roused.signal.aborted) log.error({ err: error, packageId }, 'a rest was cut short');
      });
      this.#resting.delete(packageId);
      wakers.evaluator.wake();
    };
    this.#resting.set(packageId, over());
  }

  /** Rests after an evaluation that took `tookMs`: for long only while bids come, here or by another replica. */
  async #whileBidsCome(packageId: string, tookMs: number): Promise<void> {
    const { db, bids } = this.#context;
    const endsAt = performance.now() + Math.min(TIMES_AS_LONG * tookMs, LONGEST_REST_MS);
    let seen = await readBidsVersion(db, packageId);
    // None came while the others were looked at.
    if (seen?.isDue !== true) return this.#pause(Math.min(tookMs, REST_MS));
    for (let left = tookMs; left > 0; left = endsAt - performance.now()) {
      await this.#pause(Math.min(left, tookMs, LOOK_MS));
      const now = await readBidsVersion(db, packageId);
      if (now?.version === seen?.version && !bids.isBusy(packageId)) return;
      seen = now;
    }
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#roused.signal });
  }

  /** Ends every rest, and lets none begin: none keeps the process. */
  rouse(): void {
    this.#roused.abort();
  }

  /** Waits for the evaluations under way. */
  async end(): Promise<void> {
    await Promise.all(this.#busy.values());
    await Promise.all(this.#resting.values());
    await this.#db.destroy();
  }
}
