import type { EventType, LegworkEvent } from '@legwork/protocol/contract';
import { parseServiceUrl } from './client.js';
import { openConnection, platformSocket } from './connection.js';
import type { SocketConstructor } from './connection.js';
import { LegworkNetworkError } from './errors.js';
import { pause } from './pause.js';

/** The events to follow, and the start. */
export interface FollowOptions<T extends EventType = EventType> {
  /** Address of the service, as for `createLegworkClient`. */
  readonly url: string;
  /**
   * The number of the last event already seen; 0 begins with the first event there is. Left out: what happens from the
   * first connection on, and a disconnect before the first event may then lose some.
   */
  readonly since?: number;
  /** Only these types; default: all. */
  readonly topics?: readonly T[];
  /** Only what is about this package. */
  readonly package?: string;
  /** Only what is about this digital task. */
  readonly task?: string;
  /** Only listings that concern this key: it posted them, bid on them or works on them. */
  readonly agent?: string;
  /** Only packages that start or end near this place, and legs of them that are open near it. Degrees and kilometres. */
  readonly near?: { readonly lat: number; readonly lng: number; readonly radiusKm?: number };
  /** Ends the iteration quietly. */
  readonly signal?: AbortSignal;
  /** A WebSocket constructor; default: the platform's, in Node before 22 that of `ws`. */
  readonly WebSocket?: SocketConstructor;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A stream that is silent for so long is opened again; with a known number that costs nothing. */
const SILENCE_MS = 90_000;

/**
 * Follows the events of the service, in order, each once. After any disconnect (a restart, a replica's death, being too
 * slow) it connects again with the last number seen, so that nothing is missed and nothing comes twice. To go on in
 * another process, keep the `seq` of the last event handled and give it as `since`.
 *
 * @throws {LegworkNetworkError} when the first connection cannot be opened
 * @throws {LegworkProtocolError} when the stream holds something that is not an event
 */
export async function* followEvents<T extends EventType = EventType>(
  options: FollowOptions<T>,
): AsyncGenerator<Extract<LegworkEvent, { type: T }>, void, undefined> {
  const { signal } = options;
  const WebSocket = options.WebSocket ?? (await platformSocket());
  let last = options.since;
  let everOpened = false;
  let wait = FIRST_PAUSE_MS;
  for (;;) {
    if (isAborted(signal)) return;
    const connection = openConnection(WebSocket, streamUrl(options, last), last === undefined ? undefined : SILENCE_MS);
    const close = () => connection.close();
    signal?.addEventListener('abort', close, { once: true });
    try {
      for (let frame = await connection.next(); frame !== undefined; frame = await connection.next()) {
        if (isAborted(signal)) return;
        if (last !== undefined && frame.seq <= last) continue;
        last = frame.seq;
        wait = FIRST_PAUSE_MS;
        if (isWanted(frame.event, options.topics)) yield frame.event;
      }
    } finally {
      signal?.removeEventListener('abort', close);
      close();
    }
    everOpened ||= connection.opened;
    if (isAborted(signal)) return;
    if (!everOpened) throw new LegworkNetworkError(`cannot open the event stream ${streamUrl(options, last)}`);
    await pause(wait * (0.5 + Math.random()), signal).catch(() => undefined);
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}

/** The service sends only what is asked for; this says so to the compiler. */
function isWanted<T extends EventType>(
  event: LegworkEvent | undefined,
  topics: readonly T[] | undefined,
): event is Extract<LegworkEvent, { type: T }> {
  return event !== undefined && (topics === undefined || topics.some((topic) => topic === event.type));
}

/** Asked through a function, because the signal changes while the code waits. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function streamUrl({ url, topics, near, ...filter }: FollowOptions, since: number | undefined): string {
  const stream = parseServiceUrl(url);
  stream.protocol = stream.protocol.replace('http', 'ws');
  stream.pathname = `${stream.pathname.replace(/\/$/, '')}/ws`;
  stream.search = '';
  if (since !== undefined) stream.searchParams.set('since', String(since));
  if (topics !== undefined) stream.searchParams.set('topics', topics.join(','));
  for (const name of ['package', 'task', 'agent'] as const) {
    const value = filter[name];
    if (value !== undefined) stream.searchParams.set(name, value);
  }
  if (near !== undefined) stream.searchParams.set('near', `${near.lat},${near.lng}`);
  if (near?.radiusKm !== undefined) stream.searchParams.set('radiusKm', String(near.radiusKm));
  return stream.href;
}
