import type { ChangedAccount } from './accounts.js';
import type { TransactionError } from './transactionError.js';

/** A transaction that is on disk, as subscribers see it. */
export type LandedTransaction = {
  readonly signature: Uint8Array;
  readonly slot: number;
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  /** The accounts that it names. */
  readonly mentions: readonly Uint8Array[];
  readonly changed: readonly ChangedAccount[];
};

type Announce = (event: 'landed' | 'finalized', transaction: LandedTransaction) => void;

/** Tells of transactions in their order, once they are on disk (L-11), and again once they are final. */
export class Announcements {
  readonly #announce: Announce;
  /** By slot, in order. */
  readonly #unfinalized = new Map<number, LandedTransaction[]>();
  #gathering: { readonly onDisk: Promise<void>; readonly landed: LandedTransaction[] } | undefined;
  #root = 0;

  constructor(announce: Announce) {
    this.#announce = announce;
  }

  /** @param onDisk the same promise for all that are stored together */
  landed(transaction: LandedTransaction, onDisk: Promise<void>): void {
    if (this.#gathering?.onDisk === onDisk) {
      this.#gathering.landed.push(transaction);
      return;
    }
    const landed = [transaction];
    this.#gathering = { onDisk, landed };
    const tell = (): void => {
      for (const one of landed) this.#tell(one);
    };
    // The sender gets the store's error. Nobody else may learn of a transaction that is not on disk.
    onDisk.then(tell, () => undefined);
  }

  /** Tells of what is final now. @param root the latest final slot */
  moveTo(root: number): void {
    this.#root = root;
    for (const [slot, landed] of this.#unfinalized) {
      if (slot > root) return;
      this.#unfinalized.delete(slot);
      for (const one of landed) this.#announce('finalized', one);
    }
  }

  #tell(transaction: LandedTransaction): void {
    this.#announce('landed', transaction);
    if (transaction.slot <= this.#root) {
      this.#announce('finalized', transaction);
      return;
    }
    const sameSlot = this.#unfinalized.get(transaction.slot);
    if (sameSlot === undefined) this.#unfinalized.set(transaction.slot, [transaction]);
    else sameSlot.push(transaction);
  }
}
