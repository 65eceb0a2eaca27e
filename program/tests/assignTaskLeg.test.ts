import { LegStatus, TaskStatus } from '@legwork/program-client';
import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

const NOBODY = address('11111111111111111111111111111111');
const LEGS_ACCEPTED_AT = 36;

describe('assign_task_leg', () => {
  testGuards(async (relay) => {
    const job = await relay.tasks.inProgress([0]);
    const known = await relay.tasks.agent(1);
    await relay.tasks.inProgress([1], await relay.tasks.listed(2));
    return {
      instruction: await relay.tasks.assign(job, 1, known),
      // A reputation that is not the program's is one to be created, and cannot be.
      owned: { InvalidAccountOwner: [1, 2], AlreadyInitialized: [6] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2], InvalidAccount: [3, 4, 5, 6] },
      fixedAccounts: 7,
    };
  });

  test('[P-77] gives the leg to the agent for its part of the budget, paid by the coordinator', async ({ relay }) => {
    const job = await relay.tasks.listed(1, { numLegs: 3, maxBudget: 1_000_000_000n });
    const [first, second] = [await relay.tasks.agent(0), await relay.tasks.agent(1)];
    const before = await relay.lamports(relay.coordinator.address);

    must(await relay.ledger.send(await relay.tasks.assign(job, 0, first)));
    must(await relay.ledger.send(await relay.tasks.assign(job, 1, second)));

    expect(await relay.tasks.state(job)).toMatchObject({
      status: TaskStatus.InProgress,
      assignedLegs: 0b011,
      completedLegs: 0,
      agents: [first, second, NOBODY, NOBODY],
      paid: 0n,
    });
    expect(await relay.tasks.leg(job, 1)).toMatchObject({
      status: LegStatus.Pending,
      index: 1,
      task: job.task,
      agent: second,
      rentPayer: relay.coordinator.address,
      paymentLamports: 333_333_333n,
      resultHash: new Uint8Array(32),
      completedAt: 0n,
    });
    const rent = 2n * (149n + 128n) * 6_960n + 2n * (52n + 128n) * 6_960n;
    expect(await relay.lamports(relay.coordinator.address)).toBe(before - rent);
    expect(await relay.lamports(job.vault)).toBe(1_000_000_000n + 890_880n);
    expect(await relay.reputation(first)).toMatchObject({
      agent: first,
      legsAccepted: 1n,
      legsCompleted: 0n,
      reliabilityScore: 0,
    });
  });

  test('[P-77] a reputation counts the legs of tasks and of packages together', async ({ relay }) => {
    const agent = await relay.tasks.agent(0);
    await relay.carried([SOL]);
    await relay.tasks.inProgress([0]);
    expect(await relay.reputation(agent)).toMatchObject({ legsAccepted: 2n, legsCompleted: 1n, reliabilityScore: 50 });
  });

  test('[P-73] legs are assigned in any order, also after one was confirmed', async ({ relay }) => {
    const job = await relay.tasks.inProgress([3, 0], await relay.tasks.listed(1, { numLegs: 4 }));
    expect(await relay.tasks.state(job)).toMatchObject({ assignedLegs: 0b1001 });
    must(await relay.ledger.send(await relay.tasks.result(job, 0)));
    await relay.tasks.inProgress([2, 1], job);
    expect(await relay.tasks.state(job)).toMatchObject({ assignedLegs: 0b1111, completedLegs: 1 });
  });

  test('[P-71] refuses poster, funder and authority', async ({ relay }) => {
    const job = await relay.tasks.listed();
    const assign = await relay.tasks.assign(job, 0, await relay.tasks.agent(0));
    for (const signer of [job.poster, job.funder, relay.authority]) {
      expect((await relay.ledger.send(signedBy(assign, 0, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-71] refuses a task that is over, and one that does not exist', async ({ relay }) => {
    const cancelled = await relay.tasks.listed(1);
    must(await relay.ledger.send(relay.tasks.cancel(cancelled)));
    const completed = await relay.tasks.worked(1, 2);
    must(await relay.ledger.send(await relay.tasks.settle(completed, firstLegs(1))));
    const agent = await relay.tasks.agent(1);
    for (const job of [cancelled, completed]) {
      expect((await relay.ledger.send(await relay.tasks.assign(job, 0, agent))).error).toBe('InvalidStatus');
    }
    const planned = await relay.tasks.assign(await relay.tasks.job(3), 0, agent);
    expect((await relay.ledger.send(planned)).error).toBe('InvalidAccountOwner');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-71] refuses a task that was reclaimed', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(1))));
    await relay.ledger.setClock(DEADLINE - 1n);
    const assign = await relay.tasks.assign(job, 1, await relay.tasks.agent(1));
    expect((await relay.ledger.send(assign)).error).toBe('InvalidStatus');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[P-72] refuses from the deadline on, and takes the second before',
    async ({ relay }) => {
      const job = await relay.tasks.listed();
      const assign = await relay.tasks.assign(job, 0, await relay.tasks.agent(0));
      await relay.ledger.setClock(DEADLINE);
      expect((await relay.ledger.send(assign)).error).toBe('DeadlinePassed');
      await relay.ledger.setClock(DEADLINE - 1n);
      must(await relay.ledger.send(assign));
    },
  );

  test('[P-73] refuses a leg that the task does not have', async ({ relay }) => {
    const job = await relay.tasks.listed(1, { numLegs: 2 });
    for (const index of [2, 3, 4, 8, 255]) {
      const assign = await relay.tasks.assign(job, index, await relay.tasks.agent(5));
      expect([index, (await relay.ledger.send(assign)).error]).toEqual([index, 'InvalidLegCount']);
    }
  });

  test('[P-73] refuses a leg that has an agent, also once it is completed', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    const again = await relay.tasks.assign(job, 0, await relay.tasks.agent(5));
    expect((await relay.ledger.send(again)).error).toBe('LegAlreadyAssigned');
    must(await relay.ledger.send(await relay.tasks.result(job, 0)));
    expect((await relay.ledger.send(again)).error).toBe('LegAlreadyAssigned');
  });

  test('[P-7] refuses the leg of another task or index, and the reputation of somebody else', async ({ relay }) => {
    const job = await relay.tasks.listed(1);
    const other = await relay.tasks.inProgress([0], await relay.tasks.listed(2));
    const assign = await relay.tasks.assign(job, 0, await relay.tasks.agent(2));
    const foreign = [
      [4, await relay.taskLeg(other, 0)],
      [4, await relay.taskLeg(other, 1)],
      [4, await relay.taskLeg(job, 1)],
      [6, await relay.reputationOf(await relay.tasks.agent(0))],
      [6, await relay.reputationOf(await relay.tasks.agent(1))],
    ] as const;
    for (const [place, account] of foreign) {
      expect((await relay.ledger.send(swapped(assign, place, account))).error).toBe('InvalidAccount');
    }
    must(await relay.ledger.send(assign));
  });

  test('[P-74] refuses an agent that is a program, or an account of one', async ({ relay }) => {
    const job = await relay.tasks.listed();
    for (const agent of [relay.ledger.programAddress, relay.config, job.task, NOBODY]) {
      expect((await relay.ledger.send(await relay.tasks.assign(job, 0, agent))).error).toBe('InvalidAgent');
    }
  });

  test('[P-74] refuses an address that no key has, such as an account still to come', async ({ relay }) => {
    const job = await relay.tasks.listed();
    const planned = await relay.tasks.job(2);
    const addresses = [
      job.vault,
      await relay.taskLeg(job, 0),
      await relay.taskLeg(job, 1),
      planned.task,
      await relay.taskLeg(planned, 0),
      await relay.leg(await relay.delivery(), 0),
      await relay.reputationOf(await relay.tasks.agent(1)),
    ];
    for (const agent of addresses) {
      const { error } = await relay.ledger.send(await relay.tasks.assign(job, 0, agent));
      expect([agent, error]).toEqual([agent, 'InvalidAgent']);
    }
  });

  test.skipIf(CANNOT_FORGE)('[P-74] refuses an agent who has become a program', async ({ relay }) => {
    const job = await relay.tasks.listed();
    const agent = await relay.tasks.agent(0);
    await relay.makeProgram(agent);
    expect((await relay.ledger.send(await relay.tasks.assign(job, 0, agent))).error).toBe('InvalidAgent');
  });

  test('[P-74] takes an agent whose wallet has never held anything', async ({ relay }) => {
    const job = await relay.tasks.listed();
    const agent = (await keyOf('penniless agent')).address;
    must(await relay.ledger.send(await relay.tasks.assign(job, 0, agent)));
    expect((await relay.tasks.state(job)).agents[0]).toBe(agent);
  });

  test('[P-75] refuses a second leg of the task for one agent, in a row or apart', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0], await relay.tasks.listed(1, { numLegs: 4 }));
    must(await relay.ledger.send(await relay.tasks.result(job, 0)));
    const agent = await relay.tasks.agent(0);
    for (const index of [1, 2, 3]) {
      expect((await relay.ledger.send(await relay.tasks.assign(job, index, agent))).error).toBe('DuplicateAgent');
    }
    await relay.tasks.inProgress([0], await relay.tasks.listed(2));
  });

  test('[P-76] refuses the poster and the coordinator, and takes the funder', async ({ relay }) => {
    const job = await relay.tasks.listed();
    for (const { address: agent } of [job.poster, relay.coordinator]) {
      expect((await relay.ledger.send(await relay.tasks.assign(job, 0, agent))).error).toBe('SelfDealing');
    }
    must(await relay.ledger.send(await relay.tasks.assign(job, 0, job.funder.address)));
  });

  test.skipIf(CANNOT_FORGE)('[P-11] refuses to count beyond what fits', async ({ relay }) => {
    const agent = await relay.tasks.agent(0);
    await relay.tasks.inProgress([0]);
    await relay.change(await relay.reputationOf(agent), (data) => data.fill(255, LEGS_ACCEPTED_AT, 44));
    const assign = await relay.tasks.assign(await relay.tasks.listed(2), 0, agent);
    expect((await relay.ledger.send(assign)).error).toBe('ArithmeticOverflow');
  });

  test('[P-5] works when strangers have sent lamports to the addresses', async () => {
    for (const gift of [890_880n, SOL]) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.listed();
      const agent = await relay.tasks.agent(0);
      await relay.ledger.airdrop(await relay.taskLeg(job, 0), gift);
      await relay.ledger.airdrop(await relay.reputationOf(agent), gift);
      must(await relay.ledger.send(await relay.tasks.assign(job, 0, agent)));
      expect(await relay.reputation(agent)).toMatchObject({ legsAccepted: 1n });
      expect(await relay.tasks.leg(job, 0)).toMatchObject({ agent, status: LegStatus.Pending });
    }
  });

  test('[P-9] refuses while paused', async ({ relay }) => {
    const job = await relay.tasks.listed();
    await relay.pause();
    const assign = await relay.tasks.assign(job, 0, await relay.tasks.agent(0));
    expect((await relay.ledger.send(assign)).error).toBe('Paused');
  });
});
