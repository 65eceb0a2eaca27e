import type { Bank } from '../bank/bank.js';

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
