import { createLegworkClient, followEvents } from '@legwork/sdk';
import type { Bid, DigitalTaskView, EventType, PackageView, LegworkClient, LegworkEvent } from '@legwork/sdk';
import { messageOf } from './desk.js';
import type { Log } from './desk.js';
import { Offers } from './offers.js';
import { idle, Wakes } from './wakes.js';

/** How often the interface wants to be asked, milliseconds. */
const PACKAGES_EVERY_MS = 10_000;
const TASKS_EVERY_MS = 60_000;
/** Bids on a package are read again after so long even if no event told of one. */
const BIDS_LAST_MS = 60_000;
/** Between two readings of bids: at most 300 of the 600 requests that a service takes a minute. */
const BIDS_PAUSE_MS = 200;
const STREAM_PAUSE_MS = 5_000;

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
/** After them a task may have a leg to be claimed. */
const OPENING: ReadonlySet<EventType> = new Set(['TASK_LISTED', 'TASK_LEG_RELEASED', 'TASK_LEG_COMPLETED']);

/** A vacant leg that takes bids; its id is the leg's. */
export type Opening = Awaited<ReturnType<LegworkClient['listOpenings']>>['items'][number] & { readonly id: string };

/** Hears that the market changed; `event` is what changed it, undefined: something was read. */
type Listener = (event: LegworkEvent | undefined) => void;

/** What is followed of a service. */
export interface Interest {
  readonly packages: boolean;
  readonly tasks: boolean;
}

/**
 * What one service offers, for all agents of this process: one poll of each list and one stream of events. The poll is the
 * guarantee, the event saves the wait. Rule A-20.
 */
export class Market {
  readonly url: string;
  readonly packages: Offers<PackageView>;
  readonly openings: Offers<Opening>;
  /** Digital tasks with a leg that can be claimed. */
  readonly tasks: Offers<DigitalTaskView>;
  readonly #client: LegworkClient;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  readonly #bids = new Map<string, { readonly bids: readonly Bid[]; readonly readMs: number }>();
  readonly #wantedBids = new Set<string>();
  readonly #bidsWanted = new Wakes();

  constructor(url: string, log: Log) {
    this.url = url;
    const client = createLegworkClient({ url });
    this.#client = client;
    this.#log = log;
    this.packages = new Offers('the list of packages', PACKAGES_EVERY_MS, (page, signal) =>
      client.listPackages({ status: 'listed', ...page }, { signal }),
    );
    this.openings = new Offers('the list of vacant legs', PACKAGES_EVERY_MS, async (_, signal) => {
      const { items } = await client.listOpenings({}, { signal });
      return { items: items.map((one) => ({ ...one, id: one.legId })), nextCursor: undefined };
    });
    this.tasks = new Offers('the list of digital tasks', TASKS_EVERY_MS, (page, signal) =>
      client.listDigitalTasks({ open: true, ...page }, { signal }),
    );
  }

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
      interest.packages && this.packages.run(changed, this.#log, signal),
      interest.packages && this.openings.run(changed, this.#log, signal),
      interest.packages && this.#readWantedBids(signal),
      interest.tasks && this.tasks.run(changed, this.#log, signal),
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
        if (!signal.aborted) this.#log.warn({}, `no events, the lists are polled: ${messageOf(error)}`);
      }
      await idle(STREAM_PAUSE_MS, signal);
    }
  }

  #take(event: LegworkEvent): void {
    if ('packageId' in event && event.packageId !== undefined) this.#takeOfPackage(event, event.packageId);
    if ('taskId' in event && event.taskId !== undefined) this.#takeOfTask(event, event.taskId);
    this.#tell(event);
  }

  #takeOfPackage(event: LegworkEvent, packageId: string): void {
    const { type } = event;
    if (type === 'LEG_OPENED') this.openings.more();
    if (type === 'LEG_REPLACED') this.openings.known.delete(event.formerLegId);
    if (type === 'PACKAGE_LISTED') {
      this.packages.more();
    } else if (type === 'BID_STORED' || type === 'BID_WITHDRAWN') {
      if (this.#bids.has(packageId)) this.#wantBids(packageId);
    } else {
      this.packages.known.delete(packageId);
      this.#bids.delete(packageId);
    }
  }

  #takeOfTask(event: LegworkEvent, taskId: string): void {
    const task = this.tasks.known.get(taskId);
    if (event.type === 'TASK_COMPLETED' || event.type === 'TASK_FAILED') {
      this.tasks.known.delete(taskId);
    } else if (event.type === 'TASK_LEG_CLAIMED') {
      const legs = task?.legs.map((leg) => (leg.id === event.legId ? { ...leg, isOpen: false } : leg));
      if (task && legs) this.tasks.known.set(taskId, { ...task, legs });
    } else if (OPENING.has(event.type)) {
      this.tasks.more();
    }
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

  /** Of packages that are not listed any more. */
  #forgetBids(): void {
    for (const packageId of this.#bids.keys()) if (!this.packages.known.has(packageId)) this.#bids.delete(packageId);
  }
}
