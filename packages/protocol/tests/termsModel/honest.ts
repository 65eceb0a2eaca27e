import {
  ACCEPTED,
  CARRIED,
  CLAIMED,
  COMPLETED,
  DISPUTED,
  legAt,
  PENDING,
  RULED,
  STATUS_NAMES,
  VACANT,
  type Machine,
  type Move,
  type MoveName,
  type State,
} from './machine.js';
import type { Message, Player } from './game.js';

/** Ticks that a leg's work takes its honest courier. */
const WORK = 1;
const IN_DANGER = [ACCEPTED, CARRIED, CLAIMED, DISPUTED, RULED];

/** Reports whether an honest courier has the leg: enemies may hold it before and after. */
function has(state: State, leg: number): boolean {
  return state.current >= 0 && legAt(state, leg).honest;
}

/**
 * A courier who does as the documents say: accepts what it can finish, leaves in time, claims where nobody takes over, and makes the
 * moves that anyone may make.
 *
 * @param slack - ticks more that a message may take to land
 */
export function honestCourier(machine: Machine, leg: number, slack = 0): Player {
  const signs = (state: State, { courier }: Move) => courier === leg && has(state, leg);
  return {
    name: `courier ${leg}`,
    leg,
    lastTick: machine.latestEnd + machine.settings.legs + 2 + 2 * slack,
    choices: (state) => (has(state, leg) ? courierChoices(machine, state, leg, slack) : [undefined]),
    holds: (state, move) => (move.by === 'courier' || move.by === 'agreement') && signs(state, move),
    canSign: (state, move) =>
      has(state, leg) && ((move.by === 'courier' && signs(state, move)) || move.by === 'anyone'),
    wrong: (state, move) => (has(state, leg) ? wrongToCourier(machine, state, move, leg) : undefined),
    overdue: (state) =>
      has(state, leg) && IN_DANGER.includes(legAt(state, leg).status) ? 'not out in time' : undefined,
  };
}

function courierChoices(machine: Machine, state: State, leg: number, slack: number): (Message | undefined)[] {
  const { review, arbitration } = machine.settings;
  const { status, age } = legAt(state, leg);
  const when = (isTime: boolean, name: MoveName) => [isTime ? { name, leg } : undefined];
  if (status === PENDING) return invited(machine, state, leg, slack);
  if (status === ACCEPTED) return bound(machine, state, leg, slack);
  if (status === CARRIED) return when(age >= WORK, 'claim');
  if (status === CLAIMED) return when(age >= review, 'crank');
  if (status === DISPUTED) return when(age >= arbitration, 'default');
  return when(status === RULED, 'pay ruling');
}

function invited({ settings }: Machine, { tick, current }: State, leg: number, slack: number): (Message | undefined)[] {
  const end = tick + WORK + 2 * slack;
  const choices: (Message | undefined)[] = [undefined];
  if (end + 1 < settings.deadline) choices.push({ name: 'accept', leg });
  if (leg === current && !settings.isTask && end < settings.deadline) choices.push({ name: 'accept and take', leg });
  return choices;
}

function bound(machine: Machine, state: State, leg: number, slack: number): (Message | undefined)[] {
  const { deadline, isTask } = machine.settings;
  const { tick, current } = state;
  const isCurrent = leg === current;
  const leave = { name: 'vacate', leg } as const;
  const hasTime = tick + WORK + 2 * slack < deadline;
  if (tick >= deadline || (!hasTime && !(isTask && isCurrent))) return [leave];
  const isLast = machine.isLastCall(state, leg, 1 + 2 * slack) || tick >= deadline - 1 - slack;
  if (isTask && isCurrent && legAt(state, leg).age >= WORK) return [{ name: 'claim', leg }];
  const choices: (Message | undefined)[] = [isLast ? leave : undefined];
  if (isTask) return choices;
  if (isCurrent) choices.push({ name: 'take', leg });
  else if (leg === current + 1 && [CARRIED, CLAIMED].includes(legAt(state, current).status)) {
    choices.push({ name: 'hand off', leg: current });
  }
  return choices;
}

/** The courier, to whom it is also wrong when a leg that it carried ends otherwise than paid in full. */
export function paidInFull(courier: Player, leg: number): Player {
  const isHeld = (state: State) => has(state, leg) && [CARRIED, CLAIMED].includes(legAt(state, leg).status);
  return {
    ...courier,
    wrong: (state, move) =>
      isHeld(state) && !isHeld(move.next) && move.pays !== 'all'
        ? `${move.name} takes its pay`
        : courier.wrong(state, move),
  };
}

