import type { MoveAction } from '@legwork/protocol/contract';
import {
  type ClockedListing,
  isCosignedPickup,
  keyMoves,
  legClockEnd,
  type ListingExit,
  listingExits,
  moveMeaning,
  type Part,
  recipientOf,
  paysEarly,
  sayMove,
  silenceFor,
  type Turn,
  turnOfPackage,
  turnOfTask,
} from '@legwork/protocol/rules';
import type { Address } from '@solana/kit';
import { type ExitLedger, type FoundLeg, type FoundListing, leftOf } from './found.js';

/** The things a step may need beside its listing; `early`: somebody says that it may pay for a leg that nobody has picked up. */
export type Need = 'file' | 'percent' | 'early';

/** Something that a key can do by itself, now or later. */
export interface ExitStep {
  readonly action: Exclude<MoveAction, 'agree'> | ListingExit | 'collect' | 'end';
  /** A package or a task; of `collect` the mint of a token, of `end` a mandate. */
  readonly of: Address;
  /** From 0; undefined: the whole. */
  readonly legIndex?: number | undefined;
  /** From when on; null: now. */
  readonly from: Date | null;
  /** When it is right, what it does, to whom and how much. */
  readonly does: string;
  /** Nobody pays or loses anything by it that it could still have, and this key gets something. */
  readonly onlyGains: boolean;
  readonly needs: readonly Need[];
}

/** The moves that a key can make on one leg, and the cost of its silence. */
export interface ExitLeg {
  readonly leg: FoundLeg;
  readonly part: Part;
  readonly until: Date | null;
  readonly silence: string;
}

/** A listing from the side of a key. */
export interface ExitListing {
  readonly listing: FoundListing;
  /** The turn of the listing as a whole, or null when it is over. */
  readonly turn: Turn | null;
  readonly legs: readonly ExitLeg[];
  readonly steps: readonly ExitStep[];
  /** The things that nobody but the service or the parties has, in words. */
  readonly missing: readonly string[];
}

const NEEDS: Readonly<Partial<Record<MoveAction, readonly Need[]>>> = {
  claim: ['file'],
  dispute: ['file'],
  rule: ['percent'],
};

/** Says what a key can do about a listing, now and later, in the words of the rules. @param mandates addresses of those that it gave */
export function exitSteps(
  ledger: Pick<ExitLedger, 'now' | 'coordinator'>,
  listing: FoundListing,
  key: Address,
  mandates: ReadonlySet<string> = new Set(),
): ExitListing {
  const nowMs = ledger.now.getTime();
  const clocked = clockedOf(listing);
  const legs =
    clocked === null ? [] : clocked.legs.flatMap((_, index) => legOf(listing, clocked, { index, key, nowMs }));
  return {
    listing,
    turn: turnOf(listing, nowMs),
    legs,
    // What pays early is not the first thing that anybody is offered.
    steps: [
      ...(clocked === null
        ? plainSteps(listing, key)
        : clocked.legs.flatMap((_, index) => moves(listing, clocked, { index, key, nowMs }))),
      ...wholeSteps(ledger, listing, key, mandates),
    ].toSorted((one, other) => Number(one.needs.includes('early')) - Number(other.needs.includes('early'))),
    missing: missingOf(listing),
  };
}

function wholeSteps(
  { now, coordinator }: Pick<ExitLedger, 'now' | 'coordinator'>,
  listing: FoundListing,
  key: Address,
  mandates: ReadonlySet<string>,
): ExitStep[] {
  const { address, kind, status, deadline, lister, funder, terms, asset, rentLamports } = listing;
  const endable = {
    ...asset,
    kind,
    status,
    deadline,
    shipperPubkey: lister,
    funderPubkey: funder,
    funderSigners: mandates.has(funder) ? [funder, key] : [funder],
    coordinatorPubkey: coordinator,
    hasTerms: terms !== null,
    legs: allLegs(listing),
    left: leftOf(listing),
    stake: terms?.stake ?? listing.held,
    rentLamports,
  };
  return listingExits(endable, key, now.getTime()).map((way) => ({ ...way, of: address, needs: [] }));
}

