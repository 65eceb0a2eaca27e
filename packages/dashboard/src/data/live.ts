import { followEvents, type RelayEvent } from '@legwork/sdk';
import { useSyncExternalStore } from 'react';
import { queries } from './service.js';
import { serviceUrl, shell } from './shell.js';

/** How it stands with the stream of events. `since`: when it was lost. */
export type Connection =
  | { readonly state: 'live' | 'connecting' }
  | { readonly state: 'offline'; readonly since: Date };

interface Live {
  readonly connection: Connection;
  /** The newest first, at most {@link RING}. */
  readonly events: readonly RelayEvent[];
}

const RING = 200;
/** Lost for a moment is no news: a service that restarts is back by then. */
const OFFLINE_AFTER_MS = 2_000;
/** Events that arrive together change the page once. */
const BATCH_MS = 120;
/** Lists and figures of the whole market are read again at most so often, however many events there are. */
const MARKET_EVERY_MS = 4_000;

let current: Live = { connection: { state: 'connecting' }, events: [] };
const listeners = new Set<() => void>();

function change(next: Partial<Live>): void {
  current = { ...current, ...next };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => current.connection);
}

/** The events of this visit, the newest first. */
export function useEvents(): readonly RelayEvent[] {
  return useSyncExternalStore(subscribe, () => current.events);
}

/** What an event is about: the ids and the key in it. */
function namesIn(event: RelayEvent): string[] {
  const { packageId, taskId, agentPubkey } = event as { packageId?: string; taskId?: string; agentPubkey?: string };
  return [packageId, taskId, agentPubkey].filter((name) => name !== undefined);
}

/** Of the market as a whole: lists and figures whose question names no one thing. */
function isOfMarket([name, input]: readonly unknown[]): boolean {
  return /^(list|getStats)/.test(String(name)) && namesOf(input).length === 0;
}

const ID_FIELDS = ['packageId', 'taskId', 'pubkey', 'package', 'task', 'agent'];

function namesOf(input: unknown): string[] {
  const fields = Object.entries((input ?? {}) as Record<string, unknown>);
  return fields.filter(([field]) => ID_FIELDS.includes(field)).map(([, value]) => String(value));
}

const touched = new Set<string>();
let isScheduled = false;
let marketReadAt = 0;
let marketIsDue = false;

/** Reads again what the events changed: answers about what they name soon, those about the market now and then. */
function refresh(): void {
  isScheduled = false;
  const names = new Set(touched);
  touched.clear();
  if (names.size > 0) {
    const isTouched = ({ queryKey }: { queryKey: readonly unknown[] }) =>
      namesOf(queryKey[1]).some((name) => names.has(name));
    void queries.invalidateQueries({ predicate: isTouched });
    refreshMarket();
  }
}

function refreshMarket(): void {
  if (marketIsDue) return;
  marketIsDue = true;
  // A tenth sooner or later: a thousand dashboards do not ask in the same moment.
  const wait = Math.max(0, marketReadAt + MARKET_EVERY_MS * (0.9 + Math.random() / 5) - Date.now());
  setTimeout(() => {
    marketIsDue = false;
    marketReadAt = Date.now();
    void queries.invalidateQueries({ predicate: ({ queryKey }) => isOfMarket(queryKey) });
  }, wait);
}

const waiting: RelayEvent[] = [];

function show(): void {
  change({ events: [...waiting.toReversed(), ...current.events].slice(0, RING) });
  waiting.length = 0;
  // Nobody looks at a hidden page: it catches up once somebody does.
  if (!document.hidden) refresh();
  else isScheduled = false;
}

function take(event: RelayEvent): void {
  waiting.push(event);
  for (const name of namesIn(event)) touched.add(name);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(show, BATCH_MS);
}

/** Tells when the stream opens and ends: who follows the events is not told. */
function watchedSocket(): typeof WebSocket {
  return class extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      this.addEventListener('open', opened);
      this.addEventListener('close', closed);
    }
  };
}

let lost: ReturnType<typeof setTimeout> | undefined;

function opened(): void {
  clearTimeout(lost);
  lost = undefined;
  const wasOffline = current.connection.state === 'offline';
  change({ connection: { state: 'live' } });
  // Events tell what happened meanwhile; what failed to load is asked for again.
  if (wasOffline) void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
}

function closed(): void {
  const since = new Date();
  lost ??= setTimeout(() => change({ connection: { state: 'offline', since } }), OFFLINE_AFTER_MS);
}

const RETRY_MS = 2_000;

/** Follows the events from where the shell was written until the page is left: nothing between the two is missed. */
export async function followMarket(): Promise<never> {
  let since = shell?.stats.lastEventSeq;
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) refresh();
  });
  for (;;) {
    try {
      for await (const event of followEvents({
        url: serviceUrl,
        WebSocket: watchedSocket(),
        ...(since !== undefined && { since }),
      })) {
        since = event.seq;
        take(event);
      }
    } catch {
      // The first connection could not be opened, or a newer service said what is not known here.
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
