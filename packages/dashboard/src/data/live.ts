import type { Relay } from '@legwork/protocol/contract';
import { followEvents, type Page, type LegworkEvent } from '@legwork/sdk';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { joined, type LogOf } from './log.js';
import { afterEvent } from './relayPatch.js';
import { Rereads } from './rereads.js';
import { keyOf, queries, restsUntil, service } from './service.js';
import { serviceUrl, shell } from './shell.js';
import { watchedSocket } from './watchedSocket.js';

/** How it stands with the stream of events. `since`: when it was lost; `left`: events that are still to come. */
export type Connection =
  | { readonly state: 'live' }
  | { readonly state: 'connecting' }
  | { readonly state: 'catching up'; readonly left: number }
  | { readonly state: 'offline'; readonly since: Date };

interface Live {
  readonly connection: Connection;
  /** The newest first, at most {@link RING}. */
  readonly events: readonly LegworkEvent[];
}

const RING = 200;
/** Lost for a moment is no news: a service that restarts is back by then. */
const OFFLINE_AFTER_MS = 2_000;
/** Events that arrive together change the page once. */
const BATCH_MS = 120;
/** So many missed events are a moment's work, and no news. */
const FEW_MISSED = 50;
/** So many missed events are not worth replaying: all that is shown is read again. */
const MANY_MISSED = 2_000;
const RETRY_MS = 2_000;

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

const LOG = 'log';

/** The newest events of the log, kept current. */
export function useLog(of: LogOf) {
  const { topics, length } = of;
  return useQuery({
    queryKey: [LOG, of],
    queryFn: async ({ signal }) => {
      const asked = { limit: length, ...(topics && { topics: topics.join(',') }) };
      const { items } = await service.listEvents(asked, { signal });
      // What came meanwhile.
      return joined(items, [...waiting.toReversed(), ...current.events], of);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const rereads = new Rereads(queries, { isSeen: () => !document.hidden, restsUntil });

/** The last event seen; undefined: none is known yet. */
let seen: number | undefined = shell?.stats.lastEventSeq;
/** The newest event of the log when the stream opened again. */
let target = 0;
let following = new AbortController();

let waiting: LegworkEvent[] = [];

function take(event: LegworkEvent): void {
  seen = event.seq;
  waiting.push(event);
  if (waiting.length === 1) setTimeout(show, BATCH_MS);
}

function show(): void {
  const events = waiting;
  waiting = [];
  const newest = events.toReversed();
  patchRelays(events);
  extendLogs(newest);
  rereads.after(events);
  const isCatchingUp = current.connection.state === 'catching up';
  change({
    events: [...newest, ...current.events].slice(0, RING),
    ...(isCatchingUp && { connection: howFar() }),
  });
}

/** What is on the map moves at once; the next reading has the rest. */
function patchRelays(events: readonly LegworkEvent[]): void {
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: keyOf('listRelays') })) {
    const page = state.data as Page<Relay> | undefined;
    const items = events.reduce(afterEvent, page?.items ?? []);
    if (page === undefined || items === page.items) continue;
    queries.setQueryData(queryKey, { ...page, items }, { updatedAt: state.dataUpdatedAt });
  }
}

function extendLogs(newest: readonly LegworkEvent[]): void {
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: [LOG] })) {
    const known = state.data as readonly LegworkEvent[] | undefined;
    if (known !== undefined) queries.setQueryData(queryKey, joined(known, newest, queryKey[1] as LogOf));
  }
}

function howFar(): Connection {
  const left = target - (seen ?? 0);
  return left > FEW_MISSED ? { state: 'catching up', left } : { state: 'live' };
}

let lost: ReturnType<typeof setTimeout> | undefined;
let openings = 0;

function opened(): void {
  clearTimeout(lost);
  lost = undefined;
  change({ connection: { state: 'live' } });
  openings += 1;
  if (openings === 1) return;
  void compare();
  // Events tell what happened meanwhile; what failed to load is asked for again.
  void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
}

function closed(at: Date, wasOpen: boolean): void {
  if (current.connection.state !== 'offline') {
    lost ??= setTimeout(() => change({ connection: { state: 'offline', since: at } }), OFFLINE_AFTER_MS);
  }
  if (!wasOpen) void compare();
}

/** Compares what was seen with the log: a service that was set up again has another one, and refuses numbers beyond it. */
async function compare(): Promise<void> {
  const newest = await newestSeq().catch(() => undefined);
  if (newest === undefined || seen === undefined) return;
  if (newest < seen) return window.location.reload();
  target = newest;
  if (newest - seen > MANY_MISSED) following.abort();
  else if (current.connection.state === 'live') change({ connection: howFar() });
}

async function newestSeq(): Promise<number> {
  const { items } = await service.listEvents({ limit: 1 });
  return items[0]?.seq ?? 0;
}

/** Follows the events from where the shell was written until the page is left: nothing between the two is missed. */
export async function followMarket(): Promise<never> {
  document.addEventListener('visibilitychange', () => rereads.catchUp());
  const WebSocket = watchedSocket(globalThis.WebSocket, { opened, closed });
  for (;;) {
    following = new AbortController();
    const { signal } = following;
    try {
      seen ??= await newestSeq();
      for await (const event of followEvents({ url: serviceUrl, since: seen, signal, WebSocket })) take(event);
    } catch {
      // The first connection could not be opened, or a newer service said what is not known here.
    }
    if (signal.aborted) skip();
    else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Passes over what was missed. */
function skip(): void {
  seen = target;
  change({ events: [] });
  void queries.invalidateQueries();
}
