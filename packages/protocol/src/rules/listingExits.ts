import { type Asset, formatAmount, formatSol, type Lamports } from '../contract/money.js';
import type { LegStage } from '../contract/statuses.js';
import { currentLeg } from './legTurns.js';

/** The actions that end a listing as a whole, or take its rent back. */
export type ListingExit = 'cancel' | 'reclaim' | 'settle' | 'close';

/** A listing as the program sees it when somebody wants to end it; amounts in base units of its asset. */
export interface EndableListing extends Asset {
  readonly kind: 'package' | 'task';
  /** `active`: legs have somebody who does them; `over`: nothing is left in escrow. */
  readonly status: 'listed' | 'forming' | 'active' | 'over';
  readonly deadline: Date;
  readonly shipperPubkey: string;
  /** Gets what returns. */
  readonly funderPubkey: string;
  /** The keys that can act as its funder: the funder itself, or the owner of the mandate that is. */
  readonly funderSigners: readonly string[];
  /** The coordinator's exits are the service's. */
  readonly coordinatorPubkey: string;
  readonly hasTerms: boolean;
  /** In order; of a listing without terms they are pending or completed. */
  readonly legs: readonly { readonly stage: LegStage; readonly agentPubkey: string }[];
  /** The amount in escrow that would return to the funder, with its rent where it is SOL. */
  readonly left: Lamports;
  readonly stake: Lamports;
  /** Of the listing's own account, lamports. */
  readonly rentLamports: Lamports;
}

/** Something that a key can do to a listing as a whole. */
export interface WayOut {
  readonly action: ListingExit;
  /** From when on; null: now. */
  readonly from: Date | null;
  /** The effect, on whom, and how much. */
  readonly does: string;
  /** Nobody pays, nobody loses anything that it could still have, and the key or its mandate gets something. */
  readonly onlyGains: boolean;
}

/** Nobody has begun, so nobody need wait for the deadline. Rules T-38, T-101. */
const UNTOUCHED: Readonly<Record<EndableListing['kind'], ReadonlySet<LegStage>>> = {
  package: new Set(['pending', 'accepted', 'vacant']),
  task: new Set(['pending', 'vacant']),
};
/** The stages that are decided first. Rule T-37. */
const DECIDED_FIRST: ReadonlySet<LegStage> = new Set(['claimed', 'disputed', 'ruled']);

/**
 * The exits that a key has from a listing as a whole, now or later, as the program has them: cancel, reclaim, settle, close.
 *
 * @param nowMs milliseconds since 1970, by the ledger
 */
export function listingExits(listing: EndableListing, pubkey: string, nowMs: number): readonly WayOut[] {
  const { status, shipperPubkey, funderSigners } = listing;
  const isFunder = funderSigners.includes(pubkey);
  if (!isFunder && pubkey !== shipperPubkey) return [];
  if (status === 'over') return isFunder && listing.rentLamports > 0n ? [closing(listing)] : [];
  if (status === 'listed') return [cancelling(listing, isFunder, nowMs)];
  if (status === 'active' && currentLeg(listing) === undefined) return isFunder ? [settling(listing)] : [];
  return reclaiming(listing, { pubkey, isFunder, nowMs });
}

const returned = ({ left, funderPubkey, ...of }: EndableListing) => `${formatAmount(left, of)} to ${funderPubkey}`;

function closing({ kind, rentLamports, funderPubkey }: EndableListing): WayOut {
  const does = `closes the account of the ${kind}, which is over; its rent, ${formatSol(rentLamports)} SOL, returns to ${funderPubkey}`;
  return { action: 'close', from: null, does, onlyGains: true };
}

const minuteOf = (instant: Date) => `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function cancelling(listing: EndableListing, isFunder: boolean, nowMs: number): WayOut {
  const isLate = listing.deadline.getTime() <= nowMs;
  const open = isLate ? '' : `; if you wait, somebody may still take it, until ${minuteOf(listing.deadline)}`;
  return {
    action: 'cancel',
    from: null,
    does: `ends the ${listing.kind}, which nobody has taken: ${returned(listing)}${open}`,
    onlyGains: isFunder && isLate,
  };
}

function settling(listing: EndableListing): WayOut {
  const does = `ends the ${listing.kind}, of which every leg is paid: the rest, ${returned(listing)}`;
  return { action: 'settle', from: null, does, onlyGains: true };
}

interface By {
  readonly pubkey: string;
  readonly isFunder: boolean;
  readonly nowMs: number;
}

/** Rules P-52, T-84. */
function reclaiming(listing: EndableListing, { pubkey, isFunder, nowMs }: By): readonly WayOut[] {
  const { kind, status, legs, deadline, hasTerms, coordinatorPubkey } = listing;
  const current = legs[currentLeg(listing) ?? legs.length];
  if (hasTerms && current !== undefined && DECIDED_FIRST.has(current.stage)) return [];
  const isUntouched = hasTerms && legs[0] === current && (current === undefined || UNTOUCHED[kind].has(current.stage));
  const isEarly = (status === 'forming' || isUntouched) && pubkey !== coordinatorPubkey;
  const isLate = deadline.getTime() <= nowMs;
  const losers = losersOf(listing, current, isLate);
  return [
    {
      action: 'reclaim',
      from: isEarly || isLate ? null : deadline,
      does: `ends the ${kind}: what is left, ${returned(listing)}${losers ?? ''}`,
      onlyGains: isFunder && isLate && losers === undefined,
    },
  ];
}

/** The loss of others by it, as the end of a sentence, or undefined if nothing that they could still have is lost. */
function losersOf(
  { kind, status, hasTerms, legs, stake, ...of }: EndableListing,
  current: EndableListing['legs'][number] | undefined,
  isLate: boolean,
): string | undefined {
  if (status === 'forming') return undefined;
  if (current?.stage === 'carried') {
    return `; ${current.agentPubkey}, who carries the parcel, is not paid and loses its stake of ${formatAmount(stake, of)} to the funder`;
  }
  if (!hasTerms) {
    if (kind === 'task') return '; whoever works on it is not paid any more, not even for a result that comes late';
    return `; ${current?.agentPubkey}, whose leg it is, is not paid any more, not even if the parcel arrives`;
  }
  const hasStakes = legs.some(({ stage }) => stage === 'accepted');
  if (isLate) return undefined;
  return hasStakes
    ? '; who accepted a leg gets its stake back, and has the leg no longer'
    : '; who has a leg of it has it no longer';
}
