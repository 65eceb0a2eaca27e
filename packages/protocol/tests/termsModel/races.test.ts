import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CARRIED,
  CLAIMED,
  DISPUTED,
  ENDED,
  legAt,
  Machine,
  PENDING,
  RULED,
  STATUS_NAMES,
  type Move,
  type State,
} from './machine.js';
import { reached } from './stateSpace.js';

/** Moves that nobody is hurt by coming second with. */
const UNCONTESTED = /^(assign|agree|rule|settle|reclaim)/;
const HELD = [CARRIED, CLAIMED, DISPUTED, RULED];

/** Reports whether the party whose move this is should have made it earlier. */
function isLate(machine: Machine, state: State, { leg: index }: Move): boolean {
  const leg = legAt(state, index);
  const { carry, handoff } = machine.settings;
  const isOverdue = (leg.status === CARRIED && leg.age >= carry) || (leg.status === PENDING && leg.age >= handoff);
  return isOverdue || machine.isOverdue(state, index);
}

/** Reports whether the second move makes the first one impossible and costs the stake of its leg. */
function costsStake(machine: Machine, state: State, first: Move, second: Move): boolean {
  const forfeits = second.stakes === 'forfeited' && second.leg === first.leg;
  const ends = second.next.current === ENDED && HELD.includes(legAt(state, first.leg).status);
  const isStillLegal = machine.moves(second.next).some(({ name, leg }) => name === first.name && leg === first.leg);
  return (forfeits || ends) && !isStillLegal;
}

/** Every pair of moves legal in one second of which the second takes a stake: `first (status) against second, late or in time`. */
function racesForStakes(machine: Machine): Set<string> {
  const found = new Set<string>();
  for (const state of reached(machine)) {
    const moves = machine.moves(state);
    for (const first of moves.filter(({ name, by }) => by !== 'anyone' && !UNCONTESTED.test(name))) {
      for (const second of moves) {
        if (second.name === first.name || second.by === 'agreement' || !costsStake(machine, state, first, second))
          continue;
        const status = STATUS_NAMES[legAt(state, first.leg).status];
        const when = isLate(machine, state, first) ? 'late' : 'in time';
        found.add(`${first.name} (${status}) against ${second.name}, ${when}`);
      }
    }
  }
  return found;
}

describe('only who is late can lose a stake in a race (T-48)', () => {
  test('a package of two legs', () => {
    expect(racesForStakes(new Machine(2, false))).toEqual(
      new Set([
        'take (accepted) against vacate overdue, late',
        'claim (carried) against vacate overdue, late',
        'hand off (carried) against vacate overdue, late',
        'confirm (accepted) against vacate overdue, late',
        'confirm (carried) against vacate overdue, late',
        'vacate overdue (carried) against reclaim, late',
        'confirm (carried) against reclaim, late',
        // A custodian who has not claimed by the deadline is late in this way alone.
        'confirm (carried) against reclaim, in time',
      ]),
    );
  });

  test('a task', () => {
    expect(racesForStakes(new Machine(1, true))).toEqual(new Set(['claim (accepted) against vacate overdue, late']));
  });
});

/** The legs that a signature is about: a move's own, or both of a handoff. It names the largest of their formation numbers. */
const SIGNATURES = [[0], [1], [2], [0, 1], [1, 2]] as const;

describe('formation numbers (T-49)', () => {
  test('let no signature for a replaced leg pass, and spoil none for another', () => {
    const replacements = fc.array(fc.nat(2), { maxLength: 8 });
    fc.assert(
      fc.property(replacements, replacements, (before, after) => {
        const formations = [1, 1, 1];
        const replace = (leg: number) => (formations[leg] = Math.max(...formations) + 1);
        const named = () => SIGNATURES.map((legs) => Math.max(...legs.map((leg) => formations[leg] ?? 0)));
        before.forEach(replace);
        const signed = named();
        after.forEach(replace);
        const fits = named().map((number, index) => number === signed[index]);
        expect(fits).toEqual(SIGNATURES.map((legs) => !legs.some((leg) => after.includes(leg))));
      }),
    );
  });
});
