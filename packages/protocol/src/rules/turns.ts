import type { DigitalLegDetail, DigitalTaskDetail } from '../contract/resources/digitalTask.js';
import type { PackageDetail } from '../contract/resources/package.js';
import type { LegActor } from '../contract/resources/legTurn.js';
import type { Leg } from '../contract/resources/swarm.js';
import { hasTimeForLeg, timeForLegSec } from './digitalTasks.js';
import { type ActingSwarm, legUnderWay, recipientOf } from './handoffs.js';
import { clockedListing, type ClockedListing, clockedTask, currentLeg, legTurn } from './legTurns.js';

/**
 * The action that is due; `confirm`: sign for the parcel and pay the leg. Of a leg with terms,
 * `carry`: hand over or claim; `hand_in`: claim; `review`: confirm its claim or dispute it; `crank`:
 * carry out what silence or a ruling has decided; `replace`: give it to another courier or agent.
 */
export type TurnAction =
  | 'bid'
  | 'form'
  | 'confirm'
  | 'claim'
  | 'assign'
  | 'hand_in'
  | 'pay'
  | 'settle'
  | 'cancel'
  | 'reclaim'
  | 'accept'
  | 'take'
  | 'carry'
  | 'review'
  | 'rule'
  | 'crank'
  | 'replace'
  | 'wait';

/** The move that is due, and by whom. */
export interface Turn {
  /** `anyone`: every agent that may; `nobody`: there is only waiting. A wallet of null: none in particular. */
  readonly actor: { readonly role: LegActor; readonly pubkey: string | null };
  readonly action: TurnAction;
  /** The leg that it is about, from 0; null: the listing as a whole. */
  readonly legIndex: number | null;
  /** Null: there is no end to it. */
  readonly until: Date | null;
  /** The cost of doing nothing, in words. */
  readonly silence: string;
}

type Parcel = Pick<
  PackageDetail,
  'status' | 'finality' | 'deadline' | 'biddingClosesAt' | 'shipperPubkey' | 'funderPubkey' | 'terms'
> & { readonly swarm: ActingSwarm | null };
type Task = Pick<
  DigitalTaskDetail,
  'status' | 'finality' | 'deadline' | 'claimTimeoutSec' | 'shipperPubkey' | 'funderPubkey' | 'terms'
> & {
  readonly legs: readonly Pick<
    DigitalLegDetail,
    'legIndex' | 'status' | 'agentPubkey' | 'isOpen' | 'dueAt' | 'hasResult' | 'stage' | 'since'
  >[];
};

const COORDINATOR = { role: 'coordinator', pubkey: null } as const;
const HALTED: Turn = {
  actor: { role: 'nobody', pubkey: null },
  action: 'wait',
  legIndex: null,
  until: null,
  silence: 'the ledger took back a transaction about it, and nothing is signed for it unless the ledger shows it again',
};

/**
 * Returns whose move it is in a package; null when it is over. With terms and in transit, by the clock of the first leg that is
 * not completed.
 *
 * @param nowMs milliseconds since 1970
 */
export function turnOfPackage(parcel: Parcel, nowMs: number): Turn | null {
  if (isOver(parcel.status)) return null;
  if (parcel.finality === 'reverted') return HALTED;
  if (parcel.status === 'swarm_forming') return { ...forming, until: parcel.deadline };
  const isLate = isPast(parcel.deadline, nowMs);
  if (parcel.status === 'listed') return isLate ? exit(parcel, 'shipper', 'cancel') : bids(parcel, nowMs);
  const listing = clockedListing(parcel);
  if (listing !== null) return turnByTerms(parcel, listing, nowMs);
  const current = legUnderWay(parcel.swarm);
  if (current === undefined) return settling;
  return isLate ? exit(parcel, 'shipper', 'reclaim') : handoff(parcel, current);
}

