import type { Bank } from '../bank/bank.js';

export type PerformanceSample = {
  /** The last slot that counts. */
  readonly slot: number;
  readonly numSlots: number;
  readonly numTransactions: bigint;
  readonly samplePeriodSecs: number;
};

const PERIOD_SECONDS = 60;
/** Samples that are kept: of the last 12 hours. */
export const MAX_SAMPLES = 720;

/** How many transactions landed in each of the last minutes, since the ledger started. */
export class Performance {
  readonly #bank: Bank;
  readonly #samples: PerformanceSample[] = [];
  #slot: number;
  #count: bigint;

  constructor(bank: Bank) {
    this.#bank = bank;
    this.#slot = bank.slotAt('processed');
    this.#count = bank.transactionCount('processed');
    bank.on('slot', ({ slot }) => this.#onSlot(slot));
  }

  /** The latest samples, the newest first. */
  latest(count: number): readonly PerformanceSample[] {
    return this.#samples.slice(0, count);
  }

  #onSlot(slot: number): void {
    const seconds = this.#bank.blockTime(slot) - this.#bank.blockTime(this.#slot);
    if (seconds < PERIOD_SECONDS) return;
    const count = this.#bank.transactionCount('processed');
    this.#samples.unshift({
      slot,
      numSlots: slot - this.#slot,
      numTransactions: count - this.#count,
      samplePeriodSecs: seconds,
    });
    this.#samples.splice(MAX_SAMPLES);
    this.#slot = slot;
    this.#count = count;
  }
}
