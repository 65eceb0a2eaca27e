import { createLegworkClient } from '@legwork/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTaskInstruction } from '../../src/ledger/taskInstructions.js';
import { HistoryFollower } from '../../src/mirror/follow.js';
import type { RunningServer } from '../../src/startServer.js';
import { lamportsOf, startReplica } from '../coordinator/scene.js';
import type { Party } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { withTaskScene } from '../coordinator/taskScene.js';

const scenes = withTaskScene();

describe('two replicas on one database', () => {
  let other: RunningServer;
  beforeAll(async () => {
    other = await startReplica(scenes.current.service);
  });
  afterAll(() => other.close());

  test('give, pay and settle every leg once (M-54, M-56, M-59)', async () => {
    const scene = scenes.current;
    const clients = (party: Party) => [
      scene.clientOf(party),
      createLegworkClient({ url: other.url, signer: party.signer }),
    ];
    const carry = async () => {
      const [{ task }, agents] = await Promise.all([scene.listed(2), scene.twoAgents()]);
      for (const [index, agent] of agents.entries()) {
        const path = { taskId: task.id, legId: scene.legId(task, index), agentPubkey: agent.pubkey };
        // The same claim and the same result to both of them at once.
        await Promise.all(clients(agent).map((client) => client.bidDigitalLeg({ ...path, bidSol: 0.1 })));
        await Promise.all(clients(agent).map((client) => client.completeDigitalLeg({ ...path, result: 'done' })));
      }
      await scene.untilTask(task.id, ({ status }) => status === 'completed');
      return { task, agents };
    };
    const done = await Promise.all(Array.from({ length: 4 }, carry));
    await untilQuiet(scene.service);
    for (const { task, agents } of done) {
      expect(await scene.events(task.id)).toEqual([
        'TASK_LISTED',
        'TASK_LEG_CLAIMED',
        'TASK_LEG_ASSIGNED',
        'TASK_LEG_COMPLETED',
        'TASK_LEG_CLAIMED',
        'TASK_LEG_ASSIGNED',
        'TASK_LEG_COMPLETED',
        'TASK_COMPLETED',
      ]);
      for (const agent of agents) {
        expect(await lamportsOf(scene.service, agent.pubkey)).toBe(100_000_000n);
        expect(await scene.reputation(agent)).toEqual({ accepted: 1n, completed: 1n });
      }
    }
  });

  test('give a leg to one of 50 that claim it at once; the one that lets its time run out is barred, and the money is exact (M-54, M-57, M-59)', async () => {
    const scene = scenes.current;
    const [{ poster, task }, crowd] = await Promise.all([
      scene.listed(4, { maxBudgetSol: 0.400000003 }),
      Promise.all(Array.from({ length: 50 }, () => scene.agent())),
    ]);
    const before = await lamportsOf(scene.service, poster.pubkey);
    const legId = scene.legId(task, 0);
    const outcomes = await Promise.allSettled(
      crowd.map(({ pubkey, signer }, index) => {
        const client = createLegworkClient({ url: index % 2 === 0 ? other.url : scene.service.server.url, signer });
        return client.bidDigitalLeg({ taskId: task.id, legId, agentPubkey: pubkey, bidSol: 0.1 });
      }),
    );
    const losers = crowd.filter((_, index) => outcomes[index]?.status === 'rejected');
    const idle = crowd.find((agent) => !losers.includes(agent));
    if (!idle) throw new Error('nobody has the leg');
    expect(outcomes.filter((one) => one.status === 'rejected' && one.reason.code === 'leg_taken')).toHaveLength(49);
    expect((await scene.untilLeg(task.id, 0, 'in_progress')).legs[0]?.agentPubkey).toBe(idle.pubkey);
    await scene.context.db
      .updateTable('digital_legs')
      .set({ due_at: new Date(0) })
      .where('id', '=', legId)
      .execute();
    await scene.untilTask(task.id, ({ status }) => status === 'listed');
    const workers = losers.slice(0, 4);
    for (const index of workers.keys()) {
      await expect(scene.claim(idle, task, index)).rejects.toMatchObject({ code: 'agent_barred' });
    }
    for (const [index, worker] of workers.entries()) {
      await scene.claim(worker, task, index);
      await scene.complete(worker, task, index);
      await scene.untilLeg(task.id, index, 'completed');
    }
    await scene.untilTask(task.id, ({ status, refundLamports }) => status === 'completed' && refundLamports === 3n);
    await untilQuiet(scene.service);
    const paid = await Promise.all([idle, ...workers].map((agent) => lamportsOf(scene.service, agent.pubkey)));
    expect(paid).toEqual([0n, ...workers.map(() => 100_000_000n)]);
    const emptyRent = await scene.service.rpc.getMinimumBalanceForRentExemption(0n).send();
    expect((await lamportsOf(scene.service, poster.pubkey)) - before).toBe(3n + emptyRent);
    expect(await Promise.all(workers.map((agent) => scene.reputation(agent)))).toEqual(
      workers.map(() => ({ accepted: 1n, completed: 1n })),
    );
    expect(await scene.reputation(idle)).toEqual({ accepted: 1n, completed: 0n });
  });

  test('take a leg from its agent once when its time is up (M-57)', async () => {
    const scene = scenes.current;
    const tasks = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const [{ task }, agent] = await Promise.all([scene.listed(1), scene.agent()]);
        await scene.claim(agent, task, 0);
        await scene.untilLeg(task.id, 0, 'in_progress');
        return task;
      }),
    );
    await scene.context.db
      .updateTable('digital_legs')
      .set({ due_at: new Date(Date.now() - 1_000) })
      .where('status', '=', 'in_progress')
      .execute();
    for (const { id } of tasks) {
      await scene.untilTask(id, ({ status }) => status === 'listed');
      await untilQuiet(scene.service);
      expect(await scene.intents(id)).toEqual(['assign_task_leg done', 'release_task_leg done']);
      expect((await scene.events(id)).at(-1)).toBe('TASK_LEG_RELEASED timeout');
    }
  });
});

