import { cancelDigitalTask } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { hold, letGo } from '../../support/holdIntents.js';
import { type Party, withService } from '../../support/service.js';
import {
  balanceOf,
  claim,
  eventsOf,
  giveBack,
  handIn,
  isOpen,
  legIdOf,
  legs,
  postedTask,
  refused,
  runOut,
  untilTask,
} from './scene.js';

const service = withService();
let [first, second] = [] as unknown as [Party, Party];

beforeAll(async () => {
  [first, second] = await Promise.all([service.current.party(1), service.current.party(1)]);
});

const barred = (taskId: string) =>
  service.current.db
    .selectFrom('barred_agents')
    .select(['agent_pubkey', 'reason'])
    .where('task_id', '=', taskId)
    .execute();

const intentsOf = async (taskId: string) =>
  (
    await service.current.db
      .selectFrom('outbox')
      .select('kind')
      .where('subject', '=', `task:${taskId}`)
      .orderBy('id')
      .execute()
  ).map(({ kind }) => kind);

describe('a reservation', () => {
  test('is withdrawn at once and without a trace: the agent may claim again (M-55, S-59)', async () => {
    const { task } = await postedTask(service.current);
    await claim(first, task, 1);
    expect(await giveBack(first, task, 1)).toEqual({
      taskId: task.id,
      legId: legIdOf(task, 1),
      status: 'pending',
      isBarred: false,
    });
    expect((await first.client.getDigitalTask({ taskId: task.id })).legs[1]).toMatchObject({
      isOpen: true,
      agentPubkey: null,
      bidLamports: null,
      claimedAt: null,
    });
    expect([await barred(task.id), await intentsOf(task.id)]).toEqual([[], []]);
    expect((await eventsOf(service.current, task.id)).at(-1)).toMatchObject({
      type: 'TASK_LEG_RELEASED',
      payload: { agentPubkey: first.pubkey, reason: 'withdrawn' },
    });
    expect(await claim(first, task, 1)).toMatchObject({ status: 'pending', isWorkable: false });
  });

  test('that comes due too near the deadline lapses, and nobody is barred (M-56)', async () => {
    const { task } = await postedTask(service.current);
    await claim(first, task, 0);
    await claim(second, task, 1);
    await service.current.db
      .updateTable('digital_tasks')
      .set({ deadline: new Date(Date.now() + 2_399_000) })
      .where('id', '=', task.id)
      .execute();
    await handIn(first, task, 0);
    const shown = await untilTask(service.current, task.id, (now) => now.legs[1]?.agentPubkey === null);
    expect(shown.legs[1]).toMatchObject({ status: 'pending', isOpen: false, isWorkable: true });
    expect(await barred(task.id)).toEqual([]);
    expect((await eventsOf(service.current, task.id)).at(-1)).toMatchObject({
      type: 'TASK_LEG_RELEASED',
      payload: { agentPubkey: second.pubkey, reason: 'lapsed' },
    });
  });
});

