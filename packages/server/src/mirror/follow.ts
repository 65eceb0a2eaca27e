import { setTimeout as sleep } from 'node:timers/promises';
import { findLanded, signaturePages } from '@legwork/program-client/history';
import { RelayError } from '@legwork/protocol/contract';
import { createSolanaRpcSubscriptions } from '@solana/kit';
import type { AppContext } from '../context.js';
import { type HistoryPosition, projectedAmong } from '../db/appliedInstructions.js';
import { moveCursor, readCursor } from '../db/meta.js';
import type { Ledger } from '../ledger/ledger.js';
import { type Loop, startLoop, Waker } from '../loop.js';
import { projectTransaction } from './transaction.js';

const POLL_MS = 500;
/** A request to the ledger that does not answer delays a drain no longer than this. */
const DRAIN_MS = 5_000;
/** Transactions read from the ledger side by side. */
const CHUNK = 16;
/** What is not final yet is listed again this often, in case a node shows something late; in between, only what is newer. */
const REREAD_EVERY_MS = 2_000;
/** Pauses before connecting to the ledger's hints again. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Starts mirroring what happens on the ledger, no matter who makes it happen. The poll is the guarantee; the ledger's hints
 * only save the wait. Rule S-50.
 */
export function startWatcher(context: AppContext): Loop {
  const waker = new Waker();
  const ended = new AbortController();
  const following = follow(context, ended.signal);
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
  const onHint = () => {
    following.heard();
    waker.wake();
  };
  const hints = followHints(context, onHint, ended.signal);
  return {
    async stop() {
      ended.abort();
      await Promise.race([Promise.all([loop.stop(), hints]), sleep(DRAIN_MS, undefined, { ref: false })]);
    },
  };
}

/** Catches up round by round. Delays count from when there was something to hear of; a silent ledger is logged once. */
function follow(context: AppContext, ended: AbortSignal): { heard: () => void; round: () => Promise<void> } {
  const { log, metrics } = context;
  const follower = new HistoryFollower(context, ended);
  let heardAt: number | undefined;
  let silent = false;

  async function round(): Promise<void> {
    const since = heardAt ?? Date.now();
    heardAt = undefined;
    try {
      await follower.catchUp(since);
      metrics.mirrorCaughtUpAt.setToCurrentTime();
      if (silent) log.info('the watcher reaches the ledger again');
      silent = false;
    } catch (error) {
      if (ended.aborted) return;
      heardAt = Math.min(since, heardAt ?? since);
      metrics.mirrorFailures.inc();
      if (!(error instanceof RelayError && error.code === 'ledger_unavailable')) throw error;
      if (!silent) log.warn('the watcher does not reach the ledger; it goes on asking');
      silent = true;
    }
  }

  return {
    round,
    heard() {
      heardAt ??= Date.now();
    },
  };
}

/**
 * Follows the program's history on the ledger and projects it into the mirror, in order. The cursor in the database passes
 * only what is final and projected; what is above it is read again after a restart, and recognised by its claims.
 */
export class HistoryFollower {
  readonly #context: AppContext;
  readonly #ended: AbortSignal;
  #cursor: HistoryPosition | undefined;
  #head: HistoryPosition | undefined;
  #rereadAt = 0;
  #started = false;
  /** Above the cursor: signature to slot. */
  readonly #done = new Map<string, bigint>();

  constructor(context: AppContext, ended: AbortSignal) {
    this.#context = context;
    this.#ended = ended;
  }

