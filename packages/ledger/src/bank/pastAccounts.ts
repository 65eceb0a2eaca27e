import type { Account } from './account.js';
import type { Key } from './keys.js';

/** An amount that changes over the slots, with its values at the end of those that are not final yet. */
export class PastValue {
  #now = 0n;
  #changes: { readonly slot: number; readonly before: bigint }[] = [];

  get now(): bigint {
    return this.#now;
  }

  /** Changes it in the latest slot. */
  add(slot: number, difference: bigint): void {
    if (difference === 0n) return;
    if (this.#changes.at(-1)?.slot !== slot) this.#changes.push({ slot, before: this.#now });
    this.#now += difference;
  }

  /** Changes it as if it had always been so. */
  shift(difference: bigint): void {
    this.#now += difference;
    this.#changes = this.#changes.map(({ slot, before }) => ({ slot, before: before + difference }));
  }

  /** The value at the end of `slot`. */
  at(slot: number): bigint {
    return this.#changes.find((change) => change.slot > slot)?.before ?? this.#now;
  }

  /** Forgets changes of this slot and earlier. */
  forgetUpTo(slot: number): void {
    if ((this.#changes[0]?.slot ?? Infinity) > slot) return;
    this.#changes = this.#changes.filter((change) => change.slot > slot);
  }
}

type Change = { readonly slot: number; readonly before: Account | undefined };

/** Earlier states of accounts that changed in slots that are not final yet, for reads at `finalized`. */
export class PastAccounts {
  readonly #changes = new Map<Key, Change[]>();

  /** Records an account's state just before a change in `slot`. */
  remember(address: Key, slot: number, before: Account | undefined): void {
    const list = this.#changes.get(address);
    // Only a slot's first change matters: reads see the state at the end of a slot.
    if (list === undefined) this.#changes.set(address, [{ slot, before }]);
    else if (list.at(-1)?.slot !== slot) list.push({ slot, before });
  }

  /** The account at the end of `slot`, given its current state. */
  at(address: Key, slot: number, now: Account | undefined): Account | undefined {
    const first = this.#changes.get(address)?.find((change) => change.slot > slot);
    return first === undefined ? now : first.before;
  }

  hasChangedAfter(address: Key, slot: number): boolean {
    return (this.#changes.get(address)?.at(-1)?.slot ?? -1) > slot;
  }

  /** Addresses that changed after `slot`. */
  *changedAfter(slot: number): Generator<Key> {
    for (const address of this.#changes.keys()) if (this.hasChangedAfter(address, slot)) yield address;
  }

  /** Forgets changes of this slot and earlier. */
  forgetUpTo(slot: number): void {
    for (const [address, list] of this.#changes) {
      const rest = list.filter((change) => change.slot > slot);
      if (rest.length === 0) this.#changes.delete(address);
      else if (rest.length !== list.length) this.#changes.set(address, rest);
    }
  }
}
