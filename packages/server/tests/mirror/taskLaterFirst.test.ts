import { resultHash } from '@legwork/protocol/rules';
import type { DigitalTaskDetail } from '@legwork/sdk';
import { signature as asSignature } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { readAssignedLegs } from '../../src/ledger/accounts.js';
import {
  confirmTaskLegInstruction,
  reclaimTaskInstruction,
  settleTaskInstruction,
} from '../../src/ledger/taskInstructions.js';
import { applyLanded, readListed } from '../../src/mirror/applyLanded.js';
import { type TaskScene, withTaskScene } from '../coordinator/taskScene.js';
import type { Party } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';

const scenes = withTaskScene();
const TWO_HOURS_MS = 7_200_000;
const PAID = { status: 'completed', paymentLamports: 100_000_000n };

interface Unheard {
  scene: TaskScene;
  poster: Party;
  task: DigitalTaskDetail;
}

/** The first leg of a task is paid, and then its poster ends the task, with no service running; a replica sees the end alone. */
async function seenLast(
  legs: number,
  changes: { deadline?: string },
  end: (unheard: Unheard) => Promise<string>,
): Promise<Unheard> {
  const scene = scenes.current;
  const { context } = scene;
  const [{ poster, task }, agent] = await Promise.all([scene.listed(legs, changes), scene.agent()]);
  await scene.claim(agent, task, 0);
  await scene.untilLeg(task.id, 0, 'in_progress');
  await scene.service.stop();
  const leg = { ...(await scene.legRow(task.id, 0)), result_hash: resultHash('told elsewhere').hex };
  const paying = await confirmTaskLegInstruction(context.ledger, await scene.row(task.id), leg);
  await scene.send(context.ledger.coordinator, [paying]);
  const signature = await end({ scene, poster, task });
  const { value } = await scene.service.rpc.getSignatureStatuses([asSignature(signature)]).send();
  const landed = await readListed(context, { signature, slot: value[0]?.slot ?? 0n, final: false });
  if (landed === undefined) throw new Error('the end can be read');
  await applyLanded(context, landed);
  await scene.service.restart();
  await untilQuiet(scene.service);
  return { scene, poster, task };
}

/** The arguments of what ends a task, beside its signer. */
async function named({ scene, task }: Unheard) {
  const { ledger } = scene.context;
  const legs = await readAssignedLegs(
    ledger,
    task.legs.map(({ onChainLeg }) => onChainLeg),
  );
  return [ledger, await scene.row(task.id), legs] as const;
}

describe('a replica sees the end of a task first, and mirrors the payment before it', () => {
  test('when its poster settles it (S-51, M-59)', async () => {
    const { scene, task } = await seenLast(1, {}, async (unheard) => {
      const { signer } = unheard.poster;
      return unheard.scene.send(signer, [settleTaskInstruction(...(await named(unheard)), signer)]);
    });
    expect((await scene.events(task.id)).slice(-2)).toEqual(['TASK_LEG_COMPLETED', 'TASK_COMPLETED']);
    const told = await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(told).toMatchObject({ refundLamports: 0n, legs: [PAID] });
  });

  test('when its poster reclaims it (S-51, M-60)', async () => {
    const deadline = new Date((await scenes.current.ledgerNow()) + TWO_HOURS_MS).toISOString();
    const { scene, task } = await seenLast(2, { deadline }, async (unheard) => {
      await unheard.scene.service.advanceTime(TWO_HOURS_MS / 1000 + 100);
      const { signer } = unheard.poster;
      return unheard.scene.send(signer, [reclaimTaskInstruction(...(await named(unheard)), signer)]);
    });
    expect((await scene.events(task.id)).slice(-2)).toEqual(['TASK_LEG_COMPLETED', 'TASK_FAILED']);
    const told = await scene.untilTask(task.id, ({ status }) => status === 'failed');
    expect(told).toMatchObject({ failureReason: 'reclaimed', legs: [PAID, { status: 'failed' }] });
  });
});
