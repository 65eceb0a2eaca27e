import { TaskStatus } from '@legwork/program-client';
import { type DigitalTaskDetail, listPackage } from '@legwork/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { readAssignedLegs } from '../../src/ledger/accounts.js';
import { assignTaskLegIntent, confirmTaskLegIntent } from '../../src/outbox/taskLegs.js';
import type { IntentHandler } from '../../src/outbox/intentHandler.js';
import {
  assignTaskLegInstruction,
  cancelTaskInstruction,
  reclaimTaskInstruction,
  releaseTaskLegInstruction,
} from '../../src/ledger/taskInstructions.js';
import type { AppContext } from '../../src/context.js';
import { leaseNext } from '../../src/db/outbox.js';
import { findPackage } from '../../src/packages/packageRows.js';
import { lamportsOf } from '../coordinator/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import type { Party } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { type goal, type TaskScene, withTaskScene } from '../coordinator/taskScene.js';
import { until } from '../support/until.js';

const scenes = withTaskScene();
const SHARE = 100_000_000n;
const HOUR_MS = 3_600_000;

afterEach(() => scenes.current.setPaused(false));

async function cancelOf(scene: TaskScene, poster: Party, task: DigitalTaskDetail) {
  return cancelTaskInstruction(scene.context.ledger, await scene.row(task.id), poster.signer);
}

/** A task one leg of which is assigned. */
async function assigned(scene: TaskScene, legs = 1, changes: Parameters<typeof goal>[1] = {}) {
  const [{ poster, task }, agent] = await Promise.all([scene.listed(legs, changes), scene.agent()]);
  await scene.claim(agent, task, 0);
  await scene.untilLeg(task.id, 0, 'in_progress');
  await untilQuiet(scene.service);
  return { poster, task, agent };
}

/** The times of a task whose deadline is an hour away by the ledger's clock. */
async function dueInAnHour(scene: TaskScene) {
  return { claimTimeoutSec: 60, deadline: new Date((await scene.ledgerNow()) + HOUR_MS).toISOString() };
}

