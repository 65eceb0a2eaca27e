import { LegStatus } from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW } from './harness/delivery.js';
import { gains } from './harness/gains.js';
import { testGuards } from './harness/guards.js';
import { stagedJob, type JobStage } from './harness/jobStages.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { CARRY, EVIDENCE_HASH, HANDOFF, STAKE } from './harness/terms.js';

const owned = { InvalidAccountOwner: [1, 3] };
const STAGES: readonly JobStage[] = ['pending', 'accepted', 'claimed', 'disputed', 'ruled', 'vacant'];

describe('accept, of a leg of a task', () => {
  testGuards(async (relay) => ({
    instruction: await relay.moves.accept(await stagedJob(relay, 'pending')),
    owned,
    strangers: { ...owned, Unauthorized: [0], InvalidAccount: [2, 4, 5] },
    fixedAccounts: 6,
  }));

  test.skipIf(CANNOT_SET_TIME)('[T-76] [T-7] [T-18] posts the stake, and the clock begins', async ({ relay }) => {
    const job = await stagedJob(relay, 'pending');
    await relay.ledger.setClock(NOW + 60n);
    expect(await gains(relay, job, await relay.moves.accept(job))).toEqual({ leg: STAKE, courier: -STAKE });
    expect(await relay.moves.leg(job)).toMatchObject({
      status: LegStatus.Accepted,
      turn: { since: NOW + 60n, formation: 1, note: 3, percent: 0 },
    });
  });

  test('[T-76] there is nothing to take', async ({ relay }) => {
    for (const [number, stage] of (['pending', 'accepted'] as const).entries()) {
      const job = await stagedJob(relay, stage, { number });
      const { error } = await relay.ledger.send(await relay.moves.accept(job, { take: true }));
      expect([stage, error]).toEqual([stage, 'InvalidInstruction']);
    }
  });

  test('[T-7] refuses a leg that is not pending, and everybody but its agent', async ({ relay }) => {
    for (const [number, stage] of STAGES.entries()) {
      const job = await stagedJob(relay, stage, { number });
      for (const courier of [await relay.courier(1), job.poster, relay.coordinator]) {
        const { error } = await relay.ledger.send(await relay.moves.accept(job, { courier }));
        expect([stage, error]).toEqual([stage, 'Unauthorized']);
      }
      const { error } = await relay.ledger.send(await relay.moves.accept(job));
      expect([stage, error]).toEqual([stage, stage === 'pending' ? undefined : 'InvalidStatus']);
    }
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-7] [T-9] is possible until the second before the deadline, clock or not',
    async ({ relay }) => {
      const accept = await relay.moves.accept(await stagedJob(relay, 'pending'));
      await relay.ledger.setClock(DEADLINE);
      expect((await relay.ledger.send(accept)).error).toBe('DeadlinePassed');
      await relay.ledger.setClock(DEADLINE - 1n);
      must(await relay.ledger.send(accept));
    },
  );
});

