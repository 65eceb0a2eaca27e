import { LegStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { testGuards } from './harness/guards.js';
import { keyOf } from './harness/keys.js';
import { DEADLINE, must, NOW } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped } from './harness/tamper.js';

const LEGS = 3;
const BUDGET = 1_000_000_000n;
const PAYMENT = 333_333_333n;
const PAID_AT = 224;

async function underWay(relay: Relay, number = 1) {
  const listed = await relay.tasks.listed(number, { numLegs: LEGS, maxBudget: BUDGET });
  return relay.tasks.inProgress([0, 1, 2], listed);
}

describe('confirm_task_leg', () => {
  testGuards(async (relay) => ({
    instruction: await relay.tasks.result(await underWay(relay), 0),
    owned: { InvalidAccountOwner: [1, 2, 3, 6] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 3, 6], InvalidAccount: [4, 5, 7] },
    fixedAccounts: 8,
  }));

  test('[P-85] completes the legs in order, keeps the hash of each result and pays each agent the same', async ({
    relay,
  }) => {
    const job = await underWay(relay);
    for (let index = 0; index < LEGS; index += 1) {
      const agent = await relay.tasks.agent(index);
      const [balance, vault] = [await relay.lamports(agent), await relay.lamports(job.vault)];
      const resultHash = new Uint8Array(32).fill(100 + index);
      must(await relay.ledger.send(await relay.tasks.confirm(job, index, agent, resultHash)));

      expect(await relay.lamports(agent)).toBe(balance + PAYMENT);
      expect(await relay.lamports(job.vault)).toBe(vault - PAYMENT);
      expect(await relay.tasks.leg(job, index)).toMatchObject({ status: LegStatus.Completed, resultHash });
      const paid = PAYMENT * BigInt(index + 1);
      expect(await relay.tasks.state(job)).toMatchObject({ completedLegs: index + 1, paid, assignedLegs: 0b111 });
      expect(await relay.reputation(agent)).toMatchObject({
        legsAccepted: 1n,
        legsCompleted: 1n,
        reliabilityScore: 100,
      });
    }
    // The remainder of the division stays for the funder.
    expect(await relay.lamports(job.vault)).toBe(890_880n + 1n);
  });

  test.skipIf(CANNOT_SET_TIME)('[P-85] notes when a leg was completed', async ({ relay }) => {
    const job = await underWay(relay);
    for (let index = 0; index < LEGS; index += 1) {
      const completedAt = NOW + BigInt(index);
      await relay.ledger.setClock(completedAt);
      must(await relay.ledger.send(await relay.tasks.result(job, index)));
      expect(await relay.tasks.leg(job, index)).toMatchObject({ completedAt });
    }
  });

  test('[P-82] a leg is confirmed before the later ones have agents', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    must(await relay.ledger.send(await relay.tasks.result(job, 0)));
    const second = await relay.tasks.result(job, 1);
    expect((await relay.ledger.send(second)).error).toBe('LegNotAssigned');
    await relay.tasks.inProgress([1], job);
    must(await relay.ledger.send(second));
    expect(await relay.tasks.state(job)).toMatchObject({ completedLegs: 2 });
  });

  test('[P-81] refuses poster, funder, agents and authority', async ({ relay }) => {
    const job = await underWay(relay);
    const confirm = await relay.tasks.result(job, 0);
    const others = [job.poster, job.funder, await relay.courier(0), await relay.courier(1), relay.authority];
    for (const signer of others) {
      expect((await relay.ledger.send(signedBy(confirm, 0, signer))).error).toBe('Unauthorized');
    }
  });

  test('[P-81] [P-9] refuses while paused', async ({ relay }) => {
    const confirm = await relay.tasks.result(await underWay(relay), 0);
    await relay.pause();
    expect((await relay.ledger.send(confirm)).error).toBe('Paused');
    must(await relay.ledger.send(relay.setPaused(false), confirm));
  });

  test('[P-81] refuses a task that is listed or over', async ({ relay }) => {
    const listed = await relay.tasks.listed(1);
    const cancelled = await relay.tasks.listed(2);
    must(await relay.ledger.send(relay.tasks.cancel(cancelled)));
    const completed = await relay.tasks.worked(1, 3);
    must(await relay.ledger.send(await relay.tasks.settle(completed, firstLegs(1))));
    for (const job of [listed, cancelled, completed]) {
      expect((await relay.ledger.send(await relay.tasks.result(job, 0))).error).toBe('InvalidStatus');
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[P-81] refuses after reclaim', async ({ relay }) => {
    const job = await underWay(relay);
    const confirm = await relay.tasks.result(job, 0);
    await relay.ledger.setClock(DEADLINE);
    must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(LEGS))));
    expect((await relay.ledger.send(confirm)).error).toBe('InvalidStatus');
  });

  test('[P-82] refuses to skip, to reorder and to repeat', async ({ relay }) => {
    const job = await underWay(relay);
    for (const index of [1, 2, 3, 255]) {
      expect((await relay.ledger.send(await relay.tasks.result(job, index))).error).toBe('LegOutOfOrder');
    }
    const first = await relay.tasks.result(job, 0);
    must(await relay.ledger.send(first));
    expect((await relay.ledger.send(first)).error).toBe('LegOutOfOrder');
    expect((await relay.ledger.send(await relay.tasks.result(job, 2))).error).toBe('LegOutOfOrder');
    const second = await relay.tasks.result(job, 1);
    const balance = await relay.lamports(await relay.tasks.agent(1));
    expect((await relay.ledger.send(second, second)).error).toBe('LegOutOfOrder');
    expect(await relay.lamports(await relay.tasks.agent(1))).toBe(balance);
    must(await relay.ledger.send(second, await relay.tasks.result(job, 2)));
    expect((await relay.ledger.send(await relay.tasks.result(job, 3))).error).toBe('LegNotAssigned');
  });

  test('[P-82] refuses a leg that was released', async ({ relay }) => {
    const job = await underWay(relay);
    const confirm = await relay.tasks.result(job, 0);
    const release = await relay.tasks.release(job, { index: 0 });
    expect((await relay.ledger.send(release, confirm)).error).toBe('LegNotAssigned');
    must(await relay.ledger.send(release));
    expect((await relay.ledger.send(confirm)).error).toBe('LegNotAssigned');
  });

  test('[P-83] one that was signed for an agent does not pay the agent who came in its place', async ({ relay }) => {
    const job = await underWay(relay);
    const signedEarly = await relay.tasks.result(job, 0);
    const successor = await relay.tasks.agent(7);
    must(await relay.ledger.send(await relay.tasks.release(job, { index: 0 })));
    must(await relay.ledger.send(await relay.tasks.assign(job, 0, successor)));
    const balances = async () => [await relay.lamports(successor), await relay.lamports(await relay.tasks.agent(0))];
    const before = await balances();
    expect((await relay.ledger.send(signedEarly)).error).toBe('InvalidAccount');
    expect(await balances()).toEqual(before);
    must(await relay.ledger.send(await relay.tasks.confirm(job, 0, successor)));
  });

  test('[P-7] refuses task, leg, vault, agent and reputation of another task, and the leg of another index', async ({
    relay,
  }) => {
    const job = await underWay(relay);
    const other = await underWay(relay, 2);
    const confirm = await relay.tasks.result(job, 0);
    const stranger = await relay.tasks.agent(1);
    const foreign = [
      [2, other.task],
      [3, await relay.taskLeg(other, 0)],
      [3, await relay.taskLeg(job, 1)],
      [4, other.vault],
      [5, stranger],
      [6, await relay.reputationOf(stranger)],
    ] as const;
    for (const [place, account] of foreign) {
      const outcome = await relay.ledger.send(swapped(confirm, place, account));
      expect([place, outcome.error]).toEqual([place, 'InvalidAccount']);
    }
    const whole = swapped(swapped(confirm, 3, await relay.taskLeg(job, 1)), 5, stranger);
    const forTheSecond = swapped(whole, 6, await relay.reputationOf(stranger));
    expect((await relay.ledger.send(forTheSecond)).error).toBe('InvalidAccount');
    must(await relay.ledger.send(confirm));
  });

  test("[P-7] refuses a signer's own wallet as the vault", async ({ relay }) => {
    const confirm = await relay.tasks.result(await underWay(relay), 0);
    expect((await relay.ledger.send(swapped(confirm, 4, relay.coordinator.address))).error).toBe('InvalidAccount');
  });

  test.skipIf(CANNOT_FORGE)(
    '[P-84] refuses a vault that cannot cover the payment on top of its rent minimum',
    async ({ relay }) => {
      const job = await underWay(relay);
      const state = await relay.state(job.vault);
      const confirm = await relay.tasks.result(job, 0);
      for (const lamports of [PAYMENT + 890_879n, PAYMENT, 890_880n, 1n]) {
        await relay.ledger.forge(job.vault, { ...state, lamports });
        expect((await relay.ledger.send(confirm)).error).toBe('InsufficientVault');
      }
      await relay.ledger.forge(job.vault, { ...state, lamports: PAYMENT + 890_880n });
      must(await relay.ledger.send(confirm));
      expect(await relay.lamports(job.vault)).toBe(890_880n);
    },
  );

  test('[P-84] refuses an agent who would stay below the rent minimum, and changes nothing', async ({ relay }) => {
    const poor = (await keyOf('penniless agent')).address;
    const job = await relay.tasks.listed(1, { numLegs: 1, maxBudget: 890_879n });
    must(await relay.ledger.send(await relay.tasks.assign(job, 0, poor)));
    const confirm = await relay.tasks.confirm(job, 0, poor);
    const before = [await relay.tasks.state(job), await relay.tasks.leg(job, 0), await relay.lamports(job.vault)];
    expect((await relay.ledger.send(confirm)).error).toBe('PayeeCannotReceive');
    const after = [await relay.tasks.state(job), await relay.tasks.leg(job, 0), await relay.lamports(job.vault)];
    expect(after).toEqual(before);
    await relay.ledger.airdrop(poor, 890_880n);
    must(await relay.ledger.send(confirm));
  });

  test.skipIf(CANNOT_FORGE)('[P-84] refuses an agent who has become a program', async ({ relay }) => {
    const confirm = await relay.tasks.result(await underWay(relay), 0);
    await relay.makeProgram(await relay.tasks.agent(0));
    expect((await relay.ledger.send(confirm)).error).toBe('PayeeCannotReceive');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[P-86] a late result may be confirmed until the task is reclaimed',
    async ({ relay }) => {
      const job = await underWay(relay);
      await relay.ledger.setClock(DEADLINE + 1n);
      must(await relay.ledger.send(await relay.tasks.result(job, 0)));
      expect(await relay.tasks.state(job)).toMatchObject({ completedLegs: 1 });
      must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(LEGS))));
      expect((await relay.ledger.send(await relay.tasks.result(job, 1))).error).toBe('InvalidStatus');
    },
  );

  test.skipIf(CANNOT_FORGE)('[P-11] refuses sums that cannot count further', async ({ relay }) => {
    const job = await underWay(relay);
    const confirm = await relay.tasks.result(job, 0);
    const counters = [
      [job.task, PAID_AT],
      [await relay.reputationOf(await relay.tasks.agent(0)), 44],
    ] as const;
    for (const [account, offset] of counters) {
      const state = await relay.state(account);
      await relay.change(account, (data) => data.slice().fill(255, offset, offset + 8));
      expect((await relay.ledger.send(confirm)).error).toBe('ArithmeticOverflow');
      await relay.ledger.forge(account, state);
    }
    must(await relay.ledger.send(confirm));
  });
});
