import { TaskStatus } from '@legwork/program-client';
import { getTransferSolInstruction } from '@solana-program/system';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { readOnly, swapped, truncated } from './harness/tamper.js';

const RENT_OF_LEG = (149n + 128n) * 6_960n;

describe('settle_task', () => {
  testGuards(async (relay) => ({
    instruction: await relay.tasks.settle(await relay.tasks.worked(2), firstLegs(2)),
    owned: { InvalidAccountOwner: [1, 2, 6, 8] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 6, 8], InvalidAccount: [3, 4, 5, 7, 9] },
    fixedAccounts: 6,
  }));

  test('[P-87] [P-89] returns what is left to the funder and the rent to its payer, and leaves only the task', async () => {
    for (const role of ['coordinator', 'funder'] as const) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.worked(3);
      const legs = [await relay.taskLeg(job, 0), await relay.taskLeg(job, 1), await relay.taskLeg(job, 2)];
      const funder = await relay.lamports(job.funder.address);
      const coordinator = await relay.lamports(relay.coordinator.address);
      const poster = await relay.lamports(job.poster.address);

      const signer = role === 'coordinator' ? relay.coordinator : job.funder;
      must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(3), signer)));

      // A billion divided by three leaves one lamport.
      expect(await relay.lamports(job.funder.address)).toBe(funder + 1n + 890_880n);
      expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator + 3n * RENT_OF_LEG);
      expect(await relay.lamports(job.poster.address)).toBe(poster);
      for (const account of [job.vault, ...legs]) expect(await relay.ledger.account(account)).toBeUndefined();
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Completed, paid: 999_999_999n });
    }
  });

  test('[P-89] settles one to four legs', async () => {
    for (const legs of [1, 2, 3, 4]) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.worked(legs);
      must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(legs))));
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Completed });
    }
  });

  test('[P-89] one account may be signer, funder and rent payer', async ({ relay }) => {
    const job = await relay.tasks.job(1, { funder: relay.coordinator });
    const before = await relay.lamports(relay.coordinator.address);
    must(await relay.ledger.send(relay.tasks.list(job, { posterSigns: false, numLegs: 2 })));
    await relay.tasks.inProgress([0, 1], job);
    for (const index of [0, 1]) must(await relay.ledger.send(await relay.tasks.result(job, index)));
    must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(2))));
    let kept = await relay.lamports(job.task);
    for (const index of [0, 1]) kept += await relay.lamports(await relay.reputationOf(await relay.tasks.agent(index)));
    expect(await relay.lamports(relay.coordinator.address)).toBe(before - SOL - kept);
  });

  test('[P-89] each coordinator gets the rent of the legs it assigned', async ({ relay }) => {
    const successor = await relay.person('new coordinator');
    const job = await relay.tasks.inProgress([0]);
    must(await relay.ledger.send(await relay.tasks.result(job, 0)));
    must(await relay.ledger.send(relay.setCoordinator(successor.address)));
    const agent = await relay.tasks.agent(1);
    must(await relay.ledger.send(await relay.tasks.assign(job, 1, agent, successor)));
    must(await relay.ledger.send(relay.setCoordinator(relay.coordinator.address)));
    must(await relay.ledger.send(await relay.tasks.result(job, 1)));
    const [former, latter] = [await relay.lamports(relay.coordinator.address), await relay.lamports(successor.address)];

    const mixed = [{ index: 0 }, { index: 1, rentPayer: successor.address }];
    const wrong = [
      firstLegs(2),
      firstLegs(2).map(({ index }) => ({ index, rentPayer: successor.address })),
      [{ index: 0, rentPayer: successor.address }, { index: 1 }],
    ];
    for (const legs of wrong) {
      expect((await relay.ledger.send(await relay.tasks.settle(job, legs))).error).toBe('InvalidAccount');
    }
    must(await relay.ledger.send(await relay.tasks.settle(job, mixed)));
    expect(await relay.lamports(relay.coordinator.address)).toBe(former + RENT_OF_LEG);
    expect(await relay.lamports(successor.address)).toBe(latter + RENT_OF_LEG);
  });

  test('[P-87] refuses poster, agents, authority and strangers', async ({ relay }) => {
    const job = await relay.tasks.worked(2);
    const others = [job.poster, await relay.courier(0), relay.authority, await relay.person('stranger')];
    for (const signer of others) {
      const settle = await relay.tasks.settle(job, firstLegs(2), signer);
      expect((await relay.ledger.send(settle)).error).toBe('Unauthorized');
    }
  });

  test('[P-87] refuses while a leg is open, with or without an agent', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    const settle = (legs: number) => relay.tasks.settle(job, firstLegs(legs));
    expect((await relay.ledger.send(await settle(1))).error).toBe('LegsIncomplete');
    must(await relay.ledger.send(await relay.tasks.result(job, 0)));
    expect((await relay.ledger.send(await settle(1))).error).toBe('LegsIncomplete');
    await relay.tasks.inProgress([1], job);
    for (const legs of [1, 2]) expect((await relay.ledger.send(await settle(legs))).error).toBe('LegsIncomplete');
    must(await relay.ledger.send(await relay.tasks.result(job, 1), await settle(2)));
  });

  test('[P-87] refuses a task that is listed or cancelled', async ({ relay }) => {
    const job = await relay.tasks.listed();
    expect((await relay.ledger.send(await relay.tasks.settle(job, []))).error).toBe('InvalidStatus');
    must(await relay.ledger.send(relay.tasks.cancel(job)));
    expect((await relay.ledger.send(await relay.tasks.settle(job, []))).error).toBe('InvalidStatus');
  });

  test('[P-88] takes exactly the assigned legs in index order, each with its rent payer', async ({ relay }) => {
    const job = await relay.tasks.worked(2);
    const other = await relay.tasks.worked(2, 2);
    const settle = await relay.tasks.settle(job, firstLegs(2));
    const [first, second] = [await relay.taskLeg(job, 0), await relay.taskLeg(job, 1)];
    const extra = (settle.accounts ?? []).slice(8);
    const attempts = [
      [truncated(settle, 6), 'InvalidLegCount'],
      [truncated(settle, 7), 'InvalidLegCount'],
      [truncated(settle, 8), 'InvalidLegCount'],
      [truncated(settle, 9), 'InvalidLegCount'],
      [{ ...settle, accounts: [...(settle.accounts ?? []), ...extra.slice(1)] }, 'InvalidLegCount'],
      [{ ...settle, accounts: [...(settle.accounts ?? []), ...extra] }, 'InvalidLegCount'],
      [await relay.tasks.settle(job, firstLegs(12)), 'InvalidLegCount'],
      [swapped(settle, 8, first), 'LegOutOfOrder'],
      [swapped(swapped(settle, 6, second), 8, first), 'LegOutOfOrder'],
      [swapped(settle, 8, await relay.taskLeg(other, 1)), 'InvalidAccount'],
      [readOnly(settle, 8), 'AccountNotWritable'],
    ] as const;
    for (const [place, [attempt, error]] of attempts.entries()) {
      expect([place, (await relay.ledger.send(attempt)).error]).toEqual([place, error]);
    }
    must(await relay.ledger.send(settle));
  });

  test('[P-7] refuses vault, funder and legs of another task', async ({ relay }) => {
    const job = await relay.tasks.worked(2);
    const other = await relay.tasks.job(2, { funder: await relay.person('other funder') });
    must(await relay.ledger.send(relay.tasks.list(other)));
    await relay.tasks.inProgress([0, 1], other);
    for (const index of [0, 1]) must(await relay.ledger.send(await relay.tasks.result(other, index)));
    const settle = await relay.tasks.settle(job, firstLegs(2));
    const foreign = [
      [3, other.vault],
      [4, other.funder.address],
      [6, await relay.taskLeg(other, 0)],
      [7, job.funder.address],
    ] as const;
    for (const [place, account] of foreign) {
      const outcome = await relay.ledger.send(swapped(settle, place, account));
      expect([place, outcome.error]).toEqual([place, 'InvalidAccount']);
    }
    must(await relay.ledger.send(settle));
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-89] rent that its payer cannot receive goes to the funder: the exit stays open',
    async ({ relay }) => {
      const successor = await relay.person('new coordinator');
      const job = await relay.tasks.inProgress([0]);
      must(await relay.ledger.send(await relay.tasks.result(job, 0), relay.setCoordinator(successor.address)));
      const agent = await relay.tasks.agent(1);
      must(await relay.ledger.send(await relay.tasks.assign(job, 1, agent, successor)));
      must(await relay.ledger.send(relay.setCoordinator(relay.coordinator.address)));
      must(await relay.ledger.send(await relay.tasks.result(job, 1)));
      await relay.makeProgram(relay.coordinator.address);
      const [funder, latter] = [await relay.lamports(job.funder.address), await relay.lamports(successor.address)];
      const legs = [{ index: 0 }, { index: 1, rentPayer: successor.address }];
      must(await relay.ledger.send(await relay.tasks.settle(job, legs, job.funder)));
      expect(await relay.lamports(job.funder.address)).toBe(funder + 890_880n + RENT_OF_LEG);
      expect(await relay.lamports(successor.address)).toBe(latter + RENT_OF_LEG);
    },
  );

  test.skipIf(CANNOT_FORGE)('[P-43] refuses to refund an executable account', async ({ relay }) => {
    const job = await relay.tasks.worked(1);
    await relay.makeProgram(job.funder.address);
    expect((await relay.ledger.send(await relay.tasks.settle(job, firstLegs(1)))).error).toBe('PayeeCannotReceive');
  });

  test('[P-90] is the end: no second settle, no cancel, no reclaim, no agent, no release', async ({ relay }) => {
    const job = await relay.tasks.worked(2);
    const settle = await relay.tasks.settle(job, firstLegs(2));
    expect((await relay.ledger.send(settle, settle)).error).toBe('InvalidStatus');
    must(await relay.ledger.send(settle));
    await relay.ledger.airdrop(job.vault, SOL);
    const attempts = [
      settle,
      relay.tasks.cancel(job),
      await relay.tasks.reclaim(job, firstLegs(2)),
      await relay.tasks.assign(job, 0, await relay.tasks.agent(5)),
      await relay.tasks.release(job, { index: 0 }),
      await relay.tasks.result(job, 1),
    ];
    for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidStatus');
  });

  test('[P-90] lamports sent to a closed account in the same transaction revive nothing', async ({ relay }) => {
    const job = await relay.tasks.worked(2);
    const leg = await relay.taskLeg(job, 0);
    const revive = [leg, job.vault].map((destination) =>
      getTransferSolInstruction({ source: job.funder, destination, amount: SOL }),
    );
    must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(2)), ...revive));
    expect(await relay.ledger.account(leg)).toMatchObject({
      owner: '11111111111111111111111111111111',
      data: new Uint8Array(),
    });
    expect((await relay.ledger.send(await relay.tasks.settle(job, firstLegs(2)))).error).toBe('InvalidStatus');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-9] [P-87] stays open while paused and after the deadline', async ({ relay }) => {
    const job = await relay.tasks.worked(2);
    await relay.pause();
    await relay.ledger.setClock(DEADLINE + 1n);
    must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(2), job.funder)));
    expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Completed });
  });
});
