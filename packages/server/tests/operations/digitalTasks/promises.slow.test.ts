import type { DigitalTaskDetail } from '@legwork/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coordinatorSigner, lamportsOf, leaveCoordinatorWith } from '../../coordinator/scene.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { withMonotonicClock } from '../../support/monotonicClock.js';
import { withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { claim, giveBack, handIn, postedTask, refused, untilTask } from './scene.js';

/** Hardly more than an account has to hold: a few payments' fees. */
const RESERVE = 2_000_000n;
/** The most that an assignment costs: a leg, a reputation account and the fees. */
const ASSIGNMENT = 3_190_720n;
/** Longer than a reading of the balance is good for. */
const READING_MS = 3_500;
const clock = withMonotonicClock();
const service = withService({ settings: () => ({ COORDINATOR_RESERVE_SOL: '0.002' }) });

const parties = (count: number) => Promise.all(Array.from({ length: count }, () => service.current.party(1)));
const isAssigned = (index: number) => (task: DigitalTaskDetail) => task.legs[index]?.status === 'in_progress';

async function leave(lamports: bigint): Promise<void> {
  await untilQuiet(service.current);
  await leaveCoordinatorWith(service.current, lamports);
  clock.pass(READING_MS);
}

test('reservations that come due wait for money: they do not take what a result is to be paid with (M-72)', async () => {
  const firsts = await parties(3);
  const begun = await Promise.all(
    firsts.map(async (first) => {
      const [{ task }, second] = [await postedTask(service.current), await service.current.party(1)];
      await claim(first, task, 0);
      return { first, second, task };
    }),
  );
  for (const { second, task } of begun) await claim(second, task, 1);
  await leave(RESERVE + ASSIGNMENT + ASSIGNMENT / 2n);

  for (const { first, task } of begun) expect(await handIn(first, task, 0)).toMatchObject({ status: 'completed' });
  const [assigned] = await Promise.race(
    begun.map(async (one) => [await untilTask(service.current, one.task.id, isAssigned(1)), one] as const),
  );
  const waiting = begun.filter(({ task }) => task.id !== assigned.id);
  for (const { second, task } of waiting) {
    expect(await refusalOf(handIn(second, task, 1))).toMatchObject({ status: 503, code: 'assigning_paused' });
  }
  const done = begun.find(({ task }) => task.id === assigned.id);
  if (!done) throw new Error('nothing was assigned');
  expect(await handIn(done.second, done.task, 1)).toMatchObject({ status: 'completed', paymentLamports: 50_000_000n });

  await leave(RESERVE + 1_000_000_000n);
  for (const { second, task } of waiting) {
    await untilTask(service.current, task.id, isAssigned(1));
    expect(await handIn(second, task, 1)).toMatchObject({ status: 'completed' });
  }
});

test('a reservation whose turn has come is given back without a trace while it waits for money (M-55, M-72)', async () => {
  const [first, second] = await parties(2);
  if (!first || !second) throw new Error('nobody is there');
  const { task } = await postedTask(service.current);
  await claim(first, task, 0);
  await claim(second, task, 1);
  await leave(RESERVE);
  await handIn(first, task, 0);
  expect(await refused(service.current, () => handIn(second, task, 1))).toMatchObject({ code: 'assigning_paused' });
  expect(await giveBack(second, task, 1)).toMatchObject({ status: 'pending', isBarred: false });
  await leave(RESERVE + 1_000_000_000n);
  expect(await claim(second, task, 1)).toMatchObject({ status: 'in_progress' });
});

test('whatever the order of claims, a taken result is paid, and the coordinator keeps what payments take (M-72)', async () => {
  const TASKS = 3;
  const step = fc.record({
    what: fc.constantFrom('claim', 'result', 'release'),
    task: fc.nat(TASKS - 1),
    leg: fc.nat(1),
    agent: fc.nat(3),
  });
  const calls = { claim, result: handIn, release: giveBack };
  const { address } = await coordinatorSigner(service.current);
  await fc.assert(
    fc.asyncProperty(fc.nat(4), fc.array(step, { minLength: 10, maxLength: 25 }), async (affordable, steps) => {
      await leave(RESERVE + 1_000_000_000n);
      const agents = await parties(4);
      const tasks = await Promise.all(Array.from({ length: TASKS }, () => postedTask(service.current)));
      await leave(RESERVE + BigInt(affordable) * ASSIGNMENT);
      const taken: { taskId: string; leg: number; agent: string }[] = [];
      for (const { what, task: index, leg, agent: who } of steps) {
        const [agent, posted] = [agents[who], tasks[index]];
        if (!agent || !posted) throw new Error('there is no such agent or task');
        const accepted = await calls[what](agent, posted.task, leg).then(
          () => true,
          () => false,
        );
        if (accepted && what === 'result') taken.push({ taskId: posted.task.id, leg, agent: agent.pubkey });
      }
      for (const { taskId, leg, agent } of taken) {
        const paid = await untilTask(service.current, taskId, ({ legs }) => legs[leg]?.status === 'completed');
        expect(paid.legs[leg]).toMatchObject({ agentPubkey: agent, paymentLamports: 50_000_000n });
      }
      expect(await lamportsOf(service.current, address)).toBeGreaterThan(RESERVE / 2n);
    }),
    { numRuns: 5, interruptAfterTimeLimit: 40_000 },
  );
});
