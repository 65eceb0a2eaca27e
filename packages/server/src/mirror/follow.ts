import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '../context.js';
import { appliedAmong, type HistoryPosition, placeFinal, readCursor } from '../db/ledgerTransactions.js';
import { signaturesBeingSent } from '../db/outbox.js';
import { inOrder, inTransaction } from '../db/transaction.js';
import { isUnavailable } from '../ledger/ledger.js';
import { type Loop, startLoop, Waker } from '../loop.js';
import { takeFinalSlots } from './finalSlots.js';
import { type Landed, readListed } from './applyLanded.js';
import { applyOrHeal } from './heal.js';
import { MisfitError } from './misfit.js';
import { Hints } from './hints.js';
import { type HistoryEntry, historySince } from './history.js';

const POLL_MS = 500;
/** A request to the ledger that does not answer delays a drain no longer than this. */
const DRAIN_MS = 5_000;
/** Transactions read from the ledger side by side. */
const CHUNK = 16;
/**
 * So often everything that is not final is listed again: to place it, and in case a node shows something late. In
 * between, the leader looks for news.
 */
const LIST_AGAIN_EVERY_MS = 2_000;

/**
 * Starts mirroring what happens on the ledger, no matter who makes it happen. The poll is the guarantee; the ledger's hints
 * only save the wait. Rule S-50.
 */
export function startWatcher(context: AppContext): Loop {
  const waker = new Waker();
  const ended = new AbortController();
  const following = follow(context, ended.signal, () => waker.wake());
  const loop = startLoop({
    name: 'watcher',
    log: context.log,
    pollMs: POLL_MS,
    waker,
    async round() {
      await following.round();
      return false;
    },
  });
  const drain = async () => {
    await loop.stop();
    await following.stop();
  };
  return {
    async stop() {
      ended.abort();
      await Promise.race([drain(), sleep(DRAIN_MS, undefined, { ref: false })]);
    },
  };
}

/** Told on `context.mirrored` whenever all that the ledger shows now is applied or passed. */
export const CAUGHT_UP = 'caught up';

/**
 * Catches up round by round: the leader always, the others when everything is listed again. Delays count from when there was something to
 * hear of; a silent ledger is logged once, and another replica may lead.
 */
function follow(context: AppContext, ended: AbortSignal, wake: () => void) {
  const { lead, log, metrics } = context;
  const follower = new HistoryFollower(context, ended);
  let heardAt: number | undefined;
  let silent = false;
  const hints = new Hints(context, () => {
    heardAt ??= Date.now();
    wake();
  });

  async function round(): Promise<void> {
    const leads = !silent && (await lead.take());
    hints.listen(leads);
    if (!leads && !follower.listsAgain()) return;
    const since = heardAt ?? Date.now();
    heardAt = undefined;
    try {
      await follower.catchUp(since);
      metrics.mirrorCaughtUpAt.setToCurrentTime();
      if (!ended.aborted) context.mirrored.emit(CAUGHT_UP);
      if (silent) log.info('the watcher reaches the ledger again');
      silent = false;
    } catch (error) {
      if (ended.aborted) return;
      heardAt = Math.min(since, heardAt ?? since);
      metrics.mirrorFailures.inc();
      if (!isUnavailable(error)) throw error;
      if (!silent) log.warn({ reason: error.message }, 'the ledger does not answer the watcher; it goes on asking');
      silent = true;
      await lead.giveUp();
    }
  }

  return {
    round,
    async stop() {
      // Where the database is gone, the lead ends by itself.
      await Promise.all([hints.stop(), lead.giveUp().catch(() => undefined)]);
    },
  };
}

/**
 * Follows the program's history on the ledger: applies, in its order, what nobody has applied, and gives what is final its
 * place. The cursor in the database passes only what is final and applied; what is above it is listed again.
 */
export class HistoryFollower {
  readonly #context: AppContext;
  readonly #ended: AbortSignal;
  #head: HistoryPosition | undefined;
  #isHeadPlaced = false;
  /** Told last. */
  #pruned: string | undefined;
  #listsAgainAt = 0;
  /** Above the cursor: signature to slot. */
  readonly #applied = new Map<string, bigint>();

  constructor(context: AppContext, ended: AbortSignal) {
    this.#context = context;
    this.#ended = ended;
  }

  /** It is time to list again what is not final yet. */
  listsAgain(): boolean {
    return Date.now() >= this.#listsAgainAt;
  }

