import { getReputationSize } from '@legwork/program-client';
import type { DigitalTaskDetail } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { sweepDrafts } from '../../src/sweeps.js';
import { listTaskInstruction } from '../../src/ledger/taskInstructions.js';
import { lamportsOf } from './scene.js';
import { post } from '../support/refusal.js';
import { untilQuiet } from '../support/snapshot.js';
import { goal, type TaskScene, withTaskScene } from './taskScene.js';
import { until } from '../support/until.js';

const scenes = withTaskScene();
const FEE = 5_000n;
const HOUR_MS = 3_600_000;
const AFTER_DEADLINE_SEC = 3_700;

const coordinatorLamports = (scene: TaskScene) => lamportsOf(scene.service, scene.context.ledger.coordinator.address);

/** A task at the coordinator's expense, whose deadline is an hour away by the ledger's clock. */
async function sponsored(scene: TaskScene, legs = 1): Promise<DigitalTaskDetail> {
  const poster = await scene.agent();
  const deadline = new Date((await scene.ledgerNow()) + HOUR_MS).toISOString();
  const body = { ...goal(legs), shipperPubkey: poster.pubkey, claimTimeoutSec: 60, deadline };
  const answer = await post(scene.service, '/digital-tasks/sponsored', body);
  const { id } = (await answer.json()) as { id: string };
  return scene.untilTask(id, ({ status }) => status === 'listed');
}

async function untilClosed(scene: TaskScene, taskId: string): Promise<DigitalTaskDetail> {
  await until('the account is closed', async () => (await scene.row(taskId)).close_signature !== null);
  await untilQuiet(scene.service);
  return scene.untilTask(taskId, () => true);
}

/** The rent of an account of so many bytes. */
const rent = (scene: TaskScene, bytes = 0) => scene.service.rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send();

describe('what the coordinator advanced comes back', () => {
  test('of a task that nobody works on, at its deadline, by cancelling and closing it (M-49)', async () => {
    const scene = scenes.current;
    const before = await coordinatorLamports(scene);
    const task = await sponsored(scene);
    await scene.service.advanceTime(AFTER_DEADLINE_SEC);
    expect(await untilClosed(scene, task.id)).toMatchObject({ status: 'failed', failureReason: 'cancelled' });
    // list, cancel and close; the empty account that keeps the id used stays.
    expect(before - (await coordinatorLamports(scene))).toBe(3n * FEE + (await rent(scene)));
  });

  test('of a task under way at its deadline, though the service was down then, by reclaiming it (M-49)', async () => {
    const scene = scenes.current;
    const before = await coordinatorLamports(scene);
    const task = await sponsored(scene, 2);
    const [first, second] = await scene.twoAgents();
    await scene.claim(first, task, 0);
    await scene.complete(first, task, 0);
    await scene.claim(second, task, 1);
    await scene.untilLeg(task.id, 1, 'in_progress');
    await untilQuiet(scene.service);
    await scene.service.stop();
    await scene.service.advanceTime(AFTER_DEADLINE_SEC);
    await scene.service.restart();
    expect(await untilClosed(scene, task.id)).toMatchObject({
      status: 'failed',
      failureReason: 'reclaimed',
      legs: [{ status: 'completed' }, { status: 'failed' }],
    });
    const reputations = 2n * (await rent(scene, getReputationSize()));
    // list, two assignments, one confirmation, reclaim and close.
    const kept = 6n * FEE + 100_000_000n + reputations + (await rent(scene));
    expect(before - (await coordinatorLamports(scene))).toBe(kept);
  });

  test('of a completed task, but for what the agents earned (M-49)', async () => {
    const scene = scenes.current;
    const before = await coordinatorLamports(scene);
    const task = await sponsored(scene);
    const agent = await scene.agent();
    await scene.claim(agent, task, 0);
    await scene.complete(agent, task, 0);
    expect(await untilClosed(scene, task.id)).toMatchObject({ status: 'completed' });
    // list, assign, confirm, settle and close.
    const kept = 5n * FEE + 100_000_000n + (await rent(scene, getReputationSize())) + (await rent(scene));
    expect(before - (await coordinatorLamports(scene))).toBe(kept);
  });

  test('of a task that is listed again after a cancellation of it was decided and not needed (M-49, M-60)', async () => {
    const scene = scenes.current;
    const task = await sponsored(scene);
    const agent = await scene.agent();
    // Its assignment is held up past the deadline's decision, so that the cancellation finds it under way.
    const { claimed } = await scene.claimHeld(agent, task);
    await scene.context.db
      .insertInto('outbox')
      .values({
        kind: 'cancel_task',
        subject: `task:${task.id}`,
        unique_key: `cancel_task:${task.id}:0`,
        payload: JSON.stringify({ taskId: task.id }),
      })
      .execute();
    await scene.letGo(task);
    await claimed;
    await scene.untilLeg(task.id, 0, 'in_progress');
    await scene.release(agent, task, 0);
    await scene.untilTask(task.id, ({ status }) => status === 'listed');
    await scene.service.advanceTime(AFTER_DEADLINE_SEC);
    expect(await untilClosed(scene, task.id)).toMatchObject({ status: 'failed', failureReason: 'cancelled' });
  });
});

describe('a sponsored listing that the ledger refuses', () => {
  test('leaves neither a task nor an advance (M-47)', async () => {
    const scene = scenes.current;
    const counts = async () => {
      const [tasks, advances] = await Promise.all([
        scene.context.db.selectFrom('digital_tasks').select('id').execute(),
        scene.context.db.selectFrom('sponsorships').select('subject_id').execute(),
      ]);
      return [tasks.length, advances.length];
    };
    const before = await counts();
    await scene.setPaused(true);
    const body = { ...goal(), shipperPubkey: (await scene.agent()).pubkey };
    const { status } = await post(scene.service, '/digital-tasks/sponsored', body);
    await scene.setPaused(false);
    expect(status).toBe(503);
    expect(await counts()).toEqual(before);
  });
});

describe('old drafts of tasks', () => {
  test('are removed with their legs after an hour, unless the ledger shows them listed (S-75)', async () => {
    const scene = scenes.current;
    const { ledger, db } = scene.context;
    const poster = await scene.service.party();
    const drafted = async (ageMinutes: number) => {
      const { taskId } = await poster.client.buildListDigitalTaskTx({ ...goal(), shipperPubkey: poster.pubkey });
      await db
        .updateTable('digital_tasks')
        .set({ created_at: new Date(Date.now() - ageMinutes * 60_000) })
        .where('id', '=', taskId)
        .execute();
      return taskId;
    };
    const [old, young, listed] = [await drafted(61), await drafted(59), await drafted(61)];
    await untilQuiet(scene.service);
    await scene.service.stop();
    const list = listTaskInstruction(ledger, await scene.row(listed), poster.signer, poster.signer);
    await scene.send(poster.signer, [list]);
    expect(await sweepDrafts(scene.context)).toBe(1);
    const left = await db.selectFrom('digital_tasks').select('id').where('id', 'in', [old, young, listed]).execute();
    expect(left.map(({ id }) => id).sort()).toEqual([young, listed].sort());
    expect(await db.selectFrom('digital_legs').select('id').where('task_id', '=', old).execute()).toEqual([]);
    await scene.service.restart();
    await scene.untilTask(listed, ({ status }) => status === 'listed');
  });
});
