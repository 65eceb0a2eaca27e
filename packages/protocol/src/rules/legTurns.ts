import type { DigitalLegDetail, DigitalTaskDetail } from '../contract/resources/digitalTask.js';
import type { LegActor } from '../contract/resources/legTurn.js';
import type { PackageDetail } from '../contract/resources/package.js';
import type { Leg } from '../contract/resources/swarm.js';
import type { LegStage } from '../contract/statuses.js';
import type { Terms } from '../contract/terms.js';

/** A leg with terms as its clock sees it. */
export interface LegClock {
  readonly agentPubkey: string;
  readonly stage: LegStage;
  /** When its last move landed, by the ledger. */
  readonly since: Date;
}

/**
 * A package in transit, with the legs of its swarm in carrying order; or a task in progress, with its legs up to the one that has an
 * agent: each is paid by itself, as if it were the last.
 */
export interface ClockedListing {
  readonly kind: 'package' | 'task';
  /** The stake plays no part in its clocks. */
  readonly terms: Omit<Terms, 'stake' | 'stakeLamports'>;
  readonly deadline: Date;
  readonly shipperPubkey: string;
  readonly legs: readonly LegClock[];
}

/** A package in transit as the clocks of its legs see it; null: it has no terms, or none of its legs shows its stage. */
export function clockedListing({
  terms,
  deadline,
  shipperPubkey,
  swarm,
}: Pick<PackageDetail, 'terms' | 'deadline' | 'shipperPubkey'> & {
  readonly swarm: { readonly legs: readonly Pick<Leg, 'agentPubkey' | 'stage' | 'since'>[] } | null;
}): ClockedListing | null {
  const legs = (swarm?.legs ?? []).flatMap(({ agentPubkey, stage, since }) =>
    stage === null || since === null ? [] : [{ agentPubkey, stage, since }],
  );
  if (terms === null || swarm === null || legs.length < swarm.legs.length) return null;
  return { kind: 'package', terms, deadline, shipperPubkey, legs };
}

/** A task in progress as the clocks of its legs see it, up to the one that has an agent on the ledger; null: it has no terms. */
export function clockedTask({
  terms,
  deadline,
  shipperPubkey,
  legs,
}: Pick<DigitalTaskDetail, 'terms' | 'deadline' | 'shipperPubkey'> & {
  readonly legs: readonly Pick<DigitalLegDetail, 'agentPubkey' | 'stage' | 'since'>[];
}): ClockedListing | null {
  if (terms === null) return null;
  const clocked = legs.flatMap(({ agentPubkey, stage, since }) =>
    stage === null || since === null || agentPubkey === null ? [] : [{ agentPubkey, stage, since }],
  );
  return { kind: 'task', terms, deadline, shipperPubkey, legs: clocked };
}

/** The side that must move on a leg, until when, and what silence means. */
export interface LegTurn {
  readonly actor: LegActor;
  /** Null: the clock does not run. */
  readonly until: Date | null;
  /** The cost of doing nothing, in words. */
  readonly silence: string;
}

/** So many seconds later. */
export const after = (since: Date, seconds: number) => new Date(since.getTime() + seconds * 1000);
const later = (one: Date, other: Date) => (one > other ? one : other);
const earlier = (one: Date, other: Date) => (one < other ? one : other);

/** The index of the first leg that is not completed; undefined: all are. */
export function currentLeg({ legs }: { readonly legs: readonly Pick<LegClock, 'stage'>[] }): number | undefined {
  const index = legs.findIndex(({ stage }) => stage !== 'completed');
  return index === -1 ? undefined : index;
}

/** The clock that runs from the last move of a leg on, in these stages. */
const CLOCKS = {
  pending: 'handoffSec',
  claimed: 'reviewSec',
  disputed: 'arbitrationSec',
} as const satisfies Partial<Record<LegStage, keyof Terms>>;

/**
 * When silence decides about the leg; null: it never does, or nobody waits for it. From the deadline on a parcel that nobody claimed
 * can be reclaimed, stake and all, so who carries it has no longer. Rule T-52.
 */