/**
 * Returns whose move it is in a digital task; null when it is over.
 *
 * @param nowMs milliseconds since 1970
 */
export function turnOfTask(task: Task, nowMs: number): Turn | null {
  if (isOver(task.status)) return null;
  if (task.finality === 'reverted') return HALTED;
  const leg = task.legs.find(({ status }) => status !== 'completed');
  if (leg === undefined) return settling;
  const listing = clockedTask(task);
  if (listing !== null && leg.stage !== null) return turnByTerms(task, listing, nowMs);
  // A result handed in is paid, and an agent at work may still hand in, until somebody reclaims the task.
  if (leg.hasResult) return { ...paying, legIndex: leg.legIndex };
  if (isPast(task.deadline, nowMs)) return exit(task, 'poster', task.status === 'listed' ? 'cancel' : 'reclaim');
  if (leg.agentPubkey !== null) return work(leg, leg.agentPubkey, task);
  return leg.isOpen && hasTimeForLeg({ ...task, deadlineMs: task.deadline.getTime() }, nowMs)
    ? claims(task, leg.legIndex)
    : tooLate(task);
}

type Over = 'delivered' | 'completed' | 'failed';

function isOver<Status extends string>(status: Status): status is Status & Over {
  return status === 'delivered' || status === 'completed' || status === 'failed';
}

const isPast = (deadline: Date, nowMs: number) => deadline.getTime() <= nowMs;

function bids({ biddingClosesAt, deadline }: Parcel, nowMs: number): Turn {
  const actor = { role: 'anyone', pubkey: null } as const;
  const gathers = biddingClosesAt !== null && !isPast(biddingClosesAt, nowMs);
  return {
    actor,
    action: 'bid',
    legIndex: null,
    until: gathers ? biddingClosesAt : deadline,
    silence: gathers
      ? 'the chain is chosen among the bids that are there when the window closes'
      : 'no chain is chosen; the shipper can cancel at any time, and gets the whole budget back',
  };
}

const forming: Omit<Turn, 'until'> = {
  actor: COORDINATOR,
  action: 'form',
  legIndex: null,
  silence: 'the package takes bids again; until the chain is on the ledger the shipper can cancel',
};

/** The receiver signs, and the courier who brought the parcel is paid. */
function handoff(parcel: Parcel, leg: Pick<Leg, 'legIndex'>): Turn {
  return {
    actor: recipientOf(parcel, leg),
    action: 'confirm',
    legIndex: leg.legIndex,
    until: parcel.deadline,
    silence: 'the courier who has the parcel is not paid; from the deadline on the shipper can take back what is left',
  };
}

type Stage = ClockedListing['legs'][number]['stage'];

/** The action due at each stage of a leg, before its clock ends. */
const EXPECTED: Readonly<Record<Exclude<Stage, 'completed'>, TurnAction>> = {
  pending: 'accept',
  accepted: 'take',
  carried: 'carry',
  claimed: 'review',
  disputed: 'rule',
  ruled: 'crank',
  vacant: 'replace',
};

function expected(stage: Exclude<Stage, 'completed'>, isPackage: boolean): TurnAction {
  return stage === 'accepted' && !isPackage ? 'hand_in' : EXPECTED[stage];
}

/** From the deadline on these are reclaimed; what is claimed is decided first. Rules T-37, T-41. */
const RECLAIMED: readonly Stage[] = ['pending', 'accepted', 'carried', 'vacant'];

