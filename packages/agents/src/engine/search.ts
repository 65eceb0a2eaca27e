import type { LegworkClient, OpenWork, Page } from '@legwork/sdk';
import { messageOf } from './desk.js';
import type { Log } from './desk.js';
import { idle, Wakes } from './wakes.js';

/** A page has as many as the service gives at once. */
const PAGE = 200;
/** Between two readings, however many events there are: at most 120 of the 600 requests that a service takes a minute. */
const PAUSE_MS = 500;

type FindWork = LegworkClient['findWork'];

/** A search for work. */
export type Question = Omit<NonNullable<Parameters<FindWork>[0]>, 'limit' | 'cursor'>;

/** A package that takes bids, or a vacant leg of one. */
export type Parcel = OpenWork & {
  readonly packageId: string;
  readonly originLat: number;
  readonly originLng: number;
  readonly destLat: number;
  readonly destLng: number;
  readonly weightKg: number;
  readonly volumeLitres: number;
};

/** A leg of a digital task that can be claimed. */
export type TaskLeg = OpenWork & {
  readonly taskId: string;
  readonly legId: string;
  readonly legIndex: number;
  readonly claimTimeoutSec: number;
};

export const isParcel = (work: OpenWork): work is Parcel =>
  work.packageId !== null && work.originLat !== null && work.destLat !== null && work.weightKg !== null;

export const isTaskLeg = (work: OpenWork): work is TaskLeg =>
  work.taskId !== null && work.legId !== null && work.claimTimeoutSec !== null;

/** A leg has a name of its own, a package is one. */
export const nameOf = ({ legId, packageId }: OpenWork): string => legId ?? packageId ?? '';

interface SearchParts {
  readonly name: string;
  readonly everyMs: number;
  /** Of each question: beyond them is what nobody has wanted for long. */
  readonly mostPages: number;
  /** The present questions; none: nothing is known then. */
  readonly questions: () => readonly Question[];
  readonly find: FindWork;
}

/** The findings of a service for some questions: asked from time to time, and at once when there is more. */
export class Search {
  /** By {@link nameOf}. */
  readonly known = new Map<string, OpenWork>();
  /** When it was last asked, milliseconds since 1970. */
  lastReadMs: number | undefined;
  /** True if everything that there was is known. */
  isAll = false;
  readonly #parts: SearchParts;
  readonly #wakes = new Wakes();

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  /** Says that there is more. */
  more(): void {
    this.#wakes.wake();
  }

  /** Forgets what is not open any more. */
  drop(isOver: (work: OpenWork) => boolean): void {
    for (const [name, work] of this.known) if (isOver(work)) this.known.delete(name);
  }

  /** Asks until the signal is aborted. */
  async run(changed: () => void, log: Log, signal: AbortSignal): Promise<void> {
    const { name, everyMs } = this.#parts;
    let isTroubled = false;
    while (!signal.aborted) {
      const dueMs = Date.now() + everyMs;
      try {
        await this.#read(signal);
        if (isTroubled) log.info({}, `${name} can be looked for again`);
        isTroubled = false;
        changed();
      } catch (error) {
        if (!isTroubled && !signal.aborted) log.warn({}, `${name} cannot be looked for: ${messageOf(error)}`);
        isTroubled = true;
      }
      await idle(PAUSE_MS, signal);
      await this.#wakes.wait(dueMs - Date.now(), signal);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const read: OpenWork[] = [];
    let isAll = true;
    for (const question of this.#parts.questions()) isAll = (await this.#readPages(question, read, signal)) && isAll;
    this.known.clear();
    for (const work of read) this.known.set(nameOf(work), work);
    this.isAll = isAll;
    this.lastReadMs = Date.now();
  }

  /** @returns true if that was all */
  async #readPages(question: Question, read: OpenWork[], signal: AbortSignal): Promise<boolean> {
    let cursor: string | undefined;
    for (let pages = 0; pages < this.#parts.mostPages; pages += 1) {
      const asked = { ...question, limit: PAGE, ...(cursor !== undefined && { cursor }) };
      const page: Page<OpenWork> = await this.#parts.find(asked, { signal });
      read.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === undefined) return true;
    }
    return false;
  }
}
