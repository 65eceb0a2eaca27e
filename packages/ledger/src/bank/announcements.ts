import type { EventEmitter } from 'node:events';
import type { ChangedAccount } from './accounts.js';
import type { TransactionError } from './transactionError.js';

/** Accounts that changed together, on disk, as subscribers see it. */
export type Change = {
  readonly slot: number;
  readonly changed: readonly ChangedAccount[];
};

/** A transaction that is on disk, as subscribers see it. */
export type LandedTransaction = Change & {
  readonly signature: Uint8Array;
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  /** The accounts that it names. */
  readonly mentions: readonly Uint8Array[];
};

export type BankEvents = {
  /** A slot began. */
  slot: [slot: { readonly slot: number; readonly root: number }];
  /** A transaction is on disk: processed and confirmed. */
  landed: [transaction: LandedTransaction];
  /** A landed transaction became final. */
  finalized: [transaction: LandedTransaction];
  /** Accounts were set without a transaction, and that is on disk. */
  set: [change: Change];
  /** Accounts that were set became final so. */
  setFinally: [change: Change];
};

/** Slots to announce one by one after the process was held up, at most; older ones are skipped. */
const MAX_CATCH_UP = 64;

/**
 * Tells of each slot that begins, and of transactions and accounts that are set: in their order, once they are on disk (L-11), and
 * again once they are final.
 */
export class Announcements {
  readonly #to: EventEmitter<BankEvents>;
  /** By slot, in order. */
  readonly #unfinalized = new Map<number, Change[]>();
  readonly #rootOf: (slot: number) => number;
  #gathering: { readonly onDisk: Promise<void>; readonly changes: Change[] } | undefined;
  #slot = -1;
  #root = 0;

  constructor(to: EventEmitter<BankEvents>, rootOf: (slot: number) => number) {
    this.#to = to;
    this.#rootOf = rootOf;
  }

  /** @param onDisk the same promise for all that are stored together */
  add(change: LandedTransaction | Change, onDisk: Promise<void>): void {
    if (this.#gathering?.onDisk === onDisk) {
      this.#gathering.changes.push(change);
      return;
    }
    const changes = [change];
    this.#gathering = { onDisk, changes };
    const tell = (): void => {
      for (const one of changes) this.#tell(one);
    };
    // The sender gets the store's error. Nobody else may learn of a transaction that is not on disk.
    onDisk.then(tell, () => undefined);
  }

  /** Tells of the slots that began since the last call, and of what is final now. */
  moveTo(slot: number): void {
    for (let begun = Math.max(this.#slot + 1, slot - MAX_CATCH_UP); begun <= slot; begun += 1) {
      this.#to.emit('slot', { slot: begun, root: this.#rootOf(begun) });
    }
    this.#slot = slot;
    this.#root = this.#rootOf(slot);
    for (const [landed, changes] of this.#unfinalized) {
      if (landed > this.#root) return;
      this.#unfinalized.delete(landed);
      for (const one of changes) this.#tellFinal(one);
    }
  }

  #tell(change: LandedTransaction | Change): void {
    if (isTransaction(change)) this.#to.emit('landed', change);
    else this.#to.emit('set', change);
    if (change.slot <= this.#root) {
      this.#tellFinal(change);
      return;
    }
    const sameSlot = this.#unfinalized.get(change.slot);
    if (sameSlot === undefined) this.#unfinalized.set(change.slot, [change]);
    else sameSlot.push(change);
  }

  #tellFinal(change: LandedTransaction | Change): void {
    if (isTransaction(change)) this.#to.emit('finalized', change);
    else this.#to.emit('setFinally', change);
  }
}

function isTransaction(change: LandedTransaction | Change): change is LandedTransaction {
  return 'signature' in change;
}
