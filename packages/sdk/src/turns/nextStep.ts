import type {
  DigitalLegDetail,
  DigitalTaskDetail,
  Leg,
  LegTurnView,
  MoveAction,
  PackageDetail,
  PackageTurnView,
} from '@legwork/protocol/contract';

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

/**
 * What a key that keeps its legs going does next: a move at once, or after the policy was asked. `pickUp`: is the parcel there?
 * `carry`: has it arrived, or `isLast`: what is there to say before the clock ends?
 */
export type Step =
  | { readonly kind: 'move'; readonly action: 'vacate' | 'crank' }
  | { readonly kind: 'accept' }
  | { readonly kind: 'pickUp'; readonly action: 'take' | 'confirm'; readonly elseVacate: boolean }
  | { readonly kind: 'carry'; readonly isLast: boolean };

/** The same of a leg of a digital task. `work`: is there a result? Without one the clock ends, so `elseVacate` leaves in time. */
export type TaskStep =
  | Extract<Step, { kind: 'move' | 'accept' }>
  | { readonly kind: 'work'; readonly elseVacate: boolean };

/** So long before a clock ends, a courier who cannot make it gives notice, or claims where it stands; milliseconds. */
export const NOTICE_MS = 120_000;

/** What says when the clock of a leg of a task ends. */
type ClockedTask = Pick<TaskAtHand, 'turn' | 'now'> & { readonly task: Pick<DigitalTaskDetail, 'deadline'> };

/** What is to do about a turn now; undefined: nothing. Rule T-46. */
export function nextStep(at: TurnAtHand, pubkey: string): Step | undefined {
  const { turn, own } = at;
  if (turn.agentPubkey === pubkey) return ownStep(at);
  // A courier who could take over must not end the review: its signature would say that it has the parcel.
  if (own === undefined || !turn.actions.includes('confirm')) return crank(at);
  return endsLate(at, own) ? undefined : { kind: 'pickUp', action: 'confirm', elseVacate: false };
}

/** The same of a digital task. What others claim in it is not this loop's to judge, nor to pay. */
export function nextTaskStep(at: ClockedTask, pubkey: string): TaskStep | undefined {
  const { turn } = at;
  if (turn.agentPubkey !== pubkey) return undefined;
  if (turn.stage === 'pending') return canDo(at, 'accept') && !isDeadlineNear(at) ? { kind: 'accept' } : leave(at);
  if (turn.stage !== 'accepted') return crank(at);
  if (canDo(at, 'claim')) return { kind: 'work', elseVacate: canDo(at, 'vacate') && isEnding(at) };
  return isEnding(at) ? leave(at) : undefined;
}

function ownStep(at: TurnAtHand): Step | undefined {
  const { turn, own } = at;
  const isLate = own !== undefined && endsLate(at, own);
  if (turn.stage === 'pending') return canDo(at, 'accept') && !isLate ? { kind: 'accept' } : leave(at);
  if (turn.stage === 'carried') return canDo(at, 'claim') ? { kind: 'carry', isLast: isEnding(at) } : undefined;
  if (turn.stage !== 'accepted') return crank(at);
  if (isLate) return leave(at);
  if (canDo(at, 'take')) return { kind: 'pickUp', action: 'take', elseVacate: canDo(at, 'vacate') && isEnding(at) };
  return isEnding(at) ? leave(at) : undefined;
}

type Clocked = TurnAtHand | ClockedTask;
type OwnMove = { readonly kind: 'move'; readonly action: 'vacate' | 'crank' };

const canDo = ({ turn }: Clocked, action: MoveAction) => turn.actions.includes(action);

const leave = (at: Clocked): OwnMove | undefined =>
  canDo(at, 'vacate') ? { kind: 'move', action: 'vacate' } : undefined;

/** Silence has decided; who takes a custodian off is the shipper's to say, not this loop's. */
function crank(at: Clocked): OwnMove | undefined {
  const isOurs = canDo(at, 'crank') && at.turn.stage !== 'carried';
  return isOurs ? { kind: 'move', action: 'crank' } : undefined;
}

/** Whether a leg that begins now would end after the deadline, by its own estimate. */
export function endsLate({ parcel, now }: TurnAtHand, { estimatedDurationMin }: Leg): boolean {
  return now.getTime() + estimatedDurationMin * 60_000 > parcel.deadline.getTime();
}

const deadlineOf = (at: Clocked) => ('task' in at ? at.task : at.parcel).deadline;
const isDeadlineNear = (at: Clocked) => at.now.getTime() >= deadlineOf(at).getTime() - NOTICE_MS;

/** Whether the leg's clock, or the deadline, is near. */
function isEnding(at: Clocked): boolean {
  const { turn, now } = at;
  return isDeadlineNear(at) || (turn.until !== null && now.getTime() >= turn.until.getTime() - NOTICE_MS);
}

/** When something is to be done about the turn even if nothing happens, milliseconds from now; undefined: never. */
export function msToNotice(at: Clocked): number | undefined {
  const { turn, now } = at;
  const ends = [turn.until, deadlineOf(at)].flatMap((end) => (end === null ? [] : [end.getTime()]));
  const moments = ends.flatMap((end) => [end - NOTICE_MS, end]).map((moment) => moment - now.getTime());
  const ahead = moments.filter((ms) => ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
