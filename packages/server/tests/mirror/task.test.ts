import { resultHash } from '@legwork/protocol/rules';
import type { DigitalTaskDetail } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { readAssignedLegs } from '../../src/ledger/accounts.js';
import { assignTaskLegIntent } from '../../src/outbox/taskLegs.js';
import {
  assignTaskLegInstruction,
  cancelTaskInstruction,
  closeTaskInstruction,
  confirmTaskLegInstruction,
  listTaskInstruction,
  reclaimTaskInstruction,
  releaseTaskLegInstruction,
  settleTaskInstruction,
} from '../../src/ledger/taskInstructions.js';
import { lamportsOf } from '../coordinator/scene.js';
import { hold } from '../support/holdIntents.js';
import type { Party } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../support/snapshot.js';
import { goal, deliver, signNext, type TaskScene, withTaskScene } from '../coordinator/taskScene.js';
import { onceFinal } from '../support/onceFinal.js';

const scenes = withTaskScene();
const HOUR_MS = 3_600_000;

/** Acts with the service running, or without and starts it again; then everything is mirrored. */
async function during<T>(scene: TaskScene, state: 'up' | 'down', act: () => Promise<T>): Promise<T> {
  if (state === 'down') await scene.service.stop();
  const done = await act();
  if (state === 'down') await scene.service.restart();
  await untilQuiet(scene.service);
  return done;
}

/** A draft of the poster's, not listed. */
async function drafted(scene: TaskScene): Promise<{ poster: Party; taskId: string }> {
  const poster = await scene.service.party();
  const { taskId } = await scene.clientOf(poster).buildListDigitalTaskTx({ ...goal(), shipperPubkey: poster.pubkey });
  return { poster, taskId };
}

/** A task whose first leg is completed and whose second one is under way. */
async function halfDone(scene: TaskScene, changes: Parameters<typeof goal>[1] = {}) {
  const [{ poster, task }, agents] = await Promise.all([scene.listed(2, changes), scene.twoAgents()]);
  await scene.claim(agents[0], task, 0);
  await scene.complete(agents[0], task, 0);
  await scene.claim(agents[1], task, 1);
  await scene.untilLeg(task.id, 1, 'in_progress');
  await untilQuiet(scene.service);
  return { poster, agents, task };
}

const assignedLegs = (scene: TaskScene, { legs }: DigitalTaskDetail) =>
  readAssignedLegs(
    scene.context.ledger,
    legs.map((leg) => leg.onChainLeg),
  );

