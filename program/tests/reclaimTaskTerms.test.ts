import { LegStatus, TaskStatus } from '@legwork/program-client';
import { type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE, CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, must, NOW, SOL } from './harness/delivery.js';
import { gains } from './harness/gains.js';
import { testGuards } from './harness/guards.js';
import { firstLegs, type Job } from './harness/job.js';
import { stagedJob, type JobStage } from './harness/jobStages.js';
import { keyOf } from './harness/keys.js';
import { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { signedBy, swapped, truncated } from './harness/tamper.js';
import { ARBITRATION, EVIDENCE_HASH, INCINERATOR, REVIEW, STAKE } from './harness/terms.js';

const HALF = SOL / 2n;
const RENT_OF_VAULT = 890_880n;
const LEG_RENT = 2_011_440n;
const STAGES: readonly JobStage[] = ['pending', 'accepted', 'claimed', 'disputed', 'ruled', 'vacant'];

/** By the funder, with the agent of an accepted leg. */
async function reclaim(relay: Relay, job: Job, signer = job.funder, legs = firstLegs(1)): Promise<Instruction> {
  const { status, agent } = await relay.moves.leg(job, legs.length - 1);
  return relay.tasks.reclaim(job, legs, signer, status === LegStatus.Accepted ? [agent] : []);
}

describe.skipIf(CANNOT_SET_TIME)('reclaim_task with terms', () => {
  testGuards(async (relay) => {
    const job = await stagedJob(relay, 'accepted');
    await relay.ledger.setClock(DEADLINE);
    return {
      instruction: await reclaim(relay, job),
      owned: { InvalidAccountOwner: [1, 2, 6] },
      strangers: { Unauthorized: [0], InvalidAccountOwner: [1, 2, 6], InvalidAccount: [3, 4, 5, 7, 8] },
      fixedAccounts: 6,
    };
  });

  test('[T-84] [T-101] waits for the deadline once somebody has accepted, and for the coordinator whatever the leg is', async ({
    relay,
  }) => {
    for (const [number, stage] of STAGES.entries()) {
      const job = await stagedJob(relay, stage, { number });
      await relay.ledger.setClock(DEADLINE - 1n);
      const isUntouched = stage === 'pending' || stage === 'vacant';
      for (const signer of isUntouched ? [relay.coordinator] : [job.funder, job.poster, relay.coordinator]) {
        const { error } = await relay.ledger.send(await reclaim(relay, job, signer));
        expect([stage, error]).toEqual([stage, 'DeadlineNotReached']);
      }
      await relay.ledger.setClock(NOW);
    }
  });

  test.each(['pending', 'vacant'] as const)(
    '[T-101] ends at once for poster and funder while nobody has accepted the first leg: %s',
    async (stage) => {
      const relay = await Relay.initialised();
      for (const [number, by] of (['funder', 'poster'] as const).entries()) {
        const job = await stagedJob(relay, stage, { number });
        const before = await relay.lamports(job.funder.address);
        must(await relay.ledger.send(await reclaim(relay, job, job[by])));
        expect((await relay.tasks.state(job)).status).toBe(TaskStatus.Reclaimed);
        expect(await relay.lamports(job.vault)).toBe(0n);
        expect(await relay.lamports(job.funder.address)).toBeGreaterThan(before);
      }
    },
  );

  test('[T-101] waits for the deadline once a leg is completed, although nobody has accepted the next one', async ({
    relay,
  }) => {
    const job = await stagedJob(relay, 'claimed');
    must(
      await relay.ledger.send(await relay.tasks.confirm(job, 0, await relay.tasks.agent(0), EVIDENCE_HASH, job.poster)),
    );
    await relay.tasks.inProgress([1], job);
    const early = await relay.tasks.reclaim(job, firstLegs(2), job.poster);
    expect((await relay.ledger.send(early)).error).toBe('DeadlineNotReached');
  });

  test.each(['claimed', 'disputed', 'ruled'] as const)('[T-84] waits for a leg that is %s', async (stage) => {
    const relay = await Relay.initialised();
    const job = await stagedJob(relay, stage);
    await relay.ledger.setClock(DEADLINE + 365n * 86_400n);
    for (const signer of [job.funder, job.poster, relay.coordinator]) {
      expect((await relay.ledger.send(await reclaim(relay, job, signer))).error).toBe('ClaimPending');
    }
  });

  test.each([
    { stage: 'pending', stake: {} },
    { stage: 'vacant', stake: {} },
    { stage: 'accepted', stake: { courier: STAKE } },
  ] as const)('[T-85] ends a task whose leg is $stage, and the stake returns', async ({ stage, stake }) => {
    const relay = await Relay.initialised();
    const job = await stagedJob(relay, stage);
    await relay.ledger.setClock(DEADLINE);
    const leg = -LEG_RENT - (stake.courier ?? 0n);
    const rest = { leg, coordinator: LEG_RENT, funder: SOL + RENT_OF_VAULT, vault: -SOL - RENT_OF_VAULT };
    expect(await gains(relay, job, await reclaim(relay, job))).toEqual({ ...rest, ...stake });
    expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Reclaimed, paid: 0n });
    expect(await relay.ledger.account(await relay.taskLeg(job, 0))).toBeUndefined();
  });

  test('[T-85] takes exactly the agent of an accepted leg after the legs', async ({ relay }) => {
    const [accepted, pending] = [await stagedJob(relay, 'accepted'), await stagedJob(relay, 'pending', { number: 2 })];
    const agent = (await relay.courier(0)).address;
    await relay.ledger.setClock(DEADLINE);
    const right = await reclaim(relay, accepted);
    const refused = [
      [truncated(right, 8), 'InvalidLegCount'],
      [truncated(right, 7), 'InvalidLegCount'],
      [truncated(right, 6), 'InvalidLegCount'],
      [swapped(right, 8, accepted.poster.address), 'InvalidAccount'],
      [await relay.tasks.reclaim(accepted, firstLegs(1), accepted.funder, [agent, agent]), 'InvalidLegCount'],
      [await relay.tasks.reclaim(pending, firstLegs(1), pending.funder, [agent]), 'InvalidLegCount'],
    ] as const;
    for (const [place, [instruction, error]] of refused.entries()) {
      expect([place, (await relay.ledger.send(instruction)).error]).toEqual([place, error]);
    }
    must(await relay.ledger.send(right));
  });

  test('[T-85] the agent of a task without terms does not trail', async ({ relay }) => {
    const job = await relay.tasks.inProgress([0]);
    await relay.ledger.setClock(DEADLINE);
    const agent = await relay.tasks.agent(0);
    const trailed = await relay.tasks.reclaim(job, firstLegs(1), job.funder, [agent]);
    expect((await relay.ledger.send(trailed)).error).toBe('InvalidLegCount');
    must(await relay.ledger.send(await relay.tasks.reclaim(job, firstLegs(1))));
  });

  test.skipIf(CANNOT_FORGE)('[T-85] a stake that the agent cannot receive goes to the funder', async ({ relay }) => {
    const job = await stagedJob(relay, 'accepted');
    const instruction = await reclaim(relay, job);
    await relay.makeProgram((await relay.courier(0)).address);
    await relay.ledger.setClock(DEADLINE);
    expect(await gains(relay, job, instruction)).toMatchObject({ funder: SOL + RENT_OF_VAULT + STAKE });
  });

  test('[T-84] [T-85] of two legs, the first stays paid and the second decides', async ({ relay }) => {
    const { ledger, moves, tasks } = relay;
    const job = await stagedJob(relay, 'claimed');
    must(await ledger.send(await tasks.confirm(job, 0, await tasks.agent(0), EVIDENCE_HASH, job.poster)));
    const before = await relay.lamports(job.funder.address);
    await tasks.inProgress([1], job);
    must(await ledger.send(await moves.accept(job, { index: 1, formation: 2 })));
    await ledger.setClock(DEADLINE);
    must(await ledger.send(await reclaim(relay, job, job.poster, firstLegs(2))));
    expect(await relay.lamports(job.funder.address)).toBe(before + HALF + RENT_OF_VAULT);
    expect(await tasks.state(job)).toMatchObject({ status: TaskStatus.Reclaimed, paid: HALF });
  });
});

