import type { LandedTransaction } from '../bank/announcements.js';

/** What became of a slot's transactions. */
type Counts = { landed: number; failed: number };

/** What happens to slots, as `slotsUpdatesSubscribe` tells it. Times are in milliseconds since 1970. */
export class SlotUpdates {
  readonly #counts = new Map<number, Counts>();

  count({ slot, err }: LandedTransaction): void {
    const counts = this.#counts.get(slot) ?? { landed: 0, failed: 0 };
    counts.landed += 1;
    if (err !== null) counts.failed += 1;
    this.#counts.set(slot, counts);
  }

  /** A slot is complete: it is confirmed at once, and the next one begins. */
  confirmed(slot: number, timestamp: number): object[] {
    return [
      { slot, stats: this.#stats(slot), timestamp, type: 'frozen' },
      { slot, timestamp, type: 'completed' },
      { parent: slot, slot: slot + 1, timestamp, type: 'createdBank' },
      { slot, timestamp, type: 'optimisticConfirmation' },
    ];
  }

  finalized(slot: number, timestamp: number): object[] {
    return [{ slot, timestamp, type: 'root' }];
  }

  /** Every transaction is an entry of its own. */
  #stats(slot: number): object {
    const { landed, failed } = this.#counts.get(slot) ?? { landed: 0, failed: 0 };
    for (const counted of this.#counts.keys()) if (counted <= slot) this.#counts.delete(counted);
    return {
      maxTransactionsPerEntry: Math.min(1, landed),
      numFailedTransactions: failed,
      numSuccessfulTransactions: landed - failed,
      numTransactionEntries: landed,
    };
  }
}
