import type { RootDatabase } from 'lmdb';
import type { Account } from '../bank/account.js';
import { bytesOfKey, keyOf, type Key } from '../bank/keys.js';
import { openBytes, type Bytes } from './environment.js';
import { decodeAccount, encodeAccount } from './records.js';

/** An account's state at a snapshot; `null`: it is not needed any more. */
export type UndoEntry = {
  readonly snapshot: number;
  readonly address: Key;
  /** `undefined`: there was none. */
  readonly former: Account | undefined | null;
};

const SNAPSHOT_BYTES = 4;
/** Stands for an account that was not there. */
const NONE = new Uint8Array();

/** The state of accounts at each snapshot, of those that have changed since: by snapshot and address. */
export class UndoLog {
  readonly #entries: Bytes;

  constructor(root: RootDatabase) {
    this.#entries = openBytes(root, 'undo');
  }

  /** Adds and removes entries, in their order. */
  put(entries: readonly UndoEntry[]): void {
    const last = new Map(entries.map((entry) => [`${entry.snapshot} ${entry.address}`, entry]));
    for (const { snapshot, address, former } of last.values()) {
      const key = Buffer.alloc(SNAPSHOT_BYTES + 32);
      key.writeUInt32BE(snapshot, 0);
      key.set(bytesOfKey(address), SNAPSHOT_BYTES);
      if (former === null) void this.#entries.remove(key);
      else void this.#entries.put(key, former === undefined ? NONE : encodeAccount(former));
    }
  }

  *entries(): Generator<{ snapshot: number; address: Key; former: Account | undefined }> {
    for (const { key, value } of this.#entries.getRange()) {
      const bytes = Buffer.from(key);
      yield {
        snapshot: bytes.readUInt32BE(0),
        address: keyOf(bytes.subarray(SNAPSHOT_BYTES)),
        former: value.length === 0 ? undefined : decodeAccount(value),
      };
    }
  }

  async clear(): Promise<void> {
    await this.#entries.clearAsync();
  }
}
