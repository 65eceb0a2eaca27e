/*
 * Webhooks post the events of the log to those who want them.
 *
 * A webhook is a place in the log, the number up to which its receiver has everything. Nothing is copied: what waits for a receiver that
 * is down are the events themselves, and a redelivery is another place.
 *
 * - The fan-out says which webhooks an event is for, in every replica: they are due. Who leases one reads the log from its place and
 *   posts one event after another, each once the one before was taken. So a subject's events come in order.
 * - A place moves when the receiver has said yes. A worker that dies in between has an event posted
 *   twice, never none, under the same `webhook-id`.
 * - A lease is fenced, as in the outbox: a worker that lost it, to another or to a change of the owner's, can write nothing any more.
 * - A receiver that fails is tried again after pauses that grow, and after three days no more. Its events stay in the log.
 * - Few deliveries for one address are under way at a time, of all that a process carries: slow receivers wait for each other.
 * - Hints are hints. What another replica held, and what waits for its next try, is looked at every second.
 *
 * Invariants: no event before the one ahead of it was taken, no place beyond what was taken, no request but through `targets`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { tellTask } from '../a2a/tellTask.js';
import type { AppContext } from '../context.js';
import { frameOf, type LoggedEvent, traceOfEvent } from '../db/events.js';
import type { WebhookRow } from '../db/schema.js';
import type { Fanout, Follower } from '../events/fanout.js';
import { readWanted, type Wanted, wantedBy } from '../events/filter.js';
import { type Loop, startLoop } from '../loop.js';
import { LOOK_AGAIN_MS } from './notices.js';
import { note, noteFailed, trace } from '../tracing/spans.js';
import type { Answer } from './targets.js';
import { tell } from './tell.js';
import { type Delivery, open, type Private, signedMessage } from './signing.js';
import {
  ackEvent,
  changedWebhooks,
  dueRetries,
  type LeasedWebhook,
  leaseWebhook,
  noteFailure,
  passEvents,
  releaseTold,
  releaseWebhook,
  WebhookLostError,
} from './webhookRows.js';

/** Webhooks that one process delivers to at a time, and of those registered from one address. */
const CONCURRENCY = 64;
const OF_ONE_CLIENT = 8;
/** Well over the time that a receiver has. */
const LEASE_SEC = 15;
const POLL_MS = 1_000;
const DRAIN_MS = 5_000;
/** Events that are read at a time, and where most of them are only looked at. */
const PAGE = 50;
const WALK_PAGE = 500;
/** After so many in a row others have their turn. */
const IN_A_ROW = 50;
/** Whatever the log holds. */
const EVERYTHING = 2n ** 63n - 1n;
/** Names for the waker. */
export const CHANGED = 'changed';
const DUE = 'due';

/** The event as it is posted. Its id is the same however often that happens. */
export function deliveryOf(event: LoggedEvent): Delivery {
  const body = { type: event.type, timestamp: event.occurredAt.toISOString(), data: frameOf(event) };
  return { id: `evt_${event.seq}`, body: JSON.stringify(body) };
}

/** A webhook that this process has heard of. */
interface Known {
  follower: Follower;
  client: string;
  changedAt: Date;
}

class Deliveries {
  readonly #context: AppContext;
  readonly #fanout: Fanout;
  readonly #stopping = new AbortController();
  readonly #known = new Map<string, Known>();
  /** Webhooks that something waits for, up to a number. */
  readonly #due = new Map<string, bigint>();
  /** Those of them that another process held. */
  #held = new Map<string, bigint>();
  readonly #running = new Map<string, Promise<void>>();
  /** How many of them are for webhooks registered from each address. */
  readonly #ofClient = new Map<string, number>();
  #readAt: Date | undefined;
  /** By the clock of the process, milliseconds. */
  #lookAt = 0;

  constructor(context: AppContext, fanout: Fanout) {
    this.#context = context;
    this.#fanout = fanout;
  }

