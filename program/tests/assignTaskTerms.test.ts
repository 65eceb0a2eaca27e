import { LegStatus, TaskStatus } from '@legwork/program-client';
import { address, type Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW } from './harness/delivery.js';
import { testGuards } from './harness/guards.js';
import type { Job } from './harness/job.js';
import { listedJob, stagedJob, type JobStage } from './harness/jobStages.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy } from './harness/tamper.js';
import { EVIDENCE_HASH, HANDOFF } from './harness/terms.js';

const NOBODY = address('11111111111111111111111111111111');
const FORMATION_AT = 280;

async function errorOf(relay: Relay, ...instructions: Instruction[]): Promise<string | undefined> {
  return (await relay.ledger.send(...instructions)).error;
}

/** The vacant first leg is given to this agent, who accepts it; returns its number. */
async function exchanged(relay: Relay, job: Job, agent: number): Promise<number> {
  const { ledger, moves, tasks } = relay;
  const courier = await relay.courier(agent);
  const { formation: own } = (await moves.leg(job)).turn;
  const former = await relay.known((await moves.leg(job)).agent);
  const leave = await moves.vacate(job, { formation: own, courier: former });
  const release = await tasks.release(job, { index: 0 });
  must(await ledger.send(leave, release, await tasks.assign(job, 0, courier.address)));
  const { formation } = (await moves.leg(job)).turn;
  must(await ledger.send(await moves.accept(job, { formation, courier })));
  return formation;
}

describe('assign_task_leg with terms', () => {
  testGuards(async (relay) => {
    const job = await listedJob(relay);
    const known = await relay.tasks.agent(1);
    await relay.tasks.inProgress([1], await relay.tasks.listed(2));
    return {
      instruction: await relay.tasks.assign(job, 0, known),
      tailBytes: 1,
      owned: { InvalidAccountOwner: [1, 2], AlreadyInitialized: [6] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2], InvalidAccount: [3, 4, 5, 6] },
      fixedAccounts: 7,
    };
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-73] [T-75] the leg is pending from now on, with a number of its own',
    async ({ relay }) => {
      const job = await listedJob(relay);
      await relay.ledger.setClock(NOW + 40n);
      await relay.tasks.inProgress([0], job);
      expect(await relay.moves.leg(job)).toMatchObject({
        version: 2,
        status: LegStatus.Pending,
        resultHash: new Uint8Array(32),
        turn: { since: NOW + 40n, formation: 1, note: 3, percent: 0 },
      });
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.InProgress, formation: 1 });
      expect(await relay.lamports(await relay.taskLeg(job, 0))).toBe(2_011_440n);
    },
  );

  test('[T-73] only the leg whose turn it is has an agent', async ({ relay }) => {
    const job = await listedJob(relay);
    const second = await relay.tasks.assign(job, 1, await relay.tasks.agent(1));
    expect(await errorOf(relay, second)).toBe('LegOutOfOrder');
    await relay.tasks.inProgress([0], job);
    expect(await errorOf(relay, second)).toBe('LegOutOfOrder');
    must(await relay.ledger.send(await relay.moves.accept(job)));
    must(await relay.ledger.send(await relay.moves.claim(job)));
    expect(await errorOf(relay, second)).toBe('LegOutOfOrder');
    const first = await relay.tasks.agent(0);
    must(await relay.ledger.send(await relay.tasks.confirm(job, 0, first, EVIDENCE_HASH, job.poster)));
    expect(await errorOf(relay, await relay.tasks.assign(job, 0, await relay.tasks.agent(2)))).toBe(
      'LegAlreadyAssigned',
    );
    must(await relay.ledger.send(second));
    expect((await relay.moves.leg(job, 1)).turn.formation).toBe(2);
  });

  test('[T-73] refuses arbiter and receiver as agents', async ({ relay }) => {
    const job = await listedJob(relay);
    for (const name of ['arbiter', 'receiver']) {
      const { address: agent } = await relay.person(name);
      expect(await errorOf(relay, await relay.tasks.assign(job, 0, agent))).toBe('SelfDealing');
    }
    const plain = await relay.tasks.listed(2);
    must(await relay.ledger.send(await relay.tasks.assign(plain, 0, (await relay.person('receiver')).address)));
  });

  test.skipIf(CANNOT_FORGE)('[T-75] numbers never come back', async ({ relay }) => {
    const job = await listedJob(relay);
    await relay.change(job.task, (data) => data.with(FORMATION_AT, 255).with(FORMATION_AT + 1, 255));
    const assign = await relay.tasks.assign(job, 0, await relay.tasks.agent(0));
    expect(await errorOf(relay, assign)).toBe('ArithmeticOverflow');
  });

  test.skipIf(CANNOT_SET_TIME)(
    '[T-75] what was signed as an agent fits no more when it has the leg again',
    async ({ relay }) => {
      const { moves } = relay;
      const job = await stagedJob(relay, 'pending');
      const old = [
        await moves.accept(job),
        await moves.vacate(job),
        await moves.claim(job),
        await moves.dispute(job),
        await moves.rule(job, { form: 'agreed', percent: 100 }),
      ];
      must(await relay.ledger.send(await moves.accept(job)));
      expect(await exchanged(relay, job, 1)).toBe(2);
      expect(await exchanged(relay, job, 0)).toBe(3);
      for (const move of old) expect(await errorOf(relay, move)).toBe('FormationMismatch');
      await relay.ledger.setClock(NOW + HANDOFF);
      must(await relay.ledger.send(await moves.claim(job, { formation: 3 })));
      for (const move of old) expect(await errorOf(relay, move)).toBe('FormationMismatch');
    },
  );
});