/** The move of the first leg that is not completed. */
function turnByTerms(listed: Parcel | Task, listing: ClockedListing, nowMs: number): Turn {
  const legIndex = currentLeg(listing);
  const leg = legIndex === undefined ? undefined : listing.legs[legIndex];
  const turn = legIndex === undefined ? null : legTurn(listing, legIndex, nowMs);
  if (legIndex === undefined || leg === undefined || leg.stage === 'completed' || turn === null) return settling;
  const ends = RECLAIMED.includes(leg.stage);
  const isPackage = listing.kind === 'package';
  if (ends && isPast(listing.deadline, nowMs)) return exit(listed, isPackage ? 'shipper' : 'poster', 'reclaim');
  const isOver = turn.until !== null && isPast(turn.until, nowMs);
  const until = isOver ? null : turn.until;
  return {
    actor: { role: turn.actor, pubkey: keyOf(turn.actor, listing, leg.agentPubkey) },
    action: isOver ? 'crank' : expected(leg.stage, isPackage),
    legIndex,
    until: ends && (until === null || until > listing.deadline) ? listing.deadline : until,
    silence: turn.silence,
  };
}

function keyOf(role: LegActor, { terms, shipperPubkey }: ClockedListing, worker: string): string | null {
  if (role === 'courier' || role === 'agent') return worker;
  if (role === 'shipper' || role === 'poster') return shipperPubkey;
  if (role === 'receiver') return terms.receiverPubkey;
  return role === 'arbiter' ? terms.arbiterPubkey : null;
}

const settling: Turn = {
  actor: COORDINATOR,
  action: 'settle',
  legIndex: null,
  until: null,
  silence: 'the rest of the budget stays in the vault; the funder can settle as well',
};

const paying: Turn = {
  actor: COORDINATOR,
  action: 'pay',
  legIndex: null,
  until: null,
  silence: 'the agent is paid later: the service tries again for as long as it takes',
};

/** The escrow goes back to its funder. The coordinator takes back its own funds by itself. Rules M-49, P-54. */
function exit(
  { shipperPubkey, funderPubkey, status }: Parcel | Task,
  role: 'shipper' | 'poster',
  action: 'cancel' | 'reclaim',
): Turn {
  const isOwn = funderPubkey === shipperPubkey;
  const late = status === 'in_transit' ? '; until then the receiver can still sign, and the courier is paid' : '';
  return {
    actor: isOwn ? { role, pubkey: shipperPubkey } : { role: 'coordinator', pubkey: funderPubkey },
    action,
    legIndex: null,
    until: null,
    silence: `the deadline has passed, and what is left of the budget stays locked${late}`,
  };
}

function work(leg: Task['legs'][number], agentPubkey: string, { deadline }: Task): Turn {
  const { legIndex, status, dueAt } = leg;
  if (status !== 'in_progress') {
    const silence = 'the claim lapses when too little time is left before the deadline';
    return { actor: COORDINATOR, action: 'assign', legIndex, until: deadline, silence };
  }
  return {
    actor: { role: 'agent', pubkey: agentPubkey },
    action: 'hand_in',
    legIndex,
    until: dueAt,
    silence:
      'the leg goes to others, stays among those the agent accepted, and the agent gets no other leg of this task',
  };
}

/** The first agent gets it, until too little time is left to do it. Rule M-54. */
function claims(task: Task, legIndex: number): Turn {
  const { deadline, status } = task;
  return {
    actor: { role: 'anyone', pubkey: null },
    action: 'claim',
    legIndex,
    until: new Date(deadline.getTime() - timeForLegSec(task) * 1000),
    silence:
      status === 'listed'
        ? 'nobody works on it; the poster can cancel at any time, and gets the whole budget back'
        : 'nobody works on it; from the deadline on the poster can take back what is left',
  };
}

/** Nobody can claim the leg any more, or an agent has it that did not claim it here. */
function tooLate({ deadline, status, shipperPubkey }: Task): Turn {
  if (status === 'listed') {
    const silence = 'nobody can work on it any more, and the budget stays locked';
    return { actor: { role: 'poster', pubkey: shipperPubkey }, action: 'cancel', legIndex: null, until: null, silence };
  }
  return {
    actor: { role: 'nobody', pubkey: null },
    action: 'wait',
    legIndex: null,
    until: deadline,
    silence: 'from then on the poster can take back what is left',
  };
}
