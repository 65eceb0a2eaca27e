import { play, type Played, type Player } from './game.js';
import { honestCourier, honestLister, startsAmong } from './honest.js';
import {
  CARRIED,
  CLAIMED,
  ENDED,
  legAt,
  STAKES_HELD,
  type Machine,
  type Move,
  type MoveName,
  type State,
} from './machine.js';
import { reached, StateSpace } from './stateSpace.js';

export interface Judgement {
  /** States of all play, and situations of the games from every one of them. */
  readonly states: number;
  readonly situations: number;
  /** The latest tick in which a game of an honest funder is not over. */
  readonly latest: number;
  /** The faults, each once: `who: what`. */
  readonly faults: readonly string[];
}

/** Everything that the model proves of a machine. */
export function judged(machine: Machine): Judgement {
  const states = reached(machine);
  const hostile = states.filter(({ legs }) => legs.every(({ honest }) => !honest));
  const couriers = machine.start().legs.map((_, leg) => {
    // The agent of a task comes with an assignment.
    const starts = machine.settings.isTask ? [machine.start()] : [];
    return gameOf(machine, honestCourier(machine, leg), [...starts, ...startsAmong(machine, [leg], hostile)]);
  });
  const listers = (['disputes', 'also confirms'] as const).map((answers) => {
    return gameOf(machine, honestLister(machine, answers), [machine.start()]);
  });
  const { deadline } = machine.settings;
  const open = hostile.filter(({ tick }) => tick <= deadline + 1);
  const funder = gameOf(machine, honestLister(machine), open);
  const games = [...couriers, ...listers, funder];
  const isFinished = (leg: number) => isFinishedIn(machine, leg, machine.latestEnd - deadline, hostile);
  const isStuck = !machine.start().legs.every((_, leg) => isFinished(leg));
  const faults = [
    ...simultaneous(machine, states),
    ...paidUnseen(machine),
    ...games.flatMap(faultsOf),
    ...(isStuck ? ['a claim outlives review and arbitration'] : []),
  ];
  return {
    states: states.length,
    situations: sum(games.map(({ situations }) => situations)),
    latest: funder.latest,
    faults: [...new Set(faults)].sort(),
  };
}

function gameOf(machine: Machine, player: Player, starts: Iterable<State>): Played {
  return play({ space: new StateSpace(machine), players: [player] }, starts);
}

/**
 * Reports whether an honest courier's claim is paid or ruled within so many ticks, whatever others do.
 *
 * @param states - those that any play reaches
 */
export function isFinishedIn(
  machine: Machine,
  leg: number,
  ticks: number,
  states: readonly State[] = reached(machine),
): boolean {
  const claims = states.filter((state) => {
    const { status, age } = state.legs[leg] ?? {};
    return state.current === leg && status === CLAIMED && age === 0;
  });
  const courier = honestCourier(machine, leg);
  const isOpen = (state: State) => state.current === leg && courier.overdue(state) !== undefined;
  const space = new StateSpace(machine);
  return [...new Set(claims.map(({ tick }) => tick))].every((tick) => {
    // A leg that was ruled 0 is not assigned to this courier again.
    const player: Player = {
      ...courier,
      leg: undefined,
      lastTick: tick + ticks,
      wrong: () => undefined,
      overdue: (state) => (isOpen(state) ? 'open' : undefined),
    };
    const starts = startsAmong(
      machine,
      [leg],
      claims.filter((claim) => claim.tick === tick),
    );
    return play({ space, players: [player] }, starts).faults.length === 0;
  });
}

/** The faults of a game: `who: what`. */
export function faultsOf({ faults }: Played): string[] {
  return faults.map(({ player, what }) => `${player}: ${what}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Moves that exclude each other and are legal in one state: `one and the other at once`. */
function simultaneous(machine: Machine, states: readonly State[]): Set<string> {
  const found = new Set<string>();
  for (const state of states) {
    const moves = machine.moves(state);
    requireBalance(state, moves);
    const has = (name: MoveName, leg: number) => moves.some((move) => move.name === name && move.leg === leg);
    const isEnding = moves.some(({ name }) => name.startsWith('reclaim'));
    for (const [leg, { status }] of state.legs.entries()) {
      const taking = moves.find((move) => move.name === 'vacate overdue' && move.leg === leg);
      const leaving = moves.some((move) => move.name === 'vacate' && move.leg === leg && move.stakes === 'returned');
      if (taking && leaving) found.add('free leave and forfeit at once');
      if (has('rule', leg) && has('default', leg)) found.add('ruling and default at once');
      if (has('dispute', leg) && has('crank', leg)) found.add('dispute and crank at once');
      if (has('claim', leg) && isEnding) found.add('claim and reclaim at once');
      if (has('hand off', leg) && isEnding) found.add('handoff and reclaim at once');
      if (taking && status === CARRIED && taking.by !== 'lister') found.add('a stranger takes the custodian off');
    }
  }
  return found;
}

/** Faults: a leg is paid although the lister, who co-signs the first pickup, never signs anything. */
function paidUnseen(machine: Machine): string[] {
  if (machine.settings.isTask) return [];
  const isPickup = ({ name, leg }: Move) => leg === 0 && (name === 'take' || name === 'accept and take');
  const states = reached(machine, (move) => move.by !== 'lister' && move.by !== 'agreement' && !isPickup(move));
  const isPaid = states.some(({ current }) => current > 0);
  return isPaid ? ['leaked coordinator: a leg is paid without a co-signed pickup'] : [];
}

/** Stakes that come in or go out with a move, by what the move says; undefined: all that the leg holds go back. */
const CHANGES = { none: 0, posted: 1, matched: 1, returned: undefined, forfeited: -1, divided: -2, defaulted: -2 };

/** @throws Error when a move changes what a leg holds by something else than it says */
function requireBalance(state: State, moves: readonly Move[]): void {
  const held = ({ legs }: State) => sum(legs.map(({ status }) => STAKES_HELD[status] ?? 0));
  const before = held(state);
  for (const { name, leg, stakes, next } of moves) {
    if (next.current === ENDED) continue;
    const change = CHANGES[stakes] ?? -(STAKES_HELD[legAt(state, leg).status] ?? 0);
    if (held(next) - before !== change) throw new Error(`${name} makes or loses a stake`);
  }
}
