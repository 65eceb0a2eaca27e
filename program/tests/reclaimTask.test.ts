import { TaskStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs, type ClosedLeg } from './harness/job.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped, truncated } from './harness/tamper.js';

const RENT_OF_LEG = (149n + 128n) * 6_960n;
const legs = (...indexes: number[]): ClosedLeg[] => indexes.map((index) => ({ index }));

describe.skipIf(CANNOT_SET_TIME)('reclaim_task', () => {
  testGuards(async (relay) => {
    const job = await relay.tasks.inProgress([0, 1]);
    await relay.ledger.setClock(DEADLINE);
    return {
      instruction: await relay.tasks.reclaim(job, firstLegs(2), job.poster),
      owned: { InvalidAccountOwner: [1, 2, 6, 8] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 6], InvalidAccount: [3, 4, 5, 7] },
      fixedAccounts: 6,
    };
  });

  test('[P-92] [P-95] poster, funder and coordinator may reclaim; what was not paid returns to the funder', async () => {
    for (const role of ['poster', 'funder', 'coordinator'] as const) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.inProgress([0, 1]);
      must(await relay.ledger.send(await relay.tasks.result(job, 0)));
      const accounts = [await relay.taskLeg(job, 0), await relay.taskLeg(job, 1)];
      const funder = await relay.lamports(job.funder.address);
      const coordinator = await relay.lamports(relay.coordinator.address);
      await relay.ledger.setClock(DEADLINE);

      const signer = role === 'coordinator' ? relay.coordinator : job[role];
      must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(2), signer)));

      expect(await relay.lamports(job.funder.address)).toBe(funder + SOL / 2n + 890_880n);
      expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator + 2n * RENT_OF_LEG);
      for (const account of [job.vault, ...accounts]) expect(await relay.ledger.account(account)).toBeUndefined();
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Reclaimed, paid: SOL / 2n });
    }
  });

  test('[P-92] refuses agents, authority and strangers', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    await relay.ledger.setClock(DEADLINE);
    for (const signer of [await relay.courier(0), relay.authority, await relay.person('stranger')]) {
      const reclaim = await relay.tasks.reclaim(job, firstLegs(1), signer);
      expect((await relay.ledger.send(reclaim)).error).toBe('Unauthorized');
    }
  });

  test('[P-93] refuses a task that is listed or over; one that is listed again is cancelled', async ({ relay }) => {
    const cancelled = await relay.tasks.listed(1);
    must(await relay.ledger.send(relay.tasks.cancel(cancelled)));
    const completed = await relay.tasks.worked(1, 2);
    must(await relay.ledger.send(await relay.tasks.settle(completed, firstLegs(1))));
    const released = await relay.tasks.inProgress([0], await relay.tasks.listed(3));
    must(await relay.ledger.send(await relay.tasks.release(released, { index: 0 })));
    await relay.ledger.setClock(DEADLINE);
    for (const job of [cancelled, completed, released]) {
      expect((await relay.ledger.send(await relay.tasks.reclaim(job, []))).error).toBe('InvalidStatus');
    }
    must(await relay.ledger.send(relay.tasks.cancel(released)));
  });

  test('[P-94] is refused a second before the deadline', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    const reclaim = await relay.tasks.reclaim(job, firstLegs(2));
    await relay.ledger.setClock(DEADLINE - 1n);
    expect((await relay.ledger.send(reclaim)).error).toBe('DeadlineNotReached');
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(reclaim));
  });

  test('[P-94] refuses a task whose legs are all completed: it is settled', async ({ relay }) => {
    const job = await relay.tasks.worked(2);
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(2)))).error).toBe('LegsComplete');
    must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(2), job.funder)));
  });

  test('[P-88] takes exactly the assigned legs, in index order, whichever they are', async () => {
    for (const assigned of [[0], [2], [1, 3], [0, 3], [0, 1, 3], [0, 1, 2, 3]]) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.inProgress(assigned, await relay.tasks.listed(1, { numLegs: 4 }));
      await relay.ledger.setClock(DEADLINE);
      const reclaim = await relay.tasks.reclaim(job, legs(...assigned));
      const attempts = [
        [truncated(reclaim, 6), 'InvalidLegCount'],
        [truncated(reclaim, 5 + 2 * assigned.length), 'InvalidLegCount'],
        [await relay.tasks.reclaim(job, legs(...assigned, 0)), 'InvalidLegCount'],
        ...(assigned.length > 1
          ? ([
              [await relay.tasks.reclaim(job, legs(...assigned.toReversed())), 'LegOutOfOrder'],
              [await relay.tasks.reclaim(job, legs(...assigned.map(() => assigned[0] ?? 0))), 'LegOutOfOrder'],
            ] as const)
          : []),
      ] as const;
      for (const [attempt, error] of attempts) expect((await relay.ledger.send(attempt)).error).toBe(error);
      must(await relay.ledger.send(reclaim));
      for (const index of assigned) {
        expect(await relay.ledger.account(await relay.taskLeg(job, index))).toBeUndefined();
      }
    }
  });

  test('[P-7] refuses vault, funder and legs of another task', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    const other = await relay.tasks.job(2, { funder: await relay.person('other funder') });
    must(await relay.ledger.send(relay.tasks.list(other)));
    await relay.tasks.inProgress([0, 1], other);
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.tasks.reclaim(job, firstLegs(2));
    const foreign = [
      [3, other.vault],
      [4, other.funder.address],
      [8, await relay.taskLeg(other, 1)],
    ] as const;
    for (const [place, account] of foreign) {
      const outcome = await relay.ledger.send(swapped(reclaim, place, account));
      expect([place, outcome.error]).toEqual([place, 'InvalidAccount']);
    }
  });

  test('[P-89] [P-95] each coordinator gets the rent of the legs it assigned', async ({ relay }) => {
    const successor = await relay.person('new coordinator');
    const job = await relay.tasks.inProgress([1]);
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));
    must(await relay.ledger.send(await relay.tasks.assign(job, 0, await relay.tasks.agent(0), successor)));
    await relay.ledger.setClock(DEADLINE);
    const [former, latter] = [await relay.lamports(relay.coordinator.address), await relay.lamports(successor.address)];
    const wrong = await relay.tasks.reclaim(job, firstLegs(2));
    expect((await relay.ledger.send(wrong)).error).toBe('InvalidAccount');
    const closed = [{ index: 0, rentPayer: successor.address }, { index: 1 }];
    must(await relay.ledger.send(await relay.tasks.reclaim(job, closed)));
    expect(await relay.lamports(relay.coordinator.address)).toBe(former + RENT_OF_LEG);
    expect(await relay.lamports(successor.address)).toBe(latter + RENT_OF_LEG);
  });

  test.skipIf(CANNOT_FORGE)('[P-95] rent that its payer cannot receive goes to the funder', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    await relay.makeProgram(relay.coordinator.address);
    await relay.ledger.setClock(DEADLINE);
    const funder = await relay.lamports(job.funder.address);
    must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(2))));
    expect(await relay.lamports(job.funder.address)).toBe(funder + SOL + 890_880n + 2n * RENT_OF_LEG);
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-43] to a funder who has become a program is refused and moves nothing',
    async ({ relay }) => {
      const job = await relay.tasks.inProgress([0]);
      await relay.makeProgram(job.funder.address);
      await relay.ledger.setClock(DEADLINE);
      const reclaim = await relay.tasks.reclaim(job, firstLegs(1), job.poster);
      expect((await relay.ledger.send(reclaim)).error).toBe('PayeeCannotReceive');
      expect(await relay.lamports(job.vault)).toBe(SOL + 890_880n);
    },
  );

  test('[P-9] [P-90] stays open while paused, and is the end', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    await relay.pause();
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.tasks.reclaim(job, firstLegs(2));
    expect((await relay.ledger.send(reclaim, reclaim)).error).toBe('InvalidStatus');
    must(await relay.ledger.send(reclaim));
    const attempts = [
      reclaim,
      await relay.tasks.settle(job, firstLegs(2)),
      relay.tasks.cancel(job),
      await relay.tasks.release(job, { index: 0 }),
    ];
    for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidStatus');
  });
});