/** With those of a task that nobody has, which are as good as pending. */
function allLegs({ legs, legCount }: FoundListing) {
  const byIndex = new Map(legs.map((leg) => [leg.index, leg]));
  return Array.from({ length: legCount }, (_, index) => {
    const { stage, worker } = byIndex.get(index) ?? { stage: 'pending' as const, worker: 'nobody' };
    return { stage, agentPubkey: worker };
  });
}

interface At {
  readonly index: number;
  readonly key: Address;
  readonly nowMs: number;
}

/** Null: it has no clocks, because it has no terms or nobody has a leg of it. */
function clockedOf({ kind, status, terms, deadline, lister, legs }: FoundListing): ClockedListing | null {
  if (terms === null || status !== 'active') return null;
  const clocked = legs.flatMap(({ worker, stage, since }) =>
    since === null ? [] : [{ agentPubkey: worker, stage, since }],
  );
  return clocked.length < legs.length ? null : { kind, terms, deadline, shipperPubkey: lister, legs: clocked };
}

const explained = ({ kind, asset, terms }: FoundListing, { worker, stage, payment, percent }: FoundLeg) => ({
  ...asset,
  kind,
  stage,
  agentPubkey: worker,
  paymentLamports: payment,
  stakeLamports: terms?.stake ?? payment,
  percent,
});

function legOf(listing: FoundListing, clocked: ClockedListing, { index, key, nowMs }: At): ExitLeg[] {
  const leg = listing.legs[index];
  if (leg === undefined || leg.stage === 'completed') return [];
  const { part, until } = keyMoves(clocked, index, key, nowMs);
  return [{ leg, part, until, silence: silenceFor(part, explained(listing, leg)) }];
}

/** Now, and what becomes possible when the leg's clock or the deadline ends, if nobody does anything until then. */
function moves(listing: FoundListing, clocked: ClockedListing, { index, key, nowMs }: At): ExitStep[] {
  const leg = listing.legs[index];
  if (leg === undefined) return [];
  const clockEnd = legClockEnd(clocked, index);
  const carryEnd = clocked.terms.carrySec * 1000 + (leg.since?.getTime() ?? 0);
  const moments = [clockEnd?.getTime(), leg.stage === 'carried' ? carryEnd : undefined, clocked.deadline.getTime()];
  const later = moments.flatMap((ms) => (ms !== undefined && ms > nowMs ? [ms] : [])).toSorted((a, b) => a - b);
  const steps: ExitStep[] = [];
  for (const ms of [nowMs, ...later]) {
    const { actions, part } = keyMoves(clocked, index, key, ms);
    for (const action of actions) {
      if (takesTwo(action, listing, leg) || steps.some((step) => step.action === action)) continue;
      const meaning = moveMeaning(action, explained(listing, leg), part);
      steps.push({
        action,
        of: listing.address,
        legIndex: leg.index,
        from: ms === nowMs ? null : new Date(ms),
        does: sayMove(meaning),
        onlyGains: action === 'crank' && part === 'worker' && GAINED_BY_SILENCE.has(leg.stage),
        needs: paysEarly(action, leg.stage) ? ['early'] : (NEEDS[action] ?? []),
      });
    }
  }
  return steps;
}

/** A move that two keys sign is not made here: everybody gets out without it. */
const takesTwo = (action: MoveAction, { terms }: FoundListing, { index }: FoundLeg): action is 'agree' =>
  action === 'agree' || (action === 'take' && isCosignedPickup(index, terms));

/** The stages whose payment the worker gets, whatever anybody says from then on. */
const GAINED_BY_SILENCE: ReadonlySet<string> = new Set(['claimed', 'ruled']);

