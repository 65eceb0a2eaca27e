import type { DigitalTaskDetail } from '@legwork/sdk';
import { address } from '@solana/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { decideRelease } from '../../src/coordinator/taskWork.js';
import { voidClaim } from '../../src/tasks/claimRows.js';
import { findLanded } from '@legwork/program-client/history';
import { assignTaskLegIntent, confirmTaskLegIntent, releaseTaskLegIntent } from '../../src/outbox/taskLegs.js';
import { broadcast } from '../../src/outbox/broadcast.js';
import type { IntentHandler } from '../../src/outbox/intentHandler.js';
import { settleTaskIntent } from '../../src/outbox/exits.js';
import { lockTask } from '../../src/tasks/taskRows.js';
import { discardSigned, releaseLease } from '../../src/db/outbox.js';
import { inTransaction } from '../../src/db/transaction.js';
import { lamportsOf } from '../coordinator/scene.js';
import type { Party } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { deliver, signNext, type TaskScene, withTaskScene } from '../coordinator/taskScene.js';

const scenes = withTaskScene();
const SHARE = 100_000_000n;

interface Work {
  agent: Party;
  task: DigitalTaskDetail;
}

/** A decision about a claim that is not begun, with the service stopped. */
interface Step {
  name: string;
  handler: IntentHandler;
  decide: (scene: TaskScene) => Promise<Work>;
  /** Waits for its effects, and answers the signature that they name. */
  done: (scene: TaskScene, work: Work) => Promise<string | null>;
}

async function assignedLeg(scene: TaskScene): Promise<Work> {
  const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
  await scene.claim(agent, task, 0);
  await scene.untilLeg(task.id, 0, 'in_progress');
  await scene.service.stop();
  return { agent, task };
}

async function decideReleaseOf(scene: TaskScene, taskId: string): Promise<void> {
  await inTransaction(scene.context.db, async (trx) => {
    await lockTask(trx, taskId);
    await decideRelease(scene.context, trx, await scene.legRow(taskId, 0), 'released');
  });
}

const STEPS: Record<'assignTaskLeg' | 'confirmTaskLeg' | 'settleTask' | 'releaseTaskLeg', Step> = {
  assignTaskLeg: {
    name: 'an assignment',
    handler: assignTaskLegIntent,
    async decide(scene) {
      const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
      await scene.service.stop();
      await scene.claimStored(agent, task);
      return { agent, task };
    },
    async done(scene, { task }) {
      const { legs } = await scene.untilLeg(task.id, 0, 'in_progress');
      return legs[0]?.assignSignature ?? null;
    },
  },
  confirmTaskLeg: {
    name: 'a confirmation',
    handler: confirmTaskLegIntent,
    async decide(scene) {
      const work = await assignedLeg(scene);
      await scene.handInStored(work.task);
      return work;
    },
    async done(scene, { task }) {
      const { legs } = await scene.untilTask(task.id, ({ status }) => status === 'completed');
      return legs[0]?.confirmSignature ?? null;
    },
  },
  settleTask: {
    name: 'a settlement',
    handler: settleTaskIntent,
    async decide(scene) {
      const work = await assignedLeg(scene);
      await scene.handInStored(work.task);
      const { intent, bytes } = await signNext(scene.context, confirmTaskLegIntent);
      await deliver(scene.context, intent, bytes);
      return work;
    },
    async done(scene, { task }) {
      return (await scene.untilTask(task.id, ({ status }) => status === 'completed')).settleSignature;
    },
  },
  releaseTaskLeg: {
    name: 'a release',
    handler: releaseTaskLegIntent,
    async decide(scene) {
      const work = await assignedLeg(scene);
      await decideReleaseOf(scene, work.task.id);
      return work;
    },
    async done(scene, { task }) {
      await scene.untilTask(task.id, ({ status }) => status === 'listed');
      return (await scene.barred(task.id))[0]?.release_signature ?? null;
    },
  },
};
const steps = Object.entries(STEPS).map(([instruction, step]) => ({ instruction, ...step }));

/** How often the ledger shows the instruction in successful transactions about the leg. */
async function timesOnLedger({ context, service }: TaskScene, { task }: Work, name: string): Promise<number> {
  const account = address(task.legs[0]?.onChainLeg ?? '');
  const history = await service.rpc.getSignaturesForAddress(account, { commitment: 'confirmed' }).send();
  const landed = await Promise.all(history.map(({ signature }) => findLanded(context.ledger, signature)));
  return landed
    .flatMap((found) => (found?.kind === 'landed' ? found.instructions : []))
    .filter((one) => one.name === name).length;
}

/** Requires the agent's due, once everything is done: one payment for a confirmed result, nothing otherwise. */
async function requireOnce(scene: TaskScene, work: Work, instruction: string): Promise<void> {
  await untilQuiet(scene.service);
  expect(await timesOnLedger(scene, work, instruction)).toBe(1);
  const paid = instruction === 'confirmTaskLeg' || instruction === 'settleTask';
  expect(await lamportsOf(scene.service, work.agent.pubkey)).toBe(paid ? SHARE : 0n);
  expect(await scene.reputation(work.agent)).toEqual({ accepted: 1n, completed: paid ? 1n : 0n });
  expect((await scene.intents(work.task.id)).filter((intent) => !intent.endsWith(' done'))).toEqual([]);
}