/** From here on the program is paused, and the coordinator is somebody who does nothing good. */
async function forsaken(relay: Relay): Promise<void> {
  must(await relay.ledger.send(relay.setCoordinator((await relay.courier(4)).address)));
  await relay.pause();
}

/** Ends what is claimed, disputed or ruled, with one key, at the first second possible; returns that second. */
async function resolve(relay: Relay, job: Job, signer: KeyPairSigner): Promise<bigint> {
  const { ledger, moves, tasks } = relay;
  let { status, turn } = await moves.leg(job);
  let now = NOW;
  const at = async (second: bigint) => {
    now = second > now ? second : now;
    await ledger.setClock(now);
  };
  if (status === LegStatus.Disputed) {
    await at(turn.since + ARBITRATION);
    must(await ledger.send(signedBy(await moves.rule(job, { form: 'default', percent: 50 }), 0, signer)));
    ({ status, turn } = await moves.leg(job));
  }
  if (status === LegStatus.Claimed) await at(turn.since + REVIEW);
  if (status !== LegStatus.Claimed && status !== LegStatus.Ruled) return now;
  must(await ledger.send(await tasks.confirm(job, 0, await tasks.agent(0), EVIDENCE_HASH, signer)));
  return now;
}

/** Every account that a lamport of this task can be in. */
async function sum(relay: Relay, job: Job): Promise<bigint> {
  const agent = await relay.courier(0);
  const people = [agent, job.poster, job.funder, relay.coordinator, await keyOf('arbiter')];
  const accounts = [job.task, job.vault, await relay.taskLeg(job, 0), INCINERATOR];
  const all: Address[] = [
    ...people.map(({ address }) => address),
    ...accounts,
    await relay.reputationOf(agent.address),
  ];
  let total = 0n;
  for (const address of all) total += await relay.lamports(address);
  return total;
}

