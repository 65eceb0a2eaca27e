import { TaskStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

describe('cancel_task', () => {
  testGuards(async (relay) => {
    const job = await relay.tasks.listed();
    return {
      instruction: relay.tasks.cancel(job, job.poster),
      owned: { InvalidAccountOwner: [1, 2] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2], InvalidAccount: [3, 4, 5] },
      fixedAccounts: 6,
    };
  });

  test('[P-91] poster, funder and coordinator may cancel; the whole vault returns to the funder', async () => {
    for (const role of ['poster', 'funder', 'coordinator'] as const) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.listed(1, { maxBudget: 2n * SOL });
      const signer = role === 'coordinator' ? relay.coordinator : job[role];
      await relay.ledger.airdrop(job.vault, 5n);
      const before = await relay.lamports(job.funder.address);

      must(await relay.ledger.send(relay.tasks.cancel(job, signer)));

      expect(await relay.lamports(job.funder.address)).toBe(before + 2n * SOL + 890_880n + 5n);
      expect(await relay.ledger.account(job.vault)).toBeUndefined();
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Cancelled, paid: 0n });
    }
  });

  test('[P-91] refuses everybody else, the authority too', async ({ relay }) => {
    const job = await relay.tasks.listed();
    for (const signer of [relay.authority, await relay.person('stranger'), await relay.courier(0)]) {
      expect((await relay.ledger.send(relay.tasks.cancel(job, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-91] refuses a task that is in progress or over', async ({ relay }) => {
    const inProgress = await relay.tasks.inProgress([1]);
    expect((await relay.ledger.send(relay.tasks.cancel(inProgress))).error).toBe('InvalidStatus');
    const completed = await relay.tasks.worked(1, 2);
    expect((await relay.ledger.send(relay.tasks.cancel(completed))).error).toBe('InvalidStatus');
    must(await relay.ledger.send(await relay.tasks.settle(completed, firstLegs(1))));
    expect((await relay.ledger.send(relay.tasks.cancel(completed))).error).toBe('InvalidStatus');
    const cancelled = await relay.tasks.listed(3);
    must(await relay.ledger.send(relay.tasks.cancel(cancelled)));
    expect((await relay.ledger.send(relay.tasks.cancel(cancelled))).error).toBe('InvalidStatus');
  });

  test('[P-7] refuses vault and funder of another task, and the vault of a package', async ({ relay }) => {
    const job = await relay.tasks.listed(1);
    const other = await relay.tasks.job(2, { funder: await relay.person('other funder') });
    must(await relay.ledger.send(relay.tasks.list(other)));
    const delivery = await relay.listed();
    const cancel = relay.tasks.cancel(job);
    const foreign = [
      [3, other.vault],
      [3, delivery.vault],
      [4, other.funder.address],
    ] as const;
    for (const [place, account] of foreign) {
      expect((await relay.ledger.send(swapped(cancel, place, account))).error).toBe('InvalidAccount');
    }
  });

  test.skipIf(CANNOT_FORGE)('[P-43] refuses to refund an executable account', async ({ relay }) => {
    const job = await relay.tasks.listed();
    await relay.makeProgram(job.funder.address);
    expect((await relay.ledger.send(relay.tasks.cancel(job, job.poster))).error).toBe('PayeeCannotReceive');
  });

  test.skipIf(CANNOT_SET_TIME)('[P-9] [P-91] stays open while paused and after the deadline', async ({ relay }) => {
    const job = await relay.tasks.listed();
    await relay.pause();
    await relay.ledger.setClock(DEADLINE + 1n);
    must(await relay.ledger.send(relay.tasks.cancel(job)));
    expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Cancelled });
  });
});
