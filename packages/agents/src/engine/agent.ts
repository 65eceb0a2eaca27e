import { everyItem } from '@legwork/sdk';
import type { QueuedLeg, LegworkEvent } from '@legwork/sdk';
import { messageOf } from './desk.js';
import type { Desk } from './desk.js';
import type { LegalMoves, Move, Role } from './move.js';
import type { ReasonCode } from './reasons.js';
import { idle, Wakes } from './wakes.js';

/** How an agent is doing. */
export interface Health {
  readonly agent: string;
  readonly name: string | undefined;
  /** Under way. */
  readonly legs: number;
  /** Bids that may still become legs. */
  readonly bids: number;
  /** The payments of its completed legs since it exists, lamports; undefined: not read yet. */
  readonly earnedLamports: bigint | undefined;
  /** The most that its transactions have cost since it exists, lamports. */
  readonly spentLamports: bigint;
  /** Listings that it left alone since it started, by reason. */
  readonly leftAlone: Readonly<Partial<Record<ReasonCode, number>>>;
  /** When work was last looked for, milliseconds since 1970; undefined: not yet. */
  readonly lastPollMs: number | undefined;
}

/** How often the agent's own legs are read: as long as it has or may get some, and otherwise; milliseconds. */
const LEGS_EVERY_MS = 10_000;
const LEGS_IDLE_MS = 60_000;
/** Between two looks, however many events there are, milliseconds. */
const LOOK_PAUSE_MS = 200;

/**
 * One agent at work: looks, finds what is legal, does what is due, and of what is open one thing after another. Its state is that of
 * the service, the ledger and its journal, so it may end at any instant. Rule A-22.
 */
export class Agent {
  readonly #desk: Desk;
  readonly #roles: readonly Role[];
  readonly #wakes = new Wakes();
  /** The moves that are due and under way, by key. */
  readonly #due = new Map<string, AbortController>();
  /** Roles that are busy with one of their open moves. */
  readonly #open = new Map<Role, AbortController>();
  readonly #running = new Set<Promise<void>>();
  /** The keys of moves that ended since the look began: the look's word on them is old. */
  readonly #endedMeanwhile = new Set<string>();
  #areLegsNews = true;
  #legsReadMs: number | undefined;
  #earnedLamports: bigint | undefined;

  constructor(desk: Desk, roles: readonly Role[]) {
    this.#desk = desk;
    this.#roles = roles;
  }

  get health(): Health {
    const { session, commitments, market, reasons } = this.#desk;
    const carried = new Set(commitments.legs.map((leg) => (leg.kind === 'physical' ? leg.packageId : leg.id)));
    return {
      agent: session.signer.address,
      name: session.policy.name,
      legs: carried.size,
      bids: commitments.count - carried.size,
      earnedLamports: this.#earnedLamports,
      spentLamports: session.spending.inAll,
      leftAlone: Object.fromEntries(reasons.counts),
      lastPollMs: market.newest.package.lastReadMs ?? market.newest.leg.lastReadMs,
    };
  }

  /** Reads what the agent earned. */
  async readEarnings(): Promise<void> {
    const { client, signer } = this.#desk.session;
    const { history } = await client.getAgent({ agentPubkey: signer.address });
    this.#earnedLamports = history.earnedLamports;
  }