describe('release_task_leg with terms', () => {
  testGuards(async (relay) => ({
    instruction: await relay.tasks.release(await stagedJob(relay, 'vacant'), { index: 0 }),
    owned: { InvalidAccountOwner: [1, 2, 3] },
    strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 3], InvalidAccount: [4] },
    fixedAccounts: 5,
  }));

  test('[T-80] only a vacant leg is released, by the coordinator', async ({ relay }) => {
    const stages: readonly JobStage[] = ['pending', 'accepted', 'claimed', 'disputed', 'ruled', 'vacant'];
    for (const [number, stage] of stages.entries()) {
      const job = await stagedJob(relay, stage, { number });
      const release = await relay.tasks.release(job, { index: 0 });
      for (const other of [job.poster, job.funder, await relay.courier(0)]) {
        expect(await errorOf(relay, signedBy(release, 0, other))).toBe('Unauthorized');
      }
      const expected = stage === 'vacant' ? undefined : 'InvalidStatus';
      expect([stage, await errorOf(relay, release)]).toEqual([stage, expected]);
    }
  });

  test('[T-80] the rent returns, the task is listed again, and the same agent may get the leg', async ({ relay }) => {
    const job = await stagedJob(relay, 'vacant');
    const before = await relay.lamports(relay.coordinator.address);
    must(await relay.ledger.send(await relay.tasks.release(job, { index: 0 })));
    expect(await relay.lamports(relay.coordinator.address)).toBe(before + 2_011_440n);
    expect(await relay.tasks.state(job)).toMatchObject({
      status: TaskStatus.Listed,
      formation: 1,
      agents: [NOBODY, NOBODY, NOBODY, NOBODY],
    });
    await relay.tasks.inProgress([0], job);
    expect((await relay.moves.leg(job)).turn.formation).toBe(2);
  });

  test.skipIf(CANNOT_SET_TIME)('[T-80] stays possible while paused and after the deadline', async ({ relay }) => {
    const release = await relay.tasks.release(await stagedJob(relay, 'vacant'), { index: 0 });
    await relay.pause();
    await relay.ledger.setClock(DEADLINE);
    expect((await relay.ledger.send(release)).error).toBeUndefined();
  });
});