beforeEach(() => untilQuiet(scenes.current.service));

describe.each(steps)('$name whose worker was killed', ({ instruction, handler, decide, done }) => {
  test('after the bytes were persisted is done with those very bytes (M-59)', async () => {
    const scene = scenes.current;
    const work = await decide(scene);
    const { bytes } = await signNext(scene.context, handler);
    await scene.service.restart();
    expect(await done(scene, work)).toBe(bytes.signature);
    await requireOnce(scene, work, instruction);
  });

  test('after they landed is taken over, not repeated (M-59)', async () => {
    const scene = scenes.current;
    const work = await decide(scene);
    const { bytes } = await signNext(scene.context, handler);
    expect(await broadcast(scene.context.ledger, bytes, () => undefined)).toMatchObject({ kind: 'landed' });
    await scene.service.restart();
    expect(await done(scene, work)).toBe(bytes.signature);
    await requireOnce(scene, work, instruction);
  });

  test('is signed again once the persisted bytes can never land any more (M-59)', async () => {
    const scene = scenes.current;
    const work = await decide(scene);
    const { bytes } = await signNext(scene.context, handler);
    await scene.service.advanceTime(200);
    await scene.service.restart();
    expect(await done(scene, work)).not.toBe(bytes.signature);
    await requireOnce(scene, work, instruction);
  });

  test('is found on the ledger though its bytes had counted as expired (M-59, M-61)', async () => {
    const scene = scenes.current;
    const work = await decide(scene);
    const { intent, bytes } = await signNext(scene.context, handler);
    expect(await broadcast(scene.context.ledger, bytes, () => undefined)).toMatchObject({ kind: 'landed' });
    await discardSigned(scene.context.db, intent, 'expired');
    await releaseLease(scene.context.db, intent);
    await scene.service.restart();
    expect(await done(scene, work)).toBe(bytes.signature);
    await requireOnce(scene, work, instruction);
  });
});

describe.each(steps.filter(({ instruction }) => instruction !== 'releaseTaskLeg'))(
  '$name that landed although it had expired',
  ({ instruction, handler, decide, done }) => {
    test('is found by the worker itself, also where the watcher is past it (M-59, M-61)', async () => {
      const scene = scenes.current;
      const work = await decide(scene);
      const { intent, bytes } = await signNext(scene.context, handler);
      await broadcast(scene.context.ledger, bytes, () => undefined);
      await discardSigned(scene.context.db, intent, 'expired');
      await releaseLease(scene.context.db, intent);
      await scene.service.restart();
      expect(await done(scene, work)).toBe(bytes.signature);
      await requireOnce(scene, work, instruction);
    });
  },
);

describe('an assignment that landed although it had expired', () => {
  test('does not lapse, however little time is left by then (M-56)', async () => {
    const scene = scenes.current;
    const { decide, done, handler } = STEPS.assignTaskLeg;
    const work = await decide(scene);
    const { intent, bytes } = await signNext(scene.context, handler);
    await broadcast(scene.context.ledger, bytes, () => undefined);
    await discardSigned(scene.context.db, intent, 'expired');
    await releaseLease(scene.context.db, intent);
    await scene.context.db
      .updateTable('digital_tasks')
      .set({ deadline: new Date(Date.now() + 2_399_000) })
      .where('id', '=', work.task.id)
      .execute();
    await scene.service.restart();
    expect(await done(scene, work)).toBe(bytes.signature);
    await requireOnce(scene, work, 'assignTaskLeg');
  });
});

describe('an intent about a claim that is void', () => {
  test('ends quietly, also when another agent has the leg now (M-61)', async () => {
    const scene = scenes.current;
    const [{ task }, [first, second]] = await Promise.all([scene.listed(1), scene.twoAgents()]);
    await scene.service.stop();
    await scene.claimStored(first, task);
    await decideReleaseOf(scene, task.id);
    // The claim is gone before the worker comes to it, and another agent has the leg.
    await inTransaction(scene.context.db, async (trx) => voidClaim(trx, await scene.legRow(task.id, 0)));
    await scene.claimStored(second, task);
    await scene.service.restart();
    await scene.untilLeg(task.id, 0, 'in_progress');
    await untilQuiet(scene.service);
    expect(await scene.intents(task.id)).toEqual([
      'assign_task_leg done',
      'release_task_leg done',
      'assign_task_leg done',
    ]);
    expect(await timesOnLedger(scene, { agent: second, task }, 'assignTaskLeg')).toBe(1);
    expect(await scene.legRow(task.id, 0)).toMatchObject({ agent_pubkey: second.pubkey, status: 'in_progress' });
    expect(await scene.reputation(first)).toEqual({ accepted: 0n, completed: 0n });
    expect(await scene.reputation(second)).toEqual({ accepted: 1n, completed: 0n });
  });
});
