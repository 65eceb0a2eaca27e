import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { completedOf, heldLegs } from '@legwork/program-client/facts';
import { GapError, replayed, type Transaction } from './histories.js';
import { anyAddress, coordinator } from './instructions.js';
import { TaskOnLedger } from './taskOnLedger.js';

const [ada, ben, cy]: [Address, Address, Address] = [await anyAddress(), await anyAddress(), await anyAddress()];

async function twoLegs(): Promise<TaskOnLedger> {
  return TaskOnLedger.of(2, 91n);
}

/** A whole life, one transaction after the other; the first agent of the second leg loses it. */
function life(task: TaskOnLedger): Transaction[] {
  return [
    [task.list()],
    [task.assign(0, ada)],
    [task.assign(1, ben)],
    [task.release(1)],
    [task.confirm(0, ada)],
    [task.assign(1, cy)],
    [task.confirm(1, cy)],
    [task.settle()],
    [task.close()],
  ];
}

describe('what the transactions of a digital task add up to', () => {
  test('a task completed and closed, whose second leg changed hands (P-70, P-85, P-89, P-97)', async () => {
    const task = await twoLegs();
    const facts = replayed(life(task));
    const found = facts.tasks.get(task.address);
    expect(found).toMatchObject({
      id: task.id,
      poster: task.poster,
      numLegs: 2,
      status: 'completed',
      statusSignature: 'tx7',
      closeSignature: 'tx8',
      listSignature: 'tx0',
      budgetLamports: 91n,
      // Every leg pays the budget by the number of legs, rounded down.
      paidLamports: 90n,
      deadline: 1_900_000_000n,
      termsHash: '00'.repeat(32),
    });
    expect(found?.steps.map(({ move, leg, signature }) => [signature, move, leg.index])).toEqual([
      ['tx1', 'assign', 0],
      ['tx2', 'assign', 1],
      ['tx3', 'release', 1],
      ['tx4', 'confirm', 0],
      ['tx5', 'assign', 1],
      ['tx6', 'confirm', 1],
    ]);
    expect(found && completedOf(heldLegs(found))).toMatchObject([
      { courier: ada, paidLamports: 45n, confirmSignature: 'tx4', resultHash: '01'.repeat(32), turn: null },
      { courier: cy, address: task.legs[1], rentPayer: coordinator, resultHash: '02'.repeat(32) },
    ]);
  });

  test('an agent that lost its leg keeps it among the accepted ones, and the one who completed it is credited (P-77)', async () => {
    const { reputations } = replayed(life(await twoLegs()));
    expect(reputations.get(ben)).toMatchObject({ accepted: 1n, completed: 0n, signature: 'tx2' });
    expect(reputations.get(cy)).toMatchObject({ accepted: 1n, completed: 1n, signature: 'tx6' });
  });

  test('a task whose only agent lost its leg is listed again, and can be cancelled (P-79, P-91)', async () => {
    const task = await twoLegs();
    const begun = [[task.list()], [task.assign(1, ada)], [task.release(1)]];
    expect(replayed(begun).tasks.get(task.address)).toMatchObject({ status: 'listed', statusSignature: 'tx2' });
    const { tasks } = replayed([...begun, [task.cancel()]]);
    expect(tasks.get(task.address)).toMatchObject({ status: 'cancelled', paidLamports: 0n });
  });

  test('a task with another agent left stays in progress when one loses its leg (P-79)', async () => {
    const task = await twoLegs();
    const { tasks } = replayed([[task.list()], [task.assign(0, ada)], [task.assign(1, ben), task.release(0)]]);
    expect(tasks.get(task.address)).toMatchObject({ status: 'in_progress', statusSignature: 'tx1' });
  });

  test('a leg given, taken and given again in one transaction', async () => {
    const task = await twoLegs();
    const { tasks } = replayed([[task.list()], [task.assign(0, ada), task.release(0), task.assign(0, ada)]]);
    const found = tasks.get(task.address);
    expect(found && heldLegs(found)).toMatchObject([{ index: 0, courier: ada, assignSignature: 'tx1' }]);
  });

  test('what was paid before a reclaim stays paid (P-95)', async () => {
    const task = await twoLegs();
    const given = [[task.list()], [task.assign(0, ada), task.assign(1, ben)], [task.confirm(0, ada)]];
    const { tasks, reputations } = replayed([...given, [task.reclaim([0, 1])]]);
    expect(tasks.get(task.address)).toMatchObject({ status: 'reclaimed', statusSignature: 'tx3', paidLamports: 45n });
    expect(reputations.get(ben)).toMatchObject({ accepted: 1n, completed: 0n });
  });
});

describe('a history of a digital task with a gap', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7])('is refused when transaction %i of a life is missing', async (missing) => {
    const transactions = life(await twoLegs());
    expect(() => replayed(transactions.toSpliced(missing, 1))).toThrow(GapError);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'is refused when transaction %i of a life is there twice',
    async (repeated) => {
      const transactions = life(await twoLegs());
      expect(() => replayed([...transactions.slice(0, repeated + 1), ...transactions.slice(repeated)])).toThrow(
        `tx${repeated + 1} cannot follow`,
      );
    },
  );

  const broken: [what: string, rest: (task: TaskOnLedger) => Transaction[], says: string][] = [
    ['a leg with an agent is given away (P-73)', (task) => [[task.assign(0, ben)]], 'leg 0 had an agent'],
    ['an agent has two legs (P-75)', (task) => [[task.assign(1, ada)]], `${ada} had another leg of the task`],
    ['a leg is confirmed for another agent (P-83)', (task) => [[task.confirm(0, ben)]], `leg 0 was ${ada}'s`],
    [
      'the second leg is confirmed before the first (P-82)',
      (task) => [[task.assign(1, ben)], [task.confirm(1, ben)]],
      'leg 1 was confirmed before leg 0',
    ],
    [
      'a completed leg is taken from its agent (P-78)',
      (task) => [[task.confirm(0, ada)], [task.release(0)]],
      'releaseTaskLeg found leg 0 completed',
    ],
    ['a task under way is cancelled (P-91)', (task) => [[task.cancel()]], `cancelTask found`],
    [
      'a task with a leg to do is settled (P-87)',
      (task) => [[task.confirm(0, ada)], [task.settle([0])]],
      'settleTask found 1 of 2 legs confirmed',
    ],
    [
      'a completed task is reclaimed (P-94)',
      (task) => [[task.confirm(0, ada)], [task.assign(1, ben)], [task.confirm(1, ben)], [task.reclaim([0, 1])]],
      'reclaimTask found 2 of 2 legs confirmed',
    ],
    [
      'a reclaim closes a leg that nobody had (P-88)',
      (task) => [[task.reclaim([0, 1])]],
      'reclaimTask closed other legs than the 1 with an agent',
    ],
  ];

  test.each(broken)('is refused when %s', async (_, rest, says) => {
    const task = await twoLegs();
    expect(() => replayed([[task.list()], [task.assign(0, ada)], ...rest(task)])).toThrow(says);
  });
});
