import { TaskStatus } from '@legwork/program-client';
import { describe, expect, test } from 'vitest';
import type pg from 'pg';
import { giveWork, releaseOverdue } from '../../src/coordinator/taskWork.js';
import { openPool, overPool } from '../../src/db/connect.js';
import { inTransaction } from '../../src/db/transaction.js';
import { legsOf } from '../../src/tasks/taskLegRows.js';
import { findTask } from '../../src/tasks/taskRows.js';
import { lamportsOf, spoilCourier } from './scene.js';
import { hold } from '../support/holdIntents.js';
import { untilQuiet } from '../support/snapshot.js';
import { withTaskScene } from './taskScene.js';

const scenes = withTaskScene();
const SHARE = 100_000_000n;

describe('a task', () => {
  test('is assigned, paid and settled leg by leg, as the ledger shows it (M-56, M-59)', async () => {
    const scene = scenes.current;
    const { poster, task } = await scene.listed(2, { maxBudgetSol: 0.200000001 });
    const [first, second] = await scene.twoAgents();
    const before = await lamportsOf(scene.service, poster.pubkey);
    const claimed = await scene.claim(first, task, 0);
    const assigned = await scene.untilLeg(task.id, 0, 'in_progress');
    expect(assigned).toMatchObject({ status: 'in_progress', legs: [{ assignSignature: expect.any(String) }, {}] });
    expect(claimed.taskId).toBe(task.id);
    expect(await scene.onLedger(task)).toMatchObject({ status: TaskStatus.InProgress, assignedLegs: 1 });
    expect(await scene.reputation(first)).toEqual({ accepted: 1n, completed: 0n });

    // A reservation: nothing of it is on the ledger.
    await scene.claim(second, task, 1);
    await untilQuiet(scene.service);
    expect(await scene.onLedger(task)).toMatchObject({ assignedLegs: 1 });
    expect(await scene.reputation(second)).toEqual({ accepted: 0n, completed: 0n });

    await scene.complete(first, task, 0);
    await scene.untilLeg(task.id, 1, 'in_progress');
    await scene.complete(second, task, 1);
    const completed = await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(completed).toMatchObject({
      refundLamports: 1n,
      legs: [
        { status: 'completed', paymentLamports: SHARE, result: 'result 0' },
        { status: 'completed', paymentLamports: SHARE, result: 'result 1' },
      ],
    });
    await untilQuiet(scene.service);
    expect(await lamportsOf(scene.service, first.pubkey)).toBe(SHARE);
    expect(await lamportsOf(scene.service, second.pubkey)).toBe(SHARE);
    // The lamport that the shares leave, and the rent minimum of the vault.
    const emptyRent = await scene.service.rpc.getMinimumBalanceForRentExemption(0n).send();
    expect((await lamportsOf(scene.service, poster.pubkey)) - before).toBe(1n + emptyRent);
    expect(await lamportsOf(scene.service, task.onChainVault)).toBe(0n);
    expect(await scene.reputation(second)).toEqual({ accepted: 1n, completed: 1n });
    expect(await scene.events(task.id)).toEqual([
      'TASK_LISTED',
      'TASK_LEG_CLAIMED',
      'TASK_LEG_ASSIGNED',
      'TASK_LEG_CLAIMED',
      'TASK_LEG_COMPLETED',
      'TASK_LEG_ASSIGNED',
      'TASK_LEG_COMPLETED',
      'TASK_COMPLETED',
    ]);
    const mirrored = await scene.context.db
      .selectFrom('reputations')
      .select(['legs_accepted', 'legs_completed'])
      .where('agent_pubkey', '=', second.pubkey)
      .executeTakeFirst();
    expect(mirrored).toEqual({ legs_accepted: 1n, legs_completed: 1n });
  });

  test('takes a result while the assignment of its leg is under way, and confirms it after that (M-58)', async () => {
    const scene = scenes.current;
    const { task } = await scene.listed(1);
    const agent = await scene.agent();
    const { claimed } = await scene.claimHeld(agent, task);
    const handedIn = scene.complete(agent, task, 0);
    await scene.untilDecided(task.id, 'confirm_task_leg');
    await scene.letGo(task);
    await Promise.all([claimed, handedIn]);
    const completed = await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(completed.legs[0]).toMatchObject({ status: 'completed', paymentLamports: SHARE });
    expect(await lamportsOf(scene.service, agent.pubkey)).toBe(SHARE);
  });
});

