/** A binary heap: the smallest by the given order comes out first. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #compare: (a: Item, b: Item) => number;

  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  push(item: Item): void {
    let index = this.#items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfSmaller(index, parent)) {
        return;
      }
      index = parent;
    }
  }

  pop(): Item | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const child = this.#isSmaller(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfSmaller(child, index)) {
        return;
      }
      index = child;
    }
  }

  #swapIfSmaller(child: number, parent: number): boolean {
    const lower = this.#items[child];
    const upper = this.#items[parent];
    if (lower === undefined || upper === undefined || this.#compare(lower, upper) >= 0) {
      return false;
    }
    this.#items[child] = upper;
    this.#items[parent] = lower;
    return true;
  }

  #isSmaller(a: number, b: number): boolean {
    const first = this.#items[a];
    const second = this.#items[b];
    return first !== undefined && second !== undefined && this.#compare(first, second) < 0;
  }
}
