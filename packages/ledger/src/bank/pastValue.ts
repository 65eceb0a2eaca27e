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
