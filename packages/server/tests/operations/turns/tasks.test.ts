import { cancelDigitalTask, reclaimDigitalTask } from '@legwork/sdk';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, type TestService, withService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { claim, legIdOf, untilTask } from '../digitalTasks/scene.js';
import { courier } from './scene.js';
import { begunBy, boundTask, claimResult, moveInTask, reasonOf } from './taskScene.js';

const service = withService();

const sumOf = (movements: readonly { what: string; amount: bigint }[], what: string) =>
  movements.filter((one) => one.what === what).reduce((sum, { amount }) => sum + amount, 0n);

const moneyOf = async ({ current }: { current: TestService }, taskId: string) =>
  (await current.party(0)).client.getTaskMoney({ taskId });

describe('a task with terms', () => {
  test('is accepted, claimed and confirmed leg by leg, and every stake returns (T-51, T-90, T-91)', async () => {
    const bound = await boundTask(service.current);
    const { task, poster } = bound;
    expect(task.terms).toMatchObject({
      stakeLamports: 20_000_000n,
      carrySec: 2_400,
      handoffSec: 1_800,
      reviewSec: 3_600,
      arbitrationSec: 86_400,
      cosignedPickup: false,
    });
    for (const index of [0, 1]) {
      const agent = await begunBy(service.current, bound, index);
      const { answer, claimed } = await claimResult(bound, index, agent, `result ${index}`);
      expect(answer).toMatchObject({ stage: 'accepted', status: 'in_progress', paymentLamports: null });
      expect(answer.notHandedIn).toMatch(
        /^Nothing is handed in yet: sign claimTransaction .* or your stake of 0.02 SOL is lost/,
      );
      expect(claimed.stage).toBe('claimed');
      const shown = await untilTask(service.current, task.id, ({ legs }) => legs[index]?.stage === 'claimed');
      expect(shown.legs[index]).toMatchObject({
        actor: 'poster',
        result: null,
        resultHash: null,
        hasResult: true,
        dueAt: null,
      });
      await moveInTask(bound, index, poster, 'confirm');
      const paid = await untilTask(service.current, task.id, ({ legs }) => legs[index]?.status === 'completed');
      expect(paid.legs[index]).toMatchObject({
        stage: 'completed',
        result: `result ${index}`,
        resultHash: answer.resultHash,
        paymentLamports: 50_000_000n,
      });
    }
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    const { movements, vault } = await moneyOf(service, task.id);
    expect(vault).toBe(0n);
    expect([sumOf(movements, 'stake'), sumOf(movements, 'stake_returned')]).toEqual([40_000_000n, 40_000_000n]);
    expect([sumOf(movements, 'payment'), sumOf(movements, 'refund')]).toEqual([100_000_000n, 1n]);
  });

  test('returns to its poster at once while nobody has accepted its first leg, and not after (T-101)', async () => {
    const bound = await boundTask(service.current);
    const { task, poster } = bound;
    const idle = await courier(service.current);
    await claim(idle, task, 0);
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
    await reclaimDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    const over = await untilTask(service.current, task.id, ({ status }) => status === 'failed');
    expect(over.failureReason).toBe('reclaimed');
    const { client, pubkey: agentPubkey } = idle;
    expect(await client.getReputation({ agentPubkey })).toMatchObject({ legsAccepted: 0 });

    const begun = await boundTask(service.current);
    await begunBy(service.current, begun, 0);
    const build = begun.poster.client.buildReclaimDigitalTaskTx({ taskId: begun.task.id });
    expect(await refusalOf(build)).toMatchObject({ code: 'invalid_status' });
  });

  test('is cancelled by its poster while no leg has an agent (M-60)', async () => {
    const { task, poster } = await boundTask(service.current);
    await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    const over = await untilTask(service.current, task.id, ({ status }) => status === 'failed');
    expect(over.failureReason).toBe('cancelled');
  });

  test('pays nothing for garbage: its leg is open to others, its agent is barred, and the ruling stands with its reason (T-25, T-96, T-113, S-168)', async () => {
    const bound = await boundTask(service.current);
    const { task, poster, arbiter } = bound;
    const sloppy = await begunBy(service.current, bound, 0);
    await claimResult(bound, 0, sloppy, 'lorem ipsum');
    await moveInTask(bound, 0, poster, 'dispute', { hash: await reasonOf(poster, task, 0) });
    const legId = legIdOf(task, 0);
    const { hash } = await arbiter.client.putEvidence({ legId, text: 'it sums up another text' });
    await moveInTask(bound, 0, arbiter, 'rule', { percent: 0, hash });
    const open = await untilTask(service.current, task.id, ({ legs }) => legs[0]?.isOpen ?? false);
    // The worker that lost it has no part in it any more, and reads why; nobody else's text is shown to it.
    expect((await sloppy.client.listEvidence({ legId })).items).toMatchObject([
      { text: 'it sums up another text', hash },
    ]);
    expect(open.legs[0]).toMatchObject({ status: 'pending', agentPubkey: null, stage: null, formation: null });
    expect(await refusalOf(claim(sloppy, task, 0))).toMatchObject({ code: 'agent_barred' });
    const again = { legId, action: 'rule', pubkey: arbiter.pubkey, percent: 50 } as const;
    expect(await refusalOf(arbiter.client.buildTurnTx(again))).toMatchObject({
      code: 'invalid_status',
      message: expect.stringContaining('ruled already by the arbiter') as string,
    });

    const diligent = await begunBy(service.current, bound, 0);
    expect((await untilTask(service.current, task.id, () => true)).legs[0]).toMatchObject({
      stage: 'accepted',
      formation: 2,
    });
    await claimResult(bound, 0, diligent, 'topics: 3');
    await moveInTask(bound, 0, poster, 'confirm');
    const paid = await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'completed');
    expect(paid.legs[0]).toMatchObject({ agentPubkey: diligent.pubkey, result: 'topics: 3' });
    const { movements } = await moneyOf(service, task.id);
    // Both stakes of the dispute less the arbiter's fee are the poster's, the second agent's own returned.
    expect(sumOf(movements, 'arbiter_fee')).toBe(10_000_000n);
    expect(sumOf(movements, 'stake')).toBe(sumOf(movements, 'stake_returned') + 10_000_000n);
  });

  test('shows a result under review to its parties, and to the arbiter while it is disputed (T-64, T-92)', async () => {
    const receiver = await service.current.party(1);
    const bound = await boundTask(service.current, { receiverPubkey: receiver.pubkey });
    const { task, poster, arbiter } = bound;
    const agent = await begunBy(service.current, bound, 0);
    await claimResult(bound, 0, agent, 'a secret result');
    const legId = legIdOf(task, 0);
    const reads = async (one: Party) =>
      (await one.client.listEvidence({ legId })).items.map(({ text }) => text).includes('a secret result');
    for (const one of [agent, poster, receiver]) expect(await reads(one)).toBe(true);
    const stranger = await service.current.party(1);
    for (const one of [stranger, arbiter]) expect(await refusalOf(reads(one))).toMatchObject({ code: 'not_your_turn' });
    await moveInTask(bound, 0, receiver, 'dispute', { hash: await reasonOf(receiver, task, 0) });
    expect(await reads(arbiter)).toBe(true);
    await moveInTask(bound, 0, arbiter, 'rule', { percent: 100 });
    const paid = await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'completed');
    expect(paid.legs[0]).toMatchObject({ result: 'a secret result', percent: 100, paymentLamports: 50_000_000n });
  });

  test('is claimed by signed calls of keys with an account, which meet its requirements (T-53, T-54, T-94)', async () => {
    const { task } = await boundTask(service.current, {}, { requirements: { minCompleted: 1 } });
    const stranger = await service.current.party(1);
    expect(await refusalOf(claim(stranger, task, 0))).toMatchObject({ status: 409, code: 'requirements_not_met' });
    const fresh = await courier(service.current);
    expect(await refusalOf(claim(fresh, task, 0))).toMatchObject({
      code: 'requirements_not_met',
      message: expect.stringContaining('at least 1') as string,
    });
    const response = await fetch(
      `${service.current.server.url}/digital-tasks/${task.id}/legs/${legIdOf(task, 0)}/bid`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ agentPubkey: fresh.pubkey, bidSol: 0.01 }),
      },
    );
    expect(response.status).toBe(401);
  });

  test('refuses a claim whose connection is lost while it waits, and takes it once it is asked again (S-7, T-53)', async () => {
    const { db } = service.current;
    const [{ task }, agent] = [await boundTask(service.current), await courier(service.current)];
    const refusal = await db.transaction().execute(async (trx) => {
      // Whoever keeps a signed call of this key waits for the end of this transaction.
      await trx.insertInto('signing_keys').values({ pubkey: agent.pubkey }).execute();
      const claimed = refusalOf(claim(agent, task, 0));
      await until('the claim waits', async () => {
        const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return rows.length > 0;
      });
      return claimed;
    });
    expect(refusal).toMatchObject({ code: 'not_ready' });
    await claim(agent, task, 0);
    await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  });

  test('is left in time for nothing, and open again (T-10, T-96)', async () => {
    const bound = await boundTask(service.current);
    const agent = await begunBy(service.current, bound, 0);
    await moveInTask(bound, 0, agent, 'vacate');
    const open = await untilTask(service.current, bound.task.id, ({ legs }) => legs[0]?.isOpen ?? false);
    expect(open.status).toBe('listed');
    const { movements } = await moneyOf(service, bound.task.id);
    expect([sumOf(movements, 'stake'), sumOf(movements, 'stake_returned')]).toEqual([20_000_000n, 20_000_000n]);
  });
});