  /** @param names what it was woken for; undefined: for nothing in particular */
  async round(names: ReadonlySet<string> | undefined): Promise<boolean> {
    // However often others wake it: they put off no retry, and no change in another replica.
    const isTime = names === undefined || performance.now() >= this.#lookAt;
    if (isTime || names?.has(CHANGED)) await this.#readChanges();
    if (isTime) await this.#lookAround();
    for (const [id, upTo] of this.#due) {
      if (this.#running.size >= CONCURRENCY) break;
      if (this.#running.has(id) || !this.#hasTurn(id)) continue;
      this.#due.delete(id);
      this.#begin(id, upTo);
    }
    return false;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const id of this.#known.keys()) this.#forget(id);
    await Promise.race([Promise.allSettled(this.#running.values()), sleep(DRAIN_MS, undefined, { ref: false })]);
  }

  async #readChanges(): Promise<void> {
    const { rows, at } = await changedWebhooks(this.#context.db, this.#readAt);
    for (const row of rows) this.#learn(row);
    this.#readAt = at;
  }

  async #lookAround(): Promise<void> {
    for (const [id, upTo] of this.#held) this.#add(id, upTo);
    this.#held = new Map();
    for (const id of await dueRetries(this.#context.db, CONCURRENCY * 2)) this.#add(id, EVERYTHING);
    this.#lookAt = performance.now() + POLL_MS;
  }

  #learn(row: WebhookRow): void {
    const { id, client, changed_at: changedAt } = row;
    if (this.#known.get(id)?.changedAt.getTime() === changedAt.getTime()) return;
    this.#forget(id);
    const kept = open(this.#context.ledger.decisionKey, id, row.sealed);
    if (row.disabled_at !== null || kept === undefined) return;
    const follower = { wanted: wantedBy(kept.filter), accept: ({ seq }: LoggedEvent) => this.#isFor(id, seq) };
    this.#known.set(id, { follower, client, changedAt });
    this.#fanout.join(follower);
    // The events from before this process listened.
    this.#add(id, EVERYTHING);
  }

  #forget(id: string): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    this.#fanout.leave(known.follower);
    this.#known.delete(id);
    this.#due.delete(id);
  }

  #isFor(id: string, seq: bigint): void {
    this.#add(id, seq);
    this.#context.wakers.webhooks.wake(DUE);
  }

  #add(id: string, upTo: bigint): void {
    const before = this.#due.get(id) ?? 0n;
    this.#due.set(id, upTo > before ? upTo : before);
  }

  #hasTurn(id: string): boolean {
    return (this.#ofClient.get(this.#clientOf(id)) ?? 0) < OF_ONE_CLIENT;
  }

  #clientOf(id: string): string {
    return this.#known.get(id)?.client ?? '';
  }

  #count(client: string, change: number): void {
    const running = (this.#ofClient.get(client) ?? 0) + change;
    if (running === 0) this.#ofClient.delete(client);
    else this.#ofClient.set(client, running);
  }

  #begin(id: string, upTo: bigint): void {
    const { log, wakers } = this.#context;
    const client = this.#clientOf(id);
    this.#count(client, 1);
    const end = this.#deliver(id, upTo)
      .catch((error: unknown) => {
        if (error instanceof WebhookLostError) return;
        log.error({ err: error, webhook: id }, 'a webhook is left to its lease');
        this.#held.set(id, EVERYTHING);
      })
      .finally(() => {
        this.#running.delete(id);
        this.#count(client, -1);
        wakers.webhooks.wake(DUE);
      });
    this.#running.set(id, end);
  }

  async #deliver(id: string, upTo: bigint): Promise<void> {
    const webhook = await leaseWebhook(this.#context.db, id, upTo, LEASE_SEC);
    if (webhook === 'deleted') this.#forget(id);
    // Its owner may have it sent everything again just now: what its row says then is what holds.
    else if (webhook === 'disabled') this.#context.wakers.webhooks.wake(CHANGED);
    else if (webhook === 'held') this.#held.set(id, upTo);
    else if (typeof webhook !== 'string' && (await this.#carry(webhook))) this.#add(id, EVERYTHING);
  }

  /** Posts what waits. @returns whether there may be more */
  async #carry(webhook: LeasedWebhook): Promise<boolean> {
    const { db, ledger, log } = this.#context;
    const kept = open(ledger.decisionKey, webhook.id, webhook.sealed);
    if (kept === undefined) {
      log.warn({ webhook: webhook.id }, 'a webhook of another coordinator cannot be read');
      this.#forget(webhook.id);
      if (webhook.told !== null)
        await releaseTold(db, webhook, { told: webhook.told, reached: 0n, lookInMs: LOOK_AGAIN_MS });
      return false;
    }
    if (kept.push !== undefined || kept.a2a !== undefined) {
      const tellOne = kept.push === undefined ? tellTask : tell;
      if (await tellOne(this.#context, webhook, kept, LEASE_SEC)) this.#forget(webhook.id);
      return false;
    }
    const wanted = wantedBy(kept.filter);
    let [after, left] = [webhook.acked_seq, IN_A_ROW];
    for (;;) {
      const found = await readWanted(db, wanted, { after, limit: pageOf(wanted) });
      for (const event of found.events) {
        if (left === 0 || this.#stopping.signal.aborted) {
          await releaseWebhook(db, webhook, after);
          return true;
        }
        if (!(await this.#post(webhook, kept, event))) return false;
        after = event.seq;
        left -= 1;
      }
      after = found.reached ?? after;
      if (found.isEnd) break;
      await passEvents(db, webhook, after, LEASE_SEC);
    }
    await releaseWebhook(db, webhook, after);
    return false;
  }

  /** @returns whether the receiver took it */
  async #post(webhook: LeasedWebhook, kept: Private, event: LoggedEvent): Promise<boolean> {
    const { db, log, metrics, wakers } = this.#context;
    const { error, status } = await this.#send(webhook, kept, event);
    metrics.webhookDeliveries.inc({ outcome: error === null ? 'delivered' : 'failed' });
    if (error === null) {
      await ackEvent(db, webhook, event.seq, LEASE_SEC);
      webhook.attempts = 0;
      return true;
    }
    if (await noteFailure(db, webhook, { error, isGone: status === 410 })) {
      log.info({ webhook: webhook.id, reason: error }, 'a webhook is disabled');
      // Its owner may have it sent everything again just now: what its row says then is what holds.
      wakers.webhooks.wake(CHANGED);
    }
    return false;
  }

  /** Goes on the trace of what the event tells of. Rule S-271. */
  async #send({ id }: LeasedWebhook, kept: Private, event: LoggedEvent): Promise<Answer> {
    const { clock, db, ledger, targets, tracing } = this.#context;
    const from = tracing && { traceparent: await traceOfEvent(db, event.seq) };
    return trace(tracing, { name: 'webhook', kind: 'client', from }, async () => {
      const message = signedMessage(ledger.decisionKey, id, kept, deliveryOf(event), clock());
      const answer = await targets.post(kept.url, message);
      if (answer.status !== null) note({ 'http.response.status_code': answer.status });
      if (answer.error !== null) noteFailed('undelivered', true);
      return answer;
    });
  }
}

const pageOf = ({ around }: Wanted) => (around === undefined ? PAGE : WALK_PAGE);

/** Starts posting events to those who registered for them. Stopping gives every lease back. Rule S-183. */
export function startWebhooks(context: AppContext, fanout: Fanout): Loop {
  if (context.config.webhooks.targets === 'none') return { stop: () => Promise.resolve() };
  const deliveries = new Deliveries(context, fanout);
  const loop = startLoop({
    name: 'webhooks',
    log: context.log,
    pollMs: POLL_MS,
    waker: context.wakers.webhooks,
    round: (names) => deliveries.round(names),
  });
  return {
    stop: async () => {
      await loop.stop();
      await deliveries.stop();
    },
  };
}
