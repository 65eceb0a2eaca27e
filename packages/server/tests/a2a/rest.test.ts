import { SendMessageRequest, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { ClientFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { createNonce, signRequest } from '@legwork/protocol/contract';
import { signBytes } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { type Party, withService } from '../support/service.js';
import { call, posting } from './scene.js';

const service = withService({ settings: () => ({ WEBHOOK_TARGETS: 'any' }) });

/** `fetch` that signs as the party, as an orchestrator outside would. */
function signing({ signer }: Party): typeof fetch {
  return async (url, init) => {
    const { host, pathname, search } = new URL(url instanceof Request ? url.url : url);
    const body = typeof init?.body === 'string' ? init.body : '';
    const parts = { method: init?.method ?? 'GET', host, path: pathname + search, body };
    const sign = (message: Uint8Array) => signBytes(signer.keyPair.privateKey, message);
    const signed = await signRequest({ pubkey: signer.address, sign }, parts, createNonce(Date.now()));
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(signed)) headers.set(name, value);
    return fetch(url, { ...init, headers });
  };
}

const clientOf = (party: Party, below = service.current.server.url) =>
  new ClientFactory({
    transports: [new RestTransportFactory({ fetchImpl: signing(party) })],
    preferredTransports: ['HTTP+JSON'],
  }).createFromUrl(below);

/** How a request at a path behind `/a2a/` is answered. */
async function ask(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const usual = { 'a2a-version': '1.0', ...(body !== undefined && { 'content-type': 'application/a2a+json' }) };
  const response = await fetch(`${service.current.server.url}/a2a/${path}`, {
    method,
    headers: { ...usual, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code: number; status: string; details: { reason?: string }[] } };
  return { status: response.status, type: response.headers.get('content-type'), text, error };
}

test('a client of the official SDK posts, streams, lists, follows and cancels over HTTP+JSON (S-284)', async () => {
  const [poster, agent] = await Promise.all([service.current.party(0), service.current.party(1)]);
  const client = await clientOf(poster);
  const data = { maxBudgetSol: 0.02, legs: [{ instruction: 'Sum it up.' }] };
  const told: NonNullable<StreamResponse['payload']>[] = [];
  let id = '';
  for await (const { payload } of client.sendMessageStream(SendMessageRequest.fromJSON(posting(data)))) {
    if (payload) told.push(payload);
    if (payload?.$case !== 'task') continue;
    id = payload.value.id;
    const config = {
      tenant: '',
      id: 'mine',
      taskId: id,
      url: 'http://127.0.0.1:1/',
      token: '',
      authentication: undefined,
    };
    expect(await client.createTaskPushNotificationConfig(config)).toMatchObject({ id: 'mine', taskId: id });
    const named = { tenant: '', taskId: id, id: 'mine' };
    expect(await client.getTaskPushNotificationConfig(named)).toMatchObject({ url: config.url });
    await client.deleteTaskPushNotificationConfig(named);
    const task = await untilTask(service.current, id, () => true);
    await claim(agent, task, 0);
    await untilTask(service.current, id, ({ status }) => status === 'in_progress');
    await handIn(agent, task, 0, 'All are content.');
  }
  const last = told.at(-1);
  expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  const read = await client.getTask({ tenant: '', id });
  expect(read.artifacts[0]?.parts[0]?.content?.value).toBe('All are content.');
  const second = await client.sendMessage(SendMessageRequest.fromJSON(posting(data)));
  if (!('artifacts' in second)) throw new Error('a message was sent for a task');
  const canceled = await client.cancelTask({ tenant: '', id: second.id, metadata: undefined });
  expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  const listed = await ask('GET', `tasks?contextId=${poster.pubkey}&pageSize=1&includeArtifacts=true`);
  expect(JSON.parse(listed.text)).toMatchObject({
    totalSize: 2,
    pageSize: 1,
    tasks: [{ id: second.id, artifacts: [] }],
  });
});

describe('over HTTP+JSON', () => {
  test('a refusal is a google.rpc.Status with the status of HTTP, and its details are those of JSON-RPC (S-284)', async () => {
    const { task } = await postedTask(service.current);
    const cases: [string, string, string | undefined, number, string, string][] = [
      ['GET', 'tasks/nothing', undefined, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
      ['POST', `tasks/${task.id}:cancel`, undefined, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
      [
        'POST',
        `tasks/${task.id}/pushNotificationConfigs`,
        '{"url":"http://127.0.0.1:1/"}',
        401,
        'UNAUTHENTICATED',
        'SIGNATURE_REQUIRED',
      ],
      ['GET', 'extendedAgentCard', undefined, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
      ['POST', 'message:send', '{', 400, 'INVALID_ARGUMENT', 'MALFORMED_BODY'],
      ['POST', 'message:send', '[]', 400, 'INVALID_ARGUMENT', 'INVALID_INPUT'],
      ['POST', 'message:send', '{}', 400, 'INVALID_ARGUMENT', 'INVALID_INPUT'],
      ['GET', 'tasks?pageSize=many', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_INPUT'],
      ['GET', 'tasks?pageSize=1&pageSize=2', undefined, 400, 'INVALID_ARGUMENT', 'INVALID_INPUT'],
      ['GET', 'message:send', undefined, 404, 'NOT_FOUND', 'NOT_FOUND'],
      ['DELETE', `tasks/${task.id}`, undefined, 404, 'NOT_FOUND', 'NOT_FOUND'],
      ['GET', 'tasks/x/y/z', undefined, 404, 'NOT_FOUND', 'NOT_FOUND'],
      ['GET', 'nobody/tasks/__proto__', undefined, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    ];
    for (const [method, path, body, status, word, reason] of cases) {
      const refused = await ask(method, path, body);
      expect([path, refused.status, refused.type]).toEqual([path, status, 'application/json; charset=utf-8']);
      expect([path, refused.error]).toMatchObject([path, { code: status, status: word }]);
      expect([path, refused.error?.details[0]?.reason]).toEqual([path, reason]);
    }
    expect((await ask('POST', 'message:send', '{}', { 'content-type': 'text/plain' })).error).toMatchObject({
      code: 415,
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }],
    });
    expect((await ask('GET', 'tasks', undefined, { 'a2a-version': '0.3' })).error).toMatchObject({
      code: 400,
      details: [{ reason: 'VERSION_NOT_SUPPORTED' }],
    });
  });

  test("an agent's card leads there too: the agent is in the path, and it alone may claim the task (S-288)", async () => {
    const [poster, agent] = await Promise.all([service.current.party(0), service.current.party(0)]);
    const { pubkey: agentPubkey } = agent;
    await agent.client.updateAgent({ agentPubkey, capabilities: ['a2a'] });
    const client = await clientOf(poster, `${service.current.server.url}/a2a/agents/${agentPubkey}/`);
    const task = await client.sendMessage(SendMessageRequest.fromJSON(posting({ maxBudgetSol: 0.02 })));
    if (!('artifacts' in task)) throw new Error('a message was sent for a task');
    const { requirements } = await poster.client.getDigitalTask({ taskId: task.id });
    expect(requirements).toEqual({ capabilities: [agentPubkey] });
    // Whatever stands there, a task is read by its id.
    expect((await client.getTask({ tenant: '', id: task.id })).id).toBe(task.id);
  });

  test('a message is the one of JSON-RPC: sent over both it is posted once (S-281)', async () => {
    const { pubkey, client } = await service.current.party(0);
    const params = posting({ shipperPubkey: pubkey, maxBudgetSol: 0.02 });
    const first = await ask('POST', 'message:send', JSON.stringify(params));
    const again = await call(service.current, 'SendMessage', params);
    const { task } = JSON.parse(first.text) as { task: { id: string } };
    expect(again.result).toMatchObject({ task: { id: task.id } });
    expect((await client.listDigitalTasks({ shipper: pubkey })).items).toHaveLength(1);
  });
});