/** Without terms the receiver of a parcel confirms; a task is the service's alone to attest. Rules P-41, P-81. */
function plainSteps(listing: FoundListing, key: Address): ExitStep[] {
  const { kind, status, terms, lister, legs } = listing;
  const leg = legs.find(({ stage }) => stage !== 'completed');
  if (kind === 'task' || status !== 'active' || terms !== null || leg === undefined) return [];
  const swarm = { legs: legs.map(({ worker }) => ({ agentPubkey: worker })) };
  if (recipientOf({ swarm, shipperPubkey: lister }, { legIndex: leg.index }).pubkey !== key) return [];
  const does = sayMove(moveMeaning('confirm', explained(listing, leg), key === lister ? 'lister' : 'other'));
  return [
    { action: 'confirm', of: listing.address, legIndex: leg.index, from: null, does, onlyGains: false, needs: [] },
  ];
}

function turnOf(listing: FoundListing, nowMs: number): Turn | null {
  const { kind, status, deadline, lister, funder, terms } = listing;
  if (status === 'over') return null;
  const common = { finality: 'final' as const, deadline, shipperPubkey: lister, funderPubkey: funder, terms };
  const legs = listing.legs.map((leg) => ({
    legIndex: leg.index,
    agentPubkey: leg.worker,
    stage: terms === null ? null : leg.stage,
    since: leg.since,
  }));
  if (kind === 'package') {
    const parcel = { listed: 'listed', forming: 'swarm_forming', active: 'in_transit' } as const;
    const swarm = {
      status: 'active' as const,
      legs: legs.map((leg, at) => ({ ...leg, status: doneOr(listing.legs[at], 'pending') })),
    };
    return turnOfPackage({ ...common, status: parcel[status], biddingClosesAt: null, swarm }, nowMs);
  }
  const taskLegs = allLegs(listing).map(({ stage }, legIndex) => {
    const leg = legs.find((one) => one.legIndex === legIndex);
    return {
      legIndex,
      status: stage === 'completed' ? ('completed' as const) : leg ? ('in_progress' as const) : ('pending' as const),
      agentPubkey: leg?.agentPubkey ?? null,
      isOpen: leg === undefined,
      dueAt: null,
      hasResult: false,
      stage: leg?.stage ?? null,
      since: leg?.since ?? null,
    };
  });
  const statusOfTask = status === 'listed' ? 'listed' : 'in_progress';
  return turnOfTask({ ...common, status: statusOfTask, claimTimeoutSec: USUAL_CLAIM_SEC, legs: taskLegs }, nowMs);
}

/** How long an agent has is the service's to say, and not on the ledger. */
const USUAL_CLAIM_SEC = 1800;

const doneOr = <Open extends string>(leg: FoundLeg | undefined, open: Open) =>
  leg?.stage === 'completed' ? ('completed' as const) : open;

/** Texts are kept by services and by their authors; the ledger has their sha256 alone. Rule A-164. */
function missingOf({ kind, termsHash, legs, terms }: FoundListing): string[] {
  const what = kind === 'package' ? 'what is in the parcel and where it goes' : 'what is to be done';
  const claimed = legs.filter(({ stage }) => stage === 'claimed' || stage === 'disputed');
  return [
    `The ledger does not say ${what}: the papers of the ${kind} do, whose sha256 is ${termsHash}.`,
    ...claimed.map(({ index, resultHash }) => {
      const which =
        resultHash === null ? 'its sha256 is in the transaction of the claim' : `its sha256 is ${resultHash}`;
      return `The text of the claim of leg ${index + 1} is with ${kind === 'package' ? 'its courier' : 'its agent'} and where the service kept it; ${which}. Ask for it before you confirm, dispute or rule.`;
    }),
    ...(terms !== null && legs.some(({ stage }) => stage === 'disputed')
      ? ['So is the reason of the dispute, with who disputed.']
      : []),
  ];
}
