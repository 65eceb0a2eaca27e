import { hash } from 'node:crypto';
import { keyOf, type Key } from './keys.js';
import { signatureOf, type WireTransaction } from './wire.js';
import type { TransactionError } from './transactionError.js';

export type TransactionStatus = { readonly slot: number; readonly err: TransactionError | null };

/** The identity of a transaction: its first signature, and the digest of its message. */
export type TransactionNames = { readonly signature: Key; readonly message: Key };

/** Slots for which landed transactions are remembered: twice as long as any blockhash lives. */
export const STATUS_SLOTS = 300;

/**
 * Statuses of recent transactions. A transaction is identified by its first signature and by its message: a signer who
 * signs a message twice with different nonces still gets it executed once (L-7).
 */
export class StatusCache {
  readonly #statuses = new Map<Key, TransactionStatus>();
  /** The slot in which each landed. */
  readonly #messages = new Map<Key, number>();
  /** By slot, to expire them. */
  readonly #bySlot = new Map<number, TransactionNames[]>();

  add(names: TransactionNames, status: TransactionStatus): void {
    this.#statuses.set(names.signature, status);
    this.#messages.set(names.message, status.slot);
    const sameSlot = this.#bySlot.get(status.slot);
    if (sameSlot === undefined) this.#bySlot.set(status.slot, [names]);
    else sameSlot.push(names);
  }

  /** Reports whether a transaction landed in this slot or earlier. */
  has({ signature, message }: TransactionNames, upTo: number): boolean {
    const landed = this.#statuses.get(signature)?.slot ?? this.#messages.get(message);
    return landed !== undefined && landed <= upTo;
  }

  get(signature: Key): TransactionStatus | undefined {
    return this.#statuses.get(signature);
  }

  /** Drops transactions whose blockhash is too old to send them again. */
  moveTo(slot: number): void {
    for (const [landed, gone] of this.#bySlot) {
      if (landed >= slot - STATUS_SLOTS) continue;
      this.#bySlot.delete(landed);
      for (const { signature, message } of gone) {
        this.#statuses.delete(signature);
        this.#messages.delete(message);
      }
    }
  }
}

export function namesOf(transaction: WireTransaction): TransactionNames {
  return {
    signature: keyOf(signatureOf(transaction)),
    message: hash('sha256', transaction.message.bytes, 'binary'),
  };
}
