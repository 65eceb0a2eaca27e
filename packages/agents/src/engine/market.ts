import { createLegworkClient, followEvents } from '@legwork/sdk';
import type { Bid, EventType, LegworkClient, LegworkEvent, OpenWork } from '@legwork/sdk';
import { messageOf } from './desk.js';
import type { Log } from './desk.js';
import { Search } from './search.js';
import { idle, Wakes } from './wakes.js';

/** How often the interface wants to be asked, milliseconds. */
const PACKAGES_EVERY_MS = 10_000;
const TASKS_EVERY_MS = 60_000;
/** Bids on a package are read again after so long even if no event told of one. */
const BIDS_LAST_MS = 60_000;
/** Between two readings of bids: at most 300 of the 600 requests that a service takes a minute. */
const BIDS_PAUSE_MS = 200;
const STREAM_PAUSE_MS = 5_000;
/** Between two searches of agents of their own: at most 120 of those 600. */
const TURN_MS = 500;

const PACKAGE_TOPICS = [
  'PACKAGE_LISTED',
  'BID_STORED',
  'BID_WITHDRAWN',
  'SWARM_FORMED',
  'BID_RECEIVED',
  'LEG_CONFIRMED',
  'PACKAGE_DELIVERED',
  'PACKAGE_FAILED',
  'LEG_ACCEPTED',
  'LEG_CARRIED',
  'LEG_VACATED',
  'LEG_OPENED',
  'LEG_REPLACED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'LEG_RULED',
] as const satisfies readonly EventType[];
const TASK_TOPICS = [
  'TASK_LISTED',
  'TASK_LEG_CLAIMED',
  'TASK_LEG_ASSIGNED',
  'TASK_LEG_RELEASED',
  'TASK_LEG_COMPLETED',
  'TASK_COMPLETED',
  'TASK_FAILED',
  'LEG_ACCEPTED',
  'LEG_VACATED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'LEG_RULED',
] as const satisfies readonly EventType[];
/** The kind of work that an event announces more of. */
const MORE: Partial<Record<EventType, OpenWork['kind']>> = {
  PACKAGE_LISTED: 'package',
  LEG_OPENED: 'opening',
  TASK_LISTED: 'leg',
  TASK_LEG_RELEASED: 'leg',
  TASK_LEG_COMPLETED: 'leg',
};
/** Events that leave a package as open as it is. */
const HARMLESS: ReadonlySet<EventType> = new Set(['PACKAGE_LISTED', 'BID_STORED', 'BID_WITHDRAWN']);

/** Hears that the market changed; `event` is what changed it, undefined: something was read. */
type Listener = (event: LegworkEvent | undefined) => void;

/** The events of a service to follow. */
export interface Interest {
  readonly packages: boolean;
  readonly tasks: boolean;
}

/**
 * The work that one service offers, for all agents of this process: one search for the newest work of
 * each kind and one stream of events. The search is the guarantee, the event saves the wait. Rule A-20.
 */
