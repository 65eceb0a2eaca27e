import type { Account } from './account.js';
import { keyOf, type Key } from './keys.js';

/** The accounts that each program owns. The engine's own search goes through all accounts and copies each. */
export class OwnerIndex {
  readonly #ownerOf = new Map<Key, Key>();
  readonly #owned = new Map<Key, Set<Key>>();

  update(address: Key, account: Account | undefined): void {
    const before = this.#ownerOf.get(address);
    const after = account === undefined ? undefined : keyOf(account.owner);
    if (before === after) return;
    if (before !== undefined) this.#owned.get(before)?.delete(address);
    if (after === undefined) {
      this.#ownerOf.delete(address);
      return;
    }
    this.#ownerOf.set(address, after);
    const set = this.#owned.get(after);
    if (set === undefined) this.#owned.set(after, new Set([address]));
    else set.add(address);
  }

  /** The addresses of all accounts. */
  all(): Iterable<Key> {
    return this.#ownerOf.keys();
  }

  ownedBy(owner: Key): Iterable<Key> {
    return this.#owned.get(owner) ?? [];
  }
}
