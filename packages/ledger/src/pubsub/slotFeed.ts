import type { Bank } from '../bank/bank.js';
import type { LandedTransaction } from '../bank/announcements.js';
import { encodeJson } from '../json.js';
import { encodeBlock, type BlockView } from '../rpc/blockEncoding.js';
import { UnsupportedVersionError } from '../rpc/transactionEncoding.js';
import type { Store } from '../store/store.js';

type Reached = 'confirmed' | 'finalized';

/** Tells of every slot twice: once its block is complete, which confirms it here, and once it is final. */
export class SlotFeed {
  readonly #bank: Bank;
  readonly #tell: (reached: Reached, slot: number) => Promise<void>;
  #told: Promise<void> = Promise.resolve();
  #final = -1;

  constructor(bank: Bank, tell: (reached: Reached, slot: number) => Promise<void>) {
    this.#bank = bank;
    this.#tell = tell;
  }

  /** A slot began, so the one before is complete. */
  onSlot(slot: number, root: number): void {
    const complete = slot - 1;
    if (complete < 0) return;
    this.#queue('confirmed', complete);
    // Where transactions are final at once, the root is the slot that has just begun.
    const final = Math.min(root, complete);
    if (final === this.#final) return;
    this.#final = final;
    this.#queue('finalized', final);
  }

  /** Tells in order, although a large block takes longer than a small one. */
  #queue(reached: Reached, slot: number): void {
    const tell = async (): Promise<void> => {
      await this.#bank.durable();
      await this.#tell(reached, slot);
    };
    // Nobody may learn of a block that is not on disk; its transactions' senders get the store's error.
    this.#told = this.#told.then(tell).catch(() => undefined);
  }
}

/** The outcomes of a slot's transactions. */
type Counts = { landed: number; failed: number };

/** The events of slots, as `slotsUpdatesSubscribe` tells them. Times are in milliseconds since 1970. */
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

/** Which blocks a subscriber wants to see, and how. */
export type BlockInterest = {
  readonly kind: 'block';
  readonly commitment: 'confirmed' | 'finalized';
  /** Only transactions that name this address, and only blocks that have any. */
  readonly mention: Uint8Array | undefined;
  readonly view: BlockView;
};

/** The notification of a block, as JSON text; undefined when the block has nothing that the subscriber wants. */
export async function blockNotification(
  slot: number,
  { mention, view }: BlockInterest,
  from: { readonly bank: Bank; readonly store: Store },
): Promise<string | undefined> {
  const places = view.details === 'none' && mention === undefined ? [] : from.store.placesIn(slot, mention);
  if (mention !== undefined && places.length === 0) return undefined;
  const value = await encodeBlock(slot, places, view, from).then(
    (block) => ({ block, err: null, slot }),
    (error: unknown) => {
      if (!(error instanceof UnsupportedVersionError)) throw error;
      return { block: null, err: { UnsupportedTransactionVersion: error.version }, slot };
    },
  );
  return encodeJson({ context: { slot }, value });
}
