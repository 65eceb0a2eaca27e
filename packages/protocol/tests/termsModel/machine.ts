// The machine of terms, played in ticks instead of seconds and with stakes instead of lamports: who may do what to a leg, and when.
// Legs of packages and of tasks share it; a leg of a task is never carried.
import type { Mistake, MoveName } from './names.js';

export type { Mistake, MoveName } from './names.js';

/** Status bytes as the program stores them. */
export const PENDING = 0;
export const COMPLETED = 1;
export const ACCEPTED = 2;
export const CARRIED = 3;
export const CLAIMED = 4;
export const DISPUTED = 5;
export const RULED = 6;
export const VACANT = 7;
export const STATUS_NAMES = 'pending completed accepted carried claimed disputed ruled vacant'.split(' ');
/** Stakes that a leg account holds, by its status. */
export const STAKES_HELD = [0, 0, 1, 1, 1, 2, 0, 0] as const;
/** The value of `current` once the package or task is over. */
export const ENDED = -1;

export interface Leg {
  readonly status: number;
  /** Ticks since the leg's turn began, up to a cap beyond every window. */
  readonly age: number;
  /** True if an honest courier has the leg. Everybody else is one coalition. */
  readonly honest: boolean;
}

export interface State {
  readonly tick: number;
  /** How many legs are completed, which is the index of the current leg, or `ENDED`. */
  readonly current: number;
  readonly legs: readonly Leg[];
}

/** The parties that may sign a move. `courier` is that of the leg `Move.courier`; `agreement` is the lister and that courier together. */
export type Actor = 'courier' | 'lister' | 'coordinator' | 'arbiter' | 'agreement' | 'lister or coordinator' | 'anyone';

/** The fate of a leg's stakes: the worker's and, once it is disputed, the disputer's. */
export type Stakes = 'none' | 'posted' | 'matched' | 'returned' | 'forfeited' | 'divided' | 'defaulted';

export interface Move {
  readonly name: MoveName;
  readonly by: Actor;
  readonly leg: number;
  /** The leg whose courier signs, if one does. */
  readonly courier: number;
  readonly stakes: Stakes;
  /** The payment of the leg: all of it, or what a ruling left. */
  readonly pays: 'nothing' | 'all' | 'as ruled';
  readonly next: State;
}

export interface Settings {
  readonly legs: number;
  readonly isTask: boolean;
  /** Windows and deadline, in ticks. */
  readonly carry: number;
  readonly handoff: number;
  readonly review: number;
  readonly arbitration: number;
  readonly deadline: number;
}

const STANDARD = { carry: 3, handoff: 2, review: 2, arbitration: 2, deadline: 7 };
/** Both couriers of a leg that somebody assigns: the coalition's first. */
const EITHER = [false, true];

type Effect = Pick<Move, 'name' | 'by'> & Partial<Move>;

export class Machine {
  readonly settings: Settings;
  readonly mistakes: ReadonlySet<Mistake>;
  /** The latest tick in which anything of value is still open. */
  readonly latestEnd: number;
  readonly #ageCap: number;

  constructor(legs: number, isTask: boolean, windows: Partial<Settings> = {}, mistakes: readonly Mistake[] = []) {
    this.settings = { legs, isTask, ...STANDARD, ...windows };
    this.mistakes = new Set(mistakes);
    const { carry, handoff, review, arbitration, deadline } = this.settings;
    this.latestEnd = deadline + review + arbitration;
    this.#ageCap = Math.max(carry, handoff, review + 2, arbitration) + 1;
  }

  /** Every leg of a package is assigned and nobody has accepted yet; a task has no agent yet. */
  start(): State {
    const leg = { status: this.settings.isTask ? VACANT : PENDING, age: 0, honest: false };
    return { tick: 0, current: 0, legs: Array.from({ length: this.settings.legs }, () => leg) };
  }

  /** A number that no other state of this machine has. */
  keyOf({ tick, current, legs }: State): number {
    const ages = this.#ageCap + 1;
    let key = tick * (legs.length + 2) + current + 1;
    for (const { status, age, honest } of legs) key = ((key * 8 + status) * ages + age) * 2 + Number(honest);
    return key;
  }

