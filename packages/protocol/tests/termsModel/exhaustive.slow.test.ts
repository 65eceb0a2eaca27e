import { describe, expect, test } from 'vitest';
import { countsOf, isCounted } from './counting.js';
import { play } from './game.js';
import { honestCourier, honestLister, paidInFull, startsAmong } from './honest.js';
import { faultsOf, isFinishedIn, judged } from './judged.js';
import { CARRIED, DISPUTED, ENDED, legAt, Machine, type Move, RULED, type State, type Mistake } from './machine.js';
import { reached, StateSpace } from './stateSpace.js';
import { WINDOWS } from './windows.js';

/** Milliseconds: three legs take five seconds of the processor, which a busy machine gives late. */
const PATIENCE = 300_000;

describe('hostile play against one honest party, from every state that any play reaches', () => {
  test.each([
    { kind: 'package', legs: 1, states: 640, situations: 2_686 },
    { kind: 'package', legs: 2, states: 10_965, situations: 39_615 },
    { kind: 'package', legs: 3, states: 136_430, situations: 357_439 },
    { kind: 'task', legs: 1, states: 550, situations: 2_231 },
    { kind: 'task', legs: 2, states: 1_085, situations: 5_652 },
  ])(
    'ends by deadline + review + arbitration and takes nothing from it: $kind, $legs legs (T-45, T-46, T-47, T-48)',
    ({ kind, legs, states, situations }) => {
      const machine = new Machine(legs, kind === 'task');
      expect(judged(machine)).toEqual({ states, situations, latest: machine.latestEnd, faults: [] });
    },
    PATIENCE,
  );

  test.each([
    { kind: 'package', situations: 57_930 },
    { kind: 'task', situations: 6_893 },
  ])('also holds when a message lands a tick late: $kind (T-46)', ({ kind, situations }) => {
    const windows = { carry: 6, handoff: 5, review: 5, arbitration: 2, deadline: 10 };
    const machine = new Machine(2, kind === 'task', windows);
    const games = machine.start().legs.map((_, leg) => {
      const player = honestCourier(machine, leg, 1);
      const start = machine.settings.isTask ? [machine.start()] : startsAmong(machine, [leg], [machine.start()]);
      return play({ space: new StateSpace(machine), players: [player], landsLate: true }, start);
    });
    expect(games.flatMap(faultsOf)).toEqual([]);
    expect(games.reduce((sum, game) => sum + game.situations, 0)).toBe(situations);
  });

  // All 96 are played by `npm run soak:terms`.
  test.each(WINDOWS.filter((_, index) => index % 19 === 0))(
    'holds with the windows %o (T-45, T-46, T-47, T-48)',
    (windows) => {
      for (const isTask of [false, true]) {
        const machine = new Machine(2, isTask, windows);
        const { latest, faults } = judged(machine);
        expect(faults).toEqual([]);
        expect(latest).toBeLessThanOrEqual(machine.latestEnd);
      }
    },
  );

  test('pays or rules a claim within review + arbitration, and no bound is tighter (T-46)', () => {
    for (const [machine, leg] of [
      [new Machine(2, false), 0],
      [new Machine(2, false), 1],
      [new Machine(1, true), 0],
    ] as const) {
      const { review, arbitration } = machine.settings;
      expect(isFinishedIn(machine, leg, review + arbitration)).toBe(true);
      expect(isFinishedIn(machine, leg, review + arbitration - 1)).toBe(false);
    }
  });
});

/** The fault in what reputations count by a move, if any. */
function faultOfCounts(isTask: boolean, state: State, move: Move): string | undefined {
  const { name, leg, stakes, next } = move;
  const counts = countsOf(isTask, state, move);
  const isExit = ['vacate', 'reclaim', 'reclaim early', 'settle', 'assign'].includes(name);
  if (isExit && counts.some(({ accepted, completed }) => accepted + completed > 0)) return `${name} counts`;
  const own = counts[0];
  if (own === undefined) return undefined;
  const before = legAt(state, leg);
  if (own.completed === 1 && !isCounted(isTask, before.status) && own.accepted === 0)
    return 'completed and not accepted';
  // A counted courier that does not complete has lost its stake, or is paid nothing by a ruling or by its own word.
  const isGone = next.current === ENDED || !isCounted(isTask, legAt(next, leg).status);
  const wasHeld = isCounted(isTask, before.status) && isGone && own.completed === 0;
  const isLost = stakes === 'forfeited' || (name === 'reclaim' && before.status === CARRIED);
  return wasHeld && !isLost && name !== 'rule 0' && name !== 'agree 0' ? `${name} leaves it counted` : undefined;
}