describe('a leg that was assigned', () => {
  test('and is given back is released on the ledger, open again, and its agent barred (M-57, M-60)', async () => {
    const scene = scenes.current;
    const { task } = await scene.listed(2);
    const [first, second] = await scene.twoAgents();
    const coordinator = scene.context.ledger.coordinator.address;
    await scene.claim(first, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
    const before = await lamportsOf(scene.service, coordinator);
    await scene.release(first, task, 0);
    const released = await scene.untilTask(task.id, ({ status }) => status === 'listed');
    expect(released.legs[0]).toMatchObject({ status: 'pending', agentPubkey: null, isOpen: true, dueAt: null });
    expect(await scene.onLedger(task)).toMatchObject({ status: TaskStatus.Listed, assignedLegs: 0 });
    // The rent of the leg came back.
    expect(await lamportsOf(scene.service, coordinator)).toBeGreaterThan(before);
    expect(await scene.reputation(first)).toEqual({ accepted: 1n, completed: 0n });
    await expect(scene.claim(first, task, 1)).rejects.toMatchObject({ code: 'agent_barred' });
    expect(await scene.barred(task.id)).toEqual([
      expect.objectContaining({
        agent_pubkey: first.pubkey,
        reason: 'released',
        release_signature: expect.any(String),
      }),
    ]);

    await scene.claim(second, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
    await scene.complete(second, task, 0);
    await scene.untilLeg(task.id, 0, 'completed');
    await untilQuiet(scene.service);
    expect(await scene.events(task.id)).toEqual([
      'TASK_LISTED',
      'TASK_LEG_CLAIMED',
      'TASK_LEG_ASSIGNED',
      'TASK_LEG_RELEASED released',
      'TASK_LEG_CLAIMED',
      'TASK_LEG_ASSIGNED',
      'TASK_LEG_COMPLETED',
    ]);
    expect((await scene.row(task.id)).status).toBe('in_progress');
  });

  test('and given back while its assignment is under way is assigned, then released (M-57)', async () => {
    const scene = scenes.current;
    const { task } = await scene.listed(1);
    const agent = await scene.agent();
    const { claimed } = await scene.claimHeld(agent, task);
    await scene.release(agent, task, 0);
    await scene.letGo(task);
    await claimed;
    await untilQuiet(scene.service);
    expect(await scene.events(task.id)).toEqual([
      'TASK_LISTED',
      'TASK_LEG_CLAIMED',
      'TASK_LEG_ASSIGNED',
      'TASK_LEG_RELEASED released',
    ]);
    expect(await scene.reputation(agent)).toEqual({ accepted: 1n, completed: 0n });
  });

  test('and has no result when its time is up is released, with the agent barred (M-57)', async () => {
    const scene = scenes.current;
    const { task } = await scene.listed(2);
    const [first, second] = await scene.twoAgents();
    await scene.claim(first, task, 0);
    await scene.claim(second, task, 1);
    await scene.untilLeg(task.id, 0, 'in_progress');
    await scene.context.db
      .updateTable('digital_legs')
      .set({ due_at: new Date(Date.now() - 1_000) })
      .where('id', '=', scene.legId(task, 0))
      .execute();
    const released = await scene.untilTask(task.id, ({ status }) => status === 'listed');
    expect(released).toMatchObject({ legs: [{ status: 'pending', isOpen: true }, { agentPubkey: second.pubkey }] });
    expect(await scene.onLedger(task)).toMatchObject({ status: TaskStatus.Listed, assignedLegs: 0 });
    await expect(scene.claim(first, task, 0)).rejects.toMatchObject({ code: 'agent_barred' });
    await expect(scene.complete(first, task, 0)).rejects.toMatchObject({ code: 'not_your_leg' });
    await untilQuiet(scene.service);
    expect((await scene.events(task.id)).at(-1)).toBe('TASK_LEG_RELEASED timeout');
  });

  test('keeps a result that came before its time-out was decided (M-57)', async () => {
    const scene = scenes.current;
    const { task } = await scene.listed(1);
    const agent = await scene.agent();
    await scene.claim(agent, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
    await hold(scene.context, task.id, 'task');
    const handedIn = scene.complete(agent, task, 0);
    await scene.untilDecided(task.id, 'confirm_task_leg');
    await scene.context.db
      .updateTable('digital_legs')
      .set({ due_at: new Date(Date.now() - 1_000) })
      .where('task_id', '=', task.id)
      .execute();
    await releaseOverdue(scene.context);
    await scene.letGo(task);
    await handedIn;
    await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(await scene.events(task.id)).not.toContain('TASK_LEG_RELEASED timeout');
  });
});

describe('an assignment that the ledger refuses', () => {
  test('for its agent voids the claim and bars the agent; others may have the leg (M-61)', async () => {
    const scene = scenes.current;
    const { poster, task } = await scene.listed(1);
    const [spoilt, other] = await scene.twoAgents();
    const { claimed } = await scene.claimHeld(spoilt, task);
    const handedIn = Promise.allSettled([scene.complete(spoilt, task, 0)]);
    await scene.untilDecided(task.id, 'confirm_task_leg');
    await spoilCourier(scene.service, poster, spoilt.signer);
    await scene.letGo(task);
    expect(await claimed).toMatchObject({ status: 'rejected', reason: { code: 'transaction_failed' } });
    await handedIn;
    await untilQuiet(scene.service);
    expect(await scene.intents(task.id)).toEqual(['assign_task_leg done', 'confirm_task_leg done']);
    expect(await scene.events(task.id)).toEqual(['TASK_LISTED', 'TASK_LEG_CLAIMED', 'TASK_LEG_RELEASED refused']);
    expect(await scene.barred(task.id)).toEqual([
      expect.objectContaining({ agent_pubkey: spoilt.pubkey, reason: 'refused', release_signature: null }),
    ]);
    const leg = await scene.context.db.selectFrom('digital_legs').selectAll().where('task_id', '=', task.id).execute();
    expect(leg).toEqual([expect.objectContaining({ status: 'pending', agent_pubkey: null, result: null })]);

    await scene.claim(other, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
  });
});

describe('a reservation that comes due', () => {
  test('with too little time left lapses, and nobody is barred (M-56)', async () => {
    const scene = scenes.current;
    const { task } = await scene.listed(2);
    const [first, second] = await scene.twoAgents();
    await scene.claim(first, task, 0);
    await scene.claim(second, task, 1);
    await scene.untilLeg(task.id, 0, 'in_progress');
    // 1,800 seconds for the leg and 10 minutes have to be left.
    await scene.context.db
      .updateTable('digital_tasks')
      .set({ deadline: new Date(Date.now() + 2_399_000) })
      .where('id', '=', task.id)
      .execute();
    await scene.complete(first, task, 0);
    await untilQuiet(scene.service);
    const lapsed = await scene.untilTask(task.id, ({ legs }) => legs[1]?.agentPubkey === null);
    expect(lapsed.legs[1]).toMatchObject({ status: 'pending', isOpen: false });
    expect((await scene.events(task.id)).slice(-2)).toEqual(['TASK_LEG_COMPLETED', 'TASK_LEG_RELEASED lapsed']);
    expect(await scene.onLedger(task)).toMatchObject({ assignedLegs: 1, completedLegs: 1 });
    expect(await scene.barred(task.id)).toEqual([]);
  });

  test('as soon as its assignment was held up until then, lapses too; a result that was handed in goes on (M-56)', async () => {
    const scene = scenes.current;
    const [idle, busy] = await Promise.all([scene.listed(1), scene.listed(1)]);
    const [first, second] = await scene.twoAgents();
    const { claimed } = await scene.claimHeld(first, idle.task);
    const { claimed: worked } = await scene.claimHeld(second, busy.task);
    const handedIn = Promise.allSettled([scene.complete(second, busy.task, 0)]);
    await scene.untilDecided(busy.task.id, 'confirm_task_leg');
    await scene.context.db
      .updateTable('digital_tasks')
      .set({ deadline: new Date(Date.now() + 2_399_000) })
      .where('id', 'in', [idle.task.id, busy.task.id])
      .execute();
    await scene.letGo(idle.task);
    await scene.letGo(busy.task);
    await Promise.all([claimed, worked, handedIn]);
    await untilQuiet(scene.service);
    expect(await scene.events(idle.task.id)).toEqual(['TASK_LISTED', 'TASK_LEG_CLAIMED', 'TASK_LEG_RELEASED lapsed']);
    expect(await scene.reputation(first)).toEqual({ accepted: 0n, completed: 0n });
    expect(await scene.reputation(second)).toEqual({ accepted: 1n, completed: 1n });
  });
});

/** Ends every connection of the pool as a network does, without a word. */
function cut(pool: pg.Pool): void {
  const { _clients: clients } = pool as unknown as { _clients: { connection: { stream: { destroy(): void } } }[] };
  for (const client of clients) client.connection.stream.destroy();
}

test('a connection that breaks while work is given fails that alone, and all that was asked on it is heard (S-81)', async () => {
  const { context } = scenes.current;
  const { task } = await scenes.current.listed(1);
  const pool = openPool(context.config.databaseUrl, 1, () => undefined);
  const db = overPool(pool);
  const row = await findTask(db, task.id);
  const [leg] = await legsOf(db, task.id);
  if (!row || !leg) throw new Error('the task is there');
  // Asked right before the agent's account is looked up, and whether anything else is under way.
  const clock = () => {
    cut(pool);
    return new Date();
  };
  const claimed = { ...leg, agent_pubkey: row.shipper_pubkey, signed: true };
  // An answer that nobody listens to would end the process.
  await expect(inTransaction(db, (trx) => giveWork({ ...context, clock }, trx, row, [claimed]))).rejects.toThrow(
    /connection/i,
  );
  expect(await findTask(db, task.id)).toMatchObject({ id: task.id });
  await db.destroy();
});
