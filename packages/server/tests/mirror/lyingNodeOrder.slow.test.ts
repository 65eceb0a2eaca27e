import type { DigitalTaskDetail } from '@legwork/sdk';
import { afterEach, expect, test } from 'vitest';
import { readTaskLegAccount } from '../../src/ledger/accounts.js';
import { assignTaskLegInstruction, type HeldLeg } from '../../src/ledger/taskInstructions.js';
import { auditOf, linesOf } from '../audit/scene.js';
import { goal, type TaskScene, withTaskScene } from '../coordinator/taskScene.js';
import { listDigitalTask } from '../support/listed.js';
import type { Told } from '../support/lyingNode.js';
import { refusalOf } from '../support/sdkRefusal.js';
import type { Party } from '../support/service.js';
import { until } from '../support/until.js';
import { ageMissing } from './finalityScene.js';
import { isLanded, onFork, untilAllLanded, wrongs } from './lyingScene.js';

const SLOW = 120_000;
/** Longer than a blockhash lives, until that is final. */
const EXPIRED_SEC = 200;

const scenes = withTaskScene({ lying: true, finality: 'delayed' });

afterEach(() => scenes.current.service.node.mend());

/** The transactions of a task that the ledger forgets, and the agent that waits for the leg then. */
interface Forgotten {
  task: DigitalTaskDetail;
  assigned: string;
  released: string;
  waiting: Party;
  told: Told;
}

/**
 * On a fork one agent gets the only leg of a task and gives it back, and another one claims it, whose assignment waits in the
 * outbox until `letGo`. Then the ledger does not know that the first ever had it.
 */
async function forgotten(scene: TaskScene): Promise<Forgotten> {
  const poster = await scene.service.party();
  const task = await listDigitalTask(poster.client, poster.signer, goal(1));
  const [former, waiting] = await scene.twoAgents();
  const signatures = await onFork(scene, async () => {
    await scene.claim(former, task, 0);
    const { legs } = await scene.untilLeg(task.id, 0, 'in_progress');
    await scene.release(former, task, 0);
    const released = await until('the leg is given back', async () => {
      const [barred] = await scene.barred(task.id);
      return barred?.release_signature ?? undefined;
    });
    await scene.claimHeld(waiting, task, 0);
    const assigned = legs[0]?.assignSignature ?? '';
    // The forgotten transactions are sent again in vain, until `told` ends.
    const told = await scene.service.node.begin({ kind: 'swallowed', signatures: new Set([assigned, released]) });
    return { assigned, released, told };
  });
  return { task, waiting, ...signatures };
}

/** The holder of the leg on the ledger. */
async function holderOf({ context }: TaskScene, { on_chain_leg: leg }: HeldLeg): Promise<string | undefined> {
  return (await readTaskLegAccount(context.ledger, leg))?.agent;
}

test('an assignment is not sent before what goes before it is on the ledger again, and nobody loses a leg to it (S-105)', {
  timeout: SLOW,
}, async () => {
  const scene = scenes.current;
  const { task, waiting, told } = await forgotten(scene);
  await scene.letGo(task);
  await expect.poll(() => told.hits).toBeGreaterThan(2);
  expect(await scene.onLedger(task)).toMatchObject({ assignedLegs: 0 });
  await told.end();
  await scene.untilLeg(task.id, 0, 'in_progress');
  await untilAllLanded(scene);
  await scene.complete(waiting, task, 0);
  await scene.untilTask(task.id, ({ status }) => status === 'completed');
  const history = ['listTask', 'assignTaskLeg', 'releaseTaskLeg', 'assignTaskLeg', 'confirmTaskLeg', 'settleTask'];
  const paid = { agent: waiting, lamports: 100_000_000n };
  expect(await wrongs(scene, [{ account: task.onChainTask, history, paid }])).toEqual([]);
});

test('a release is not sent again to a ledger that has given the leg to another agent first: its task halts (S-105, S-107)', {
  timeout: SLOW,
}, async () => {
  const scene = scenes.current;
  const { service, context } = scene;
  const { task, assigned, released, waiting, told } = await forgotten(scene);
  const [row, leg] = [await scene.row(task.id), await scene.legRow(task.id, 0, waiting.pubkey)];
  await scene.send(context.ledger.coordinator, [await assignTaskLegInstruction(context.ledger, row, leg)]);
  await scene.letGo(task);
  await scene.untilLeg(task.id, 0, 'in_progress');
  await told.end();
  const sends = await service.node.begin({ kind: 'slow', ms: 0 }, ['sendTransaction']);
  await expect.poll(() => sends.hits).toBeGreaterThan(2);
  expect([await isLanded(scene, assigned), await isLanded(scene, released)]).toEqual([false, false]);
  await service.advanceTime(EXPIRED_SEC);
  await until('the task halts', async () => {
    await ageMissing(service);
    return (await scene.clientOf(waiting).getDigitalTask({ taskId: task.id })).finality === 'reverted';
  });
  expect(await holderOf(scene, leg)).toBe(waiting.pubkey);
  expect(await refusalOf(scene.complete(waiting, task, 0))).toMatchObject({ status: 409, code: 'ledger_reverted' });
  const { differences } = await auditOf(service);
  for (const [name, signature] of [
    ['assignTaskLeg', assigned],
    ['releaseTaskLeg', released],
  ]) {
    expect(linesOf(differences).join('\n')).toContain(`is halted: the ledger took back ${name} (tx ${signature})`);
  }
});
