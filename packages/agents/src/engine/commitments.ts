import type { LegStage } from '@legwork/protocol/contract';
import { STAKES_HELD } from '@legwork/protocol/rules';
import { formatAmount, resultHash, SOL } from '@legwork/sdk';
import type { QueuedLeg } from '@legwork/sdk';
import { z } from 'zod';
import type { JournalEntry, JournalView } from '../journal.js';
import { keyOf, limitWords } from '../wallet/assetRules.js';
import type { AssetRules } from '../wallet/assetRules.js';
import { LaterError } from './move.js';

/** One more stake would lie beside too many others. */
export class StakesError extends LaterError {}

interface StandingBid {
  readonly packageId: string;
  /** Undefined while the call is not answered. */
  readonly bidId: string | undefined;
  /** The vacant leg that it is for; undefined: it is for the package. */
  readonly legId: string | undefined;
  /** Milliseconds since 1970. */
  readonly untilMs: number;
}

/** A call that hands in or gives back a leg of a task. */
interface Ending {
  readonly legId: string;
  readonly taskId: string | undefined;
  /** sha256, hex, of what is handed in; undefined: it is given back. */
  readonly resultHash: string | undefined;
}

/** The clocks of service and agent differ by no more, or no signed call would pass (M-32), milliseconds. */
const CLOCK_GRACE_MS = 60_000;

const takenBid = z.object({ bidId: z.string(), expiresAt: z.iso.datetime() });
const ofVacantLeg = z.object({ legId: z.string() });
const withdrawal = z.object({ bidId: z.string() });
const artifact = z.object({ sha256: z.string(), bytes: z.number(), name: z.string(), contentType: z.string() });
const handedIn = z.object({ result: z.string(), artifacts: z.array(artifact).optional() });
const ofTask = z.object({ taskId: z.string() });

/** A leg that ends frees its stake. */
const STAKES_AGAIN_MS = 10_000;

/**
 * The legs that an agent has or may still get: those under way as the service shows them, bids that stand, and calls whose end is not
 * known. A bid counts until the legs were read after its end, so that one that won in its last second is never missed. Rule A-21.
 */
export class Commitments implements JournalView {
  /** By the key of the call. */
  readonly #bids = new Map<string, StandingBid>();
  /** By the key of the call: the leg, and since when the service has it that way. */
  readonly #claims = new Map<string, { readonly legId: string; readonly sinceMs: number }>();
  /** Withdrawals under way, by the key of the call. */
  readonly #withdrawals = new Map<string, string>();
  /** Legs of tasks that nothing is to be done for any more, and since when: handed in, or given back. */
  readonly #ended = new Map<string, number>();
  /** sha256, hex, of what was handed in for a leg of a task, by leg. */
  readonly #results = new Map<string, string>();
  /** The tasks of those, for ever: of a task nobody gets a second leg. */
  readonly #doneTaskIds = new Set<string>();
  /** Packages with bids of which the service was asked whether they still stand, and said so. */
  readonly #standing = new Set<string>();
  /** Calls under way that do so, by the key of the call. */
  readonly #endings = new Map<string, Ending>();
  /** The stakes that bids and claims may come to or came to, with the key of their asset, by package or leg of a task. */
  readonly #stakes = new Map<string, { readonly key: string; readonly amount: bigint }>();
  #legs: readonly QueuedLeg[] = [];

  take(entry: JournalEntry): void {
    if (entry.kind === 'called') this.#called(entry);
    if (entry.kind === 'answered') this.#answered(entry);
  }

