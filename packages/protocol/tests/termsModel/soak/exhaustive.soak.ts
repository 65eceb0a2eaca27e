import { describe, expect, test } from 'vitest';
import { play, type Player } from '../game.js';
import { honestCourier, honestLister, paidInFull, startsAmong } from '../honest.js';
import { faultsOf, judged } from '../judged.js';
import { DISPUTED, legAt, Machine, RULED } from '../machine.js';
import { reached, StateSpace } from '../stateSpace.js';
import { WINDOWS } from '../windows.js';

function say(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

describe('every setting of windows', () => {
  test.each(WINDOWS)('%o', (windows) => {
    for (const isTask of [false, true]) {
      const machine = new Machine(2, isTask, windows);
      const { faults, latest } = judged(machine);
      expect(faults).toEqual([]);
      expect(latest).toBeLessThanOrEqual(machine.latestEnd);
    }
  });
});

/** The shortest windows with a race in each: four legs have no more states than the machine holds. */
const SHORT = { carry: 2, handoff: 2, review: 2, arbitration: 2, deadline: 5 };

describe('four legs, from the formation', () => {
  const machine = new Machine(4, false, SHORT);
  const players: Player[] = [
    ...[0, 1, 2, 3].map((leg) => honestCourier(machine, leg)),
    honestLister(machine, 'disputes'),
    honestLister(machine, 'also confirms'),
  ];

  test.each(players.map((player, index) => [player.name, index] as const))('%s (%i)', (name, index) => {
    const player = players[index];
    if (!player) throw new Error('a test without a player');
    const starts = player.leg === undefined ? [machine.start()] : startsAmong(machine, [player.leg], [machine.start()]);
    const played = play({ space: new StateSpace(machine), players: [player] }, starts);
    say({
      name,
      situations: played.situations,
      latest: played.latest,
      megabytes: process.memoryUsage().heapUsed >> 20,
    });
    expect(faultsOf(played)).toEqual([]);
  });
});

describe('several honest parties, three legs, from every state', () => {
  const machine = new Machine(3, false);
  const states = reached(machine).filter(({ legs }) => legs.every(({ honest }) => !honest));

  test.each([
    [0, 1],
    [0, 2],
    [1, 2],
  ])('couriers %i and %i', (one, other) => {
    const players = [honestCourier(machine, one), honestCourier(machine, other)];
    const played = play({ space: new StateSpace(machine), players }, startsAmong(machine, [one, other], states));
    say({ one, other, situations: played.situations });
    expect(faultsOf(played)).toEqual([]);
  });

  test.each([0, 1, 2])('courier %i and a content lister', (leg) => {
    const untried = states.filter((state) => ![DISPUTED, RULED].includes(legAt(state, leg).status));
    const players = [paidInFull(honestCourier(machine, leg), leg), honestLister(machine, 'is content')];
    const played = play({ space: new StateSpace(machine), players }, startsAmong(machine, [leg], untried));
    say({ leg, situations: played.situations });
    expect(faultsOf(played)).toEqual([]);
  });
});