export function legClockEnd(listing: ClockedListing, index: number): Date | null {
  const leg = listing.legs[index];
  if (leg === undefined || leg.stage === 'completed' || leg.stage === 'ruled') return null;
  if (leg.stage === 'vacant') return listing.deadline;
  if (leg.stage === 'accepted') return acceptedClockEnd(listing, index, leg);
  if (leg.stage === 'carried') return earlier(after(leg.since, listing.terms.carrySec), listing.deadline);
  return after(leg.since, listing.terms[CLOCKS[leg.stage]]);
}

/** It runs for the leg whose turn it is, and for the next one while the parcel is claimed to wait there. */
function acceptedClockEnd(listing: ClockedListing, index: number, { since }: LegClock): Date | null {
  const { terms, legs } = listing;
  const current = currentLeg(listing);
  if (index === current) return after(since, terms.carrySec);
  const before = legs[index - 1];
  const isAwaited = index - 1 === current && before?.stage === 'claimed';
  return isAwaited ? after(later(since, before.since), terms.handoffSec) : null;
}

type LiveStage = Exclude<LegStage, 'completed'>;

/** The cost of silence, told to somebody who has no part in it. */
export const SILENCE: Readonly<Record<LiveStage, string>> = {
  pending: 'anyone can vacate the leg; nothing is lost',
  accepted: 'anyone can vacate the leg, and its stake is lost',
  carried: 'the shipper can vacate the leg, and its stake is lost; so it is when the package is reclaimed',
  claimed: 'anyone can confirm the leg, and it is paid in full',
  disputed:
    'anyone can end the dispute: the leg pays half, the worker gets its stake back, the disputer half of its own',
  ruled: 'the leg stays unpaid until somebody confirms it',
  vacant: 'from the deadline on what is left in escrow can be reclaimed',
};

/**
 * The turn of the leg, or null when it is completed.
 *
 * @param nowMs milliseconds since 1970, by the ledger
 */
export function legTurn(listing: ClockedListing, index: number, nowMs: number): LegTurn | null {
  const leg = listing.legs[index];
  if (leg === undefined) return null;
  return turnAt({ stage: leg.stage, until: legClockEnd(listing, index) }, listing, nowMs);
}

/** The same of a leg whose clock's end is known: {@link legClockEnd}. */
export function turnAt(
  { stage, until }: { readonly stage: LegStage; readonly until: Date | null },
  { kind, terms }: Pick<ClockedListing, 'kind'> & { readonly terms: Pick<Terms, 'receiverPubkey'> },
  nowMs: number,
): LegTurn | null {
  if (stage === 'completed') return null;
  const isOver = until !== null && nowMs >= until.getTime();
  const side = isOver ? AFTER[stage] : sideBefore(stage, until, terms);
  return { actor: kind === 'package' ? OF_PACKAGE[side] : OF_TASK[side], until, silence: SILENCE[stage] };
}

/** The side that acts, of either kind of listing: `worker` works, `lister` listed it. */
type Side = 'worker' | 'lister' | 'receiver' | 'arbiter' | 'coordinator' | 'anyone' | 'nobody';

const OF_BOTH = {
  receiver: 'receiver',
  arbiter: 'arbiter',
  coordinator: 'coordinator',
  anyone: 'anyone',
  nobody: 'nobody',
} as const;
const OF_PACKAGE: Readonly<Record<Side, LegActor>> = { ...OF_BOTH, worker: 'courier', lister: 'shipper' };
const OF_TASK: Readonly<Record<Side, LegActor>> = { ...OF_BOTH, worker: 'agent', lister: 'poster' };

/** The side that must act once the clock has ended. */
const AFTER: Readonly<Record<LiveStage, Side>> = {
  pending: 'anyone',
  accepted: 'anyone',
  carried: 'lister',
  claimed: 'anyone',
  disputed: 'anyone',
  ruled: 'anyone',
  vacant: 'lister',
};

function sideBefore(stage: LiveStage, until: Date | null, { receiverPubkey }: Pick<Terms, 'receiverPubkey'>): Side {
  if (stage === 'ruled') return 'anyone';
  // Nobody waits for it, or its listing has ended.
  if (until === null) return 'nobody';
  if (stage === 'claimed') return receiverPubkey === null ? 'lister' : 'receiver';
  if (stage === 'disputed') return 'arbiter';
  return stage === 'vacant' ? 'coordinator' : 'worker';
}