function wrongToCourier({ mistakes }: Machine, state: State, move: Move, leg: number): string | undefined {
  const status = STATUS_NAMES[legAt(state, leg).status];
  if (move.leg === leg && move.stakes === 'forfeited') return `forfeits its stake as ${status}`;
  if (move.leg === leg && move.name === 'default' && move.stakes === 'divided') return 'a default takes of its stake';
  if (move.next.current >= 0) return undefined;
  if (state.current === leg && ['carried', 'claimed', 'ruled'].includes(status ?? '')) return `ended while ${status}`;
  const isKept = mistakes.has('reclaim keeps stakes of accepted legs');
  return isKept && status === 'accepted' ? 'ended while accepted' : undefined;
}

/**
 * States in which no honest courier of these legs has failed yet: something is due to each, and a whole tick is left.
 *
 * @param states - those that any play reaches
 */
export function* startsAmong(machine: Machine, legs: readonly number[], states: Iterable<State>): Generator<State> {
  for (const state of states) {
    if (state.current === machine.settings.legs || state.tick > machine.settings.deadline + 1) continue;
    if (legs.every((leg) => hasNotFailed(machine, state, leg))) yield held(state, legs);
  }
}

function held(state: State, own: readonly number[]): State {
  const legs = state.legs.map((leg, index) => ({ ...leg, honest: own.includes(index) }));
  return { ...state, legs };
}

function hasNotFailed(machine: Machine, state: State, leg: number): boolean {
  const { deadline, isTask } = machine.settings;
  const { status, age } = legAt(state, leg);
  const { tick, current } = state;
  if (status === COMPLETED || status === VACANT) return false;
  if (status === CARRIED) return age === 0 && tick + WORK < deadline;
  if (status !== ACCEPTED) return true;
  if (isTask && leg === current && age > 0) return false;
  return !machine.isLastCall(state, leg) && (tick < deadline - 1 || tick >= deadline);
}

/**
 * How an honest lister answers claims of final legs: it disputes each, it confirms some as the parcel or the result came, or it
 * confirms all. One that is content disputes nothing and takes nobody off.
 */
export type Answer = 'disputes' | 'also confirms' | 'is content';

/**
 * A lister who is also the funder; a receiver with the same interest is the same.
 *
 * @param answers - undefined: it is not judged whether a leg is paid against it, for games from any state
 */
export function honestLister(machine: Machine, answers?: Answer): Player {
  const { legs, isTask } = machine.settings;
  const own = ['lister', 'agreement'];
  return {
    name: 'lister',
    leg: undefined,
    lastTick: machine.latestEnd,
    choices: (state) => listerChoices(machine, state, answers),
    holds: (_, move) => own.includes(move.by),
    canSign: (_, { by }) => by === 'lister' || by === 'lister or coordinator' || by === 'anyone',
    wrong(_, { name, leg }) {
      const isUnanswered = answers && answers !== 'is content' && name === 'crank' && (isTask || leg === legs - 1);
      return isUnanswered ? 'pays a leg that it should have disputed' : undefined;
    },
    overdue: () => 'not ended',
  };
}

function listerChoices(machine: Machine, state: State, answers?: Answer): (Message | undefined)[] {
  const { legs, isTask, carry, review } = machine.settings;
  const { current } = state;
  const own = (name: MoveName) => ({ name, leg: current });
  if (current === legs) return [own('settle')];
  const exit = exitFrom(machine, state);
  if (exit) return [own(exit)];
  const { status, age } = legAt(state, current);
  const isFinal = isTask || current === legs - 1;
  if (status === CLAIMED && age < review) {
    if (answers === 'is content') return [isFinal ? own('confirm') : undefined];
    if (!isFinal) return [undefined, own('dispute')];
    return answers === 'also confirms' ? [own('dispute'), own('confirm')] : [own('dispute')];
  }
  const isLate = status === CARRIED && age >= carry && answers !== 'is content';
  return isLate ? [undefined, own('vacate overdue')] : [undefined];
}

/** The move that brings a funder nearer to the end after the deadline, if it is its turn. */
function exitFrom(machine: Machine, state: State): MoveName | undefined {
  const { review, arbitration, deadline } = machine.settings;
  const { status, age } = legAt(state, state.current);
  if (state.tick < deadline) return undefined;
  if (!machine.isReclaimBlocked(state)) return 'reclaim';
  if (status === CLAIMED && age >= review) return 'crank';
  if (status === DISPUTED && age >= arbitration) return 'default';
  return status === RULED ? 'pay ruling' : undefined;
}
