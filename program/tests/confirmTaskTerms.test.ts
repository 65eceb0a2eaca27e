import { LegStatus } from '@legwork/program-client';
import type { Instruction, KeyPairSigner } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { court } from './harness/court.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { gains } from './harness/gains.js';
import { testGuards } from './harness/guards.js';
import type { Job } from './harness/job.js';
import { stagedJob, type JobStage } from './harness/jobStages.js';
import { keyOf } from './harness/keys.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';
import { EVIDENCE_HASH, NOBODY, REVIEW, STAKE } from './harness/terms.js';

const HALF = SOL / 2n;
const LEAST_STAKE = 1_781_760n;
const PLAIN_LEG = 149;

async function confirmation(
  relay: Relay,
  job: Job,
  signer?: KeyPairSigner,
  hash = EVIDENCE_HASH,
): Promise<Instruction> {
  const { agent } = await relay.moves.leg(job);
  return relay.tasks.confirm(job, 0, agent, hash, signer ?? (await relay.person('stranger')));
}

async function ruled(relay: Relay, percent: number, number: number): Promise<Job> {
  const job = await stagedJob(relay, 'disputed', { number });
  must(await relay.ledger.send(await relay.moves.rule(job, { percent })));
  return job;
}

describe('confirm_task_leg with terms', () => {
  testGuards(async (relay) => {
    const job = await stagedJob(relay, 'claimed');
    return {
      instruction: await confirmation(relay, job, job.poster),
      owned: { InvalidAccountOwner: [1, 2, 3, 6] },
      strangers: { ReviewOpen: [0], InvalidAccountOwner: [1, 2, 3, 6], InvalidAccount: [4, 5, 7] },
      fixedAccounts: 8,
    };
  });

  test.each(['poster', 'receiver'] as const)('[T-81] [T-83] %s confirms what is claimed', async (role) => {
    const relay = await Relay.initialised();
    const job = await stagedJob(relay, 'claimed');
    const confirm = await confirmation(relay, job, role === 'poster' ? job.poster : await relay.person(role));
    const paid = { leg: -STAKE, courier: STAKE + HALF, vault: -HALF };
    expect(await gains(relay, job, confirm)).toEqual(paid);
    expect(await relay.moves.leg(job)).toMatchObject({ status: LegStatus.Completed, resultHash: EVIDENCE_HASH });
    expect(await relay.tasks.state(job)).toMatchObject({ completedLegs: 1, paid: HALF });
    const { address } = await relay.courier(0);
    expect(await relay.reputation(address)).toMatchObject({ legsCompleted: 1n, reliabilityScore: 100 });
    expect((await relay.ledger.send(confirm)).error).toBe('LegOutOfOrder');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-81] anyone does from the second on at which the review is over',
    async ({ relay }) => {
      const job = await stagedJob(relay, 'claimed');
      const others = [relay.coordinator, job.funder, await relay.courier(0), await relay.person('arbiter')];
      await relay.ledger.setClock(NOW + REVIEW - 1n);
      for (const signer of [...others, await relay.person('stranger')]) {
        expect((await relay.ledger.send(await confirmation(relay, job, signer))).error).toBe('ReviewOpen');
      }
      await relay.ledger.setClock(NOW + REVIEW);
      const crank = await confirmation(relay, job);
      expect(await gains(relay, job, crank)).toEqual({ leg: -STAKE, courier: STAKE + HALF, vault: -HALF });
      expect(await relay.moves.leg(job)).toMatchObject({ completedAt: NOW + REVIEW, turn: { since: NOW + REVIEW } });
    },
  );

  test('[T-81] without a receiver only the poster confirms before', async ({ relay }) => {
    const job = await stagedJob(relay, 'claimed', { changes: { receiver: NOBODY } });
    const byReceiver = await confirmation(relay, job, await relay.person('receiver'));
    expect((await relay.ledger.send(byReceiver)).error).toBe('ReviewOpen');
    must(await relay.ledger.send(await confirmation(relay, job, job.poster)));
  });

  test('[T-81] refuses a leg that nobody has claimed, and nobody ends a dispute', async ({ relay }) => {
    const errors = {
      pending: 'InvalidStatus',
      accepted: 'InvalidStatus',
      vacant: 'InvalidStatus',
      disputed: 'ClaimPending',
    };
    for (const [number, [stage, error]] of (Object.entries(errors) as [JobStage, string][]).entries()) {
      const job = await stagedJob(relay, stage, { number });
      const hash = stage === 'disputed' ? EVIDENCE_HASH : new Uint8Array(32);
      for (const signer of [relay.coordinator, job.poster, await relay.person('stranger')]) {
        const confirm = await confirmation(relay, job, signer, hash);
        expect([stage, (await relay.ledger.send(confirm)).error]).toEqual([stage, error]);
      }
    }
  });

  test.skipIf(CANNOT_SET_TIME)('[T-81] is open while paused and after the deadline', async ({ relay }) => {
    const job = await stagedJob(relay, 'accepted');
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(await relay.moves.claim(job)));
    await relay.pause();
    await relay.ledger.setClock(DEADLINE + 365n * 86_400n);
    expect((await relay.ledger.send(await confirmation(relay, job))).error).toBeUndefined();
  });

  test('[T-82] names the result that was claimed', async () => {
    const relay = await court();
    for (const [number, stage] of (['claimed', 'ruled'] as const).entries()) {
      const job = await stagedJob(relay, stage, { number });
      const other = await confirmation(relay, job, job.poster, EVIDENCE_HASH.with(31, 0));
      expect((await relay.ledger.send(other)).error).toBe('FormationMismatch');
      must(await relay.ledger.send(await confirmation(relay, job, job.poster)));
    }
  });

  test('[T-81] [T-83] anyone ends a ruled leg at once, which pays its part to the lamport', async () => {
    const relay = await court();
    for (const [number, percent] of [1, 33, 50, 99, 100].entries()) {
      const job = await ruled(relay, percent, number);
      const part = (HALF * BigInt(percent)) / 100n;
      const changes = await gains(relay, job, await confirmation(relay, job));
      expect([percent, changes]).toEqual([percent, { courier: part, vault: -part }]);
      expect(await relay.tasks.state(job)).toMatchObject({ completedLegs: 1, paid: part });
    }
    const { address } = await relay.courier(0);
    expect(await relay.reputation(address)).toMatchObject({ legsAccepted: 5n, legsCompleted: 5n });
  });

  test('[T-83] [T-36] what a new wallet would not keep of a ruling stays in the vault', async () => {
    const relay = await court();
    const agent = await keyOf('penniless agent');
    const job = await stagedJob(relay, 'vacant', {
      changes: { stake: LEAST_STAKE },
      listing: { numLegs: 1, maxBudget: LEAST_STAKE },
    });
    const release = await relay.tasks.release(job, { index: 0 });
    must(await relay.ledger.send(release, await relay.tasks.assign(job, 0, agent.address)));
    // Its wallet is left with nothing by the stake that it posts.
    await relay.ledger.airdrop(agent.address, LEAST_STAKE);
    const own = { courier: agent, formation: 2 };
    must(await relay.ledger.send(await relay.moves.accept(job, own)));
    must(await relay.ledger.send(await relay.moves.claim(job, own)));
    must(await relay.ledger.send(await relay.moves.dispute(job, own)));
    must(await relay.ledger.send(await relay.moves.rule(job, { ...own, percent: 1 })));
    expect(await relay.lamports(agent.address)).toBe(0n);
    expect(await gains(relay, job, await confirmation(relay, job))).toEqual({});
    expect(await relay.moves.leg(job)).toMatchObject({ status: LegStatus.Completed });
    expect(await relay.tasks.state(job)).toMatchObject({ completedLegs: 1, paid: 0n });
  });

  test.skipIf(CANNOT_FORGE)(
    '[T-83] [T-36] an agent that became a program leaves payment and stake to the vault',
    async ({ relay }) => {
      const job = await stagedJob(relay, 'claimed');
      const confirm = await confirmation(relay, job, job.poster);
      await relay.makeProgram((await relay.courier(0)).address);
      expect(await gains(relay, job, confirm)).toEqual({ leg: -STAKE, vault: STAKE });
      expect(await relay.moves.leg(job)).toMatchObject({ status: LegStatus.Completed });
      expect(await relay.tasks.state(job)).toMatchObject({ completedLegs: 1, paid: 0n });
    },
  );

  test.skipIf(CANNOT_FORGE)('[T-4] a leg without a turn is none of a task with terms', async ({ relay }) => {
    const job = await stagedJob(relay, 'claimed');
    const confirm = await confirmation(relay, job, job.poster);
    const leg = await relay.taskLeg(job, 0);
    const state = await relay.state(leg);
    for (const data of [state.data.slice(0, PLAIN_LEG).with(1, 1), state.data.slice(0, -1)]) {
      await relay.change(leg, () => data);
      expect((await relay.ledger.send(confirm)).error).toBe('InvalidAccountKind');
    }
    await relay.ledger.forge(leg, state);
    must(await relay.ledger.send(confirm));
  });

  test('[P-7] refuses leg, vault and agent of another task', async ({ relay }) => {
    const job = await stagedJob(relay, 'claimed');
    const other = await stagedJob(relay, 'claimed', { number: 2 });
    const confirm = await confirmation(relay, job, job.poster);
    const places = [
      [3, await relay.taskLeg(other, 0)],
      [4, other.vault],
      [5, (await relay.courier(1)).address],
    ] as const;
    for (const [place, address] of places) {
      expect((await relay.ledger.send(swapped(confirm, place, address))).error).toBe('InvalidAccount');
    }
    must(await relay.ledger.send(confirm));
  });

  test.skipIf(CANNOT_SET_TIME)('one transaction pays a leg once', async ({ relay }) => {
    const job = await stagedJob(relay, 'claimed');
    const confirm = await confirmation(relay, job, job.poster);
    expect((await relay.ledger.send(confirm, confirm)).error).toBe('LegOutOfOrder');
    expect((await relay.ledger.send(confirm, await relay.moves.dispute(job))).error).toBe('InvalidStatus');
    must(await relay.ledger.send(confirm));
  });
});