test.each([
  { kind: 'package', legs: 3 },
  { kind: 'task', legs: 2 },
])('no reputation of a $kind counts what others do before its courier has begun (T-100)', ({ kind, legs }) => {
  const machine = new Machine(legs, kind === 'task');
  const faults = reached(machine).flatMap((state) =>
    machine.moves(state).flatMap((move) => faultOfCounts(kind === 'task', state, move) ?? []),
  );
  expect([...new Set(faults)]).toEqual([]);
});

describe('hostile play against several honest parties', () => {
  const machine = new Machine(2, false);
  const states = reached(machine);
  const space = () => new StateSpace(machine);

  test('takes nothing from two couriers (T-46)', () => {
    const players = [honestCourier(machine, 0), honestCourier(machine, 1)];
    expect(play({ space: space(), players }, startsAmong(machine, [0, 1], states)).faults).toEqual([]);
  });

  test.each([0, 1])('pays courier %i in full where the lister is content (T-46)', (leg) => {
    const starts = startsAmong(
      machine,
      [leg],
      states.filter((state) => ![DISPUTED, RULED].includes(legAt(state, leg).status)),
    );
    const players = [paidInFull(honestCourier(machine, leg), leg), honestLister(machine, 'is content')];
    expect(play({ space: space(), players }, starts).faults).toEqual([]);
  });
});

describe('the model finds every rule that is wrong on purpose', () => {
  const custodian = 'a stranger takes the custodian off';
  const outlives = 'a claim outlives review and arbitration';
  const ended = (as: string) => [0, 1].map((leg) => `courier ${leg}: ended while ${as}`);
  const defaulted = [0, 1].map((leg) => `courier ${leg}: a default takes of its stake`);
  const leaked = 'leaked coordinator: a leg is paid without a co-signed pickup';

  test.each<{ mistake: Mistake; ofPackage: string[]; ofTask?: string[] }>([
    { mistake: 'anyone vacates a custodian', ofPackage: [custodian] },
    { mistake: 'claims after the deadline', ofPackage: ['claim and reclaim at once', 'lister: not ended'] },
    { mistake: 'handoffs after the deadline', ofPackage: ['handoff and reclaim at once'] },
    {
      mistake: 'free leave after the clock',
      ofPackage: ['free leave and forfeit at once'],
      ofTask: ['free leave and forfeit at once'],
    },
    { mistake: 'a default divides both stakes', ofPackage: defaulted, ofTask: defaulted },
    {
      mistake: 'rulings after the clock',
      ofPackage: ['ruling and default at once'],
      ofTask: ['ruling and default at once'],
    },
    { mistake: 'reclaim a grace after claims', ofPackage: ended('ruled'), ofTask: ended('ruled') },
    { mistake: 'a payee that refuses stops its confirmation', ofPackage: ended('ruled'), ofTask: ended('ruled') },
    { mistake: 'a replacement restarts the claim', ofPackage: [outlives] },
    {
      mistake: 'one formation number for the swarm',
      ofPackage: ['courier 0: ended while carried', 'courier 0: forfeits its stake as carried', outlives],
    },
    { mistake: 'reclaim keeps stakes of accepted legs', ofPackage: ended('accepted') },
    { mistake: 'handoffs of legs that were not taken', ofPackage: ['handoff and reclaim at once', leaked] },
  ])('$mistake', ({ mistake, ofPackage, ofTask = [] }) => {
    const faults = (isTask: boolean) => judged(new Machine(2, isTask, {}, [mistake])).faults;
    expect({ ofPackage: faults(false), ofTask: faults(true) }).toEqual({ ofPackage: ofPackage.toSorted(), ofTask });
  });
});
