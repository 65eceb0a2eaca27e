import type { StakeHistory, StakeStatus } from './delegation.js';

/** Epochs that the sysvar tells. */
const EPOCHS = 512;
const ENTRY_BYTES = 32;

/** The stake of the epochs that are over, as the sysvar StakeHistory has it, the latest first. */
export class StakeTotals {
  readonly #byEpoch = new Map<number, StakeStatus>();
  #next = 0;

  /** The first epoch that is not known. */
  get next(): number {
    return this.#next;
  }

  readonly of: StakeHistory = (epoch) => this.#byEpoch.get(Number(epoch));

  /** Reads the data of the sysvar. */
  restore(data: Uint8Array): void {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const count = bytes.length < 8 ? 0 : Number(bytes.readBigUInt64LE(0));
    for (let index = count - 1; index >= 0; index -= 1) {
      const [epoch, effective = 0n, activating = 0n, deactivating = 0n] = [0, 8, 16, 24].map((at) =>
        bytes.readBigUInt64LE(8 + ENTRY_BYTES * index + at),
      );
      this.#next = Number(epoch);
      this.add({ effective, activating, deactivating });
    }
  }

  /** Adds the next epoch. */
  add(status: StakeStatus): void {
    this.#byEpoch.set(this.#next, status);
    this.#byEpoch.delete(this.#next - EPOCHS);
    this.#next += 1;
  }

  data(): Uint8Array {
    const bytes = Buffer.alloc(8 + ENTRY_BYTES * EPOCHS);
    const entries = [...this.#byEpoch].reverse();
    let at = bytes.writeBigUInt64LE(BigInt(entries.length), 0);
    for (const [epoch, { effective, activating, deactivating }] of entries) {
      for (const value of [BigInt(epoch), effective, activating, deactivating]) at = bytes.writeBigUInt64LE(value, at);
    }
    return bytes;
  }
}