describe.each(['up', 'down'] as const)('sent by a wallet with the service %s', (state) => {
  test('a listing is mirrored once, and agents may claim (S-50, M-9)', async () => {
    const scene = scenes.current;
    const { poster, taskId } = await drafted(scene);
    const row = await scene.row(taskId);
    const list = listTaskInstruction(scene.context.ledger, row, poster.signer, poster.signer);
    const signature = await during(scene, state, () => scene.send(poster.signer, [list]));
    const task = await scene.untilTask(taskId, ({ status }) => status === 'listed');
    expect(task.listSignature).toBe(signature);
    expect(await scene.events(taskId)).toEqual(['TASK_LISTED']);
    await scene.claim(await scene.agent(), task, 0);
    await scene.untilLeg(taskId, 0, 'in_progress');
  });

  test('a cancellation fails the task and its legs (S-50, M-9)', async () => {
    const scene = scenes.current;
    const { poster, task } = await scene.listed();
    const agent = await scene.agent();
    await scene.claim(agent, task, 1);
    const cancel = cancelTaskInstruction(scene.context.ledger, await scene.row(task.id), poster.signer);
    const signature = await during(scene, state, () => scene.send(poster.signer, [cancel]));
    const failed = await scene.untilTask(task.id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({ failureReason: 'cancelled', endSignature: signature });
    expect(failed.legs.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(await scene.events(task.id)).toEqual(['TASK_LISTED', 'TASK_LEG_CLAIMED', 'TASK_FAILED']);
  });

  test('a reclaim fails the legs that are not completed; what was paid stays paid (S-50, M-60)', async () => {
    const scene = scenes.current;
    const deadline = new Date((await scene.ledgerNow()) + HOUR_MS).toISOString();
    const { poster, task, agents } = await halfDone(scene, { claimTimeoutSec: 60, deadline });
    await scene.service.advanceTime(3_700);
    const reclaim = reclaimTaskInstruction(
      scene.context.ledger,
      await scene.row(task.id),
      await assignedLegs(scene, task),
      poster.signer,
    );
    const signature = await during(scene, state, () => scene.send(poster.signer, [reclaim]));
    const failed = await scene.untilTask(task.id, ({ status }) => status === 'failed');
    expect(failed).toMatchObject({
      failureReason: 'reclaimed',
      endSignature: signature,
      legs: [
        { status: 'completed', paymentLamports: 100_000_000n },
        { status: 'failed', agentPubkey: agents[1].pubkey },
      ],
    });
    expect((await scene.events(task.id)).at(-1)).toBe('TASK_FAILED');
  });

  test('a settlement by the funder is the settlement, and no second one is sent (S-50, M-59)', async () => {
    const scene = scenes.current;
    const { poster, task } = await halfDone(scene);
    // The confirmation waits until the settlement that follows it is held back.
    await scene.setPaused(true);
    await scene.handInStored(task, 1);
    await hold(scene.context, task.id, 'task');
    await scene.setPaused(false);
    await scene.untilLeg(task.id, 1, 'completed');
    const settle = settleTaskInstruction(
      scene.context.ledger,
      await scene.row(task.id),
      await assignedLegs(scene, task),
      poster.signer,
    );
    if (state === 'down') await scene.service.stop();
    const signature = await scene.send(poster.signer, [settle]);
    await scene.letGo(task);
    if (state === 'down') await scene.service.restart();
    const completed = await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(completed).toMatchObject({ settleSignature: signature, refundLamports: 0n });
    await untilQuiet(scene.service);
    expect((await scene.intents(task.id)).at(-1)).toBe('settle_task done');
    expect((await scene.events(task.id)).filter((type) => type === 'TASK_COMPLETED')).toHaveLength(1);
  });

  test('the closing of an account is mirrored and changes nothing else (S-50)', async () => {
    const scene = scenes.current;
    const { poster, task } = await scene.listed();
    const row = await scene.row(task.id);
    await scene.send(poster.signer, [cancelTaskInstruction(scene.context.ledger, row, poster.signer)]);
    const failed = await scene.untilTask(task.id, ({ status }) => status === 'failed');
    const close = closeTaskInstruction(scene.context.ledger, row, poster.signer);
    const signature = await during(scene, state, () => scene.send(poster.signer, [close]));
    expect((await scene.row(task.id)).close_signature).toBe(signature);
    expect(onceFinal(await scene.untilTask(task.id, () => true))).toEqual(onceFinal(failed));
  });
});

/** Somebody else with the coordinator's key confirms that the agent of the first leg has this result. */
async function confirmElsewhere(scene: TaskScene, task: DigitalTaskDetail, result: string): Promise<string> {
  const { ledger } = scene.context;
  const leg = { ...(await scene.legRow(task.id, 0)), result_hash: resultHash(result).hex };
  return scene.send(ledger.coordinator, [await confirmTaskLegInstruction(ledger, await scene.row(task.id), leg)]);
}

/** The watcher's changes when it reads what was put on the ledger, reputations aside. */
async function changesBy(scene: TaskScene, act: () => Promise<unknown>): Promise<string[]> {
  await untilQuiet(scene.service);
  const { tables: before } = await snapshot(scene.service);
  await act();
  await untilQuiet(scene.service);
  const { tables: after } = await snapshot(scene.service);
  return changesBetween({ tables: before, accounts: {} }, { tables: after, accounts: {} });
}

describe('what the service did not decide', () => {
  test('is a listing with other terms than its draft: it changes nothing (S-50)', async () => {
    const scene = scenes.current;
    const { poster, taskId } = await drafted(scene);
    const row = { ...(await scene.row(taskId)), num_legs: 3 };
    const list = listTaskInstruction(scene.context.ledger, row, poster.signer, poster.signer);
    expect(await changesBy(scene, () => scene.send(poster.signer, [list]))).toEqual([]);
    expect((await scene.row(taskId)).status).toBe('draft');
  });

  test('is an assignment to an agent that has not claimed the leg: it is not open, until it is released (S-50, M-54)', async () => {
    const scene = scenes.current;
    const { ledger } = scene.context;
    const [{ task }, [stranger, agent]] = await Promise.all([scene.listed(1), scene.twoAgents()]);
    const row = await scene.row(task.id);
    const leg = await scene.legRow(task.id, 0, stranger.pubkey);
    const assign = await assignTaskLegInstruction(ledger, row, leg);
    const changes = await changesBy(scene, () => scene.send(ledger.coordinator, [assign]));
    expect(changes).toEqual(['digital_legs', 'reputations']);
    const shown = async () => ({
      leg: (await scene.untilTask(task.id, () => true)).legs[0],
      listed: (await scene.clientOf(agent).listDigitalTasks({ open: true })).items.some(({ id }) => id === task.id),
    });
    expect(await shown()).toMatchObject({ leg: { agentPubkey: null, isOpen: false }, listed: false });
    const refusal = { code: 'leg_taken', message: expect.stringContaining(stranger.pubkey) };
    await expect(scene.claim(agent, task, 0)).rejects.toMatchObject(refusal);

    await scene.send(ledger.coordinator, [releaseTaskLegInstruction(ledger, row, leg, ledger.coordinator.address)]);
    await untilQuiet(scene.service);
    expect(await shown()).toMatchObject({ leg: { isOpen: true }, listed: true });
    expect(await scene.claim(agent, task, 0)).toMatchObject({ agentPubkey: agent.pubkey });
    await scene.untilLeg(task.id, 0, 'in_progress');
  });

  test('is an assignment of what is only reserved: withdrawn, it is not open (S-50, M-55)', async () => {
    const scene = scenes.current;
    const [{ task }, agent] = await Promise.all([scene.listed(2), scene.agent()]);
    await scene.claim(agent, task, 1);
    const { coordinator } = scene.context.ledger;
    const leg = await scene.legRow(task.id, 1);
    const assign = await assignTaskLegInstruction(scene.context.ledger, await scene.row(task.id), leg);
    const changes = await changesBy(scene, () => scene.send(coordinator, [assign]));
    expect(changes).toEqual(['digital_legs', 'reputations']);
    expect((await scene.legRow(task.id, 1)).status).toBe('pending');
    await scene.release(agent, task, 1);
    const { legs } = await scene.untilTask(task.id, () => true);
    expect(legs[1]).toMatchObject({ agentPubkey: null, isOpen: false });
  });

  test('is a confirmation where no result was handed in: the leg is completed, its text may follow (M-59)', async () => {
    const scene = scenes.current;
    const [{ task }, [first, second]] = await Promise.all([scene.listed(2), scene.twoAgents()]);
    await scene.claim(first, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
    const signature = await confirmElsewhere(scene, task, 'told elsewhere');
    const { legs } = await scene.untilLeg(task.id, 0, 'completed');
    expect(legs[0]).toMatchObject({
      agentPubkey: first.pubkey,
      paymentLamports: 100_000_000n,
      confirmSignature: signature,
      resultHash: resultHash('told elsewhere').hex,
      result: null,
      resultBytes: null,
    });
    await expect(scene.complete(first, task, 0, 'another')).rejects.toMatchObject({ code: 'result_submitted' });
    expect(await scene.claim(second, task, 1)).toMatchObject({ isWorkable: true, previousResult: null });
    await scene.untilLeg(task.id, 1, 'in_progress');
    expect(await scene.complete(first, task, 0, 'told elsewhere')).toMatchObject({ confirmSignature: signature });
    expect(await scene.claim(second, task, 1)).toMatchObject({ previousResult: 'told elsewhere' });
    expect(await lamportsOf(scene.service, first.pubkey)).toBe(100_000_000n);
  });

  test('is a confirmation of another result than was handed in: the one handed in is shown to nobody (M-58, M-59)', async () => {
    const scene = scenes.current;
    const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    await scene.claim(agent, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
    await hold(scene.context, task.id, 'task');
    const handedIn = Promise.allSettled([scene.complete(agent, task, 0, 'told here')]);
    await scene.untilDecided(task.id, 'confirm_task_leg');
    await confirmElsewhere(scene, task, 'told elsewhere');
    await scene.untilLeg(task.id, 0, 'completed');
    await scene.letGo(task);
    const { legs } = await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(legs[0]).toMatchObject({ resultHash: resultHash('told elsewhere').hex, result: null });
    // Whatever it was told: not that it is paid for this result.
    expect(await handedIn).not.toMatchObject([{ value: { status: 'completed' } }]);
    await expect(scene.complete(agent, task, 0, 'told here')).rejects.toMatchObject({ code: 'result_submitted' });
    expect((await scene.intents(task.id)).slice(1)).toEqual(['confirm_task_leg done', 'settle_task done']);
    expect(await lamportsOf(scene.service, agent.pubkey)).toBe(100_000_000n);
  });

  test('is a release, which opens the leg all the same: the agent does not have it any more (S-50, M-57)', async () => {
    const scene = scenes.current;
    const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    await scene.claim(agent, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
    const { coordinator } = scene.context.ledger;
    const release = releaseTaskLegInstruction(
      scene.context.ledger,
      await scene.row(task.id),
      await scene.legRow(task.id, 0),
      coordinator.address,
    );
    const signature = await scene.send(coordinator, [release]);
    await scene.untilTask(task.id, ({ status }) => status === 'listed');
    expect(await scene.barred(task.id)).toEqual([
      { agent_pubkey: agent.pubkey, reason: 'released', release_signature: signature },
    ]);
  });

  test('is a release of an earlier assignment: it takes the leg from nobody (S-50)', async () => {
    const scene = scenes.current;
    const { context } = scene;
    const { ledger } = context;
    const [{ task }, [stranger, agent]] = await Promise.all([scene.listed(1), scene.twoAgents()]);
    await untilQuiet(scene.service);
    await scene.service.stop();
    const row = await scene.row(task.id);
    const theirs = await scene.legRow(task.id, 0, stranger.pubkey);
    await scene.send(ledger.coordinator, [await assignTaskLegInstruction(ledger, row, theirs)]);
    await scene.send(ledger.coordinator, [releaseTaskLegInstruction(ledger, row, theirs, ledger.coordinator.address)]);
    // The claim's own assignment is known before the watcher comes to either.
    await scene.claimStored(agent, task);
    const { intent, bytes } = await signNext(context, assignTaskLegIntent);
    await deliver(context, intent, bytes);
    await scene.service.restart();
    await untilQuiet(scene.service);
    expect(await scene.legRow(task.id, 0)).toMatchObject({ agent_pubkey: agent.pubkey, status: 'in_progress' });
    expect(await scene.barred(task.id)).toEqual([]);
  });
});