  /**
   * Applies everything that the ledger shows now.
   *
   * @param heardAt when there was something to hear of, in milliseconds
   * @throws what kept it from going on; it then goes on at the same transaction (rule S-52)
   */
  async catchUp(heardAt: number): Promise<void> {
    const { ledger, db } = this.#context;
    const listsAgain = this.listsAgain();
    if (listsAgain) this.#listsAgainAt = Date.now() + LIST_AGAIN_EVERY_MS;
    let cursor = listsAgain ? await readCursor(db) : this.#head;
    this.#head ??= cursor;
    const { chunks, isWhole, isPruned } = await historySince(ledger, cursor, CHUNK);
    if (isPruned) this.#tellPruned(cursor);
    // Places are given without a gap: not behind a head that has none, nor a cursor that the node does not know.
    let isPlacing = isWhole && (listsAgain || this.#isHeadPlaced);
    this.#isHeadPlaced = false;
    // An entry that waits is listed again by the next round.
    let isHeld = false;
    for await (const chunk of chunks) {
      if (this.#ended.aborted) return;
      const waiting = await this.#apply(chunk, heardAt);
      if (!isHeld) this.#head = lastBefore(waiting, chunk) ?? this.#head;
      isHeld ||= waiting.size > 0;
      const passed = isPlacing ? await this.#place(cursor, chunk) : [];
      cursor = passed.at(-1) ?? cursor;
      isPlacing = passed.length === chunk.length;
    }
    this.#isHeadPlaced = isPlacing;
  }

  /** Warns that this node cannot show what happened between the two, if anything; that is no reason to wait for ever. */
  #tellPruned(cursor: HistoryPosition | undefined): void {
    if (this.#pruned === cursor?.signature) return;
    this.#pruned = cursor?.signature;
    this.#context.log.warn(
      { transaction: cursor?.signature },
      "this node's history begins behind the newest final transaction: audit against one that has kept it",
    );
  }

  /**
   * Applies what nobody has applied; what an outbox is sending, or a call is about to mirror, is left to it until it is final.
   *
   * @returns what waits
   */
  async #apply(chunk: readonly HistoryEntry[], heardAt: number): Promise<ReadonlySet<string>> {
    const { db, metrics, landing } = this.#context;
    const fresh = chunk.filter(({ signature, failed }) => !failed && !this.#applied.has(signature));
    const open = signaturesOf(fresh.filter(({ final }) => !final));
    // In this order: what an outbox has sent by then, and no longer sends, is applied.
    const [sent, known] = await inOrder(db, (on) =>
      Promise.all([signaturesBeingSent(on, open), appliedAmong(on, signaturesOf(fresh))]),
    );
    const unknown = fresh.filter(({ signature }) => !known.has(signature));
    const isLeft = ({ signature, final }: HistoryEntry) => !final && (sent.has(signature) || landing.has(signature));
    const waiting = new Set(signaturesOf(unknown.filter(isLeft)));
    const mine = unknown.filter(({ signature }) => !waiting.has(signature));
    await this.#announced(signaturesOf(mine), async (tell) => {
      const read = await Promise.all(mine.map((entry) => readListed(this.#context, entry)));
      for (const landed of read) {
        if (landed === undefined) continue;
        if (await this.#fits(landed)) {
          tell(landed);
          metrics.mirrorDelay.observe((Date.now() - heardAt) / 1000);
        } else waiting.add(landed.signature);
      }
    });
    for (const { signature, slot } of fresh) if (!waiting.has(signature)) this.#applied.set(signature, slot);
    return waiting;
  }

  /** Lets calls that are about to mirror the same transactions wait for it, instead of doing all of it once more. */
  async #announced(
    signatures: readonly string[],
    work: (tell: (landed: Landed) => void) => Promise<void>,
  ): Promise<void> {
    const { following } = this.#context;
    const tellers = new Map<string, (landed: Landed | undefined) => void>();
    for (const signature of signatures) {
      following.set(signature, new Promise((resolve) => tellers.set(signature, resolve)));
    }
    try {
      await work((landed) => tellers.get(landed.signature)?.(landed));
    } finally {
      for (const [signature, tell] of tellers) {
        following.delete(signature);
        tell(undefined);
      }
    }
  }

  /** @returns false while it does not fit: it is judged again once it is final, and nobody waits behind it */
  async #fits(landed: Landed): Promise<boolean> {
    try {
      await applyOrHeal(this.#context, landed);
      return true;
    } catch (error) {
      if (error instanceof MisfitError) return false;
      throw error;
    }
  }

  /** @returns the entries that have their places now, from the chunk's first one on */
  async #place(cursor: HistoryPosition | undefined, chunk: readonly HistoryEntry[]): Promise<readonly HistoryEntry[]> {
    const end = chunk.findIndex(({ signature, failed, final }) => !final || !(failed || this.#applied.has(signature)));
    const passed = end === -1 ? chunk : chunk.slice(0, end);
    const last = passed.at(-1);
    if (last === undefined) return [];
    const succeeded = passed.filter(({ failed }) => !failed);
    await takeFinalSlots(this.#context, succeeded);
    if (!(await inTransaction(this.#context.db, (trx) => placeFinal(trx, cursor, passed)))) return [];
    this.#context.metrics.mirroredSlot.set(Number(last.slot));
    for (const [signature, slot] of this.#applied) if (slot < last.slot) this.#applied.delete(signature);
    return passed;
  }
}

/** The last entry before any that waits. */
function lastBefore(waiting: ReadonlySet<string>, chunk: readonly HistoryEntry[]): HistoryEntry | undefined {
  const first = chunk.findIndex(({ signature }) => waiting.has(signature));
  return first === -1 ? chunk.at(-1) : chunk[first - 1];
}

const signaturesOf = (entries: readonly HistoryPosition[]) => entries.map(({ signature }) => signature);
