import { createHash } from 'node:crypto';
import { BLOCKHASH_AGE } from './commitment.js';
import { keyOf, toBase58, type Key } from './keys.js';

/**
 * The blockhash of a slot: a digest of the data folder's salt and the slot. So the last 150 need no storage and survive
 * a restart, and no two ledgers share a hash. Rules L-2, L-6.
 */
export function blockhashOf(salt: Uint8Array, slot: number): Uint8Array {
  const number = Buffer.alloc(8);
  number.writeBigUInt64LE(BigInt(slot));
  return createHash('sha256').update(salt).update(number).digest();
}

/** The blockhashes that a transaction may name now. */
export class BlockhashQueue {
  readonly #salt: Uint8Array;
  readonly #slots = new Map<Key, number>();
  #from = 0;
  #to = -1;

  constructor(salt: Uint8Array) {
    this.#salt = salt;
  }

  /** Moves the queue to the given latest slot. */
  moveTo(slot: number): void {
    const from = Math.max(0, slot - Number(BLOCKHASH_AGE));
    for (let old = this.#from; old < Math.min(from, this.#to + 1); old += 1) {
      this.#slots.delete(keyOf(blockhashOf(this.#salt, old)));
    }
    for (let fresh = Math.max(from, this.#to + 1); fresh <= slot; fresh += 1) {
      this.#slots.set(keyOf(blockhashOf(this.#salt, fresh)), fresh);
    }
    this.#from = from;
    this.#to = slot;
  }

  /** The slot of a blockhash; undefined when it is unknown or too old. */
  slotOf(blockhash: Uint8Array): number | undefined {
    return this.#slots.get(keyOf(blockhash));
  }

  text(slot: number): string {
    return toBase58(blockhashOf(this.#salt, slot));
  }
}