  #called({ call, subject, key, input, stakeLamports, stakeMint }: Extract<JournalEntry, { kind: 'called' }>): void {
    if (call === 'submitBid') {
      const { legId } = ofVacantLeg.safeParse(input).data ?? {};
      this.#bids.set(key, { packageId: subject, bidId: undefined, legId, untilMs: Infinity });
    }
    if (stakeLamports !== undefined) {
      this.#stakes.set(subject, { key: stakeMint ?? SOL.asset, amount: stakeLamports });
    }
    if (call === 'bidDigitalLeg') this.#claims.set(key, { legId: subject, sinceMs: Infinity });
    if (call === 'completeDigitalLeg' || call === 'releaseDigitalLeg') {
      const { data } = handedIn.safeParse(input);
      const { taskId } = ofTask.safeParse(input).data ?? {};
      const hash = data && resultHash(data.result, data.artifacts).hex;
      this.#endings.set(key, { legId: subject, taskId, resultHash: hash });
    }
    const read = withdrawal.safeParse(input);
    if (call === 'withdrawBid' && read.success) this.#withdrawals.set(key, read.data.bidId);
  }

  #answered({ key, ok, said, at }: Extract<JournalEntry, { kind: 'answered' }>): void {
    const bid = this.#bids.get(key);
    const claim = this.#claims.get(key);
    const withdrawn = this.#withdrawals.get(key);
    this.#bids.delete(key);
    this.#claims.delete(key);
    this.#withdrawals.delete(key);
    this.#noteEnding(key, ok, Date.parse(at));
    if (withdrawn !== undefined) this.#noteWithdrawal(withdrawn, ok, Date.parse(at));
    if (claim && ok) this.#claims.set(key, { legId: claim.legId, sinceMs: Date.parse(at) });
    const taken = takenBid.safeParse(said);
    if (!bid || !ok || !taken.success) return;
    this.#bids.set(key, { ...bid, bidId: taken.data.bidId, untilMs: Date.parse(taken.data.expiresAt) });
  }

  /** A bid that cannot be withdrawn has ended: it is over, or a leg was made of it, which the next reading of the legs shows. */
  #noteWithdrawal(bidId: string, ok: boolean, atMs: number): void {
    if (ok) this.#dropBids((bid) => bid.bidId === bidId);
    for (const [key, bid] of this.#bids) if (bid.bidId === bidId) this.#bids.set(key, { ...bid, untilMs: atMs });
  }

  #noteEnding(key: string, ok: boolean, atMs: number): void {
    const ending = this.#endings.get(key);
    this.#endings.delete(key);
    if (!ending || !ok) return;
    this.#ended.set(ending.legId, atMs);
    if (ending.taskId !== undefined) this.#doneTaskIds.add(ending.taskId);
    if (ending.resultHash !== undefined) this.#results.set(ending.legId, ending.resultHash);
  }

  /** Takes the agent's legs as they were read. @param begunMs when the reading began, milliseconds since 1970 */
  sawLegs(legs: readonly QueuedLeg[], begunMs: number): void {
    this.#legs = legs;
    this.#dropBids(({ untilMs }) => untilMs + CLOCK_GRACE_MS < begunMs);
    for (const [key, { sinceMs }] of this.#claims) if (sinceMs < begunMs) this.#claims.delete(key);
    const ids = new Set(legs.map(({ id }) => id));
    for (const [id, sinceMs] of this.#ended) if (sinceMs < begunMs && !ids.has(id)) this.#ended.delete(id);
  }

  /** Reports whether the service took the leg's result, or took the leg back, which may not show yet. */
  hasEnded(legId: string): boolean {
    return this.#ended.has(legId);
  }

  /** sha256, hex, of the result that the service took for the leg, whatever became of it; undefined: none. */
  resultHashOf(legId: string): string | undefined {
    return this.#results.get(legId);
  }

  /** Notes that bids on this package can still win. */
  stands(packageId: string): void {
    this.#standing.add(packageId);
  }

  isStanding(packageId: string): boolean {
    return this.#standing.has(packageId);
  }

  /** Notes that no bid on this package can win any more. */
  lost(packageId: string): void {
    this.#standing.delete(packageId);
    this.#dropBids((bid) => bid.packageId === packageId && bid.bidId !== undefined);
  }

  #dropBids(isOver: (bid: StandingBid) => boolean): void {
    for (const [key, bid] of this.#bids) if (isOver(bid)) this.#bids.delete(key);
  }

  get legs(): readonly QueuedLeg[] {
    return this.#legs;
  }

  /** Bids that may still become legs. */
  get bids(): readonly StandingBid[] {
    return [...this.#bids.values()];
  }

  /** The packages that the agent carries or may still carry: of one package it has one leg at most. */
  get packageIds(): ReadonlySet<string> {
    const carried = this.#legs.flatMap((leg) => (leg.kind === 'physical' ? [leg.packageId] : []));
    return new Set([...this.bids.map(({ packageId }) => packageId), ...carried]);
  }

  /** The legs of digital tasks that the agent has, or may have. */
  get taskLegIds(): ReadonlySet<string> {
    const held = this.#legs.flatMap((leg) => (leg.kind === 'digital' ? [leg.id] : []));
    return new Set([...[...this.#claims.values()].map(({ legId }) => legId), ...held]);
  }

  /** The digital tasks that it has a leg of. */
  get taskIds(): ReadonlySet<string> {
    return new Set(this.#legs.flatMap((leg) => (leg.kind === 'digital' ? [leg.taskId] : [])));
  }

  /** Reports whether it has a leg of the task, or handed one in or gave one back: it gets no other. */
  hasHad(taskId: string): boolean {
    return this.#doneTaskIds.has(taskId) || this.taskIds.has(taskId);
  }

  /** How many legs there are, or may be. */
  get count(): number {
    return this.packageIds.size + this.taskLegIds.size;
  }

  /**
   * The stakes that lie in other legs, or will if every bid wins; base units of one asset. Rule A-34.
   *
   * @param subject the package, or the leg of a task, that is left out
   */
  stakedBeside(subject: string, key: string = SOL.asset): bigint {
    const claimed = [...this.#claims.values()].map(({ legId }) => legId);
    const others = new Set([
      ...this.bids.map(({ packageId }) => packageId),
      ...claimed,
      ...this.#legs.flatMap(stakeIn),
    ]);
    others.delete(subject);
    const stakes = [...others].flatMap((id) => this.#stakes.get(id) ?? []);
    return stakes.reduce((sum, one) => sum + (one.key === key ? one.amount : 0n), 0n);
  }

  /** @throws {LaterError} when a stake in this package or leg beside the others would pass the limit */
  requireStake(subject: string, stake: bigint, of: AssetRules): void {
    const others = this.stakedBeside(subject, keyOf(of));
    if (others + stake <= of.stakeInAll) return;
    const promised = `the stake is ${formatAmount(stake, of)}, and ${formatAmount(others, of)} are promised`;
    throw new StakesError(`${promised}, but ${limitWords(of, 'stakeInAll', of.stakeInAll)}`, STAKES_AGAIN_MS);
  }

  /** Reports whether one more about this package or leg stays within the limit. */
  hasRoom(subject: string, legsAtOnce: number): boolean {
    return this.packageIds.has(subject) || this.taskLegIds.has(subject) || this.count < legsAtOnce;
  }

  /** @throws {LaterError} when one more about this package or leg would pass the limit */
  requireRoom(subject: string, legsAtOnce: number): void {
    if (!this.hasRoom(subject, legsAtOnce)) throw new LaterError(`${legsAtOnce} legs at once are the limit`, 0);
  }
}

/** Where the leg's stake is counted, if it holds one, or will: a claimed leg of a task has no stage until it is assigned. */
function stakeIn(leg: QueuedLeg): string[] {
  if (leg.kind === 'digital') return leg.stage === null || isStaked(leg.stage) ? [leg.id] : [];
  return leg.stage !== null && isStaked(leg.stage) ? [leg.packageId] : [];
}

const isStaked = (stage: LegStage) => stage === 'pending' || STAKES_HELD[stage] > 0;
