import { LegworkError } from '@legwork/protocol/contract';

/** Most items that go together. */
const MOST_TOGETHER = 64;
/** Most that wait in one line, and most of one name there: what waits is memory, and time for the one who comes last. */
const MOST_WAITING = 1024;
const MOST_OF_A_NAME = 100;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

/** The waiting items, oldest first, by the name under which each was given. */
interface Line<Item, Result> {
  byName: Map<string, Waiting<Item, Result>[]>;
  waiting: number;
}

/**
 * Work that costs little more for many than for one. What comes to an empty line begins at once; what comes meanwhile waits, and
 * goes together when that has ended: one of each name, those next whose turn is longest ago.
 */
export class Batches<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  readonly #lines = new Map<string, Line<Item, Result>>();

  /** @param work what each of the items came to, in their order: an error is that item's alone, one that is thrown everybody's */
  constructor(work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>) {
    this.#work = work;
  }

  /**
   * Works on the item, with others of its line. Lines do not wait for each other.
   *
   * @throws LegworkError `not_ready` (503) when too much waits already; what the work says
   */
  async run(item: Item, { line: key, name }: { line: string; name: string }): Promise<Result> {
    const line = this.#lines.get(key) ?? { byName: new Map<string, Waiting<Item, Result>[]>(), waiting: 0 };
    const own = line.byName.get(name) ?? [];
    if (line.waiting === MOST_WAITING || own.length === MOST_OF_A_NAME) {
      throw new LegworkError('not_ready', 'Too many requests wait for the same thing now; try again in a moment.');
    }
    return new Promise((resolve, reject) => {
      own.push({ item, resolve, reject });
      line.byName.set(name, own);
      line.waiting += 1;
      if (this.#lines.has(key)) return;
      this.#lines.set(key, line);
      void this.#drain(key, line);
    });
  }

  /** Reports whether anything of the line waits or is under way. */
  isBusy(line: string): boolean {
    return this.#lines.has(line);
  }

  async #drain(key: string, line: Line<Item, Result>): Promise<void> {
    while (line.waiting > 0) await this.#together(takeTurns(line));
    this.#lines.delete(key);
  }

  async #together(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] ?? new Error('an item of a batch came to nothing');
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** Takes the oldest of each name; a name that has more goes behind the others. */
function takeTurns<Item, Result>(line: Line<Item, Result>): Waiting<Item, Result>[] {
  const taken = [...line.byName].slice(0, MOST_TOGETHER).flatMap(([name, own]) => {
    const next = own.shift();
    line.byName.delete(name);
    if (own.length > 0) line.byName.set(name, own);
    return next ?? [];
  });
  line.waiting -= taken.length;
  return taken;
}
