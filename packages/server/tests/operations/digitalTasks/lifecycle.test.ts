import { resultHash, taskTermsHash } from '@legwork/protocol/rules';
import { expect, test } from 'vitest';
import { withService } from '../../support/service.js';
import { balanceOf, claim, eventsOf, goal, handIn, legIdOf, postedTask, untilTask } from './scene.js';
import { personal } from '../../../src/db/sealing.js';

const service = withService();

const SHARE = 50_000_000n;

test('a task is worked on leg by leg: each agent gets the result before its own and the equal share, the poster the rest (M-50, M-52, M-55 to M-60, S-55 to S-58)', async () => {
  const { poster, task } = await postedTask(service.current);
  const [first, second] = [await service.current.party(1), await service.current.party(1)];
  expect(task).toMatchObject({
    status: 'listed',
    shipperPubkey: poster.pubkey,
    funderPubkey: poster.pubkey,
    isPlanned: false,
    numLegs: 2,
    completedLegs: 0,
    maxBudgetLamports: 100_000_001n,
    paymentPerLegSol: 0.05,
    paymentPerLegLamports: SHARE,
    claimTimeoutSec: 1800,
    resourceUri: `relay://digital-tasks/${task.id}`,
    legs: [
      { legIndex: 0, status: 'pending', isOpen: true, isWorkable: true, agentPubkey: null, result: null },
      { legIndex: 1, status: 'pending', isOpen: true, isWorkable: false, agentPubkey: null, result: null },
    ],
  });
  const { title, description, legs = [] } = goal();
  const instructions = legs.map(({ instruction }) => instruction);
  expect(task.termsHash).toBe(taskTermsHash({ title, description, instructions, salt: task.salt }).hex);

  const reserved = await claim(second, task, 1, 0.05);
  expect(reserved).toMatchObject({
    legIndex: 1,
    status: 'pending',
    isWorkable: false,
    bidLamports: SHARE,
    dueAt: null,
    assignSignature: null,
    previousResult: null,
  });
  expect((await poster.client.getDigitalTask({ taskId: task.id })).status).toBe('listed');

  const claimed = await claim(first, task, 0, 0.000000001);
  expect(claimed).toMatchObject({
    taskId: task.id,
    legId: legIdOf(task, 0),
    agentPubkey: first.pubkey,
    status: 'in_progress',
    isWorkable: true,
    instruction: 'Group it by topic.',
    bidSol: 0.000000001,
    bidLamports: 1n,
    paymentPerLegLamports: SHARE,
    claimTimeoutSec: 1800,
    previousResult: null,
    resourceUri: task.resourceUri,
  });
  expect(claimed.assignSignature).not.toBeNull();
  // The claim timeout, counted from the assignment.
  const left = (claimed.dueAt?.getTime() ?? 0) - Date.now();
  expect(left).toBeGreaterThan(1_700_000);
  expect(left).toBeLessThanOrEqual(1_800_000);
  expect((await poster.client.getDigitalTask({ taskId: task.id })).status).toBe('in_progress');

  const [before, beforeSecond] = [await balanceOf(service.current, first), await balanceOf(service.current, second)];
  const handed = await handIn(first, task, 0, 'Topics: délivery ✓');
  expect(handed).toMatchObject({
    taskId: task.id,
    legIndex: 0,
    status: 'completed',
    taskStatus: 'in_progress',
    resultBytes: 21,
    resultHash: resultHash('Topics: délivery ✓').hex,
    paymentLamports: SHARE,
    nextLeg: { legId: legIdOf(task, 1), agentPubkey: second.pubkey },
  });
  expect(handed.confirmSignature).not.toBeNull();
  expect((await balanceOf(service.current, first)) - before).toBe(SHARE);

  // The reservation becomes work by itself; asking again shows it, with the result to go on from.
  const turn = await claim(second, task, 1, 0.05);
  expect(turn).toMatchObject({ status: 'in_progress', isWorkable: true, previousResult: 'Topics: délivery ✓' });
  expect(await handIn(second, task, 1, 'Delivery is late.')).toMatchObject({
    status: 'completed',
    taskStatus: 'completed',
    paymentLamports: SHARE,
    nextLeg: null,
  });
  expect((await balanceOf(service.current, second)) - beforeSecond).toBe(SHARE);

  const over = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  expect(over).toMatchObject({
    completedLegs: 2,
    refundLamports: 1n,
    legs: [
      {
        status: 'completed',
        agentPubkey: first.pubkey,
        bidLamports: 1n,
        paymentLamports: SHARE,
        result: 'Topics: délivery ✓',
        resultBytes: 21,
        resultHash: handed.resultHash,
        isWorkable: false,
        dueAt: null,
      },
      { status: 'completed', agentPubkey: second.pubkey, paymentLamports: SHARE, result: 'Delivery is late.' },
    ],
  });
  for (const agentPubkey of [first.pubkey, second.pubkey]) {
    expect(await poster.client.getReputation({ agentPubkey })).toMatchObject({
      legsAccepted: 1,
      legsCompleted: 1,
      reliabilityScore: 100,
    });
  }
  expect((await eventsOf(service.current, task.id)).map(({ type }) => type)).toEqual([
    'TASK_LISTED',
    'TASK_LEG_CLAIMED',
    'TASK_LEG_CLAIMED',
    'TASK_LEG_ASSIGNED',
    'TASK_LEG_COMPLETED',
    'TASK_LEG_ASSIGNED',
    'TASK_LEG_COMPLETED',
    'TASK_COMPLETED',
  ]);
});

test('a result is nobody else’s before the ledger has confirmed it (M-58)', async () => {
  const { poster, task } = await postedTask(service.current);
  const agent = await service.current.party(1);
  await claim(agent, task, 0);
  await service.current.db
    .updateTable('digital_legs')
    .set({ result: personal('a secret'), result_hash: 'hash' })
    .where('id', '=', legIdOf(task, 0))
    .execute();
  const shown = await poster.client.getDigitalTask({ taskId: task.id });
  expect(shown.legs[0]).toMatchObject({ status: 'in_progress', result: null, resultBytes: null, resultHash: null });
  expect(JSON.stringify(await eventsOf(service.current, task.id))).not.toContain('secret');
});
