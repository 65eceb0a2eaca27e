import type { MoveAction } from '../contract/operations/turns.js';
import type { LegStage } from '../contract/statuses.js';
import type { Terms } from '../contract/terms.js';
import { after, type ClockedListing, currentLeg, type LegClock, legClockEnd } from './legTurns.js';

/** A key's part in a leg: the receiver counts as the lister, and `next` has the leg after it. */
export type Part = 'worker' | 'next' | 'lister' | 'arbiter' | 'other';

/** The moves that a key can make on a leg now. Rule T-61. */
export interface KeyMoves {
  readonly part: Part;
  /** The move that others wait for this key to make, or null if none now. */
  readonly awaited: MoveAction | null;
  /**
   * All that it can do: what is awaited comes first, then what nobody loses or is paid by, last what pays, forfeits or is staked on a
   * ruling. No move is among them that the program refuses.
   */
  readonly actions: readonly MoveAction[];
  /** True if they are worth telling the key by themselves: not if only a special agreement calls for them. */
  readonly makeTurn: boolean;
  /** When silence decides about what concerns this key; null: it never does. */
  readonly until: Date | null;
}

/** The moves open to both sides at any time, which make no turn by themselves. */
const AT_ANY_TIME: ReadonlySet<MoveAction> = new Set(['agree']);

/**
 * The moves that a key can make on the leg now, and the one that it should.
 *
 * @param nowMs milliseconds since 1970, by the ledger
 */
export function keyMoves(listing: ClockedListing, index: number, pubkey: string, nowMs: number): KeyMoves {
  const leg = listing.legs[index];
  const part = partIn(listing, index, pubkey);
  if (leg === undefined) return { part, awaited: null, actions: [], makeTurn: false, until: null };
  const now = momentOf(listing, index, leg, nowMs);
  const possible = legActions(listing, leg, pubkey, now);
  const awaited = possible.find((action) => isAwaited(action, { listing, leg, pubkey, now })) ?? null;
  const rank = (action: MoveAction) => (action === awaited ? 0 : rankOf(action, leg.stage));
  return {
    part,
    awaited,
    actions: possible.toSorted((one, other) => rank(one) - rank(other)),
    makeTurn: possible.some((action) => !AT_ANY_TIME.has(action) && !paysEarly(action, leg.stage)),
    // The next courier, who must take over a claimed parcel, loses its own leg first, long before the review ends.
    until: legClockEnd(listing, part === 'next' && leg.stage === 'claimed' ? index + 1 : index),
  };
}

function partIn({ legs, terms, shipperPubkey }: ClockedListing, index: number, pubkey: string): Part {
  if (pubkey === legs[index]?.agentPubkey) return 'worker';
  if (pubkey === shipperPubkey || pubkey === terms.receiverPubkey) return 'lister';
  if (pubkey === legs[index + 1]?.agentPubkey) return 'next';
  return pubkey === terms.arbiterPubkey ? 'arbiter' : 'other';
}

function rankOf(action: MoveAction, stage: LegStage): number {
  if (paysEarly(action, stage)) return 3;
  return isFinal(action, stage) || action === 'dispute' ? 2 : 1;
}

/** Reports whether the move pays for a parcel that nobody has picked up: possible, and confirmed twice everywhere. Rule T-97. */
export function paysEarly(action: MoveAction, stage: LegStage): boolean {
  return action === 'confirm' && stage === 'accepted';
}

/** Reports whether the move divides the payment or somebody else's stake at once, irreversibly. A dispute only posts its own stake. */
export function isFinal(action: MoveAction, stage: LegStage): boolean {
  if (action === 'crank') return stage !== 'pending';
  return action === 'confirm' || action === 'rule';
}

interface Moment {
  readonly kind: ClockedListing['kind'];
  readonly isCurrent: boolean;
  readonly isLast: boolean;
  /** The leg's clock has ended. */
  readonly isOver: boolean;
  /** Before the deadline. */
  readonly isOpen: boolean;
  /** The parcel can be taken over by this courier. */
  readonly next: LegClock | undefined;
}

function momentOf(listing: ClockedListing, index: number, leg: LegClock, nowMs: number): Moment {
  // The deadline alone evicts nobody who carries the parcel.
  const until = leg.stage === 'carried' ? after(leg.since, listing.terms.carrySec) : legClockEnd(listing, index);
  return {
    kind: listing.kind,
    isCurrent: index === currentLeg(listing),
    isLast: index === listing.legs.length - 1,
    isOver: until !== null && nowMs >= until.getTime(),
    isOpen: nowMs < listing.deadline.getTime(),
    next: listing.legs[index + 1],
  };
}

interface Place {
  readonly listing: ClockedListing;
  readonly leg: LegClock;
  readonly pubkey: string;
  readonly now: Moment;
}

/**
 * Reports whether others wait for this key to make the move. Nobody is asked to confirm before the one
 * who carries the parcel says that it is there: until then only the key itself can know that it has it.
 */
