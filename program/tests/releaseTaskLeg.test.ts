import { LegStatus, TaskStatus } from '@legwork/program-client';
import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped, truncated } from './harness/tamper.js';

const NOBODY = address('11111111111111111111111111111111');
const RENT_OF_LEG = (149n + 128n) * 6_960n;

describe('release_task_leg', () => {
  testGuards(async (relay) => {
    const job = await relay.tasks.inProgress([0, 1]);
    return {
      instruction: await relay.tasks.release(job, { index: 1 }),
      owned: { InvalidAccountOwner: [1, 2, 3] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 3], InvalidAccount: [4, 5] },
      fixedAccounts: 5,
    };
  });

  test('[P-79] closes the leg, returns its rent, and keeps what the agent accepted counted', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    const [first, second] = [await relay.tasks.agent(0), await relay.tasks.agent(1)];
    const coordinator = await relay.lamports(relay.coordinator.address);
    const vault = await relay.lamports(job.vault);

    must(await relay.ledger.send(await relay.tasks.release(job, { index: 0 })));

    expect(await relay.ledger.account(await relay.taskLeg(job, 0))).toBeUndefined();
    expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator + RENT_OF_LEG);
    expect(await relay.lamports(job.vault)).toBe(vault);
    expect(await relay.tasks.state(job)).toMatchObject({
      status: TaskStatus.InProgress,
      assignedLegs: 0b10,
      agents: [NOBODY, second, NOBODY, NOBODY],
      paid: 0n,
    });
    expect(await relay.reputation(first)).toMatchObject({ legsAccepted: 1n, legsCompleted: 0n, reliabilityScore: 0 });
  });

  test('[P-79] takes the leg from the agent that it names, or where it names none from whoever has it', async ({
    relay,
  }) => {
    const job = await relay.tasks.listed();
    const release = await relay.tasks.release(job, { index: 0 });
    const ofAnother = swapped(release, 5, await relay.tasks.agent(1));
    for (const form of [truncated(release, 5), release]) {
      must(await relay.ledger.send(await relay.tasks.assign(job, 0, await relay.tasks.agent(0))));
      expect((await relay.ledger.send(ofAnother)).error).toBe('InvalidAccount');
      must(await relay.ledger.send(form));
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Listed, assignedLegs: 0 });
    }
  });

  test('[P-79] without an agent left, the task is listed again', async ({ relay }) => {
    const job = await relay.tasks.inProgress([1, 0]);
    must(await relay.ledger.send(await relay.tasks.release(job, { index: 1 })));
    expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.InProgress, assignedLegs: 0b01 });
    must(await relay.ledger.send(await relay.tasks.release(job, { index: 0 })));
    expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Listed, assignedLegs: 0 });
    must(await relay.ledger.send(relay.tasks.cancel(job)));
  });

  test('[P-79] a leg completed before keeps the task in progress', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    must(await relay.ledger.send(await relay.tasks.result(job, 0), await relay.tasks.release(job, { index: 1 })));
    expect(await relay.tasks.state(job)).toMatchObject({
      status: TaskStatus.InProgress,
      assignedLegs: 0b01,
      completedLegs: 1,
    });
    expect((await relay.ledger.send(relay.tasks.cancel(job))).error).toBe('InvalidStatus');
  });

  test('[P-79] a released leg goes to another agent, or to the same one again', async () => {
    for (const next of [5, 0]) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.inProgress([0]);
      must(await relay.ledger.send(await relay.tasks.release(job, { index: 0 })));
      const agent = await relay.tasks.agent(next);
      must(await relay.ledger.send(await relay.tasks.assign(job, 0, agent)));
      expect(await relay.tasks.leg(job, 0)).toMatchObject({ agent, status: LegStatus.Pending });
      expect(await relay.reputation(agent)).toMatchObject({ legsAccepted: next === 0 ? 2n : 1n });
      must(await relay.ledger.send(await relay.tasks.confirm(job, 0, agent)));
      expect(await relay.reputation(agent)).toMatchObject({ reliabilityScore: next === 0 ? 50 : 100 });
    }
  });

  test('[P-79] assigned, released and assigned again in one transaction, the leg is as new', async ({ relay }) => {
    const job = await relay.tasks.listed();
    const [former, agent] = [await relay.tasks.agent(0), await relay.tasks.agent(1)];
    const coordinator = await relay.lamports(relay.coordinator.address);
    must(
      await relay.ledger.send(
        await relay.tasks.assign(job, 0, former),
        await relay.tasks.release(job, { index: 0 }),
        await relay.tasks.assign(job, 0, agent),
      ),
    );
    expect(await relay.tasks.leg(job, 0)).toMatchObject({
      status: LegStatus.Pending,
      index: 0,
      task: job.task,
      agent,
      rentPayer: relay.coordinator.address,
      paymentLamports: SOL / 2n,
      resultHash: new Uint8Array(32),
      completedAt: 0n,
    });
    expect(await relay.lamports(await relay.taskLeg(job, 0))).toBe(RENT_OF_LEG);
    const reputations = 2n * (52n + 128n) * 6_960n;
    expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator - RENT_OF_LEG - reputations);
    expect(await relay.tasks.state(job)).toMatchObject({ assignedLegs: 0b1, status: TaskStatus.InProgress });
  });

  test('[P-78] refuses poster, funder, agent and authority', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    const release = await relay.tasks.release(job, { index: 0 });
    for (const signer of [job.poster, job.funder, await relay.courier(0), relay.authority]) {
      expect((await relay.ledger.send(signedBy(release, 0, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-78] refuses a leg without an agent, and one that the task does not have', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    for (const index of [1, 2, 4, 7, 8, 255]) {
      const outcome = await relay.ledger.send(await relay.tasks.release(job, { index }));
      expect([index, outcome.error]).toEqual([index, 'LegNotAssigned']);
    }
    const release = await relay.tasks.release(job, { index: 0 });
    expect((await relay.ledger.send(release, release)).error).toBe('InvalidStatus');
  });

  test('[P-78] refuses a completed leg', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    must(await relay.ledger.send(await relay.tasks.result(job, 0)));
    expect((await relay.ledger.send(await relay.tasks.release(job, { index: 0 }))).error).toBe('InvalidStatus');
    must(await relay.ledger.send(await relay.tasks.result(job, 1)));
    for (const index of [0, 1]) {
      expect((await relay.ledger.send(await relay.tasks.release(job, { index }))).error).toBe('InvalidStatus');
    }
  });

  test('[P-78] refuses a task that is listed or over', async ({ relay }) => {
    const listed = await relay.tasks.listed(1);
    const completed = await relay.tasks.worked(1, 2);
    must(await relay.ledger.send(await relay.tasks.settle(completed, firstLegs(1))));
    for (const job of [listed, completed]) {
      expect((await relay.ledger.send(await relay.tasks.release(job, { index: 0 }))).error).toBe('InvalidStatus');
    }
  });

  test("[P-7] refuses the leg of another task or index, and another rent payer than the leg's", async ({ relay }) => {
    const job = await relay.tasks.inProgress([0, 1]);
    const other = await relay.tasks.inProgress([0], await relay.tasks.listed(2));
    const release = await relay.tasks.release(job, { index: 0 });
    const foreign = [
      [2, other.task],
      [3, await relay.taskLeg(other, 0)],
      [3, await relay.taskLeg(job, 1)],
      [4, job.funder.address],
      [4, await relay.tasks.agent(0)],
    ] as const;
    for (const [place, account] of foreign) {
      expect((await relay.ledger.send(swapped(release, place, account))).error).toBe('InvalidAccount');
    }
    must(await relay.ledger.send(release));
  });

  test('[P-79] the rent goes to the coordinator who paid it, though another one releases', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    const successor = await relay.person('new coordinator');
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));
    const [former, latter] = [await relay.lamports(relay.coordinator.address), await relay.lamports(successor.address)];
    const release = signedBy(await relay.tasks.release(job, { index: 0 }), 0, successor);
    expect((await relay.ledger.send(swapped(release, 4, successor.address))).error).toBe('InvalidAccount');
    must(await relay.ledger.send(release));
    expect(await relay.lamports(relay.coordinator.address)).toBe(former + RENT_OF_LEG);
    expect(await relay.lamports(successor.address)).toBe(latter);
  });

  test.skipIf(CANNOT_FORGE)('[P-79] refuses while the rent payer cannot receive', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    const successor = await relay.person('new coordinator');
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));
    await relay.makeProgram(relay.coordinator.address);
    const release = signedBy(await relay.tasks.release(job, { index: 0 }), 0, successor);
    expect((await relay.ledger.send(release)).error).toBe('PayeeCannotReceive');
    expect(await relay.tasks.state(job)).toMatchObject({ assignedLegs: 0b1 });
  });

  test.skipIf(CANNOT_SET_TIME)('[P-80] stays open while paused and after the deadline', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    await relay.pause();
    await relay.ledger.setClock(DEADLINE + 1n);
    must(await relay.ledger.send(await relay.tasks.release(job, { index: 0 })));
    expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Listed });
  });
});
