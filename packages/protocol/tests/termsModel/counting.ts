import {
  ACCEPTED,
  CARRIED,
  CLAIMED,
  DISPUTED,
  ENDED,
  legAt,
  type Move,
  type MoveName,
  RULED,
  type State,
} from './machine.js';

/** A count by a move in the reputation of a leg's courier. */
export interface Count {
  readonly leg: number;
  readonly accepted: 0 | 1;
  readonly completed: 0 | 1;
}

const PAYMENTS: readonly MoveName[] = ['confirm', 'hand off', 'crank', 'pay ruling'];

/** Reports whether the reputation of its courier counts a leg in this status: it has the parcel, or has claimed. Rule T-100. */
export function isCounted(isTask: boolean, status: number): boolean {
  return (status === CARRIED && !isTask) || status === CLAIMED || status === DISPUTED || status === RULED;
}

/** The counts by a move in the reputations of the couriers. Rule T-100. */
export function countsOf(isTask: boolean, state: State, { name, leg, courier, stakes, next }: Move): Count[] {
  // The whole ends when no leg is left.
  if (leg >= state.legs.length) return [];
  const wasCounted = isCounted(isTask, legAt(state, leg).status);
  const completes = PAYMENTS.includes(name);
  const isHeld = next.current !== ENDED && isCounted(isTask, legAt(next, leg).status);
  const isLost = stakes === 'forfeited' && legAt(state, leg).status === ACCEPTED;
  const begins = !wasCounted && (completes || isHeld || isLost);
  const own = { leg, accepted: begins ? 1 : 0, completed: completes ? 1 : 0 } as const;
  return name === 'hand off' ? [own, { leg: courier, accepted: 1, completed: 0 }] : [own];
}
