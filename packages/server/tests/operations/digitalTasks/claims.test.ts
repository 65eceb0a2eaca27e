import { createUuid } from '@legwork/protocol/contract';
import { getAssignInstruction } from '@solana-program/system';
import { address } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { refusalOf } from '../../support/sdkRefusal.js';
import { failureOf } from '../../mcp/toolCalls.js';
import { hold, letGo } from '../../support/holdIntents.js';
import { type Party, withService } from '../../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../../support/snapshot.js';
import { land, signed } from '../../support/transactions.js';
import { claim, eventsOf, giveBack, handIn, isOpen, legIdOf, legs, postedTask, refused, untilTask } from './scene.js';

const service = withService();
let agents: Party[];
let [first, second, third] = [] as unknown as [Party, Party, Party];

beforeAll(async () => {
  agents = await Promise.all(Array.from({ length: 3 }, () => service.current.party(1)));
  [first, second, third] = agents as [Party, Party, Party];
});

/** Makes the wallet an account of the relay program, which no leg can be assigned to. */
async function giveToProgram({ signer }: Party): Promise<void> {
  const programAddress = address(service.current.server.programId);
  const assign = getAssignInstruction({ account: signer, programAddress });
  await land(service.current, await signed(service.current, [first.signer, signer], [assign]));
}

describe('an open leg', () => {
  test('goes to one of 50 agents that bid at once, and is assigned once on the ledger (M-54)', async () => {
    const { task } = await postedTask(service.current);
    const crowd = await Promise.all(Array.from({ length: 50 }, () => service.current.party(0)));
    const outcomes = await Promise.all(
      crowd.map((agent) =>
        claim(agent, task, 0).then(
          ({ agentPubkey }) => agentPubkey,
          (error: { code?: string; status?: number }) => `${error.status} ${error.code}`,
        ),
      ),
    );
    const losers = outcomes.filter((outcome) => outcome === '409 leg_taken');
    const winners = outcomes.filter((outcome) => outcome !== '409 leg_taken');
    expect([losers.length, winners.length]).toEqual([49, 1]);

    const shown = await untilTask(service.current, task.id, ({ status }) => status === 'in_progress');
    expect(shown.legs[0]?.agentPubkey).toBe(winners[0]);
    const types = (await eventsOf(service.current, task.id)).map(({ type }) => type);
    expect(types).toEqual(['TASK_LISTED', 'TASK_LEG_CLAIMED', 'TASK_LEG_ASSIGNED']);
    const { client } = first;
    const accepted = await Promise.all(
      crowd.map(async ({ pubkey }) => (await client.getReputation({ agentPubkey: pubkey })).legsAccepted),
    );
    expect(accepted.reduce((sum, count) => sum + count)).toBe(1);
  });

  test('stays with who claimed it: a repeat is answered as it is, whatever it bids (S-57)', async () => {
    const { task } = await postedTask(service.current);
    const claimed = await claim(first, task, 0, 0.01);
    await untilQuiet(service.current);
    const before = await snapshot(service.current);
    expect(await claim(first, task, 0, 0.02)).toEqual(claimed);
    expect(changesBetween(before, await snapshot(service.current))).toEqual([]);
    expect(await refused(service.current, () => claim(second, task, 0))).toMatchObject({
      status: 409,
      code: 'leg_taken',
      fields: ['legId'],
    });
  });

  test('is claimed while its assignment has to wait: the answer says so, and a result is taken (S-57, S-58)', async () => {
    const { task } = await postedTask(service.current);
    await hold(service.current, task.id, 'task');
    const claiming = claim(third, task, 0);
    await untilTask(service.current, task.id, (shown) => shown.legs[0]?.agentPubkey === third.pubkey);
    const [claimed, handed] = await Promise.all([claiming, handIn(third, task, 0)]);
    expect(claimed).toMatchObject({ status: 'pending', isWorkable: true, dueAt: null, assignSignature: null });
    expect(handed).toMatchObject({ status: 'pending', paymentLamports: null, confirmSignature: null });
    await letGo(service.current, task.id);
    const shown = await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);
    expect(shown.legs[0]).toMatchObject({ agentPubkey: third.pubkey, paymentLamports: 50_000_000n });
  });

  test('is lost again when the ledger refuses its agent: the claimer is told, the result for it is void, others may have it (M-61)', async () => {
    const { task } = await postedTask(service.current);
    const odd = await service.current.party(1);
    await hold(service.current, task.id, 'task');
    const outcomes = Promise.all([
      refusalOf(claim(odd, task, 0)),
      untilTask(service.current, task.id, (shown) => shown.legs[0]?.agentPubkey === odd.pubkey).then(() =>
        refusalOf(handIn(odd, task, 0)),
      ),
    ]);
    await untilTask(service.current, task.id, (shown) => shown.legs[0]?.agentPubkey === odd.pubkey);
    await giveToProgram(odd);
    await letGo(service.current, task.id);
    for (const refusal of await outcomes) {
      expect(refusal).toMatchObject({ status: 422, code: 'transaction_failed', fields: ['legId'] });
      expect(refusal.message).toContain('InvalidAgent');
    }
    const shown = await first.client.getDigitalTask({ taskId: task.id });
    expect(shown).toMatchObject({ status: 'listed', legs: [{ isOpen: true, agentPubkey: null }, {}] });
    expect((await claim(first, task, 0)).status).toBe('in_progress');
    await expect(claim(odd, task, 1)).rejects.toMatchObject({ code: 'agent_barred' });
  });
});

