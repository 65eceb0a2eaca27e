import type { Key } from './keys.js';

/** How many accounts are kept at least, far more than anybody asks for: a search takes as long as there are accounts. */
const KEPT = 1000;

/** The accounts with the most lamports, kept up to date with every change. */
export class Richest {
  readonly #most = new Map<Key, bigint>();
  /** No account that is left out has more. */
  #floor = 0n;

  /** Whether `count` accounts are known, or all that exist. */
  has(count: number): boolean {
    return this.#floor === 0n || this.#most.size >= count;
  }

  keys(): Iterable<Key> {
    return this.#most.keys();
  }

  update(address: Key, lamports: bigint): void {
    if (lamports <= this.#floor) {
      this.#most.delete(address);
      return;
    }
    this.#most.set(address, lamports);
    if (this.#most.size > 2 * KEPT) this.#trim();
  }

  /** Begins again; the caller updates with every account. */
  clear(): void {
    this.#most.clear();
    this.#floor = 0n;
  }

  #trim(): void {
    const poorer = [...this.#most].sort(([, one], [, other]) => (one > other ? -1 : 1)).slice(KEPT);
    this.#floor = poorer[0]?.[1] ?? 0n;
    for (const [address] of poorer) this.#most.delete(address);
  }
}
