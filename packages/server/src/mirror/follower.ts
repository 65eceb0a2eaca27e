import type { AppContext } from '../context.js';
import { type HistoryPosition, projectedAmong } from '../db/appliedInstructions.js';
import { moveCursor, readCursor } from '../db/meta.js';
import { findLanded } from '@legwork/program-client/history';
import { type HistoryEntry, historySince } from './history.js';
import { projectTransaction } from './projectTransaction.js';

/** Transactions read from the ledger side by side. */
const CHUNK = 16;
/**
 * What is not final yet is listed anew this often, in case a node showed something late; between that, only what is newer
 * than the newest seen.
 */
const REREAD_EVERY_MS = 2_000;

/**
 * Follows the program's history on the ledger and projects it into the mirror, in order. The cursor in the database passes
 * only what is final and projected; what is above it is read again after a restart, and known by its claims.
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
   * @throws what kept it from going on; it then goes on at the same transaction
   */
  async catchUp(heardAt: number): Promise<void> {
    const { ledger, db } = this.#context;
    if (!this.#started) {
      this.#cursor = await readCursor(db);
      this.#started = true;
    }
    const anew = Date.now() >= this.#rereadAt;
    const listed = await historySince(ledger, anew ? this.#cursor : this.#head);
    for (let from = 0; from < listed.length; from += CHUNK) {
      if (this.#ended.aborted) return;
      await this.#work(listed.slice(from, from + CHUNK), heardAt);
    }
    if (anew) this.#rereadAt = Date.now() + REREAD_EVERY_MS;
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
