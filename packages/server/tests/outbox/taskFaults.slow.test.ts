import type { DigitalTaskDetail } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { lamportsOf } from '../coordinator/scene.js';
import type { Lie } from '../support/lyingNode.js';
import { hold } from '../support/holdIntents.js';
import type { Party } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { withScene } from './faultsScene.js';
import { TaskScene } from '../coordinator/taskScene.js';

const scenes = withScene();
const tasks = () => new TaskScene(scenes.current.service, scenes.current.context);

interface Work {
  agent: Party;
  task: DigitalTaskDetail;
}

async function assignedLeg(scene: TaskScene): Promise<Work> {
  const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
  await scene.claim(agent, task, 0);
  await scene.untilLeg(task.id, 0, 'in_progress');
  await untilQuiet(scene.service);
  return { agent, task };
}

/** The agent's balance and the ledger's record, once the task is completed and nothing is left to do. */
async function outcome(scene: TaskScene, { agent, task }: Work) {
  await scene.untilTask(task.id, ({ status }) => status === 'completed');
  await untilQuiet(scene.service);
  return {
    lamports: await lamportsOf(scene.service, agent.pubkey),
    reputation: await scene.reputation(agent),
    onLedger: await scenes.current.historyOf(task.onChainTask),
  };
}

const PAID_ONCE = {
  lamports: 100_000_000n,
  reputation: { accepted: 1n, completed: 1n },
  onLedger: ['listTask', 'assignTaskLeg', 'confirmTaskLeg', 'settleTask'],
};

const OUTAGES: [name: string, lie: Lie][] = [
  ['refuses connections', { kind: 'refused' }],
  ['answers with errors', { kind: 'rpc', code: -32005, message: 'Node is unhealthy' }],
];

describe('while the ledger', () => {
  test.each(OUTAGES)('%s, a result is taken, and paid once afterwards (S-58, M-59)', async (_, lie) => {
    const scene = tasks();
    const work = await assignedLeg(scene);
    await scenes.current.tell(lie);
    const answer = await scene.complete(work.agent, work.task, 0);
    expect(answer).toMatchObject({ status: 'in_progress', paymentLamports: null });
    await scenes.current.untilMet(1);
    await scenes.current.node.mend();
    expect(await outcome(scene, work)).toEqual(PAID_ONCE);
  });

  test('refuses connections, a claim that was made before is assigned once afterwards (S-57, M-56)', async () => {
    const scene = tasks();
    const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
    const { claimed } = await scene.claimHeld(agent, task);
    await scenes.current.tell({ kind: 'refused' });
    await scenes.current.untilMet(1);
    expect(await claimed).toMatchObject({ status: 'fulfilled', value: { status: 'pending', isWorkable: true } });
    await scenes.current.node.mend();
    await scene.untilLeg(task.id, 0, 'in_progress');
    await scene.complete(agent, task, 0);
    expect(await outcome(scene, { agent, task })).toEqual(PAID_ONCE);
  });
});

describe('a confirmation whose answers are lost', () => {
  test.each([
    ['for a moment', 0],
    ['for longer than a blockhash lives', 200],
  ])('%s is found on the ledger and not repeated (M-59)', async (_, seconds) => {
    const scene = tasks();
    const work = await assignedLeg(scene);
    await hold(scene.context, work.task.id, 'task');
    const handedIn = Promise.allSettled([scene.complete(work.agent, work.task, 0)]);
    await scene.untilDecided(work.task.id, 'confirm_task_leg');
    await scenes.current.tell({ kind: 'unanswered' });
    await scenes.current.untilMet(1);
    if (seconds > 0) await scene.service.advanceTime(seconds);
    await scenes.current.node.mend();
    await handedIn;
    expect(await outcome(scene, work)).toEqual(PAID_ONCE);
  });
});