describe('a history that is read again from its beginning', () => {
  test('changes nothing about tasks, with or without the claims of the first time (S-51)', async () => {
    const scene = scenes.current;
    const { context } = scene;
    const [{ task }, [first, second]] = await Promise.all([scene.listed(2), scene.twoAgents()]);
    await scene.claim(first, task, 0);
    await scene.release(first, task, 0);
    await scene.untilTask(task.id, ({ legs }) => legs[0]?.agentPubkey === null);
    await scene.claim(second, task, 0);
    await scene.complete(second, task, 0);
    const { poster, task: cancelled } = await scene.listed(1);
    const row = await scene.row(cancelled.id);
    await scene.send(poster.signer, [cancelTaskInstruction(context.ledger, row, poster.signer)]);
    await untilQuiet(scene.service);
    await scene.service.stop();
    const tables = ['digital_tasks', 'digital_legs', 'events', 'outbox'] as const;
    const rows = async () => [
      ...(await Promise.all(tables.map((table) => context.db.selectFrom(table).selectAll().orderBy('id').execute()))),
      await context.db.selectFrom('barred_agents').selectAll().orderBy('agent_pubkey').execute(),
    ];
    const before = await rows();
    const readAgain = async () => {
      await context.db.deleteFrom('meta').where('key', '=', 'watcher_cursor').execute();
      await new HistoryFollower(context, new AbortController().signal).catchUp(Date.now());
      expect(await rows()).toEqual(before);
    };
    await readAgain();
    await context.db.deleteFrom('ledger_transactions').execute();
    await readAgain();
    const { values } = await context.metrics.mirroredInstructions.get();
    // The first time nothing was left to claim, the second time nothing to change.
    expect(new Set(values.map(({ labels }) => labels.outcome))).toEqual(new Set(['known']));
    expect(new Set(values.map(({ labels }) => labels.name))).toContain('releaseTaskLeg');
    await scene.service.restart();
  });
});
