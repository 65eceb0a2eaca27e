import { TaskStatus } from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import type { Address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { acceptedDoubles } from './harness/aliases.js';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs, type Job } from './harness/job.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

describe('one account in two mutable roles', () => {
  test('[P-7] is refused for every pair of places of every instruction, from listing to closing', async ({ relay }) => {
    const { tasks } = relay;
    const job = await tasks.job();
    const [first, second] = [await tasks.agent(0), await tasks.agent(1)];
    const instructions = [
      () => tasks.list(job),
      () => tasks.assign(job, 0, first),
      () => tasks.release(job, { index: 0 }),
      () => tasks.assign(job, 0, first),
      () => tasks.assign(job, 1, second),
      () => tasks.confirm(job, 0, first),
      () => tasks.confirm(job, 1, second),
      () => tasks.settle(job, firstLegs(2)),
      () => tasks.close(job),
    ];
    for (const instruction of instructions) expect(await acceptedDoubles(relay, await instruction())).toEqual([]);
    expect(await acceptedDoubles(relay, tasks.cancel(await tasks.listed(2)))).toEqual([]);
  });

  test.skipIf(CANNOT_SET_TIME)('[P-7] is refused by reclaim_task', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    await relay.ledger.setClock(DEADLINE);
    expect(await acceptedDoubles(relay, await relay.tasks.reclaim(job, firstLegs(2)))).toEqual([]);
  });
});

describe('packages and tasks do not stand in for each other', () => {
  test('[P-3] a package is no task, and a task is no package', async ({ relay }) => {
    const { tasks } = relay;
    const delivery = await relay.carried([SOL]);
    const job = await tasks.worked(1);
    const listed = await relay.listed(2);
    const agent = await tasks.agent(5);
    const asTask = [
      swapped(tasks.cancel(job), 2, listed.package),
      swapped(await tasks.assign(job, 0, agent), 2, listed.package),
      swapped(await tasks.release(job, { index: 0 }), 2, delivery.package),
      swapped(await tasks.result(job, 0), 2, delivery.package),
      swapped(await tasks.settle(job, firstLegs(1)), 2, delivery.package),
      swapped(tasks.close(job), 2, delivery.package),
    ];
    const asPackage = [
      swapped(relay.cancel(delivery), 2, job.task),
      swapped(relay.form(listed, 1, SOL), 2, job.task),
      swapped(await relay.settle(delivery, 1), 2, job.task),
      swapped(relay.close(delivery), 2, job.task),
    ];
    for (const attempt of [...asTask, ...asPackage]) {
      expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccountKind');
    }
  });

  test('[P-3] [P-7] legs of the one are no legs of the other', async ({ relay }) => {
    const { tasks } = relay;
    const delivery = await relay.carried([SOL]);
    const job = await tasks.inProgress([0], await tasks.listed(1, { numLegs: 1 }));
    const confirm = await tasks.result(job, 0);
    const leg = await relay.leg(delivery, 0);
    expect((await relay.ledger.send(swapped(confirm, 3, leg))).error).toBe('InvalidAccountKind');
    must(await relay.ledger.send(confirm));
    const settle = await tasks.settle(job, firstLegs(1));
    expect((await relay.ledger.send(swapped(settle, 6, leg))).error).toBe('InvalidAccountKind');
    const ofPackage = await relay.settle(delivery, 1);
    const taskLeg = await relay.taskLeg(job, 0);
    expect((await relay.ledger.send(swapped(ofPackage, 8, taskLeg))).error).toBe('InvalidAccountKind');
  });

  test('[P-7] neither pays from the vault of the other', async ({ relay }) => {
    const delivery = await relay.inTransit([SOL]);
    const job = await relay.tasks.inProgress([0]);
    const handoff = swapped(await relay.handoff(delivery, 0, 1), 4, job.vault);
    const result = swapped(await relay.tasks.result(job, 0), 4, delivery.vault);
    for (const attempt of [handoff, result]) {
      expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccount');
    }
  });
});

describe('revival inside one transaction', () => {
  /** Lamports, sent by the funder, that would keep the accounts alive. */
  const gifts = (job: Job, accounts: readonly Address[]) =>
    accounts.map((destination) => getTransferSolInstruction({ source: job.funder, destination, amount: SOL }));

  test('[P-90] the legs of a settled task that get lamports again confirm and settle nothing', async ({ relay }) => {
    const { tasks } = relay;
    const job = await tasks.worked(2);
    const settle = await tasks.settle(job, firstLegs(2));
    const revive = gifts(job, [await relay.taskLeg(job, 0), job.vault]);
    const again = [settle, await tasks.result(job, 0), await tasks.release(job, { index: 0 }), tasks.cancel(job)];
    for (const attempt of again) {
      expect((await relay.ledger.send(settle, ...revive, attempt)).error).toBe('InvalidStatus');
    }
    must(await relay.ledger.send(settle, ...revive));
  });

  test.skipIf(CANNOT_SET_TIME)('[P-90] those of a reclaimed task confirm nothing', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    await relay.ledger.setClock(DEADLINE);
    const reclaim = await relay.tasks.reclaim(job, firstLegs(2));
    const revive = gifts(job, [await relay.taskLeg(job, 0), job.vault]);
    const confirm = await relay.tasks.result(job, 0);
    expect((await relay.ledger.send(reclaim, ...revive, confirm)).error).toBe('InvalidStatus');
    must(await relay.ledger.send(reclaim, ...revive));
  });

  test('[P-79] a released leg that gets lamports again confirms nothing, and may be given to another agent', async ({
    relay,
  }) => {
    const { tasks } = relay;
    const job = await tasks.inProgress([0, 1]);
    const release = await tasks.release(job, { index: 0 });
    const revive = gifts(job, [await relay.taskLeg(job, 0)]);
    const confirm = await tasks.result(job, 0);
    expect((await relay.ledger.send(release, ...revive, confirm)).error).toBe('LegNotAssigned');
    const agent = await tasks.agent(5);
    const assign = await tasks.assign(job, 0, agent);
    expect((await relay.ledger.send(release, ...revive, assign, confirm)).error).toBe('InvalidAccount');
    must(await relay.ledger.send(release, ...revive, assign));
    expect(await tasks.leg(job, 0)).toMatchObject({ agent });
    must(await relay.ledger.send(await tasks.confirm(job, 0, agent)));
  });

  test('[P-97] a closed task that gets its rent back stays empty, and cannot be listed anew', async ({ relay }) => {
    const { tasks } = relay;
    const job = await tasks.listed();
    must(await relay.ledger.send(tasks.cancel(job)));
    const close = tasks.close(job);
    const revive = gifts(job, [job.task, job.vault]);
    expect((await relay.ledger.send(close, ...revive, tasks.list(job))).error).toBe('AlreadyInitialized');
    expect((await relay.ledger.send(close, ...revive, tasks.cancel(job))).error).toBe('InvalidAccountKind');
    must(await relay.ledger.send(close, ...revive));
    expect((await relay.state(job.task)).data).toHaveLength(0);
    expect((await relay.ledger.send(close)).error).toBe('InvalidAccountKind');
  });
});