describe('an assigned leg', () => {
  test('that is given back is released on the ledger and open to others; the task is listed again, and can be cancelled (M-57, M-60, S-59)', async () => {
    const { poster, task } = await postedTask(service.current);
    await claim(first, task, 0);
    expect(await giveBack(first, task, 0)).toMatchObject({ status: 'in_progress', isBarred: true });
    const shown = await untilTask(service.current, task.id, ({ status }) => status === 'listed');
    expect(shown.legs[0]).toMatchObject({ isOpen: true, agentPubkey: null, dueAt: null, assignSignature: null });
    expect(await barred(task.id)).toEqual([{ agent_pubkey: first.pubkey, reason: 'released' }]);
    expect(await first.client.getAgent({ agentPubkey: first.pubkey })).toMatchObject({
      reputation: { legsAccepted: expect.any(Number) as number },
      trust: { isNewcomer: false },
    });

    const before = await balanceOf(service.current, poster);
    await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    const cancelled = await poster.client.getDigitalTask({ taskId: task.id });
    expect(cancelled).toMatchObject({ status: 'failed', failureReason: 'cancelled' });
    expect(cancelled.legs.map(({ status }) => status)).toEqual(['failed', 'failed']);
    // The budget and the vault's rent come back, less the fee.
    expect((await balanceOf(service.current, poster)) - before).toBeGreaterThan(100_000_001n - 10_000n);
  });

  test('whose time runs out is released and its agent barred; the next one goes on (M-57)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(1) });
    await claim(first, task, 0);
    await runOut(service.current, legIdOf(task, 0));
    await untilTask(service.current, task.id, isOpen(0));
    expect(await barred(task.id)).toEqual([{ agent_pubkey: first.pubkey, reason: 'timeout' }]);
    await claim(second, task, 0);
    const handed = await handIn(second, task, 0);
    expect(handed).toMatchObject({ status: 'completed', paymentLamports: 100_000_001n });
  });

  test('whose release is under way takes neither result nor claim, and giving it back again changes nothing (M-57, S-59)', async () => {
    const { task } = await postedTask(service.current);
    await claim(first, task, 0);
    await hold(service.current, task.id, 'task');
    const answer = await giveBack(first, task, 0);
    expect(await giveBack(first, task, 0)).toEqual(answer);
    for (const call of [() => handIn(first, task, 0), () => claim(first, task, 0)]) {
      await expect(call()).rejects.toMatchObject({ status: 409, code: 'invalid_status' });
    }
    await expect(claim(second, task, 0)).rejects.toMatchObject({ status: 409, code: 'leg_taken' });
    expect(await intentsOf(task.id)).toEqual(['assign_task_leg', 'settle', 'release_task_leg']);
    await letGo(service.current, task.id);
    await untilTask(service.current, task.id, isOpen(0));
  });

  test('may be given back while its assignment is under way: assigned and released in this order (M-57)', async () => {
    const { task } = await postedTask(service.current);
    const agent = await service.current.party(1);
    await hold(service.current, task.id, 'task');
    const claiming = claim(agent, task, 0).catch((error: unknown) => error);
    await untilTask(service.current, task.id, (shown) => shown.legs[0]?.agentPubkey === agent.pubkey);
    expect(await giveBack(agent, task, 0)).toMatchObject({ status: 'in_progress', isBarred: true });
    await letGo(service.current, task.id);
    await untilTask(service.current, task.id, isOpen(0));
    await claiming;
    const types = (await eventsOf(service.current, task.id)).map(({ type }) => type);
    expect(types).toEqual(['TASK_LISTED', 'TASK_LEG_CLAIMED', 'TASK_LEG_ASSIGNED', 'TASK_LEG_RELEASED']);
    expect(await agent.client.getReputation({ agentPubkey: agent.pubkey })).toMatchObject({
      legsAccepted: 1,
      legsCompleted: 0,
    });
  });
});

describe('giving back is refused, and changes nothing,', () => {
  test('to who does not have the leg, and of a leg whose result was handed in (S-59)', async () => {
    const { task } = await postedTask(service.current);
    expect(await refused(service.current, () => giveBack(first, task, 0))).toMatchObject({
      status: 403,
      code: 'not_your_leg',
      fields: ['legId'],
    });
    await claim(first, task, 0);
    expect(await refused(service.current, () => giveBack(second, task, 0))).toMatchObject({ code: 'not_your_leg' });
    await handIn(first, task, 0);
    expect(await refused(service.current, () => giveBack(first, task, 0))).toMatchObject({
      status: 409,
      code: 'result_submitted',
      fields: ['legId'],
    });
  });

  test('once the task is over', async () => {
    const { poster, task } = await postedTask(service.current);
    await claim(first, task, 1);
    await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    expect(await refused(service.current, () => giveBack(first, task, 1))).toMatchObject({
      status: 409,
      code: 'invalid_status',
      fields: ['taskId'],
    });
    expect(await refused(service.current, () => handIn(first, task, 1))).toMatchObject({
      status: 409,
      code: 'invalid_status',
      fields: ['taskId'],
    });
  });
});
