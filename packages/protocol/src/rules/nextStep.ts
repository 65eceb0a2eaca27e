import type { LegTurnView, MoveAction, PackageTurnView } from '../contract/operations/turns.js';
import type { DigitalLegDetail, DigitalTaskDetail } from '../contract/resources/digitalTask.js';
import type { PackageDetail } from '../contract/resources/package.js';
import type { Leg } from '../contract/resources/swarm.js';
import { isCosignedPickup } from './legMoves.js';

/** A turn of a leg of a digital task. */
export type TaskTurnView = Extract<LegTurnView, { kind: 'task' }>;

/** A leg of a package with terms whose clock runs for a key, with all that is known about it. */
export interface TurnAtHand {
  readonly turn: PackageTurnView;
  readonly parcel: PackageDetail;
  /** The leg of this key that it is about: the leg itself, or the one that takes over from it; undefined: none. */
  readonly own: Leg | undefined;
  /** The time by the ledger. */
  readonly now: Date;
}

/** The same of a digital task. */
export interface TaskAtHand {
  readonly turn: TaskTurnView;
  readonly task: DigitalTaskDetail;
  readonly leg: DigitalLegDetail;
  readonly now: Date;
}

/** A turn of a task, as far as it says when the clock of the leg ends. */
export type ClockedTaskTurn = Pick<TaskAtHand, 'turn' | 'now'> & { readonly task: Pick<DigitalTaskDetail, 'deadline'> };

/**
 * The next step of a key that keeps its legs going.
 *
 * - `move`: at once; `unlessHeld`: not if the parcel that it waits for is in its hands, because then it takes over;
 * - `accept`: if the leg is wanted, else it is left;
 * - `pickUp`: if the parcel is there; `isLast`: the clock is about to end, and without the parcel the leg is left;
 * - `carry`: it claims if the parcel has arrived; `isLast`: it says where it is before the clock ends;
 * - `work`: it claims with the result; `isLast`: without one the leg is left.
 */
export type Step =
  | { readonly kind: 'move'; readonly action: 'vacate' | 'crank'; readonly unlessHeld?: true }
  | { readonly kind: 'accept' }
  | {
      readonly kind: 'pickUp';
      readonly action: 'take' | 'confirm';
      readonly isCosigned: boolean;
      readonly isLast: boolean;
    }
  | { readonly kind: 'carry'; readonly isLast: boolean }
  | { readonly kind: 'work'; readonly isLast: boolean };

/** So long before a clock ends, who cannot make it gives notice, or claims where it stands; milliseconds. */
export const NOTICE_MS = 120_000;

/** A turn of a package with the leg that it is about for this key. @param now by the ledger */
export function turnAtHand(turn: PackageTurnView, parcel: PackageDetail, pubkey: string, now: Date): TurnAtHand {
  const isOwn = ({ id, legIndex, agentPubkey }: Leg) =>
    agentPubkey === pubkey && (id === turn.legId || legIndex === turn.legIndex + 1);
  return { turn, parcel, own: parcel.swarm?.legs.find(isOwn), now };
}

/**
 * The step to take on a turn now, or undefined. Rule T-46.
 *
 * @param neededMin how many minutes the clocks have to leave a leg that begins now; default: its estimate
 */
export function nextStep(at: TurnAtHand, pubkey: string, neededMin = at.own?.estimatedDurationMin): Step | undefined {
  const { turn } = at;
  const isLate = neededMin !== undefined && at.now.getTime() + neededMin * 60_000 > at.parcel.deadline.getTime();
  if (turn.agentPubkey === pubkey) return ownStep(at, isLate);
  // A courier who could take over must not end the review: its signature would say that it has the parcel.
  if (at.own === undefined || !canDo(at, 'confirm')) return crank(at);
  return isLate ? undefined : { kind: 'pickUp', action: 'confirm', isCosigned: false, isLast: false };
}

/**
 * The same of a digital task. Claims of others in it are not this key's to judge, nor to pay.
 *
 * @param isGivenUp the work has failed for good: the leg is left as long as that costs nothing
 */
export function nextTaskStep(at: ClockedTaskTurn, pubkey: string, isGivenUp = false): Step | undefined {
  const { turn } = at;
  if (turn.agentPubkey !== pubkey) return undefined;
  if (turn.stage === 'pending') return canDo(at, 'accept') && !isDeadlineNear(at) ? { kind: 'accept' } : leave(at);
  if (turn.stage !== 'accepted') return crank(at);
  // Once the clock is over, to leave would cost the stake: a result is good as long as nobody took the leg.
  if (canDo(at, 'claim')) return { kind: 'work', isLast: canDo(at, 'vacate') && (isGivenUp || isEnding(at)) };
  return isEnding(at) ? leave(at) : undefined;
}

function ownStep(at: TurnAtHand, isLate: boolean): Step | undefined {
  const { turn, parcel } = at;
  if (turn.stage === 'pending') return canDo(at, 'accept') && !isLate ? { kind: 'accept' } : leave(at);
  if (turn.stage === 'carried') return canDo(at, 'claim') ? { kind: 'carry', isLast: isEnding(at) } : undefined;
  if (turn.stage !== 'accepted') return crank(at);
  if (isLate) return leave(at);
  if (!canDo(at, 'take')) return isEnding(at) ? leave(at, { unlessHeld: true }) : undefined;
  const isCosigned = isCosignedPickup(turn.legIndex, parcel.terms);
  return { kind: 'pickUp', action: 'take', isCosigned, isLast: canDo(at, 'vacate') && isEnding(at) };
}

type Clocked = TurnAtHand | ClockedTaskTurn;

const canDo = ({ turn }: Clocked, action: MoveAction) => turn.actions.includes(action);

const leave = (at: Clocked, unless: { readonly unlessHeld?: true } = {}): Step | undefined =>
  canDo(at, 'vacate') ? { kind: 'move', action: 'vacate', ...unless } : undefined;

/** Silence has decided; who takes a custodian off is the shipper's to say, not this key's. */
function crank(at: Clocked): Step | undefined {
  const isOurs = canDo(at, 'crank') && at.turn.stage !== 'carried';
  return isOurs ? { kind: 'move', action: 'crank' } : undefined;
}

const deadlineOf = (at: Clocked) => ('task' in at ? at.task : at.parcel).deadline;
const isDeadlineNear = (at: Clocked) => at.now.getTime() >= deadlineOf(at).getTime() - NOTICE_MS;

/** The leg's clock, or the deadline, is about to end. */
function isEnding(at: Clocked): boolean {
  const { turn, now } = at;
  return isDeadlineNear(at) || (turn.until !== null && now.getTime() >= turn.until.getTime() - NOTICE_MS);
}

/** Milliseconds until something is to be done about the turn even if nothing happens; undefined: never. */
export function msToNotice(at: Clocked): number | undefined {
  const { turn, now } = at;
  const ends = [turn.until, deadlineOf(at)].flatMap((end) => (end === null ? [] : [end.getTime()]));
  const moments = ends.flatMap((end) => [end - NOTICE_MS, end]).map((moment) => moment - now.getTime());
  const ahead = moments.filter((ms) => ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** Milliseconds for which this key may still judge a claimed result; undefined: it is not its to judge, or too late. */
export function msToJudge(turn: LegTurnView, now: Date): number | undefined {
  if (turn.kind !== 'task' || turn.stage !== 'claimed' || !turn.actions.includes('dispute')) return undefined;
  const leftMs = (turn.until?.getTime() ?? 0) - now.getTime() - NOTICE_MS;
  return leftMs > 0 ? leftMs : undefined;
}