  /** The state one tick later, with nobody moving. */
  tick({ tick, current, legs }: State): State {
    const older = legs.map((leg) => ({ ...leg, age: Math.min(leg.age + 1, this.#ageCap) }));
    return normal({ tick: tick + 1, current, legs: older });
  }

  /** Reports whether somebody else may take the leg from an accepted courier, who forfeits the stake. */
  isOverdue(state: State, index: number): boolean {
    return legAt(state, index).status === ACCEPTED && this.#left(state, index) <= 0;
  }

  /** Ticks until an accepted courier is overdue; infinite while nobody waits for it. */
  #left({ current, legs }: State, index: number): number {
    const { carry, handoff } = this.settings;
    const [leg, held] = [legs[index], legs[current]];
    if (!leg || !held) return Infinity;
    if (index === current) return carry - leg.age;
    return index === current + 1 && held.status === CLAIMED ? handoff - Math.min(leg.age, held.age) : Infinity;
  }

  /** Reports whether an accepted courier who may leave freely loses that right within so many ticks. */
  isLastCall(state: State, index: number, ticks = 1): boolean {
    return this.#left(state, index) <= ticks;
  }

  /** Reports whether a claim, dispute or ruling of the current leg has to be finished before the package or task can be reclaimed. */
  isReclaimBlocked(state: State): boolean {
    const { status, age } = legAt(state, state.current);
    const { review } = this.settings;
    if (this.#has('reclaim a grace after claims') || this.#has('a payee that refuses stops its confirmation')) {
      return status === DISPUTED || (status === CLAIMED && age < review + 1) || (status === RULED && age < 1);
    }
    return status === CLAIMED || status === DISPUTED || status === RULED;
  }

  /** Every legal move of everybody. */
  moves(state: State): Move[] {
    const { current, legs } = state;
    if (current === ENDED) return [];
    if (current === legs.length) return [ending(state, 'settle', 'lister or coordinator')];
    const waiting = legs.flatMap((leg, index) => (index < current ? [] : this.#ofWaitingLeg(state, leg, index)));
    return [...waiting, ...this.#ofCurrentLeg(state), ...this.#reclaims(state)];
  }

  #has(mistake: Mistake): boolean {
    return this.mistakes.has(mistake);
  }

  #ofWaitingLeg(state: State, leg: Leg, index: number): Move[] {
    const { isTask, handoff, deadline } = this.settings;
    const isOpen = state.tick < deadline;
    const isCurrent = index === state.current;
    const put = (status: number, effect: Effect) => moveOf(state, index, { ...leg, status, age: 0 }, effect);
    if (leg.status === PENDING) {
      const moves = [put(VACANT, { name: 'vacate', by: 'courier' })];
      if (isOpen) moves.push(put(ACCEPTED, { name: 'accept', by: 'courier', stakes: 'posted' }));
      if (isOpen && isCurrent && !isTask) {
        moves.push(put(CARRIED, { name: 'accept and take', by: 'courier', stakes: 'posted' }));
      }
      if (leg.age >= handoff) moves.push(put(VACANT, { name: 'vacate', by: 'anyone' }));
      return moves;
    }
    if (leg.status === ACCEPTED) {
      const moves: Move[] = [];
      const isOverdue = this.isOverdue(state, index);
      if (isOverdue) moves.push(put(VACANT, { name: 'vacate overdue', by: 'anyone', stakes: 'forfeited' }));
      if (!isOverdue || this.#has('free leave after the clock')) {
        moves.push(put(VACANT, { name: 'vacate', by: 'courier', stakes: 'returned' }));
      }
      if (isCurrent && isOpen) {
        moves.push(put(isTask ? CLAIMED : CARRIED, { name: isTask ? 'claim' : 'take', by: 'courier' }));
      }
      return moves;
    }
    if (leg.status !== VACANT || !isOpen || (isTask && !isCurrent)) return [];
    return EITHER.map((honest) => this.#assign(state, index, honest));
  }

  #assign(state: State, index: number, honest: boolean): Move {
    const leg = { status: PENDING, age: 0, honest };
    const move = moveOf(state, index, leg, { name: 'assign', by: 'coordinator' });
    const held = legAt(state, state.current);
    const isNext = index === state.current + 1;
    if (!this.#has('a replacement restarts the claim') || !isNext || held.status !== CLAIMED) return move;
    return { ...move, next: put(move.next, state.current, { ...held, age: 0 }) };
  }

  #ofCurrentLeg(state: State): Move[] {
    const { isTask, carry, review, arbitration, deadline } = this.settings;
    const { tick, current: index } = state;
    const leg = legAt(state, index);
    const put = (status: number, effect: Effect) => moveOf(state, index, { ...leg, status, age: 0 }, effect);
    const moves = this.#payments(state, leg);
    if (leg.status === CARRIED) {
      if (tick < deadline || this.#has('claims after the deadline')) {
        moves.push(put(CLAIMED, { name: 'claim', by: 'courier' }));
      }
      const by = this.#has('anyone vacates a custodian') ? 'anyone' : 'lister';
      if (leg.age >= carry) moves.push(put(VACANT, { name: 'vacate overdue', by, stakes: 'forfeited' }));
    }
    if (leg.status === CLAIMED && leg.age < review) {
      moves.push(put(DISPUTED, { name: 'dispute', by: 'lister', stakes: 'matched' }));
    }
    if (leg.status === DISPUTED) {
      if (leg.age < arbitration || this.#has('rulings after the clock')) {
        moves.push(put(RULED, { name: 'rule', by: 'arbiter', stakes: 'divided' }));
        moves.push(put(VACANT, { name: 'rule 0', by: 'arbiter', stakes: 'divided' }));
      }
      const stakes = this.#has('a default divides both stakes') ? 'divided' : 'defaulted';
      if (leg.age >= arbitration) moves.push(put(RULED, { name: 'default', by: 'anyone', stakes }));
    }
    if (leg.status === CLAIMED || leg.status === DISPUTED || (leg.status === CARRIED && !isTask)) {
      moves.push(put(RULED, { name: 'agree', by: 'agreement', stakes: 'returned' }));
      moves.push(put(VACANT, { name: 'agree 0', by: 'agreement', stakes: 'returned' }));
    }
    return moves;
  }

  /** The moves that complete the current leg. */
  #payments(state: State, leg: Leg): Move[] {
    const { isTask, review, deadline } = this.settings;
    const { tick, current: index, legs } = state;
    if (!leg.honest && this.#has('a payee that refuses stops its confirmation')) return [];
    const next = legs[index + 1];
    const isHeld = leg.status === CARRIED || leg.status === CLAIMED;
    const isDone = isTask ? leg.status === CLAIMED : isHeld || leg.status === ACCEPTED;
    const pay = (effect: Effect, isHandoff = false) =>
      moveTo(completed(state, isTask, isHandoff), index, { stakes: 'returned', pays: 'all', ...effect });
    const moves: Move[] = [];
    if ((!next || isTask) && isDone) moves.push(pay({ name: 'confirm', by: 'lister' }));
    const isHandable = this.#has('handoffs of legs that were not taken') ? isDone : isHeld;
    const isInTime = tick < deadline || this.#has('handoffs after the deadline');
    if (next?.status === ACCEPTED && !isTask && isHandable && isInTime) {
      moves.push(pay({ name: 'hand off', by: 'courier', courier: index + 1 }, true));
    }
    if (leg.status === CLAIMED && leg.age >= review) moves.push(pay({ name: 'crank', by: 'anyone' }));
    if (leg.status === RULED) moves.push(pay({ name: 'pay ruling', by: 'anyone', stakes: 'none', pays: 'as ruled' }));
    return moves;
  }

  #reclaims(state: State): Move[] {
    const { status } = legAt(state, state.current);
    if (state.tick >= this.settings.deadline && !this.isReclaimBlocked(state)) {
      return [ending(state, 'reclaim', 'lister or coordinator')];
    }
    // An agent works from accepting on, a courier from the pickup on.
    const untouched = this.settings.isTask ? [PENDING, VACANT] : [PENDING, ACCEPTED, VACANT];
    const isUntouched = state.current === 0 && untouched.includes(status);
    return isUntouched ? [ending(state, 'reclaim early', 'lister')] : [];
  }
}

export function legAt(state: State, index: number): Leg {
  const leg = state.legs[index];
  if (!leg) throw new Error(`There is no leg ${index}`);
  return leg;
}

function put(state: State, index: number, leg: Leg): State {
  return normal({ ...state, legs: state.legs.with(index, leg) });
}

/** Ages that no clock reads are 0, and nobody has a leg that is vacant or over: states that behave alike are the same. */
function normal({ tick, current, legs }: State): State {
  const plain = legs.map(({ status, age, honest }, index) => {
    const isIdle = status === VACANT || status === COMPLETED;
    const isUnread = isIdle || (status === ACCEPTED && index > current + 1);
    return { status, age: isUnread ? 0 : age, honest: honest && !isIdle };
  });
  return { tick, current, legs: plain };
}

function moveTo(next: State, leg: number, effect: Effect): Move {
  return { leg, courier: leg, stakes: 'none', pays: 'nothing', next, ...effect };
}

function moveOf(state: State, index: number, leg: Leg, effect: Effect): Move {
  return moveTo(put(state, index, leg), index, effect);
}

/** The current leg is over; the turn of the next one begins, with the parcel in its courier's hands after a handoff. */
function completed({ tick, current, legs }: State, isTask: boolean, isHandoff: boolean): State {
  const after = legs.map((leg, index) => {
    if (index === current) return { status: COMPLETED, age: 0, honest: false };
    if (isTask || index !== current + 1) return leg;
    return { ...leg, age: 0, status: isHandoff ? CARRIED : leg.status };
  });
  return normal({ tick, current: current + 1, legs: after });
}

function ending(state: State, name: MoveName, by: Actor): Move {
  return moveTo({ ...state, current: ENDED }, state.current, { name, by, stakes: 'returned' });
}