describe.skipIf(CANNOT_SET_TIME)('alone, the program paused and the coordinator gone', () => {
  test.each(['funder', 'poster'] as const)('[T-86] [T-43] the %s leaves a task from every status', async (role) => {
    for (const stage of STAGES) {
      const relay = await Relay.initialised();
      await relay.courier(4);
      const job = await stagedJob(relay, stage);
      const total = await sum(relay, job);
      await forsaken(relay);
      await resolve(relay, job, job[role]);
      await relay.ledger.setClock(DEADLINE);
      must(await relay.ledger.send(await reclaim(relay, job, job[role])));
      expect(await relay.tasks.state(job)).toMatchObject({ status: TaskStatus.Reclaimed });
      expect(await relay.ledger.account(job.vault)).toBeUndefined();
      expect([stage, await sum(relay, job)]).toEqual([stage, total]);
    }
  });

  test('[T-86] the agent leaves or is paid: in full by silence, half of it by default', async () => {
    const gained = { accepted: 0n, claimed: HALF, disputed: HALF / 2n, ruled: (HALF * 30n) / 100n } as const;
    for (const [stage, payment] of Object.entries(gained) as [keyof typeof gained, bigint][]) {
      const relay = await Relay.initialised();
      await relay.courier(4);
      const agent = await relay.courier(0);
      const job = await stagedJob(relay, stage);
      const before = await relay.lamports(agent.address);
      await forsaken(relay);
      if (stage === 'accepted') must(await relay.ledger.send(await relay.moves.vacate(job)));
      const end = await resolve(relay, job, agent);
      expect(await relay.lamports(agent.address)).toBe(before + payment + (stage === 'ruled' ? 0n : STAKE));
      expect(end).toBeLessThanOrEqual(NOW + REVIEW + ARBITRATION);
    }
  });

  test('[T-86] the latest end is the deadline, a review and an arbitration', async ({ relay }) => {
    await relay.courier(4);
    const listing = { numLegs: 1 };
    const job = await stagedJob(relay, 'accepted', { listing });
    await forsaken(relay);
    await relay.ledger.setClock(DEADLINE - 1n);
    must(await relay.ledger.send(await relay.moves.claim(job)));
    await relay.ledger.setClock(DEADLINE - 1n + REVIEW - 1n);
    must(await relay.ledger.send(await relay.moves.dispute(job)));
    expect(await resolve(relay, job, job.funder)).toBe(DEADLINE - 2n + REVIEW + ARBITRATION);
    must(await relay.ledger.send(await relay.tasks.settle(job, firstLegs(1), job.funder)));
    expect(await relay.ledger.account(job.vault)).toBeUndefined();
  });
});
