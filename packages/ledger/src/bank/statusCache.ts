import { createHash } from 'node:crypto';
import { keyOf, type Key } from './keys.js';
import { signatureOf, type WireTransaction } from './wire.js';
import type { TransactionError } from './transactionError.js';

export type TransactionStatus = { readonly slot: number; readonly err: TransactionError | null };

/** What identifies a transaction: its first signature, and the digest of its message. */
export type TransactionNames = { readonly signature: Key; readonly message: Key };

/** Slots for which landed transactions are remembered: twice as long as any blockhash lives. */
export const STATUS_SLOTS = 300;

/**
 * Statuses of recent transactions. A transaction is identified by its first signature and by its message: a signer who
 * signs a message twice with different nonces still gets it executed once (L-7).
 */
export class StatusCache {
  readonly #statuses = new Map<Key, TransactionStatus>();
  readonly #messages = new Set<Key>();
  /** In landing order, to expire them. */
  readonly #order: { readonly slot: number; readonly signature: Key; readonly message: Key }[] = [];

  add({ signature, message }: TransactionNames, status: TransactionStatus): void {
    this.#statuses.set(signature, status);
    this.#messages.add(message);
    this.#order.push({ slot: status.slot, signature, message });
  }

  has({ signature, message }: TransactionNames): boolean {
    return this.#statuses.has(signature) || this.#messages.has(message);
  }

  get(signature: Key): TransactionStatus | undefined {
    return this.#statuses.get(signature);
  }

  /** Drops transactions whose blockhash is too old to send them again. */
  moveTo(slot: number): void {
    const gone = this.#order.findIndex((one) => one.slot >= slot - STATUS_SLOTS);
    for (const one of this.#order.splice(0, gone === -1 ? this.#order.length : gone)) {
      this.#statuses.delete(one.signature);
      this.#messages.delete(one.message);
    }
  }
}

export function namesOf(transaction: WireTransaction): TransactionNames {
  return {
    signature: keyOf(signatureOf(transaction)),
    message: keyOf(createHash('sha256').update(transaction.message.bytes).digest()),
  };
}
