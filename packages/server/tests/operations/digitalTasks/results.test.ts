import { createUuid, MAX_RESULT_BYTES } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { beforeAll, describe, expect, test } from 'vitest';
import { signatureHeaders } from '../../mcp/toolCalls.js';
import { post, postSigned } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import {
  balanceOf,
  claim,
  giveBack,
  handIn,
  isOpen,
  legIdOf,
  legs,
  postedTask,
  refused,
  runOut,
  untilLockWaits,
  untilTask,
} from './scene.js';

const service = withService();
let [first, second] = [] as unknown as [Party, Party];

beforeAll(async () => {
  [first, second] = await Promise.all([service.current.party(1), service.current.party(1)]);
});

describe('a result', () => {
  test('handed in twenty times at once is paid once, and every answer is the same (S-58)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(1) });
    await claim(first, task, 0);
    const before = await balanceOf(service.current, first);
    const answers = await Promise.all(Array.from({ length: 20 }, () => handIn(first, task, 0, 'the same')));
    await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect((await balanceOf(service.current, first)) - before).toBe(100_000_001n);
    const again = await handIn(first, task, 0, 'the same');
    expect(again).toMatchObject({ status: 'completed', taskStatus: 'completed', paymentLamports: 100_000_001n });
    for (const answer of answers) {
      expect(answer).toMatchObject({ legId: again.legId, resultHash: again.resultHash });
      expect([null, again.confirmSignature]).toContain(answer.confirmSignature);
    }
    const refusal = await refused(service.current, () => handIn(first, task, 0, 'another'));
    expect(refusal).toMatchObject({ status: 409, code: 'result_submitted', fields: ['result'] });
  });

  test('of two different ones at once, one counts (M-58)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(1) });
    await claim(first, task, 0);
    const outcomes = await Promise.allSettled(['one', 'two'].map((result) => handIn(first, task, 0, result)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const shown = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    const winner = outcomes[0]?.status === 'fulfilled' ? 'one' : 'two';
    expect(shown.legs[0]?.result).toBe(winner);
  });

  test('after the time was up counts as long as no release was decided (M-57)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(1) });
    await claim(first, task, 0);
    const handed = await service.current.db.transaction().execute(async (trx) => {
      await trx.selectFrom('digital_tasks').select('id').where('id', '=', task.id).forUpdate().execute();
      const handing = handIn(first, task, 0);
      await untilLockWaits(service.current);
      // Whoever looks for legs whose time is up sees this after the result has got in line.
      await trx
        .updateTable('digital_legs')
        .set({ due_at: new Date(0) })
        .where('task_id', '=', task.id)
        .execute();
      return { handing };
    });
    expect(await handed.handing).toMatchObject({ status: 'completed', paymentLamports: 100_000_001n });
  });

  test('may have 256 KiB, however its characters are escaped, and not a byte more (M-58, S-62)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(2) });
    await claim(first, task, 0);
    await claim(second, task, 1);
    const send = async (agent: Party, index: number, result: string) => {
      const path = `/digital-tasks/${task.id}/legs/${legIdOf(task, index)}/complete`;
      // Twelve characters of JSON for each character of four bytes, six for each control character.
      const escaped = JSON.stringify({ agentPubkey: agent.pubkey, result }).replace(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      const response = await postSigned(service.current, agent, path, escaped);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const emoji = '😀'.repeat(MAX_RESULT_BYTES / 4);
    const controls = '\u0001'.repeat(MAX_RESULT_BYTES);
    for (const tooLong of [`${emoji}a`, `${controls}a`]) {
      expect(await send(first, 0, tooLong)).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', errors: [{ field: 'result' }] },
      });
    }
    expect(await send(first, 0, emoji)).toMatchObject({
      status: 200,
      body: { status: 'completed', resultBytes: MAX_RESULT_BYTES, resultHash: resultHash(emoji).hex },
    });
    await untilTask(service.current, task.id, (shown) => shown.legs[1]?.status === 'in_progress');
    expect((await claim(second, task, 1)).previousResult).toBe(emoji);
    expect(await send(second, 1, controls)).toMatchObject({ status: 200, body: { status: 'completed' } });
    const shown = await first.client.getDigitalTask({ taskId: task.id });
    expect(shown.legs.map(({ result }) => result === emoji || result === controls)).toEqual([true, true]);

    const tooLarge = await postSigned(
      service.current,
      first,
      `/digital-tasks/${task.id}/legs/${legIdOf(task, 0)}/complete`,
      JSON.stringify({ agentPubkey: first.pubkey, result: 'a'.repeat(2 * 1024 * 1024) }),
    );
    expect(tooLarge.status).toBe(413);
  });

  test('repeated under its Idempotency-Key, signed again, gets its first answer again (S-25)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(1) });
    await claim(first, task, 0);
    const path = `/digital-tasks/${task.id}/legs/${legIdOf(task, 0)}/complete`;
    const body = JSON.stringify({ agentPubkey: first.pubkey, result: 'once' });
    const send = async () => {
      const headers = await signatureHeaders(service.current, first.signer, body, path);
      const response = await post(service.current, path, body, { ...headers, 'idempotency-key': 'my result' });
      return [response.status, response.headers.get('idempotency-replayed'), await response.json()];
    };
    const [status, replayed, answer] = await send();
    expect([status, replayed]).toEqual([200, null]);
    expect(await send()).toEqual([200, 'true', answer]);
  });

  test('is an excerpt for a model, with its size and where the whole is (S-56)', async () => {
    const { task } = await postedTask(service.current, { legs: legs(1) });
    await claim(first, task, 0);
    await handIn(first, task, 0, 'x'.repeat(4_001));
    const answer = await fetch(`${service.current.server.url}/mcp/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool: 'svc_get_digital_task', arguments: { taskId: task.id } }),
    });
    const { structuredContent } = (await answer.json()) as {
      structuredContent: { resourceUri: string; legs: { result: string; resultBytes: number }[] };
    };
    expect(structuredContent.legs[0]).toMatchObject({ result: `${'x'.repeat(3_999)}…`, resultBytes: 4_001 });
    expect(structuredContent.resourceUri).toBe(`relay://digital-tasks/${task.id}`);
  });
});

