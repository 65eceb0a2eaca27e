import type { Account } from './account.js';
import type { ChangedAccount } from './accounts.js';
import { keyOf, type Key } from './keys.js';

/** What a transaction changed, or an edit. */
type Entry = {
  readonly signature: Key | undefined;
  readonly changed: readonly ChangedAccount[];
  readonly bytes: number;
};

/** So many are kept, and so many bytes of account data, before and after together. */
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Of the rest of an account, roughly. */
const ACCOUNT_BYTES = 200;

/** What the latest transactions changed, in memory alone: the accounts before one are known as long as it is kept. Rule L-91. */
export class RecentChanges {
  /** In their order, by a number. */
  readonly #entries = new Map<number, Entry>();
  readonly #bySignature = new Map<Key, number>();
  #next = 0;
  #bytes = 0;

  /** @param signature undefined: accounts that were set without a transaction */
  add(signature: Uint8Array | undefined, changed: readonly ChangedAccount[]): void {
    let bytes = 0;
    for (const { before, account } of changed) {
      bytes += ACCOUNT_BYTES + (before?.data.length ?? 0) + (account?.data.length ?? 0);
    }
    const name = signature && keyOf(signature);
    this.#entries.set(this.#next, { signature: name, changed, bytes });
    if (name !== undefined) this.#bySignature.set(name, this.#next);
    this.#next += 1;
    this.#bytes += bytes;
    while (this.#entries.size > MAX_ENTRIES || this.#bytes > MAX_BYTES) this.#forgetOldest();
  }

  /** What a transaction changed; undefined when that is no longer known. */
  of(signature: Uint8Array): readonly ChangedAccount[] | undefined {
    const at = this.#bySignature.get(keyOf(signature));
    return at === undefined ? undefined : this.#entries.get(at)?.changed;
  }

  /** The accounts as they were before a transaction, of those that changed in it or after; undefined when that is no longer known. */
  before(signature: Uint8Array): ReadonlyMap<Key, Account | undefined> | undefined {
    const at = this.#bySignature.get(keyOf(signature));
    if (at === undefined) return undefined;
    const before = new Map<Key, Account | undefined>();
    for (let number = at; number < this.#next; number += 1) {
      for (const change of this.#entries.get(number)?.changed ?? []) {
        if (!before.has(change.address)) before.set(change.address, change.before);
      }
    }
    return before;
  }

  #forgetOldest(): void {
    const [oldest] = this.#entries;
    if (oldest === undefined) return;
    const [number, { signature, bytes }] = oldest;
    this.#entries.delete(number);
    this.#bytes -= bytes;
    if (signature !== undefined) this.#bySignature.delete(signature);
  }
}
