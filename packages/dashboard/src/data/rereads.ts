import type { LegworkEvent } from '@legwork/protocol/contract';
import type { Query, QueryClient } from '@tanstack/react-query';
import { isOfMarket, isTouched, touchedBy } from './touches.js';

/** An answer about one thing is read again at most so often. */
const THING_EVERY_MS = 1_000;
/** So is one about the market, a page of it: a thousand dashboards ask a service for each list some 130 times a second. */
const MARKET_EVERY_MS = 8_000;
/** After a quiet time the first event would bring every dashboard at once: they come within this. */
const SPREAD_MS = 2_000;

/** What decides whether anything is asked now. */
interface Surroundings {
  /** Whether somebody looks at the page. */
  readonly isSeen: () => boolean;
  /** Until when the service wants to be left alone, milliseconds of the clock. */
  readonly restsUntil: () => number;
}

/**
 * Reads again what events change, when it is looked at, and at a bounded rate however many events there are: an answer that
 * nobody looks at is only marked, and read when it is needed. Rule D-6.
 */
export class Rereads {
  readonly #queries: QueryClient;
  readonly #surroundings: Surroundings;
  readonly #due = new Set<Query>();
  readonly #timers = new Map<Query, ReturnType<typeof setTimeout>>();

  constructor(queries: QueryClient, surroundings: Surroundings) {
    this.#queries = queries;
    this.#surroundings = surroundings;
  }

  after(events: readonly LegworkEvent[]): void {
    const touched = touchedBy(events);
    for (const query of this.#queries.getQueryCache().findAll()) {
      if (!isTouched(query.queryKey, touched)) continue;
      query.invalidate();
      this.#due.add(query);
      this.#plan(query);
    }
  }

  /** Reads what became due while nobody looked. */
  catchUp(): void {
    for (const query of this.#due) this.#plan(query);
  }

  #plan(query: Query): void {
    if (this.#timers.has(query) || !this.#surroundings.isSeen()) return;
    const at = Math.max(nextReadAt(query, Date.now()), this.#surroundings.restsUntil());
    this.#timers.set(
      query,
      setTimeout(() => void this.#read(query), at - Date.now()),
    );
  }

  async #read(query: Query): Promise<void> {
    // An answer on its way may be older than the event; ending it would starve the page of a slow service.
    const isAsked = query.state.fetchStatus !== 'idle';
    if (isAsked) await query.promise?.catch(() => undefined);
    this.#timers.delete(query);
    if (!this.#due.has(query) || !this.#surroundings.isSeen()) return;
    if (isAsked || this.#surroundings.restsUntil() > Date.now()) return this.#plan(query);
    this.#due.delete(query);
    if (query.isActive()) await query.fetch().catch(() => undefined);
  }
}

/** When a question may be asked again, milliseconds of the clock; the lists of many pages the more seldom. */
function nextReadAt({ queryKey, state }: Query, now: number): number {
  const jitter = 0.8 + Math.random() * 0.4;
  // A question on its way counts from now.
  const readAt = state.fetchStatus === 'idle' ? Math.max(state.dataUpdatedAt, state.errorUpdatedAt) : now;
  if (!isOfMarket(queryKey)) return Math.max(now, readAt + THING_EVERY_MS * jitter);
  const pages = (state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1;
  return Math.max(now + Math.random() * SPREAD_MS, readAt + MARKET_EVERY_MS * pages * jitter);
}