describe('a claim is refused, and changes nothing,', () => {
  test('for what is not there', async () => {
    const { task } = await postedTask(service.current);
    const { task: other } = await postedTask(service.current);
    const bid = (taskId: string, legId: string) =>
      first.client.bidDigitalLeg({ taskId, legId, agentPubkey: first.pubkey, bidSol: 0.01 });
    expect(await refused(service.current, () => bid(createUuid(), legIdOf(task, 0)))).toMatchObject({
      status: 404,
      fields: ['taskId'],
    });
    expect(await refused(service.current, () => bid(task.id, createUuid()))).toMatchObject({
      status: 404,
      fields: ['legId'],
    });
    expect(await refused(service.current, () => bid(task.id, legIdOf(other, 0)))).toMatchObject({
      status: 404,
      fields: ['legId'],
    });
  });

  test('from who posted it, and as the coordinator (M-54)', async () => {
    const { poster, task } = await postedTask(service.current);
    expect(await refused(service.current, () => claim(poster, task, 0))).toMatchObject({
      status: 403,
      code: 'self_dealing',
      fields: ['agentPubkey'],
    });
    const { coordinatorPubkey } = service.current.server;
    const asCoordinator = await failureOf(service.current, 'svc_bid_digital_leg', {
      taskId: task.id,
      legId: legIdOf(task, 0),
      agentPubkey: coordinatorPubkey,
      bidSol: 0.01,
    });
    expect(asCoordinator).toMatchObject({ code: 'invalid_input', errors: [{ field: 'agentPubkey' }] });
  });

  test('from the agent of another leg, a reserved or a completed one too (M-54)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(3) });
    await claim(first, task, 0);
    await claim(second, task, 1);
    const expected = { status: 409, code: 'already_on_task', fields: ['agentPubkey'] };
    expect(await refused(service.current, () => claim(first, task, 2))).toMatchObject(expected);
    expect(await refused(service.current, () => claim(second, task, 2))).toMatchObject(expected);
    await handIn(first, task, 0);
    await untilTask(service.current, task.id, (shown) => shown.legs[1]?.status === 'in_progress');
    expect(await refused(service.current, () => claim(first, task, 2))).toMatchObject(expected);
  });

  test('above what the leg pays, with the exact amount (M-52)', async () => {
    const { task } = await postedTask(service.current);
    const refusal = await refused(service.current, () => claim(first, task, 0, 0.050000001));
    expect(refusal).toMatchObject({ status: 422, code: 'bid_above_share', fields: ['bidSol'] });
    expect(refusal.message).toContain('50000000 lamports');
    expect((await claim(first, task, 0, 0.05)).status).toBe('in_progress');
  });

  test('from an agent that gave up a leg of the task, for any leg of it (M-54, M-57)', async () => {
    const { task } = await postedTask(service.current);
    await claim(first, task, 0);
    await giveBack(first, task, 0);
    await untilTask(service.current, task.id, isOpen(0));
    for (const index of [0, 1]) {
      expect(await refused(service.current, () => claim(first, task, index))).toMatchObject({
        status: 403,
        code: 'agent_barred',
        fields: ['agentPubkey'],
      });
    }
    expect((await claim(second, task, 0)).status).toBe('in_progress');
  });

  test('too near the deadline, also of a leg that would only be reserved (M-54)', async () => {
    // Two legs of 60 seconds and 10 minutes, which is the least there may be, and what a busy machine needs to post it.
    const deadline = new Date(Date.now() + 780_000).toISOString();
    const { task } = await postedTask(service.current, { claimTimeoutSec: 60, deadline });
    expect((await claim(first, task, 0)).status).toBe('in_progress');
    await service.current.db
      .updateTable('digital_tasks')
      .set({ deadline: new Date(Date.now() + 659_000) })
      .where('id', '=', task.id)
      .execute();
    expect(await refused(service.current, () => claim(second, task, 1))).toMatchObject({
      status: 409,
      code: 'deadline_too_near',
    });
    expect((await first.client.getDigitalTask({ taskId: task.id })).legs[1]?.isOpen).toBe(false);
  });

  test('once the task is over (M-60)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(1) });
    await claim(first, task, 0);
    await handIn(first, task, 0);
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(await refused(service.current, () => claim(second, task, 0))).toMatchObject({
      status: 409,
      code: 'invalid_status',
    });
    // Its own agent is answered with the leg as it is.
    expect(await claim(first, task, 0)).toMatchObject({ status: 'completed', isWorkable: false, dueAt: null });
  });

  test('for an account that was given to a program right after it was seen as a plain one: the ledger refuses, others get the leg (M-61)', async () => {
    const odd = await service.current.party(1);
    await claim(odd, (await postedTask(service.current)).task, 0);
    await giveToProgram(odd);
    const { task } = await postedTask(service.current);
    await claim(odd, task, 0).catch(() => undefined);
    await untilTask(service.current, task.id, isOpen(0));
    expect((await claim(second, task, 0)).agentPubkey).toBe(second.pubkey);
  });

  test('for an account that was given to a program: no leg can be assigned to it (M-61)', async () => {
    const { task } = await postedTask(service.current);
    const odd = await service.current.party(1);
    await giveToProgram(odd);
    const refusal = await refused(service.current, () => claim(odd, task, 0));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_input', fields: ['agentPubkey'] });
    expect(refusal.message).toContain(service.current.server.programId);
  });
});