test.skipIf(CANNOT_SET_TIME)(
  '[P-83] [P-97] a confirmation that was signed for a task before it was closed never pays again',
  async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    const signedEarly = await relay.tasks.result(job, 0);
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(1)), relay.tasks.close(job)));
    const again = relay.tasks.list(job, { deadline: DEADLINE + 86_400n });
    expect((await relay.ledger.send(again)).error).toBe('AlreadyInitialized');
    expect((await relay.ledger.send(signedEarly)).error).toBe('InvalidAccountKind');
  },
);

test.skipIf(CANNOT_SET_TIME)(
  '[P-9] a paused program takes the exits of tasks and releases, and nothing else',
  async ({ relay }) => {
    const { tasks } = relay;
    const listed = await tasks.listed(1);
    const open = await tasks.inProgress([0, 1], await tasks.listed(2));
    const worked = await tasks.worked(2, 3);
    const sponsored = await tasks.job(4, { funder: relay.coordinator });
    await relay.pause();
    const starts = [
      tasks.list(await tasks.job(5)),
      tasks.list(sponsored, { posterSigns: false }),
      await tasks.assign(listed, 0, await tasks.agent(0)),
      await tasks.result(open, 0),
    ];
    for (const start of starts) expect((await relay.ledger.send(start)).error).toBe('Paused');
    must(await relay.ledger.send(tasks.cancel(listed)));
    must(await relay.ledger.send(await tasks.settle(worked, firstLegs(2), worked.funder)));
    must(await relay.ledger.send(tasks.close(worked)));
    must(await relay.ledger.send(await tasks.release(open, { index: 1 })));
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await tasks.reclaim(open, firstLegs(1))));
    expect(await tasks.state(open)).toMatchObject({ status: TaskStatus.Reclaimed });
  },
);

describe('a change of coordinator', () => {
  test('[P-57] the former one can do nothing more with tasks, the new one goes on where it stopped', async ({
    relay,
  }) => {
    const { tasks } = relay;
    const successor = await relay.person('new coordinator');
    const listed = await tasks.listed(1);
    const open = await tasks.inProgress([0, 1], await tasks.listed(2));
    const worked = await tasks.worked(1, 3);
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));
    const former = [
      await tasks.assign(listed, 0, await tasks.agent(0)),
      await tasks.result(open, 0),
      await tasks.release(open, { index: 1 }),
      await tasks.settle(worked, firstLegs(1)),
      tasks.cancel(listed, relay.coordinator),
    ];
    for (const attempt of former) expect((await relay.ledger.send(attempt)).error).toBe('Unauthorized');
    must(await relay.ledger.send(await tasks.assign(listed, 0, await tasks.agent(0), successor)));
    must(await relay.ledger.send(await tasks.settle(worked, firstLegs(1), successor)));
  });
});

describe("somebody else's refund", () => {
  test('[P-7] goes to nobody but the funder, whoever asks for it', async ({ relay }) => {
    const { tasks } = relay;
    const listed = await tasks.listed(1);
    const worked = await tasks.worked(2, 2);
    const over = await tasks.listed(3);
    must(await relay.ledger.send(tasks.cancel(over)));
    const thieves = [relay.coordinator.address, listed.poster.address, await tasks.agent(0)];
    for (const thief of thieves) {
      const attempts = [
        swapped(tasks.cancel(listed, relay.coordinator), 4, thief),
        swapped(await tasks.settle(worked, firstLegs(2)), 4, thief),
        swapped(tasks.close(over, relay.coordinator), 3, thief),
      ];
      for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccount');
    }
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-10] a vault that lost lamports pays what it has to the funder, and no more',
    async ({ relay }) => {
      const job = await relay.tasks.worked(1);
      const state = await relay.state(job.vault);
      await relay.ledger.forge(job.vault, { ...state, lamports: 890_880n });
      const before = await relay.lamports(job.funder.address);
      must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(1))));
      expect(await relay.lamports(job.funder.address)).toBe(before + 890_880n);
    },
  );
});