function isAwaited(action: MoveAction, { listing, leg, pubkey, now }: Place): boolean {
  const { stage, agentPubkey } = leg;
  if (action === 'accept' || action === 'rule') return true;
  if (action === 'take') return stage === 'accepted';
  if (action === 'confirm') return stage === 'claimed' && !now.isOver && isReviewer(listing, pubkey, now);
  return (action === 'claim' || action === 'crank') && pubkey === agentPubkey;
}

/** Reports whether the claim waits for this key: the next courier, the receiver, or the lister where the terms name none. */
function isReviewer({ terms, shipperPubkey }: ClockedListing, pubkey: string, { isLast, next }: Moment): boolean {
  return isLast ? pubkey === (terms.receiverPubkey ?? shipperPubkey) : pubkey === next?.agentPubkey;
}

function legActions(listing: ClockedListing, leg: LegClock, pubkey: string, now: Moment): MoveAction[] {
  const { shipperPubkey, terms } = listing;
  const takesOver = canTakeOver(leg, pubkey, now);
  const actions = [
    ...(pubkey === leg.agentPubkey ? workerActions(leg.stage, now) : []),
    ...(pubkey === shipperPubkey && cosigns(listing, leg, now) ? (['take'] as const) : []),
    ...(takesOver ? (['confirm'] as const) : []),
    ...(pubkey === shipperPubkey || pubkey === terms.receiverPubkey ? receiverActions(leg.stage, now) : []),
    ...(pubkey === terms.arbiterPubkey && leg.stage === 'disputed' && !now.isOver ? (['rule'] as const) : []),
    // The next courier's signature would say that it has the parcel.
    ...(!takesOver && canCrank(listing, leg, pubkey, now) ? (['crank'] as const) : []),
    ...(canAgree(listing, leg, pubkey, now) ? (['agree'] as const) : []),
  ];
  return [...new Set(actions)];
}

function workerActions(stage: LegStage, { kind, isCurrent, isOver, isOpen }: Moment): MoveAction[] {
  // A courier picks up; the agent of a task does not: it claims what it accepted.
  const take: MoveAction[] = kind === 'package' && isOpen && isCurrent ? ['take'] : [];
  const claim: MoveAction[] = kind === 'task' && isOpen && isCurrent ? ['claim'] : [];
  if (stage === 'pending') return [...(isOpen ? (['accept'] as const) : []), ...take, 'vacate'];
  if (stage === 'accepted') return [...take, ...claim, ...(isOver ? [] : (['vacate'] as const))];
  return stage === 'carried' && isOpen ? ['claim'] : [];
}

/** Reports whether the shipper signs the pickup too, which the courier begins. Rule T-8. */
function cosigns({ kind, terms, legs }: ClockedListing, leg: LegClock, { isCurrent, isOpen }: Moment): boolean {
  const isPickup = kind === 'package' && isCurrent && isOpen && leg.stage === 'accepted';
  return isPickup && isCosignedPickup(legs.indexOf(leg), terms);
}

/** The shipper signs too that the first leg was picked up, where the terms say so. */
export function isCosignedPickup(legIndex: number, terms: Pick<Terms, 'cosignedPickup'> | null): boolean {
  return legIndex === 0 && terms?.cosignedPickup === true;
}

/** Reports whether the next courier can relieve the holder of the parcel. */
function canTakeOver({ stage }: LegClock, pubkey: string, { isOpen, isCurrent, next }: Moment): boolean {
  const isHeld = isCurrent && (stage === 'carried' || stage === 'claimed');
  return isHeld && isOpen && next?.stage === 'accepted' && next.agentPubkey === pubkey;
}

function receiverActions(stage: LegStage, { kind, isCurrent, isLast, isOver }: Moment): MoveAction[] {
  const confirmed: readonly LegStage[] = kind === 'package' ? ['accepted', 'carried', 'claimed'] : ['claimed'];
  const canConfirm = isCurrent && isLast && confirmed.includes(stage);
  return [
    ...(canConfirm ? (['confirm'] as const) : []),
    ...(stage === 'claimed' && !isOver ? (['dispute'] as const) : []),
  ];
}

/** Carries out what silence has decided. Only the shipper evicts who carries the parcel, and nobody itself: T-10. */
function canCrank({ shipperPubkey }: ClockedListing, leg: LegClock, pubkey: string, { isOver }: Moment): boolean {
  const { stage, agentPubkey } = leg;
  if (stage === 'ruled') return true;
  if (!isOver || stage === 'vacant' || stage === 'completed') return false;
  if (stage === 'accepted') return pubkey !== agentPubkey;
  return stage !== 'carried' || pubkey === shipperPubkey;
}

function canAgree({ shipperPubkey }: ClockedListing, leg: LegClock, pubkey: string, { isCurrent }: Moment): boolean {
  const isParty = pubkey === shipperPubkey || pubkey === leg.agentPubkey;
  return isParty && isCurrent && ['carried', 'claimed', 'disputed'].includes(leg.stage);
}
