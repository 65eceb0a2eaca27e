import type { RootDatabase } from 'lmdb';
import { bytesOfKey, type Key } from '../bank/keys.js';
import { parseTransaction, signatureOf } from '../bank/wire.js';
import { openBytes, type Bytes } from './environment.js';
import {
  decodeIndexes,
  decodePosition,
  decodeTransaction,
  encodeIndexes,
  encodePosition,
  encodeTransaction,
  type Position,
  type TransactionRecord,
} from './records.js';

/** A transaction for the history, with the addresses of all accounts that it names. */
export type HistoryEntry = {
  readonly signature: Uint8Array;
  readonly record: TransactionRecord;
  readonly addresses: readonly Key[];
};

/**
 * All transactions that landed: a log by position, which holds everything, and two indexes to it, by signature and by address.
 */
export class History {
  readonly #log: Bytes;
  readonly #bySignature: Bytes;
  /**
   * By address and position of the first of a group of transactions within a slot that name it; the value
   * lists the places of all of them. An address that many transactions at once name is written once.
   */
  readonly #byAddress: Bytes;

  constructor(root: RootDatabase) {
    this.#log = openBytes(root, 'log');
    this.#bySignature = openBytes(root, 'by-signature');
    this.#byAddress = openBytes(root, 'by-address');
  }

  /** Adds a group of transactions, in their order, after all that were added before. */
  add(group: readonly HistoryEntry[]): void {
    const groups = new Map<string, { address: Key; slot: number; indexes: number[] }>();
    for (const { signature, record, addresses } of group) {
      const position = encodePosition(record);
      void this.#log.put(position, encodeTransaction(record));
      void this.#bySignature.put(signature, position);
      for (const address of addresses) {
        const name = `${address}${record.slot}`;
        const found = groups.get(name);
        if (found === undefined) groups.set(name, { address, slot: record.slot, indexes: [record.index] });
        else found.indexes.push(record.index);
      }
    }
    for (const { address, slot, indexes } of groups.values()) {
      const first = { slot, index: indexes[0] ?? 0 };
      void this.#byAddress.put(encodePosition(first, bytesOfKey(address)), encodeIndexes(indexes));
    }
  }

  async clear(): Promise<void> {
    await Promise.all([this.#log, this.#bySignature, this.#byAddress].map((database) => database.clearAsync()));
  }

  count(): number {
    return (this.#log.getStats() as { readonly entryCount: number }).entryCount;
  }

  latest(): Position | undefined {
    for (const key of this.#log.getKeys({ reverse: true, limit: 1 })) return decodePosition(key);
    return undefined;
  }

  find(signature: Uint8Array): TransactionRecord | undefined {
    const found = this.#bySignature.get(signature);
    return found && this.at(decodePosition(found));
  }

  at(position: Position): TransactionRecord | undefined {
    const stored = this.#log.get(encodePosition(position));
    return stored && decodeTransaction(position, stored);
  }

  /** The places of a slot's transactions, in order. */
  placesIn(slot: number): number[] {
    return Array.from(this.#log.getKeys(rangeOf(slot)), (key) => decodePosition(key).index);
  }

  /** The places of those that name an address. */
  placesOf(address: Uint8Array, slot: number): number[] {
    return Array.from(this.#byAddress.getRange(rangeOf(slot, address)), ({ value }) => decodeIndexes(value)).flat();
  }

  /** From a position on, in landing order. */
  *since(position: Position, limit: number): Generator<TransactionRecord> {
    for (const { key, value } of this.#log.getRange({ start: encodePosition(position), limit })) {
      yield decodeTransaction(decodePosition(key), value);
    }
  }

  /** The transactions that name an address, latest first, strictly before a position. */
  *of(address: Uint8Array, before: Position): Generator<Position & { readonly signature: Uint8Array }> {
    const range = this.#byAddress.getRange({
      start: encodePosition(before, address),
      exclusiveStart: true,
      end: encodePosition({ slot: 0, index: 0 }, address),
      inclusiveEnd: true,
      reverse: true,
    });
    for (const { key, value } of range) {
      const { slot } = decodePosition(key);
      for (const index of decodeIndexes(value).reverse()) {
        if (slot === before.slot && index >= before.index) continue;
        const record = this.at({ slot, index });
        if (record !== undefined) yield { slot, index, signature: signatureOf(parseTransaction(record.wire)) };
      }
    }
  }
}

/** The keys of a slot, after a prefix. */
function rangeOf(slot: number, prefix?: Uint8Array): { readonly start: Uint8Array; readonly end: Uint8Array } {
  return {
    start: encodePosition({ slot, index: 0 }, prefix),
    end: encodePosition({ slot: slot + 1, index: 0 }, prefix),
  };
}
