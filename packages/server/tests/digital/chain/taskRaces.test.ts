import { TaskStatus } from '@agent-relay/program-client';
import type { DigitalTaskDetail } from '@agent-relay/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { readAssignedLegs } from '../../../src/chain/accounts.js';
import { assignTaskLegIntent } from '../../../src/chain/outbox/assignTaskLegIntent.js';
import { confirmTaskLegIntent } from '../../../src/chain/outbox/confirmTaskLegIntent.js';
import { cancelTaskInstruction, reclaimTaskInstruction } from '../../../src/chain/taskInstructions.js';
import { leaseNext } from '../../../src/db/outbox.js';
import { lamportsOf } from '../../formation/scene.js';
import type { Party } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { until } from '../../chain/walletScene.js';
import { type goal, type TaskScene, withTaskScene } from './taskScene.js';

const scenes = withTaskScene();
const SHARE = 100_000_000n;
const HOUR_MS = 3_600_000;

afterEach(() => scenes.current.setPaused(false));

async function cancelOf(scene: TaskScene, poster: Party, task: DigitalTaskDetail) {
  return cancelTaskInstruction(scene.context.chain, await scene.row(task.id), poster.signer);
}

/** A task one leg of which is assigned. */
async function assigned(scene: TaskScene, legs = 1, changes: Parameters<typeof goal>[1] = {}) {
  const [{ poster, task }, agent] = await Promise.all([scene.listed(legs, changes), scene.agent()]);
  await scene.claim(agent, task, 0);
  await scene.untilLeg(task.id, 0, 'in_progress');
  await untilQuiet(scene.service);
  return { poster, task, agent };
}

/** What a task says whose deadline is an hour away by the ledger's clock. */
async function dueInAnHour(scene: TaskScene) {
  return { claimTimeoutSec: 60, deadline: new Date((await scene.ledgerNow()) + HOUR_MS).toISOString() };
}

