/** Puts what it is given into the store, without waiting; resolves when that is on disk. @throws when it could not be written */
export type WriteGroup<Item> = (items: readonly Item[]) => Promise<void>;

/**
 * Writes items in groups: while one is on its way to the disk, the next one gathers. After a failure nothing is written any more,
 * since what follows builds on what was lost (L-73).
 */
export class GroupCommit<Item> {
  readonly #write: WriteGroup<Item>;
  #gathering: { readonly items: Item[]; readonly onDisk: Promise<void> } | undefined;
  #latest: Promise<void> = Promise.resolve();

  constructor(write: WriteGroup<Item>) {
    this.#write = write;
  }

  /** Queues an item. Resolves when it is on disk: the same promise for a whole group. */
  add(item: Item): Promise<void> {
    if (this.#gathering === undefined) {
      const items: Item[] = [];
      this.#latest = this.#writeAfter(this.#latest, items);
      // Only those who ask learn of a failure.
      this.#latest.catch(() => undefined);
      this.#gathering = { items, onDisk: this.#latest };
    }
    this.#gathering.items.push(item);
    return this.#gathering.onDisk;
  }

  /** Resolves when everything queued so far is on disk. @throws Error when it could not be written */
  get durable(): Promise<void> {
    return this.#latest;
  }

  async #writeAfter(previous: Promise<void>, items: readonly Item[]): Promise<void> {
    await previous;
    // Writes that come in the same turn of the event loop go along.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.#gathering = undefined;
    await this.#write(items);
  }
}
