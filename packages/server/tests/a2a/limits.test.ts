import { expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { call, detailsOf, posting, postRaw } from './scene.js';

const KEY = 'a-key-for-posting';
const service = withService({
  settings: () => ({
    TRUST_PROXY: '127.0.0.1',
    API_KEYS: KEY,
    WEBHOOK_TARGETS: 'none',
    LIMIT_TOOL_CALLS: '6',
    LIMIT_EVENT_SOCKETS: '1',
  }),
});

const from = (ip: string) => ({ 'x-forwarded-for': ip });

test('calls count with those of tools, whatever they hold, before a byte of them is read (S-284)', async () => {
  const statuses: number[] = [];
  for (let calls = 0; calls < 8; calls += 1)
    statuses.push((await postRaw(service.current, '{', from('198.51.100.7'))).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  const tool = await fetch(`${service.current.server.url}/mcp/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from('198.51.100.7') },
    body: JSON.stringify({ tool: 'svc_list_digital_tasks' }),
  });
  expect(tool.status).toBe(429);
});

test('who posts needs a key of the operator where there are keys (S-281)', async () => {
  const { pubkey } = await service.current.party(0);
  const data = { shipperPubkey: pubkey, maxBudgetSol: 0.02 };
  const without = await call(service.current, 'SendMessage', posting(data), { headers: from('198.51.100.8') });
  expect(detailsOf(without)).toMatchObject({ code: -32_000, reason: 'API_KEY_REQUIRED' });
  const withKey = await call(service.current, 'SendMessage', posting(data), {
    headers: { ...from('198.51.100.8'), 'x-api-key': KEY },
  });
  expect(withKey.result).toMatchObject({ task: { contextId: pubkey } });
});

test('streams and answers that wait count with the event sockets of an address; refused, they have posted nothing (S-283)', async () => {
  const { client, pubkey } = await service.current.party(0);
  const headers = { ...from('198.51.100.9'), 'x-api-key': KEY };
  const data = { shipperPubkey: pubkey, maxBudgetSol: 0.02 };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: posting(data) });
  const held = await postRaw(service.current, body, headers);
  expect(held.headers.get('content-type')).toBe('text/event-stream');
  for (const method of ['SendStreamingMessage', 'SendMessage']) {
    const refused = await call(service.current, method, posting(data, {}, {}), { headers });
    expect([method, detailsOf(refused)]).toMatchObject([method, { code: -32_000, reason: 'RATE_LIMITED' }]);
  }
  await held.body?.cancel();
  expect((await client.listDigitalTasks({ shipper: pubkey })).items).toHaveLength(1);
});

test('a service without webhooks has no notifications: its card says so, and the four methods and a message with one are refused (S-280, S-287)', async () => {
  const by = await service.current.party(0);
  const headers = { ...from('198.51.100.10'), 'x-api-key': KEY };
  const card = (await (await fetch(`${service.current.server.url}/.well-known/agent-card.json`)).json()) as object;
  expect(card).toMatchObject({ capabilities: { streaming: true, pushNotifications: false } });
  const url = 'https://agent.example/';
  const asked: [string, object][] = [
    ...['Create', 'Get', 'Delete'].map((verb): [string, object] => [
      `${verb}TaskPushNotificationConfig`,
      { taskId: 'x', id: 'x', url },
    ]),
    ['ListTaskPushNotificationConfigs', { taskId: 'x' }],
    ['SendMessage', posting({ maxBudgetSol: 0.02 }, {}, { taskPushNotificationConfig: { url } })],
  ];
  for (const [method, params] of asked)
    expect([method, detailsOf(await call(service.current, method, params, { headers, by }))]).toMatchObject([
      method,
      { code: -32_003, reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' },
    ]);
  expect((await by.client.listDigitalTasks({ shipper: by.pubkey })).items).toEqual([]);
});
