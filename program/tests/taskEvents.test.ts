import {
  getTaskCancelledEventDecoder,
  getTaskClosedEventDecoder,
  getTaskLegAssignedEventDecoder,
  getTaskLegConfirmedEventDecoder,
  getTaskLegReleasedEventDecoder,
  getTaskListedEventDecoder,
  getTaskReclaimedEventDecoder,
  getTaskSettledEventDecoder,
} from '@legwork/program-client';
import { describe, expect } from 'vitest';
import { CANNOT_SET_TIME } from './harness/backend.js';
import { DEADLINE, SOL, TERMS_HASH } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { firstLegs, RESULT_HASH } from './harness/job.js';
import { test } from './harness/relayTest.js';

const RENT_OF_VAULT = 890_880n;

describe('[P-8] every instruction about tasks logs one event', () => {
  test('list_task, cancel_task and close_task', async ({ relay }) => {
    const { ledger, tasks } = relay;
    const job = await tasks.job();
    const { task } = job;
    expect(decoded(getTaskListedEventDecoder(), await ledger.send(tasks.list(job, { numLegs: 3 })))).toEqual({
      discriminator: 16,
      task,
      poster: job.poster.address,
      funder: job.funder.address,
      numLegs: 3,
      maxBudget: SOL,
      deadline: DEADLINE,
      termsHash: TERMS_HASH,
    });
    expect(decoded(getTaskCancelledEventDecoder(), await ledger.send(tasks.cancel(job)))).toEqual({
      discriminator: 21,
      task,
      refundLamports: SOL + RENT_OF_VAULT,
    });
    expect(decoded(getTaskClosedEventDecoder(), await ledger.send(tasks.close(job)))).toEqual({
      discriminator: 23,
      task,
      rentLamports: (312n + 128n) * 6_960n - RENT_OF_VAULT,
    });
  });

  test('assign_task_leg, release_task_leg, confirm_task_leg and settle_task', async ({ relay }) => {
    const { ledger, tasks } = relay;
    const job = await tasks.listed(1, { numLegs: 2 });
    const { task } = job;
    const [agent, taskLeg] = [await tasks.agent(1), await relay.taskLeg(job, 1)];
    const leg = { task, taskLeg, agent, index: 1 };

    const assigned = await ledger.send(await tasks.assign(job, 1, agent));
    expect(decoded(getTaskLegAssignedEventDecoder(), assigned)).toEqual({
      discriminator: 17,
      ...leg,
      paymentLamports: SOL / 2n,
    });
    const released = await ledger.send(await tasks.release(job, { index: 1 }));
    expect(decoded(getTaskLegReleasedEventDecoder(), released)).toEqual({ discriminator: 18, ...leg });
    await tasks.inProgress([0, 1], job);
    const first = await ledger.send(await tasks.result(job, 0));
    expect(decoded(getTaskLegConfirmedEventDecoder(), first)).toEqual({
      discriminator: 19,
      task,
      taskLeg: await relay.taskLeg(job, 0),
      agent: await tasks.agent(0),
      index: 0,
      paymentLamports: SOL / 2n,
      resultHash: RESULT_HASH,
    });
    const last = await ledger.send(await tasks.result(job, 1));
    expect(decoded(getTaskLegConfirmedEventDecoder(), last)).toMatchObject(leg);
    const settled = await ledger.send(await tasks.settle(job, firstLegs(2)));
    expect(decoded(getTaskSettledEventDecoder(), settled)).toEqual({
      discriminator: 20,
      task,
      paidLamports: SOL,
      refundLamports: RENT_OF_VAULT,
    });
  });

  test.skipIf(CANNOT_SET_TIME)('reclaim_task', async ({ relay }) => {
    const { ledger, tasks } = relay;
    const job = await tasks.inProgress([0, 1]);
    await ledger.send(await tasks.result(job, 0));
    await ledger.setClock(DEADLINE);
    const reclaimed = await ledger.send(await tasks.reclaim(job, firstLegs(2)));
    expect(decoded(getTaskReclaimedEventDecoder(), reclaimed)).toEqual({
      discriminator: 22,
      task: job.task,
      paidLamports: SOL / 2n,
      refundLamports: SOL / 2n + RENT_OF_VAULT,
    });
  });
});