describe('a cancellation and an assignment', () => {
  test('of which the cancellation is first: the task is over, and the claim with it (M-60)', async () => {
    const scene = scenes.current;
    const [{ poster, task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    const { claimed } = await scene.claimHeld(agent, task);
    await scene.send(poster.signer, [await cancelOf(scene, poster, task)]);
    await scene.letGo(task);
    await claimed;
    const failed = await scene.untilTask(task.id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({ failureReason: 'cancelled', legs: [{ status: 'failed' }] });
    await untilQuiet(scene.service);
    expect(await scene.intents(task.id)).toEqual(['assign_task_leg done']);
    expect(await scene.events(task.id)).not.toContain('TASK_LEG_ASSIGNED');
    expect(await scene.reputation(agent)).toEqual({ accepted: 0n, completed: 0n });
  });

  test('of which the cancellation is first and the mirror has not seen it: the claim is void, nobody barred (M-61)', async () => {
    const scene = scenes.current;
    const { context } = scene;
    const [{ poster, task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    await untilQuiet(scene.service);
    await scene.service.stop();
    await scene.claimStored(agent, task);
    await scene.send(poster.signer, [await cancelOf(scene, poster, task)]);
    const intent = await leaseNext(context.db, 30);
    if (!intent) throw new Error('the assignment is due');
    const failure = { reason: 'InvalidStatus', relayError: 'InvalidStatus' as const, instructionIndex: 2 };
    await assignTaskLegIntent.refused(context, intent, failure);
    expect(await scene.barred(task.id)).toEqual([]);
    await scene.service.restart();
    await scene.untilTask(task.id, ({ status }) => status === 'failed');
    await untilQuiet(scene.service);
    expect(await scene.events(task.id)).toEqual([
      'TASK_LISTED',
      'TASK_LEG_CLAIMED',
      'TASK_LEG_RELEASED refused',
      'TASK_FAILED',
    ]);
  });

  test('of which the assignment is first: the ledger refuses the cancellation (M-60)', async () => {
    const scene = scenes.current;
    const { poster, task } = await assigned(scene);
    await scene.send(poster.signer, [await cancelOf(scene, poster, task)]);
    await untilQuiet(scene.service);
    expect(await scene.onLedger(task)).toMatchObject({ status: TaskStatus.InProgress });
    expect(await scene.untilTask(task.id, () => true)).toMatchObject({ status: 'in_progress' });
  });

  test('at the same moment: the mirror is as the ledger, whichever was first (M-60)', async () => {
    const scene = scenes.current;
    const market = await Promise.all(Array.from({ length: 6 }, () => Promise.all([scene.listed(1), scene.agent()])));
    await Promise.all(
      market.map(async ([{ poster, task }, agent]) => {
        const cancel = await cancelOf(scene, poster, task);
        await Promise.allSettled([scene.claim(agent, task, 0), scene.send(poster.signer, [cancel])]);
      }),
    );
    await untilQuiet(scene.service);
    for (const [{ task }] of market) {
      const account = await scene.onLedger(task);
      const { status } = await scene.row(task.id);
      expect(status).toBe(account?.status === TaskStatus.Cancelled ? 'failed' : 'in_progress');
    }
  });
});

describe('while the program is paused', () => {
  test('a confirmation waits, visibly, for as long as it takes, and is paid once as soon as the pause ends (M-59)', async () => {
    const scene = scenes.current;
    const { task, agent } = await assigned(scene);
    await scene.setPaused(true);
    const handedIn = scene.complete(agent, task, 0);
    const confirming = scene.context.db
      .selectFrom('outbox')
      .select(['status', 'attempts', 'last_error'])
      .where('subject', '=', `task:${task.id}`)
      .where('kind', '=', 'confirm_task_leg');
    const waiting = await until('the confirmation was refused twice', async () => {
      const row = await confirming.executeTakeFirst();
      return row && row.attempts >= 2 && row;
    });
    expect(waiting).toMatchObject({ status: 'pending', last_error: expect.stringContaining('Paused') });
    expect(await handedIn).toMatchObject({ status: 'in_progress', paymentLamports: null });
    // Its next try is far away by now.
    await scene.context.db
      .updateTable('outbox')
      .set({ available_at: new Date(Date.now() + HOUR_MS) })
      .where('subject', '=', `task:${task.id}`)
      .where('kind', '=', 'confirm_task_leg')
      .execute();
    await scene.setPaused(false);
    await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(await lamportsOf(scene.service, agent.pubkey)).toBe(SHARE);
  });

  test('a release goes on (M-57)', async () => {
    const scene = scenes.current;
    const { task, agent } = await assigned(scene);
    await scene.setPaused(true);
    await scene.release(agent, task, 0);
    const released = await scene.untilTask(task.id, ({ status }) => status === 'listed');
    expect(released.legs[0]).toMatchObject({ status: 'pending', agentPubkey: null });
  });
});

describe('a reclaim while a result waits', () => {
  test('ends the task; the confirmation ends quietly and pays nobody (M-60)', async () => {
    const scene = scenes.current;
    const { chain, db } = scene.context;
    const { poster, task, agent } = await assigned(scene, 1, await dueInAnHour(scene));
    await scene.setPaused(true);
    const handedIn = Promise.allSettled([scene.complete(agent, task, 0)]);
    await scene.untilDecided(task.id, 'confirm_task_leg');
    await scene.service.advanceTime(3_700);
    const legs = await readAssignedLegs(chain, [task.legs[0]?.onChainLeg ?? '']);
    const reclaim = reclaimTaskInstruction(chain, await scene.row(task.id), legs, poster.signer);
    await scene.send(poster.signer, [reclaim]);
    await scene.setPaused(false);
    const failed = await scene.untilTask(task.id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({ failureReason: 'reclaimed', legs: [{ status: 'failed', result: null }] });
    await handedIn;
    await untilQuiet(scene.service);
    expect((await scene.intents(task.id)).at(-1)).toBe('confirm_task_leg done');
    expect(await lamportsOf(scene.service, agent.pubkey)).toBe(0n);
    const row = await db.selectFrom('digital_legs').select('result').where('task_id', '=', task.id).executeTakeFirst();
    expect(row?.result).toBe('result 0');
  });
});

describe('an agent whose account cannot take its payment', () => {
  test('is asked again until the deadline, and holds nothing up after that (M-59, M-49)', async () => {
    const scene = scenes.current;
    const { context } = scene;
    const { task } = await assigned(scene, 1, await dueInAnHour(scene));
    await scene.service.stop();
    await scene.handInStored(task);
    const failure = { reason: 'PayeeCannotReceive', relayError: 'PayeeCannotReceive', instructionIndex: 2 } as const;
    const refuse = async () => {
      const intent = await leaseNext(context.db, 30);
      if (!intent) throw new Error('the confirmation is due');
      await confirmTaskLegIntent.refused(context, intent, failure);
      return (await scene.intents(task.id)).at(-1);
    };
    expect(await refuse()).toBe('confirm_task_leg pending');
    await context.db.updateTable('outbox').set({ available_at: new Date() }).where('status', '=', 'pending').execute();
    await scene.service.advanceTime(3_700);
    expect(await refuse()).toBe('confirm_task_leg done');
    await scene.service.restart();
  });
});
