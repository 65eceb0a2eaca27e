import { TaskStatus } from '@legwork/program-client';
import { address } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { DEADLINE, must, NOW, SOL, TERMS_HASH } from './harness/delivery.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
const TASK_RENT = (312n + 128n) * 6_960n;

describe('list_task', () => {
  testGuards(async (relay) => ({
    instruction: relay.tasks.list(await relay.tasks.job()),
    owned: { InvalidAccountOwner: [2] },
    strangers: { InvalidAccountOwner: [2], InvalidAccount: [3, 4, 5] },
    fixedAccounts: 6,
  }));

  test('[P-68] locks the budget and the rent minimum in the vault and records what was listed', async ({ relay }) => {
    const job = await relay.tasks.job();
    const before = await relay.lamports(job.funder.address);
    const posterBefore = await relay.lamports(job.poster.address);

    must(await relay.ledger.send(relay.tasks.list(job, { maxBudget: 3n * SOL, numLegs: 3 })));

    const vault = await relay.ledger.account(job.vault);
    const rent = await relay.lamports(job.task);
    expect(vault).toMatchObject({ owner: SYSTEM_PROGRAM, data: new Uint8Array(), lamports: 3n * SOL + 890_880n });
    expect(rent).toBe((312n + 128n) * 6_960n);
    expect(await relay.lamports(job.funder.address)).toBe(before - 3n * SOL - 890_880n - rent);
    expect(await relay.lamports(job.poster.address)).toBe(posterBefore);
    expect(await relay.tasks.state(job)).toMatchObject({
      status: TaskStatus.Listed,
      numLegs: 3,
      assignedLegs: 0,
      completedLegs: 0,
      taskId: job.taskId,
      poster: job.poster.address,
      funder: job.funder.address,
      agents: Array.from({ length: 4 }, () => SYSTEM_PROGRAM),
      maxBudget: 3n * SOL,
      paid: 0n,
      deadline: DEADLINE,
      termsHash: TERMS_HASH,
      formation: 0,
      asset: 0,
      reserved: new Uint8Array(21),
    });
  });

  test.skipIf(CANNOT_SET_TIME)('[P-68] notes when the task was listed', async ({ relay }) => {
    expect(await relay.tasks.state(await relay.tasks.listed())).toMatchObject({ listedAt: NOW });
  });

  test('[P-68] the poster may be the funder', async ({ relay }) => {
    const poster = await relay.person('poster');
    const job = await relay.tasks.job(1, { funder: poster });
    must(await relay.ledger.send(relay.tasks.list(job)));
    expect(await relay.tasks.state(job)).toMatchObject({ poster: poster.address, funder: poster.address });
  });

  test('[P-68] the coordinator may sponsor a task without the signature of its poster, nobody else may', async ({
    relay,
  }) => {
    const sponsored = await relay.tasks.job(1, { funder: relay.coordinator });
    must(await relay.ledger.send(relay.tasks.list(sponsored, { posterSigns: false })));
    expect(await relay.tasks.state(sponsored)).toMatchObject({ funder: relay.coordinator.address });

    for (const funder of [await relay.person('funder'), await relay.person('authority')]) {
      const job = await relay.tasks.job(2, { funder });
      const { error } = await relay.ledger.send(relay.tasks.list(job, { posterSigns: false }));
      expect(error).toBe('MissingSignature');
    }
  });

  test('[P-4] refuses a task at the address of another poster or another id, and the vault of another task', async ({
    relay,
  }) => {
    const job = await relay.tasks.job();
    const other = await relay.tasks.listed(2);
    const third = await relay.tasks.job(3);
    const attempts = [
      relay.tasks.list({ ...job, task: third.task, vault: third.vault }),
      signedBy(relay.tasks.list(job), 1, await relay.person('impostor')),
      swapped(relay.tasks.list(job), 4, other.vault),
    ];
    for (const attempt of attempts) expect((await relay.ledger.send(attempt)).error).toBe('InvalidAccount');
  });

  test('[P-4] a package of the same person and id is another account', async ({ relay }) => {
    const person = await relay.person('poster');
    const job = await relay.tasks.listed(1);
    const delivery = await relay.delivery(1, { shipper: person });
    expect(delivery.packageId).toEqual(job.taskId);
    must(await relay.ledger.send(relay.list(delivery)));
    expect((await relay.ledger.send(relay.tasks.list({ ...job, task: delivery.package }))).error).toBe(
      'InvalidAccount',
    );
  });

  test('[P-5] works when strangers have sent lamports to the addresses, and keeps them in the vault', async () => {
    // To the task: nothing, less than its rent, exactly its rent, and more.
    for (const gift of [0n, 890_880n, TASK_RENT, 5n * SOL]) {
      const relay = await Relay.initialised();
      const job = await relay.tasks.job();
      if (gift > 0n) {
        await relay.ledger.airdrop(job.task, gift);
        await relay.ledger.airdrop(job.vault, gift);
      }
      const before = await relay.lamports(job.funder.address);

      must(await relay.ledger.send(relay.tasks.list(job)));

      expect(await relay.lamports(job.vault)).toBe(SOL + 890_880n + gift);
      expect(await relay.lamports(job.task)).toBe(gift > TASK_RENT ? gift : TASK_RENT);
      const rentLeft = gift > TASK_RENT ? 0n : TASK_RENT - gift;
      expect(before - (await relay.lamports(job.funder.address))).toBe(SOL + 890_880n + rentLeft);
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Listed });
    }
  });

  test('[P-6] refuses an id that the poster used already', async ({ relay }) => {
    const job = await relay.tasks.listed();
    expect((await relay.ledger.send(relay.tasks.list(job))).error).toBe('AlreadyInitialized');
    must(await relay.ledger.send(relay.tasks.cancel(job)));
    expect((await relay.ledger.send(relay.tasks.list(job))).error).toBe('AlreadyInitialized');
  });

  test('[P-9] refuses while paused', async ({ relay }) => {
    await relay.pause();
    expect((await relay.ledger.send(relay.tasks.list(await relay.tasks.job()))).error).toBe('Paused');
  });

  test('[P-69] takes one to four legs', async ({ relay }) => {
    for (const numLegs of [0, 5, 128, 255]) {
      const listing = relay.tasks.list(await relay.tasks.job(), { numLegs });
      expect([numLegs, (await relay.ledger.send(listing)).error]).toEqual([numLegs, 'InvalidLegCount']);
    }
    for (const numLegs of [1, 2, 3, 4]) {
      const job = await relay.tasks.listed(numLegs, { numLegs });
      expect(await relay.tasks.state(job)).toMatchObject({ numLegs });
    }
  });

  test('[P-70] refuses a budget that leaves nothing for a leg, and takes one lamport each', async ({ relay }) => {
    for (const numLegs of [1, 2, 3, 4]) {
      const job = await relay.tasks.job(numLegs);
      const maxBudget = BigInt(numLegs);
      const short = relay.tasks.list(job, { numLegs, maxBudget: maxBudget - 1n });
      expect((await relay.ledger.send(short)).error).toBe('InvalidAmount');
      must(await relay.ledger.send(relay.tasks.list(job, { numLegs, maxBudget })));
    }
  });

  test('[P-11] refuses a budget that does not fit with the rent of the vault', async ({ relay }) => {
    const listing = relay.tasks.list(await relay.tasks.job(), { maxBudget: 2n ** 64n - 1n });
    expect((await relay.ledger.send(listing)).error).toBe('ArithmeticOverflow');
  });

  test('refuses a budget above what the funder has', async ({ relay }) => {
    const job = await relay.tasks.job();
    expect((await relay.ledger.send(relay.tasks.list(job, { maxBudget: 10_000n * SOL }))).error).toBeDefined();
    expect(await relay.ledger.account(job.task)).toBeUndefined();
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[P-68] takes deadlines from ten minutes to 180 days ahead, to the second',
    async ({ relay }) => {
      const days180 = 180n * 86_400n;
      for (const deadline of [NOW + 599n, NOW + days180 + 1n, NOW, 0n, -(2n ** 63n), 2n ** 63n - 1n]) {
        const listing = relay.tasks.list(await relay.tasks.job(), { deadline });
        expect([deadline, (await relay.ledger.send(listing)).error]).toEqual([deadline, 'InvalidDeadline']);
      }
      await relay.tasks.listed(1, { deadline: NOW + 600n });
      await relay.tasks.listed(2, { deadline: NOW + days180 });
    },
  );
});