  /**
   * Projects everything that the ledger shows now.
   *
   * @param heardAt when there was something to hear of, in milliseconds
   * @throws what kept it from going on; it then goes on at the same transaction (rule S-52)
   */
  async catchUp(heardAt: number): Promise<void> {
    const { ledger, db } = this.#context;
    if (!this.#started) {
      this.#cursor = await readCursor(db);
      this.#started = true;
    }
    const rereads = Date.now() >= this.#rereadAt;
    const listed = await historySince(ledger, rereads ? this.#cursor : this.#head);
    for (let from = 0; from < listed.length; from += CHUNK) {
      if (this.#ended.aborted) return;
      await this.#work(listed.slice(from, from + CHUNK), heardAt);
    }
    if (rereads) this.#rereadAt = Date.now() + REREAD_EVERY_MS;
  }

  async #work(chunk: readonly HistoryEntry[], heardAt: number): Promise<void> {
    const fresh = chunk.filter(({ signature, failed }) => !failed && !this.#done.has(signature));
    const known = await projectedAmong(
      this.#context.db,
      fresh.map(({ signature }) => signature),
    );
    const landed = await Promise.all(
      fresh
        .filter(({ signature }) => !known.has(signature))
        .map(async (entry) => ({ entry, transaction: await findLanded(this.#context.ledger, entry.signature) })),
    );
    for (const { entry, transaction } of landed) {
      if (!transaction) throw new Error(`the ledger lists transaction ${entry.signature} and does not show it`);
      await projectTransaction(this.#context, entry, transaction.instructions);
      this.#context.metrics.mirrorDelay.observe((Date.now() - heardAt) / 1000);
    }
    for (const { signature, slot } of chunk) this.#done.set(signature, slot);
    await this.#advance(chunk);
  }

  async #advance(chunk: readonly HistoryEntry[]): Promise<void> {
    this.#head = chunk.at(-1) ?? this.#head;
    const last = chunk.findLast(({ final }) => final);
    if (!last) return;
    await moveCursor(this.#context.db, last);
    this.#cursor = last;
    this.#context.metrics.mirroredSlot.set(Number(last.slot));
    for (const [signature, slot] of this.#done) if (slot < last.slot) this.#done.delete(signature);
  }
}

/** A transaction that names the program, as the ledger lists it. */
interface HistoryEntry extends HistoryPosition {
  failed: boolean;
  /** Nothing can be listed before it any more. */
  final: boolean;
}

/**
 * Lists the confirmed transactions that name the program, oldest first.
 *
 * @param after those up to this one are left out; undefined: none are
 */
async function historySince(ledger: Ledger, after: HistoryPosition | undefined): Promise<HistoryEntry[]> {
  const newestFirst: HistoryEntry[] = [];
  for await (const page of signaturePages(ledger, ledger.programAddress, { until: after?.signature })) {
    for (const { signature, slot, err, confirmationStatus } of page) {
      // A node that has lost the transaction to stop at lists everything it has.
      if (after !== undefined && slot < after.slot) return newestFirst.reverse();
      newestFirst.push({ signature, slot, failed: err !== null, final: confirmationStatus === 'finalized' });
    }
  }
  return newestFirst.reverse();
}

/**
 * Calls `onHint` whenever the ledger says over its WebSocket that a transaction named the program, and after each
 * connection, until `ended`. It reconnects forever and quietly: polling finds what is missed meanwhile. What the
 * ledger says is not read: anybody can log anything.
 */
export async function followHints(
  { config, ledger, log }: Pick<AppContext, 'config' | 'ledger' | 'log'>,
  onHint: () => void,
  ended: AbortSignal,
): Promise<void> {
  const subscriptions = createSolanaRpcSubscriptions(config.rpcSubscriptionsUrl);
  let pauseMs = FIRST_PAUSE_MS;
  while (!ended.aborted) {
    try {
      const hints = await subscriptions
        .logsNotifications({ mentions: [ledger.programAddress] }, { commitment: 'confirmed' })
        .subscribe({ abortSignal: ended });
      pauseMs = FIRST_PAUSE_MS;
      onHint();
      for await (const _ of hints) onHint();
    } catch {
      // Not logged: the text of an error may hold the address with a key in it.
    }
    if (ended.aborted) return;
    log.debug({ pauseMs }, "the ledger's hints have ended; polling goes on");
    await sleep(pauseMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}