  /** Works until the signal is aborted, and then until nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const leave = this.#desk.market.subscribe((event) => this.#hear(event));
    this.#running.add(this.#desk.work.run(() => this.#wakes.wake(), signal));
    const abortAll = () => {
      for (const controller of [...this.#due.values(), ...this.#open.values()]) controller.abort();
    };
    signal.addEventListener('abort', abortAll);
    try {
      while (!signal.aborted) {
        const lookedMs = Date.now();
        await this.#turn(signal);
        await idle(LOOK_PAUSE_MS, signal);
        await this.#wakes.wait(this.#sleepMs(lookedMs), signal);
      }
      await Promise.allSettled(this.#running);
    } finally {
      signal.removeEventListener('abort', abortAll);
      leave();
    }
  }

  #hear(event: LegworkEvent | undefined): void {
    if (event) for (const role of this.#roles) role.hear?.(event);
    if (event && this.#isAboutUs(event)) this.#areLegsNews = true;
    this.#wakes.wake();
  }

  #isAboutUs(event: LegworkEvent): boolean {
    const { session, commitments } = this.#desk;
    if ('agentPubkey' in event && event.agentPubkey === session.signer.address) return true;
    if ('packageId' in event && event.packageId !== undefined && event.type !== 'BID_STORED') {
      return commitments.packageIds.has(event.packageId);
    }
    const { taskId } = 'taskId' in event ? event : {};
    return commitments.legs.some((leg) => leg.kind === 'digital' && leg.taskId === taskId);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { rests } = this.#desk;
    rests.forget(Date.now());
    if (rests.isResting('look', Date.now())) return;
    this.#endedMeanwhile.clear();
    try {
      await this.#readLegs();
      const looks = await Promise.all(this.#roles.map(async (role) => ({ role, moves: await role.look() })));
      rests.ended('look');
      await this.#desk.reasons.tell(Date.now());
      if (!signal.aborted) this.#begin(looks);
    } catch (error) {
      if (!signal.aborted) this.#failed('look', error);
    }
  }

  async #readLegs(): Promise<void> {
    const { session, commitments } = this.#desk;
    const begunMs = Date.now();
    const everyMs = commitments.count > 0 ? LEGS_EVERY_MS : LEGS_IDLE_MS;
    if (!this.#areLegsNews && begunMs < (this.#legsReadMs ?? 0) + everyMs) return;
    this.#areLegsNews = false;
    try {
      // A leg that is assigned between the two readings is in both.
      const legs = new Map<string, QueuedLeg>();
      const statuses = session.policy.worker ? (['pending', 'in_progress'] as const) : (['pending'] as const);
      for (const status of statuses) {
        const ours = { agentPubkey: session.signer.address, status, limit: 200 };
        for await (const leg of everyItem(session.client.listAgentLegs, ours)) legs.set(leg.id, leg);
      }
      this.#legsReadMs = begunMs;
      commitments.sawLegs([...legs.values()], begunMs);
    } catch (error) {
      this.#areLegsNews = true;
      throw error;
    }
  }

  #begin(looks: readonly { readonly role: Role; readonly moves: LegalMoves }[]): void {
    const due = looks.flatMap(({ moves }) => moves.due).sort((a, b) => a.deadlineMs - b.deadlineMs);
    const keys = new Set(due.map(({ key }) => key));
    for (const [key, controller] of this.#due) if (!keys.has(key)) controller.abort();
    for (const move of due) {
      if (!this.#isReady(move)) continue;
      const controller = new AbortController();
      this.#due.set(move.key, controller);
      this.#run(this.#carryOut(move, controller.signal).finally(() => this.#due.delete(move.key)));
    }
    for (const { role, moves } of looks) {
      const ready = moves.open.filter((one) => this.#isReady(one));
      if (ready.length === 0 || this.#open.has(role)) continue;
      const controller = new AbortController();
      this.#open.set(role, controller);
      this.#run(this.#chooseOne(role, ready, controller.signal).finally(() => this.#open.delete(role)));
    }
  }

  #isReady({ key, deadlineMs }: Move): boolean {
    const now = Date.now();
    const isOld = this.#due.has(key) || this.#endedMeanwhile.has(key);
    return deadlineMs > now && !isOld && !this.#desk.rests.isResting(key, now);
  }

  #run(work: Promise<void>): void {
    const running = work.finally(() => {
      this.#running.delete(running);
      this.#wakes.wake();
    });
    this.#running.add(running);
  }

  async #chooseOne(role: Role, open: readonly Move[], signal: AbortSignal): Promise<void> {
    const chosen = await role.choose(open, signal).catch(() => undefined);
    await this.#carryOut(chosen ?? (open[0] as Move), signal);
  }

  async #carryOut(move: Move, signal: AbortSignal): Promise<void> {
    const { rests, log, session } = this.#desk;
    if (signal.aborted) return;
    try {
      session.spending.check(move.costLamports, session.policy.limits, Date.now());
      const words = await move.carryOut(signal);
      rests.ended(move.key);
      this.#areLegsNews = true;
      log.info({ move: move.key }, words);
    } catch (error) {
      if (!signal.aborted) this.#failed(move.key, error);
    } finally {
      this.#endedMeanwhile.add(move.key);
    }
  }

  #failed(key: string, error: unknown): void {
    const isNews = this.#desk.rests.failed(key, error, Date.now());
    if (isNews) this.#desk.log.warn({ move: key }, messageOf(error));
  }

  /** Until something is to be read or tried again; what came due after the last look began was not tried by it. */
  #sleepMs(lookedMs: number): number {
    const now = Date.now();
    const everyMs = this.#desk.commitments.count > 0 ? LEGS_EVERY_MS : LEGS_IDLE_MS;
    const nextMs = Math.min((this.#legsReadMs ?? now) + everyMs, this.#desk.rests.soonest(lookedMs));
    return Math.max(0, nextMs - now);
  }
}