describe('silence in a task with terms', () => {
  test('of the poster pays a claim in full when the review is over (T-33, T-57)', async () => {
    const bound = await boundTask(service.current, {}, { legs: [{ instruction: 'Sum it up.' }] });
    const agent = await begunBy(service.current, bound, 0);
    await claimResult(bound, 0, agent, 'it is summed up');
    await service.current.advanceTime(3_600);
    const paid = await untilTask(service.current, bound.task.id, ({ status }) => status === 'completed');
    expect(paid.legs[0]).toMatchObject({ result: 'it is summed up', paymentLamports: 100_000_001n, percent: null });
  });

  test('of an agent that accepted costs its stake, and the leg goes to another one (T-11, T-12, T-57, T-96)', async () => {
    const bound = await boundTask(service.current, {}, { legs: [{ instruction: 'Sum it up.' }] });
    const silent = await begunBy(service.current, bound, 0);
    await service.current.advanceTime(2_400 + 120);
    await untilTask(service.current, bound.task.id, ({ legs }) => legs[0]?.isOpen ?? false);
    const released = await service.current.db.selectFrom('barred_agents').selectAll().execute();
    expect(released.find(({ agent_pubkey: agent }) => agent === silent.pubkey)?.reason).toBe('timeout');

    const agent = await begunBy(service.current, bound, 0);
    await claimResult(bound, 0, agent, 'it is summed up');
    await moveInTask(bound, 0, bound.poster, 'confirm');
    await untilTask(service.current, bound.task.id, ({ status }) => status === 'completed');
    const { movements, vault } = await moneyOf(service, bound.task.id);
    expect(vault).toBe(0n);
    expect(sumOf(movements, 'stake_forfeited')).toBe(20_000_000n);
    expect(sumOf(movements, 'refund')).toBe(20_000_000n);
  });

  test('of the arbiter pays half, and burns half of the disputer’s stake (T-21, T-22)', async () => {
    const bound = await boundTask(service.current, {}, { legs: [{ instruction: 'Sum it up.' }] });
    const agent = await begunBy(service.current, bound, 0);
    await claimResult(bound, 0, agent, 'it is summed up');
    await moveInTask(bound, 0, bound.poster, 'dispute', { hash: await reasonOf(bound.poster, bound.task, 0) });
    await service.current.advanceTime(86_400);
    const paid = await untilTask(service.current, bound.task.id, ({ status }) => status === 'completed');
    expect(paid.legs[0]).toMatchObject({ percent: 50, paymentLamports: 50_000_000n });
    const { movements } = await moneyOf(service, bound.task.id);
    expect(sumOf(movements, 'burnt')).toBe(10_000_000n);
  });
});
