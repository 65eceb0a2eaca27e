import type { Leg, PackageDetail, PackageTurnView } from '@legwork/protocol/contract';

/** A leg of a package with terms whose clock runs for a key, with all that is known about it. */
export interface TurnAtHand {
  readonly turn: PackageTurnView;
  readonly parcel: PackageDetail;
  /** The leg of this key that it is about: the leg itself, or the one that takes over from it; undefined: none. */
  readonly own: Leg | undefined;
  /** The time by the ledger. */
  readonly now: Date;
}

/**
 * What a key that keeps its legs going does next: a move at once, or after the policy was asked. `pickUp`: is the parcel there?
 * `carry`: has it arrived, or `isLast`: what is there to say before the clock ends?
 */
export type Step =
  | { readonly kind: 'move'; readonly action: 'vacate' | 'crank' }
  | { readonly kind: 'accept' }
  | { readonly kind: 'pickUp'; readonly action: 'take' | 'confirm'; readonly elseVacate: boolean }
  | { readonly kind: 'carry'; readonly isLast: boolean };

/** So long before a clock ends, a courier who cannot make it gives notice, or claims where it stands; milliseconds. */
export const NOTICE_MS = 120_000;

/** What is to do about a turn now; undefined: nothing. Rule T-46. */
export function nextStep(at: TurnAtHand, pubkey: string): Step | undefined {
  const { turn, own } = at;
  if (turn.agentPubkey === pubkey) return ownStep(at);
  // A courier who could take over must not end the review: its signature would say that it has the parcel.
  if (own === undefined || !turn.actions.includes('confirm')) return crank(at);
  return endsLate(at, own) ? undefined : { kind: 'pickUp', action: 'confirm', elseVacate: false };
}

function ownStep(at: TurnAtHand): Step | undefined {
  const { turn, own } = at;
  const can = (action: PackageTurnView['actions'][number]) => turn.actions.includes(action);
  const leave: Step | undefined = can('vacate') ? { kind: 'move', action: 'vacate' } : undefined;
  const isLate = own !== undefined && endsLate(at, own);
  if (turn.stage === 'pending') return can('accept') && !isLate ? { kind: 'accept' } : leave;
  if (turn.stage === 'carried') return can('claim') ? { kind: 'carry', isLast: isEnding(at) } : undefined;
  if (turn.stage !== 'accepted') return crank(at);
  if (isLate) return leave;
  if (can('take')) return { kind: 'pickUp', action: 'take', elseVacate: can('vacate') && isEnding(at) };
  return isEnding(at) ? leave : undefined;
}

/** Silence has decided; who takes a custodian off is the shipper's to say, not this loop's. */
function crank({ turn }: TurnAtHand): Step | undefined {
  const isOurs = turn.actions.includes('crank') && turn.stage !== 'carried';
  return isOurs ? { kind: 'move', action: 'crank' } : undefined;
}

/** Whether a leg that begins now would end after the deadline, by its own estimate. */
export function endsLate({ parcel, now }: TurnAtHand, { estimatedDurationMin }: Leg): boolean {
  return now.getTime() + estimatedDurationMin * 60_000 > parcel.deadline.getTime();
}

/** Whether the leg's clock, or the deadline, is near. */
function isEnding({ turn, parcel, now }: TurnAtHand): boolean {
  const until = Math.min(turn.until?.getTime() ?? Infinity, parcel.deadline.getTime());
  return now.getTime() >= until - NOTICE_MS;
}

/** When something is to be done about the turn even if nothing happens, milliseconds from now; undefined: never. */
export function msToNotice({ turn, parcel, now }: TurnAtHand): number | undefined {
  const ends = [turn.until, parcel.deadline].flatMap((end) => (end === null ? [] : [end.getTime()]));
  const moments = ends.flatMap((end) => [end - NOTICE_MS, end]).map((moment) => moment - now.getTime());
  const ahead = moments.filter((ms) => ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
