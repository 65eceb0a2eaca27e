import { createHash } from 'node:crypto';
import { keyOf, type Key } from './keys.js';
import { signatureKeyOf, type WireTransaction } from './wire.js';
import type { TransactionError } from './transactionError.js';

export type TransactionStatus = { readonly slot: number; readonly err: TransactionError | null };

/** Slots for which landed transactions are remembered: twice as long as any blockhash lives. */
export const STATUS_SLOTS = 300;

/**
 * What landed lately. A transaction is known by its first signature and by its message: whoever can sign a message twice with
 * different nonces still gets it executed once.
 */
export class StatusCache {
  readonly #statuses = new Map<Key, TransactionStatus>();
  readonly #messages = new Set<Key>();
  /** In the order of landing, for forgetting. */
  readonly #order: { readonly slot: number; readonly signature: Key; readonly message: Key }[] = [];

  add(transaction: WireTransaction, status: TransactionStatus): void {
    const signature = signatureKeyOf(transaction);
    const message = digestOf(transaction);
    this.#statuses.set(signature, status);
    this.#messages.add(message);
    this.#order.push({ slot: status.slot, signature, message });
  }

  has(transaction: WireTransaction): boolean {
    return this.#statuses.has(signatureKeyOf(transaction)) || this.#messages.has(digestOf(transaction));
  }

  get(signature: Key): TransactionStatus | undefined {
    return this.#statuses.get(signature);
  }

  /** Forgets what no blockhash can repeat any more. */
  moveTo(slot: number): void {
    const gone = this.#order.findIndex((one) => one.slot >= slot - STATUS_SLOTS);
    for (const one of this.#order.splice(0, gone === -1 ? this.#order.length : gone)) {
      this.#statuses.delete(one.signature);
      this.#messages.delete(one.message);
    }
  }
}

function digestOf(transaction: WireTransaction): Key {
  return keyOf(createHash('sha256').update(transaction.message.bytes).digest());
}
