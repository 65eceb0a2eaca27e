import { cancelDigitalTask, reclaimDigitalTask } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { claim, goal, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { draft } from '../support/market.js';
import { startService } from '../http/service.js';
import { createTestDatabase } from '../support/database.js';
import { migrateAt, withService } from '../support/service.js';
import { modern, post } from './toolCalls.js';

type Json = Record<string, unknown>;

const service = withService();
const url = () => service.current.server.url;
const TASKS = 'io.modelcontextprotocol/tasks';
const TAKES = { extensions: { [TASKS]: {} } };
const REQUIRED = { code: -32_021, data: { requiredCapabilities: TAKES } };
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

/** What a client that takes tasks is answered, at any replica. */
async function ask(method: string, params: Json, capabilities: Json = TAKES, at = url()) {
  const { message, headers } = modern(method, params, capabilities);
  const answer = await post(at, message, headers, '/mcp');
  return { status: answer.status, ...((await answer.json()) as { result?: Json; error?: Json }) };
}

const call = (name: string, given: Json, capabilities?: Json) =>
  ask('tools/call', { name, arguments: given }, capabilities);

async function postedGoal(): Promise<{ task: Json; given: Json }> {
  const { pubkey } = await service.current.party(0);
  const given = { ...goal(), maxBudgetSol: 0.1, shipperPubkey: pubkey };
  const { result: task = {} } = await call('svc_post_digital_task', given);
  return { task, given };
}

describe('a client that takes tasks', () => {
  test('is answered with one that has the id of what it posted, and any replica tells how it stands (S-292)', async () => {
    const { task } = await postedGoal();
    const taskId = String(task['taskId']);
    const listed = await fetch(`${url()}/digital-tasks/${taskId}`).then((answer) => answer.json());
    const stands = {
      taskId,
      status: 'working',
      statusMessage: expect.stringMatching(
        new RegExp(
          `is listed; 0 of 2 legs are completed. Its page is .*/t/${taskId}, its resource relay://digital-tasks/${taskId}.$`,
        ),
      ),
      createdAt: listed.listedAt,
      lastUpdatedAt: expect.any(String),
      ttlMs: null,
      pollIntervalMs: 15_000,
    };
    expect(task).toMatchObject({ ...stands, resultType: 'task' });
    for (const absent of ['result', 'error', 'inputRequests', 'requestState', 'structuredContent'])
      expect(task).not.toHaveProperty(absent);
    const replica = await service.current.replica();
    const { result } = await ask('tasks/get', { taskId }, TAKES, replica.url);
    await replica.close();
    expect(result).toMatchObject({ ...stands, resultType: 'complete' });
    expect(result).not.toHaveProperty('result');
  });

  test('posts a package the same way (S-292)', async () => {
    const { pubkey } = await service.current.party(0);
    const { result } = await call('svc_post_task', { ...draft(), shipperPubkey: pubkey });
    const taskId = String(result?.['taskId']);
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    const { result: stands } = await ask('tasks/get', { taskId });
    expect(stands).toMatchObject({ taskId, statusMessage: expect.stringContaining(`relay://packages/${taskId}`) });
  });

  test('is answered at once by everything else, and where it is refused (S-292)', async () => {
    expect(await call('svc_economy_stats', {})).toMatchObject({ result: { resultType: 'complete', isError: false } });
    const { pubkey } = await service.current.party(0);
    const refused = await call('svc_post_digital_task', { ...goal(), maxBudgetSol: 1e6, shipperPubkey: pubkey });
    expect(refused).toMatchObject({ result: { resultType: 'complete', isError: true } });
  });

  test('sees a listing that its poster cancelled as cancelled (S-292)', async () => {
    const { poster, task } = await postedTask(service.current);
    await cancelDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    await untilTask(service.current, task.id, ({ status }) => status === 'failed');
    const { result } = await ask('tasks/get', { taskId: task.id });
    expect(result).toMatchObject({ status: 'cancelled' });
    expect(result).not.toHaveProperty('result');
    expect(await ask('tasks/cancel', { taskId: task.id })).toMatchObject({ result: { resultType: 'complete' } });
  });

  test('is refused to cancel what is under way, with the way that there is, and nothing happens (S-292)', async () => {
    const { task } = await postedGoal();
    const taskId = String(task['taskId']);
    const { error } = await ask('tasks/cancel', { taskId });
    expect(error).toMatchObject({ code: -32_600, message: expect.stringContaining(`${url()}/t/${taskId}`) });
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
  });

  test('asks for nothing, so answers to it count for nothing (S-292)', async () => {
    const { task } = await postedGoal();
    const given = { taskId: String(task['taskId']), inputResponses: { any: { action: 'accept' } } };
    const { result } = await ask('tasks/update', given);
    expect(Object.keys(result ?? {}).sort()).toEqual(['_meta', 'resultType']);
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'is told by %s that no listing has the id (S-292)',
    async (method) => {
      for (const taskId of [UNKNOWN, 'no-id', '', 'x'.repeat(5_000)]) {
        const { error } = await ask(method, { taskId, inputResponses: {} });
        expect(error).toMatchObject({ code: -32_602, message: expect.stringMatching(/no such task/) });
      }
      const { error } = await ask(method, { inputResponses: {} });
      expect(error).toMatchObject({ code: -32_602 });
    },
  );

  test.each(['tasks/result', 'tasks/list'])('finds no %s, which was of an earlier revision (S-292)', async (method) => {
    expect(await ask(method, {})).toMatchObject({ status: 404, error: { code: -32_601 } });
  });

  test('sees one that was reclaimed as a call that failed, with what was done by then (S-292)', async () => {
    const deadline = new Date(Date.now() + 3_600_000).toISOString();
    const { poster, task } = await postedTask(service.current, { claimTimeoutSec: 60, deadline });
    const agent = await service.current.party();
    await claim(agent, task, 0);
    await handIn(agent, task, 0);
    await service.current.advanceTime(3_610);
    await reclaimDigitalTask(poster.client, service.current.rpc, poster.signer, task.id);
    const { result } = await ask('tasks/get', { taskId: task.id });
    const structuredContent = { status: 'failed', failureReason: 'reclaimed', legs: [{ result: 'result 0' }, {}] };
    expect(result).toMatchObject({ status: 'completed', result: { isError: true, structuredContent } });
    expect(result?.['statusMessage']).toContain('is failed; 1 of 2 legs are completed');
  });
});

test('a service without its database says so, and nothing of how it looked (S-292)', async () => {
  const database = await createTestDatabase(migrateAt, 'gone');
  const gone = await startService(database.connectionString, {});
  expect((await ask('tasks/get', { taskId: UNKNOWN }, TAKES, gone.url)).error).toMatchObject({ code: -32_602 });
  await gone.context.db.destroy();
  const { error } = await ask('tasks/get', { taskId: UNKNOWN }, TAKES, gone.url);
  expect(error).toMatchObject({ code: -32_603, data: { code: expect.any(String) } });
  expect(JSON.stringify(error)).not.toMatch(/driver|select|destroyed/i);
  await gone.close();
  await database.drop();
});

describe('a client that does not', () => {
  test('gets the listing at once, and may not ask for tasks (S-292)', async () => {
    const { pubkey } = await service.current.party(0);
    const { result } = await call('svc_post_digital_task', { ...goal(), maxBudgetSol: 0.1, shipperPubkey: pubkey }, {});
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'listed' } });
    expect(result).not.toHaveProperty('taskId');
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect(await ask(method, { taskId: UNKNOWN, inputResponses: {} }, {})).toMatchObject({
        status: 400,
        error: REQUIRED,
      });
  });

  test('and none to news of tasks (S-292)', async () => {
    const notifications = { taskIds: [UNKNOWN] };
    expect(await ask('subscriptions/listen', { notifications }, {})).toMatchObject({ status: 400, error: REQUIRED });
  });

  test('sees the extension where the server tells what it knows (S-292)', async () => {
    const { result } = await ask('server/discover', {}, {});
    expect(result).toMatchObject({ capabilities: { extensions: { [TASKS]: {} } } });
  });
});
