import type { Page } from '@legwork/sdk';
import { messageOf } from './desk.js';
import type { Log } from './desk.js';
import { idle, Wakes } from './wakes.js';

/** A page has as many as the service gives at once. */
const PAGE = 200;
/** The newest so many of a list: beyond them is what nobody has wanted for long. */
const MOST_PAGES = 10;
/** Between two readings, however many events there are: at most 120 of the 600 requests that a service takes a minute. */
const PAUSE_MS = 500;

type ReadPage<T> = (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<T>>;

/**
 * One list of a service, such as the listed packages: read whole from time to time, and its newest page at once when an event says
 * that there is more.
 */
export class Offers<T extends { readonly id: string }> {
  /** By id. */
  readonly known = new Map<string, T>();
  /** When it was last read whole, milliseconds since 1970. */
  lastReadMs: number | undefined;
  readonly #name: string;
  readonly #everyMs: number;
  readonly #readPage: ReadPage<T>;
  readonly #wakes = new Wakes();

  constructor(name: string, everyMs: number, readPage: ReadPage<T>) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#readPage = readPage;
  }

  /** Says that there is more. */
  more(): void {
    this.#wakes.wake();
  }

  /** Reads until the signal is aborted. */
  async run(changed: () => void, log: Log, signal: AbortSignal): Promise<void> {
    let isTroubled = false;
    let dueMs = 0;
    while (!signal.aborted) {
      const isWhole = Date.now() >= dueMs;
      try {
        await this.#read(isWhole, signal);
        if (isTroubled) log.info({}, `${this.#name} can be read again`);
        isTroubled = false;
        changed();
      } catch (error) {
        if (!isTroubled && !signal.aborted) log.warn({}, `${this.#name} cannot be read: ${messageOf(error)}`);
        isTroubled = true;
      }
      if (isWhole) dueMs = Date.now() + this.#everyMs;
      await idle(PAUSE_MS, signal);
      await this.#wakes.wait(dueMs - Date.now(), signal);
    }
  }

  async #read(isWhole: boolean, signal: AbortSignal): Promise<void> {
    const read: T[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < (isWhole ? MOST_PAGES : 1); pages += 1) {
      const page: Page<T> = await this.#readPage({ limit: PAGE, ...(cursor !== undefined && { cursor }) }, signal);
      read.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    if (isWhole) {
      this.known.clear();
      this.lastReadMs = Date.now();
    }
    for (const one of read) this.known.set(one.id, one);
  }
}