describe('a result is refused, and changes nothing,', () => {
  test('for what is not there', async () => {
    const { task } = await postedTask(service.current);
    const give = (taskId: string, legId: string) =>
      first.client.completeDigitalLeg({ taskId, legId, agentPubkey: first.pubkey, result: 'x' });
    expect(await refused(service.current, () => give(createUuid(), legIdOf(task, 0)))).toMatchObject({
      status: 404,
      fields: ['taskId'],
    });
    expect(await refused(service.current, () => give(task.id, createUuid()))).toMatchObject({
      status: 404,
      fields: ['legId'],
    });
  });

  test('from another agent, before and after the first one’s (S-58)', async () => {
    const { task } = await postedTask(service.current);
    const expected = { status: 403, code: 'not_your_leg', fields: ['legId'] };
    expect(await refused(service.current, () => handIn(second, task, 0))).toMatchObject(expected);
    await claim(first, task, 0);
    expect(await refused(service.current, () => handIn(second, task, 0))).toMatchObject(expected);
    await handIn(first, task, 0, 'mine');
    expect(await refused(service.current, () => handIn(second, task, 0, 'mine'))).toMatchObject(expected);
  });

  test('before its turn (M-55, S-58)', async () => {
    const { task } = await postedTask(service.current);
    await claim(second, task, 1);
    const refusal = await refused(service.current, () => handIn(second, task, 1));
    expect(refusal).toMatchObject({ status: 409, code: 'leg_out_of_order', fields: ['legId'] });
    expect(refusal.message).toContain(legIdOf(task, 0));
  });

  test('once the leg was given back, or its time ran out (M-57)', async () => {
    const { task } = await postedTask(service.current);
    await claim(first, task, 0);
    await giveBack(first, task, 0);
    await untilTask(service.current, task.id, isOpen(0));
    expect(await refused(service.current, () => handIn(first, task, 0))).toMatchObject({
      status: 403,
      code: 'not_your_leg',
    });
    await claim(second, task, 0);
    await runOut(service.current, legIdOf(task, 0));
    await untilTask(service.current, task.id, isOpen(0));
    expect(await refused(service.current, () => handIn(second, task, 0))).toMatchObject({
      status: 403,
      code: 'not_your_leg',
    });
  });

  test.for([
    ['empty', ''],
    ['with a NUL', 'a\0b'],
    ['with half a surrogate pair', 'a\ud800b'],
  ])('that is %s (M-58)', async ([, result = '']) => {
    const { task } = await postedTask(service.current);
    await claim(first, task, 0);
    const path = `/digital-tasks/${task.id}/legs/${legIdOf(task, 0)}/complete`;
    const response = await postSigned(service.current, first, path, { agentPubkey: first.pubkey, result });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_input', errors: [expect.objectContaining({ field: 'result' })] }),
    ]);
  });
});