/** Refuses what is the task's turn, as the ledger would, with the service stopped; however far away its next try is. */
function refusalOf(context: AppContext, handler: IntentHandler, relayError: 'Paused' | 'PayeeCannotReceive') {
  return async () => {
    await context.db.updateTable('outbox').set({ available_at: new Date() }).where('status', '=', 'pending').execute();
    const intent = await leaseNext(context.db, 30);
    if (!intent) throw new Error('an intent is due');
    await handler.refused(context, intent, { reason: relayError, relayError, instructionIndex: 2 });
  };
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

describe("a claim and somebody else's assignment, with the coordinator's key", () => {
  test('of which the assignment is first: the claim is void, the leg not open, and nobody barred (M-61, S-50)', async () => {
    const scene = scenes.current;
    const { ledger } = scene.context;
    const [{ task }, [stranger, agent]] = await Promise.all([scene.listed(1), scene.twoAgents()]);
    await untilQuiet(scene.service);
    await scene.service.stop();
    const row = await scene.row(task.id);
    const theirs = await scene.legRow(task.id, 0, stranger.pubkey);
    await scene.send(ledger.coordinator, [await assignTaskLegInstruction(ledger, row, theirs)]);
    await scene.claimStored(agent, task);
    await scene.service.restart();
    await untilQuiet(scene.service);
    const { legs } = await scene.untilTask(task.id, () => true);
    expect(legs[0]).toMatchObject({ status: 'pending', agentPubkey: null, isOpen: false });
    expect(await scene.barred(task.id)).toEqual([]);

    await scene.send(ledger.coordinator, [releaseTaskLegInstruction(ledger, row, theirs, ledger.coordinator.address)]);
    await untilQuiet(scene.service);
    await scene.claim(agent, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
  });
});

/** The task's intent of this kind once the pause has refused it so often; its next try is then far away. */
async function putOff(
  scene: TaskScene,
  taskId: string,
  kind: 'assign_task_leg' | 'confirm_task_leg',
  refusals: number,
) {
  return until(`${kind} was refused`, () =>
    scene.context.db
      .updateTable('outbox')
      .set({ available_at: new Date(Date.now() + HOUR_MS) })
      .where('subject', '=', `task:${taskId}`)
      .where('kind', '=', kind)
      .where('attempts', '>=', refusals)
      .returning(['status', 'last_error'])
      .executeTakeFirst(),
  );
}

/** Puts the next evaluation of a package whose formation failed far away. */
async function putEvaluationOff({ context: { db } }: TaskScene, packageId: string) {
  return until('a formation was refused', () =>
    db
      .updateTable('packages')
      .set({ evaluate_at: new Date(Date.now() + HOUR_MS) })
      .where('id', '=', packageId)
      .where('status', '=', 'listed')
      .where('failed_formations', '>', 0)
      .returning('failed_formations')
      .executeTakeFirst(),
  );
}

describe('while the program is paused', () => {
  const waits = { status: 'pending', last_error: expect.stringContaining('Paused') };

  test('a confirmation waits, visibly, for as long as it takes, and is paid once as soon as the pause ends (M-59)', async () => {
    const scene = scenes.current;
    const { task, agent } = await assigned(scene);
    await scene.setPaused(true);
    const handedIn = scene.complete(agent, task, 0);
    expect(await putOff(scene, task.id, 'confirm_task_leg', 2)).toMatchObject(waits);
    expect(await handedIn).toMatchObject({ status: 'in_progress', paymentLamports: null });
    await scene.setPaused(false);
    await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(await lamportsOf(scene.service, agent.pubkey)).toBe(SHARE);
  });

  test('a claim and the result handed in for it wait, and go on as soon as the pause ends (M-61)', async () => {
    const scene = scenes.current;
    const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    await scene.setPaused(true);
    const claimed = scene.claim(agent, task, 0);
    await scene.untilDecided(task.id, 'assign_task_leg');
    const handedIn = scene.complete(agent, task, 0);
    await scene.untilDecided(task.id, 'confirm_task_leg');
    expect(await putOff(scene, task.id, 'assign_task_leg', 1)).toMatchObject(waits);
    await scene.setPaused(false);
    await scene.untilTask(task.id, ({ status }) => status === 'completed');
    await Promise.all([claimed, handedIn]);
    expect(await scene.events(task.id)).not.toContain('TASK_LEG_RELEASED refused');
    expect(await lamportsOf(scene.service, agent.pubkey)).toBe(SHARE);
  });

  test('a claim with its result waits until the deadline: what is in escrow has to get out (M-61, M-49)', async () => {
    const scene = scenes.current;
    const { context } = scene;
    const [{ task }, agent] = await Promise.all([scene.listed(1, await dueInAnHour(scene)), scene.agent()]);
    await untilQuiet(scene.service);
    await scene.service.stop();
    await scene.claimStored(agent, task);
    await scene.handInStored(task);
    const refuse = refusalOf(context, assignTaskLegIntent, 'Paused');
    await refuse();
    expect(await scene.intents(task.id)).toEqual(['assign_task_leg pending', 'confirm_task_leg pending']);
    await scene.service.advanceTime(3_700);
    await refuse();
    expect(await scene.intents(task.id)).toEqual(['assign_task_leg done', 'confirm_task_leg pending']);
    expect(await scene.barred(task.id)).toEqual([]);
    await scene.service.restart();
    await untilQuiet(scene.service);
    expect((await scene.untilTask(task.id, () => true)).legs[0]).toMatchObject({
      status: 'pending',
      agentPubkey: null,
    });
  });

  test('a package finds no couriers, and its bids are looked at as soon as the pause ends (M-42)', async () => {
    const scene = scenes.current;
    const [shipper, courier] = await Promise.all([scene.service.party(), scene.service.party(1)]);
    const parcel = await listPackage(scene.clientOf(shipper), shipper.signer, draft());
    await scene.setPaused(true);
    await scene.clientOf(courier).submitBid(bidInput(courier, parcel.id, 'zoo', 'ostkreuz', 0.1));
    await putEvaluationOff(scene, parcel.id);
    await scene.setPaused(false);
    await untilPackage(scene.service, parcel.id, ({ status }) => status === 'in_transit');
    // A formation that fails later is tried again soon, as the first of them.
    const row = await findPackage(scene.context.db, parcel.id);
    expect(row?.failed_formations).toBe(0);
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
    const { ledger, db } = scene.context;
    const { poster, task, agent } = await assigned(scene, 1, await dueInAnHour(scene));
    await scene.setPaused(true);
    const handedIn = Promise.allSettled([scene.complete(agent, task, 0)]);
    await scene.untilDecided(task.id, 'confirm_task_leg');
    await scene.service.advanceTime(3_700);
    const legs = await readAssignedLegs(ledger, [task.legs[0]?.onChainLeg ?? '']);
    const reclaim = reclaimTaskInstruction(ledger, await scene.row(task.id), legs, poster.signer);
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
    const refuse = async () => {
      await refusalOf(context, confirmTaskLegIntent, 'PayeeCannotReceive')();
      return (await scene.intents(task.id)).at(-1);
    };
    expect(await refuse()).toBe('confirm_task_leg pending');
    await scene.service.advanceTime(3_700);
    expect(await refuse()).toBe('confirm_task_leg done');
    await scene.service.restart();
  });
});
