import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

const RENT_OF_TASK = (312n + 128n) * 6_960n;
const RENT_OF_EMPTY = 890_880n;

async function cancelled(relay: Relay, number = 1) {
  const job = await relay.tasks.listed(number);
  must(await relay.ledger.send(relay.tasks.cancel(job)));
  return job;
}

describe('close_task', () => {
  testGuards(async (relay) => ({
    instruction: relay.tasks.close(await cancelled(relay)),
    owned: { InvalidAccountOwner: [1, 2] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2], InvalidAccount: [3] },
    fixedAccounts: 4,
  }));

  test('[P-96] funder and coordinator may close; the rent of the data returns to the funder', async () => {
    for (const role of ['funder', 'coordinator'] as const) {
      const relay = await Relay.initialised();
      const job = await cancelled(relay);
      await relay.ledger.airdrop(job.task, 7n);
      const funder = await relay.lamports(job.funder.address);
      const coordinator = await relay.lamports(relay.coordinator.address);

      const signer = role === 'coordinator' ? relay.coordinator : job.funder;
      must(await relay.ledger.send(relay.tasks.close(job, signer)));

      expect(await relay.lamports(job.funder.address)).toBe(funder + RENT_OF_TASK - RENT_OF_EMPTY + 7n);
      expect(await relay.lamports(relay.coordinator.address)).toBe(coordinator);
      expect(await relay.ledger.account(job.task)).toMatchObject({
        data: new Uint8Array(),
        lamports: RENT_OF_EMPTY,
        owner: relay.programAddress,
      });
    }
  });

  test('[P-96] refuses poster, authority, agents and strangers', async ({ relay }) => {
    const job = await cancelled(relay);
    for (const signer of [job.poster, relay.authority, await relay.courier(0), await relay.person('stranger')]) {
      expect((await relay.ledger.send(relay.tasks.close(job, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-96] refuses a task that is listed or in progress', async ({ relay }) => {
    const open = [
      await relay.tasks.listed(1),
      await relay.tasks.inProgress([0], await relay.tasks.listed(2)),
      await relay.tasks.worked(1, 3),
    ];
    for (const job of open) {
      expect((await relay.ledger.send(relay.tasks.close(job))).error).toBe('InvalidStatus');
    }
  });

  test('[P-96] takes one that is completed, also while paused', async ({ relay }) => {
    const job = await relay.tasks.worked(1);
    must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(1))));
    await relay.pause();
    must(await relay.ledger.send(relay.tasks.close(job)));
    expect(await relay.lamports(job.task)).toBe(RENT_OF_EMPTY);
  });

  test.skipIf(CANNOT_SET_TIME)('[P-96] takes one that was reclaimed', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(1))));
    must(await relay.ledger.send(relay.tasks.close(job)));
    expect(await relay.lamports(job.task)).toBe(RENT_OF_EMPTY);
  });

  test('[P-6] [P-97] the id stays used: neither a new listing nor lamports bring the task back', async ({ relay }) => {
    const job = await cancelled(relay);
    must(await relay.ledger.send(relay.tasks.close(job)));
    await relay.ledger.airdrop(job.task, SOL);
    expect((await relay.ledger.send(relay.tasks.list(job))).error).toBe('AlreadyInitialized');
    const assign = await relay.tasks.assign(job, 0, await relay.tasks.agent(0));
    for (const attempt of [relay.tasks.close(job), relay.tasks.cancel(job), assign]) {
      expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccountKind');
    }
  });

  test('[P-7] refuses the funder of another task', async ({ relay }) => {
    const job = await cancelled(relay, 1);
    const thief = await relay.person('other funder');
    const other = await relay.tasks.job(2, { funder: thief });
    must(await relay.ledger.send(relay.tasks.list(other), relay.tasks.cancel(other)));
    const close = relay.tasks.close(job, relay.coordinator);
    expect((await relay.ledger.send(swapped(close, 3, thief.address))).error).toBe('InvalidAccount');
    expect((await relay.ledger.send(swapped(relay.tasks.close(other), 2, job.task))).error).toBe('Unauthorized');
  });

  test.skipIf(CANNOT_FORGE)('[P-43] refuses to refund an executable account', async ({ relay }) => {
    const job = await cancelled(relay);
    await relay.makeProgram(job.funder.address);
    expect((await relay.ledger.send(relay.tasks.close(job, relay.coordinator))).error).toBe('PayeeCannotReceive');
  });
});
