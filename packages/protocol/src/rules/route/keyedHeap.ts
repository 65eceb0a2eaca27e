const FIRST_ROOM = 1024;

/**
 * A binary heap of whole numbers, each with a key: the smallest key comes out first, of equal keys the item that the given order
 * puts first. Everything lies in two columns, for heaps of hundreds of thousands.
 */
export class KeyedHeap {
  #keys = new Float64Array(FIRST_ROOM);
  #items = new Int32Array(FIRST_ROOM);
  #size = 0;
  readonly #compareTies: (a: number, b: number) => number;

  constructor(compareTies: (a: number, b: number) => number) {
    this.#compareTies = compareTies;
  }

  push(key: number, item: number): void {
    if (this.#size === this.#items.length) this.#grow();
    const keys = this.#keys;
    const items = this.#items;
    let index = this.#size;
    this.#size += 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const parentKey = keys[parent] ?? 0;
      const parentItem = items[parent] ?? 0;
      if (key > parentKey || (key === parentKey && this.#compareTies(item, parentItem) >= 0)) break;
      keys[index] = parentKey;
      items[index] = parentItem;
      index = parent;
    }
    keys[index] = key;
    items[index] = item;
  }

  /** @returns the first item, which is gone then; -1 when there is none */
  pop(): number {
    if (this.#size === 0) return -1;
    const first = this.#items[0] ?? 0;
    this.#size -= 1;
    if (this.#size > 0) this.#sink(this.#keys[this.#size] ?? 0, this.#items[this.#size] ?? 0);
    return first;
  }

  /** Puts an item in from the top, where the first one is missing. */
  #sink(key: number, item: number): void {
    const keys = this.#keys;
    const items = this.#items;
    const size = this.#size;
    let index = 0;
    for (let child = 1; child < size; child = 2 * index + 1) {
      if (child + 1 < size && this.#isBefore(child + 1, child)) child += 1;
      const childKey = keys[child] ?? 0;
      const childItem = items[child] ?? 0;
      if (key < childKey || (key === childKey && this.#compareTies(item, childItem) <= 0)) break;
      keys[index] = childKey;
      items[index] = childItem;
      index = child;
    }
    keys[index] = key;
    items[index] = item;
  }

  #isBefore(a: number, b: number): boolean {
    const keyA = this.#keys[a] ?? 0;
    const keyB = this.#keys[b] ?? 0;
    return keyA < keyB || (keyA === keyB && this.#compareTies(this.#items[a] ?? 0, this.#items[b] ?? 0) < 0);
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#size);
    const items = new Int32Array(2 * this.#size);
    keys.set(this.#keys);
    items.set(this.#items);
    this.#keys = keys;
    this.#items = items;
  }
}