export class Market {
  readonly url: string;
  /** The newest work, one page of each kind. */
  readonly newest: Readonly<Record<OpenWork['kind'], Search>>;
  readonly #client: LegworkClient;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  readonly #bids = new Map<string, { readonly bids: readonly Bid[]; readonly readMs: number }>();
  readonly #wantedBids = new Set<string>();
  readonly #bidsWanted = new Wakes();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(url: string, log: Log) {
    this.url = url;
    this.#client = createLegworkClient({ url });
    this.#log = log;
    const newest = (kind: OpenWork['kind'], name: string, everyMs: number) =>
      new Search({ name, everyMs, mostPages: 1, questions: () => [{ kind }], find: this.#client.findWork });
    this.newest = {
      package: newest('package', 'packages', PACKAGES_EVERY_MS),
      opening: newest('opening', 'vacant legs', PACKAGES_EVERY_MS),
      leg: newest('leg', 'legs of digital tasks', TASKS_EVERY_MS),
    };
  }

  /** Finds work for one agent: those of a process take turns, so that together they leave the service room for everything else. */
  readonly findInTurn: LegworkClient['findWork'] = (question, options) => {
    const { signal } = options ?? {};
    const found = this.#lastTurn.then(() => this.#client.findWork(question, options));
    const pause = () => (signal ? idle(TURN_MS, signal) : undefined);
    this.#lastTurn = found.then(pause, pause);
    return found;
  };

  /** @returns ends it */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The live bids on a listed package; undefined: they are being read, and the listeners hear when they are. */
  bidsOn(packageId: string): readonly Bid[] | undefined {
    const known = this.#bids.get(packageId);
    if (!known || known.readMs + BIDS_LAST_MS < Date.now()) this.#wantBids(packageId);
    return known?.bids;
  }

  /** Reads until the signal is aborted. */
  async run(interest: Interest, signal: AbortSignal): Promise<void> {
    const changed = () => this.#tell(undefined);
    await Promise.all([
      interest.packages && this.newest.package.run(changed, this.#log, signal),
      interest.packages && this.newest.opening.run(changed, this.#log, signal),
      interest.packages && this.#readWantedBids(signal),
      interest.tasks && this.newest.leg.run(changed, this.#log, signal),
      this.#follow(
        [...new Set([...(interest.packages ? PACKAGE_TOPICS : []), ...(interest.tasks ? TASK_TOPICS : [])])],
        signal,
      ),
    ]);
  }

  #tell(event: LegworkEvent | undefined): void {
    for (const listener of this.#listeners) listener(event);
  }

  async #follow(topics: readonly EventType[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of followEvents({ url: this.url, topics, signal })) this.#take(event);
      } catch (error) {
        if (!signal.aborted)
          this.#log.warn({}, `no events, the market is searched from time to time: ${messageOf(error)}`);
      }
      await idle(STREAM_PAUSE_MS, signal);
    }
  }

  #take(event: LegworkEvent): void {
    const isOver = closedBy(event);
    if (isOver) for (const search of Object.values(this.newest)) search.drop(isOver);
    const more = MORE[event.type];
    if (more !== undefined) this.newest[more].more();
    const { packageId } = 'packageId' in event ? event : {};
    if (packageId !== undefined && this.#bids.has(packageId)) {
      if (HARMLESS.has(event.type)) this.#wantBids(packageId);
      else this.#bids.delete(packageId);
    }
    this.#tell(event);
  }

  #wantBids(packageId: string): void {
    this.#wantedBids.add(packageId);
    this.#bidsWanted.wake();
  }

  async #readWantedBids(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [packageId] = this.#wantedBids;
      if (packageId === undefined) {
        await this.#bidsWanted.wait(BIDS_LAST_MS, signal);
        this.#forgetBids();
        continue;
      }
      this.#wantedBids.delete(packageId);
      try {
        const { items } = await this.#client.listBids({ packageId, limit: 200 }, { signal });
        this.#bids.set(packageId, { bids: items.filter(({ status }) => status === 'live'), readMs: Date.now() });
        this.#tell(undefined);
      } catch {
        // The next one that wants them asks again.
      }
      await idle(BIDS_PAUSE_MS, signal);
    }
  }

  /** Those that nobody has wanted for long. */
  #forgetBids(): void {
    const oldMs = Date.now() - 2 * BIDS_LAST_MS;
    for (const [packageId, { readMs }] of this.#bids) if (readMs < oldMs) this.#bids.delete(packageId);
  }
}

/** Which work is not open any more after an event; undefined: none. */
export function closedBy(event: LegworkEvent): ((work: OpenWork) => boolean) | undefined {
  const { type } = event;
  if (type === 'TASK_LEG_CLAIMED') return ({ legId }) => legId === event.legId;
  if (type === 'TASK_COMPLETED' || type === 'TASK_FAILED') return ({ taskId }) => taskId === event.taskId;
  if (type === 'LEG_REPLACED' && event.formerLegId !== undefined) return ({ legId }) => legId === event.formerLegId;
  if (HARMLESS.has(type) || !('packageId' in event) || event.packageId === undefined) return undefined;
  return ({ kind, packageId }) => kind === 'package' && packageId === event.packageId;
}
