import type { Store } from '../store/store.js';
import type { Position } from '../store/records.js';
import { keyOf } from './keys.js';
import { namesOf, STATUS_SLOTS, StatusCache, type TransactionNames, type TransactionStatus } from './statusCache.js';
import { parseTransaction } from './wire.js';

/** Transactions to read in one turn of the event loop: some 20 ms. */
const PART = 2_000;

/** Statuses of recent transactions, also of those that landed before the ledger started. */
export class RecentStatuses {
  readonly #cache = new StatusCache();
  readonly #store: Store;
  #slot = 0;
  #lastRestored = 0;
  #restoring: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Resolves when `has` knows all about transactions with a blockhash that was given in this slot: what landed in an earlier run
   * names none that was given later. Rejects if the statuses of earlier runs cannot be read.
   */
  async untilKnown(givenIn: number | undefined): Promise<void> {
    if (this.#restoring !== undefined && givenIn !== undefined && givenIn <= this.#lastRestored) await this.#restoring;
  }

  add(names: TransactionNames, status: TransactionStatus): void {
    this.#cache.add(names, status);
  }

  has(names: TransactionNames, upTo: number): boolean {
    return this.#cache.has(names, upTo);
  }

  get(signature: Uint8Array): TransactionStatus | undefined {
    const known = this.#cache.get(keyOf(signature));
    if (known !== undefined || this.#restoring === undefined) return known;
    const stored = this.#store.transaction(signature);
    return stored !== undefined && stored.slot >= this.#slot - STATUS_SLOTS ? stored : undefined;
  }

  /** Begins a slot: drops transactions whose blockhash is too old to send them again. */
  moveTo(slot: number): void {
    this.#slot = slot;
    this.#cache.moveTo(slot);
  }

  /** Reads those of earlier runs. The first part at once; a long rest bit by bit, so that the ledger starts meanwhile (L-74). */
  restore(): void {
    const last = this.#store.latest();
    const first = { slot: Math.max(0, this.#slot - STATUS_SLOTS), index: 0 };
    const next = last && this.#readPart(first, last);
    if (last === undefined || next === undefined) return;
    this.#lastRestored = last.slot;
    this.#restoring = this.#readRest(next, last);
    // Senders get its error.
    this.#restoring.catch(() => undefined);
  }

  async #readRest(from: Position, last: Position): Promise<void> {
    for (let next: Position | undefined = from; next !== undefined; next = this.#readPart(next, last)) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    this.#restoring = undefined;
  }

  /** @returns where the next part begins; undefined at the end */
  #readPart(from: Position, last: Position): Position | undefined {
    let next: Position | undefined;
    for (const { slot, index, wire, err } of this.#store.transactionsSince(from, PART)) {
      if (slot > last.slot || (slot === last.slot && index > last.index)) return undefined;
      this.#cache.add(namesOf(parseTransaction(wire)), { slot, err });
      next = { slot, index: index + 1 };
    }
    return next;
  }
}
