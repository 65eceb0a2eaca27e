import type { Account } from './account.js';
import type { Key } from './keys.js';
import { codeAddressOf } from './programs.js';

/** What a transaction has to know of an account that it only reads. */
export type Outline = {
  readonly lamports: bigint;
  /** Of its data. */
  readonly bytes: number;
  /** Where the code is, if it is an upgradeable program. */
  readonly code: Uint8Array | undefined;
};

export function outlineOf(account: Account | undefined): Outline | undefined {
  return account && { lamports: account.lamports, bytes: account.data.length, code: codeAddressOf(account) };
}

/** Accounts of which outlines are kept at most: anybody can name others. */
const MOST = 10_000;

/** Outlines of accounts, kept at hand: reading one copies the account, of programs hundreds of kilobytes. */
export class Outlines {
  readonly #read: (address: Uint8Array, name: Key) => Account | undefined;
  readonly #kept = new Map<Key, Outline | undefined>();

  constructor(read: (address: Uint8Array, name: Key) => Account | undefined) {
    this.#read = read;
  }

  of(address: Uint8Array, name: Key): Outline | undefined {
    const kept = this.#kept.get(name);
    if (kept !== undefined || this.#kept.has(name)) return kept;
    const outline = outlineOf(this.#read(address, name));
    if (this.#kept.size >= MOST) this.#kept.clear();
    this.#kept.set(name, outline);
    return outline;
  }

  forget(name: Key): void {
    this.#kept.delete(name);
  }

  clear(): void {
    this.#kept.clear();
  }
}