describe('vacate, of a leg of a task', () => {
  testGuards(async (relay) => ({
    instruction: await relay.moves.vacate(await stagedJob(relay, 'accepted')),
    owned,
    strangers: { ...owned, LegInTime: [0], InvalidAccount: [2, 4, 5] },
    fixedAccounts: 7,
  }));

  test.skipIf(CANNOT_SET_TIME).each([
    { stage: 'pending', clock: HANDOFF, late: undefined, returned: {}, forfeited: {} },
    {
      stage: 'accepted',
      clock: CARRY,
      late: 'LegOverdue',
      returned: { leg: -STAKE, courier: STAKE },
      forfeited: { leg: -STAKE, vault: STAKE },
    },
  ] as const)(
    '[T-77] [T-10] [T-11] $stage: its agent until the second before the clock, anyone from then on',
    async ({ stage, clock, late, returned, forfeited }) => {
      const relay = await Relay.initialised();
      const stranger = await relay.person('stranger');
      const jobs = [
        await stagedJob(relay, stage, { number: 1 }),
        await stagedJob(relay, stage, { number: 2 }),
      ] as const;
      const byStranger = await Promise.all(jobs.map((job) => relay.moves.vacate(job, { signer: stranger })));

      await relay.ledger.setClock(NOW + clock - 1n);
      for (const vacate of byStranger) expect((await relay.ledger.send(vacate)).error).toBe('LegInTime');
      expect(await gains(relay, jobs[0], await relay.moves.vacate(jobs[0]))).toEqual(returned);
      expect(await relay.moves.leg(jobs[0])).toMatchObject({
        status: LegStatus.Vacant,
        turn: { since: NOW + clock - 1n, formation: 1 },
      });

      await relay.ledger.setClock(NOW + clock);
      const own = late && (await relay.ledger.send(await relay.moves.vacate(jobs[1]))).error;
      expect(own).toBe(late);
      expect(await gains(relay, jobs[1], ...byStranger.slice(1))).toEqual(forfeited);
      expect(await relay.moves.leg(jobs[1])).toMatchObject({ status: LegStatus.Vacant });
    },
  );

  test.skipIf(CANNOT_SET_TIME)(
    '[T-77] [T-13] refuses a leg that is claimed, disputed, ruled or vacant',
    async ({ relay }) => {
      const jobs = [];
      for (const [number, stage] of (['claimed', 'disputed', 'ruled', 'vacant'] as const).entries()) {
        jobs.push(await stagedJob(relay, stage, { number }));
      }
      await relay.ledger.setClock(DEADLINE);
      for (const job of jobs) {
        for (const signer of [await relay.courier(0), job.poster, await relay.person('stranger')]) {
          expect((await relay.ledger.send(await relay.moves.vacate(job, { signer }))).error).toBe('InvalidStatus');
        }
      }
    },
  );

  test.skipIf(CANNOT_FORGE)('[T-17] a stake that the wallet cannot receive goes to the vault', async ({ relay }) => {
    const job = await stagedJob(relay, 'accepted');
    const vacate = await relay.moves.vacate(job);
    await relay.makeProgram((await relay.courier(0)).address);
    expect(await gains(relay, job, vacate)).toEqual({ leg: -STAKE, vault: STAKE });
  });

  test.skipIf(CANNOT_SET_TIME)('a leg is vacated after the deadline too', async ({ relay }) => {
    const job = await stagedJob(relay, 'accepted');
    await relay.ledger.setClock(DEADLINE);
    const vacate = await relay.moves.vacate(job, { signer: await relay.person('stranger') });
    expect(await gains(relay, job, vacate)).toEqual({ leg: -STAKE, vault: STAKE });
  });
});

describe('claim, of a leg of a task', () => {
  testGuards(async (relay) => ({
    instruction: await relay.moves.claim(await stagedJob(relay, 'accepted')),
    owned,
    strangers: { ...owned, Unauthorized: [0], InvalidAccount: [2] },
    fixedAccounts: 4,
  }));

  test.skipIf(CANNOT_SET_TIME)(
    '[T-78] [T-18] an accepted leg is claimed and keeps the hash of the result',
    async ({ relay }) => {
      const job = await stagedJob(relay, 'accepted');
      await relay.ledger.setClock(NOW + 70n);
      expect(await gains(relay, job, await relay.moves.claim(job))).toEqual({});
      expect(await relay.moves.leg(job)).toMatchObject({
        status: LegStatus.Claimed,
        resultHash: EVIDENCE_HASH,
        completedAt: 0n,
        turn: { since: NOW + 70n, formation: 1, note: 0, percent: 0 },
      });
    },
  );

  test('[T-78] refuses a leg that is not accepted, and everybody but its agent', async ({ relay }) => {
    for (const [number, stage] of STAGES.entries()) {
      const job = await stagedJob(relay, stage, { number });
      for (const courier of [await relay.courier(1), job.poster, relay.coordinator]) {
        const { error } = await relay.ledger.send(await relay.moves.claim(job, { courier }));
        expect([stage, error]).toEqual([stage, 'Unauthorized']);
      }
      const { error } = await relay.ledger.send(await relay.moves.claim(job));
      expect([stage, error]).toEqual([stage, stage === 'accepted' ? undefined : 'InvalidStatus']);
    }
  });

  test('[T-78] [T-14] a completed leg is claimed no more', async ({ relay }) => {
    const job = await stagedJob(relay, 'claimed');
    const { address } = await relay.courier(0);
    must(await relay.ledger.send(await relay.tasks.confirm(job, 0, address, EVIDENCE_HASH, job.poster)));
    expect((await relay.ledger.send(await relay.moves.claim(job))).error).toBe('LegOutOfOrder');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-9] [T-14] is possible until the second before the deadline, clock or not',
    async ({ relay }) => {
      const claim = await relay.moves.claim(await stagedJob(relay, 'accepted'));
      await relay.ledger.setClock(DEADLINE);
      expect((await relay.ledger.send(claim)).error).toBe('DeadlinePassed');
      expect(DEADLINE - 1n).toBeGreaterThan(NOW + CARRY);
      await relay.ledger.setClock(DEADLINE - 1n);
      must(await relay.ledger.send(claim));
    },
  );
});
