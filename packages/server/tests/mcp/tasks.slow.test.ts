import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { expect, test } from 'vitest';
import { claim, handIn, untilTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';
import { connectClient, modern, post } from './toolCalls.js';

const service = withService();
const url = () => service.current.server.url;
const TAKES = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

test('a client that takes tasks gets what the posting tool answers once all legs are done, through the official client (S-292)', async () => {
  const { pubkey } = await service.current.party(0);
  const client = await connectClient(url(), '2026', {}, TAKES);
  const session = createTaskSessionFromClient(client, {
    endpointId: 'tests',
    v2RequestFraming: {
      protocolVersion: '2026-07-28',
      clientInfo: { name: 'tests', version: '1' },
      clientCapabilities: TAKES,
    },
    rawDispatch: async (request) => {
      const { method, params } = request as { method: string; params: Record<string, unknown> };
      const message = { jsonrpc: '2.0', id: 1, method, params };
      return (await post(url(), message, modern(method, params, TAKES).headers, '/mcp')).json();
    },
  });
  const execution = await session.callTool('svc_post_digital_task', {
    title: 'Sum up the feedback',
    description: 'Group the feedback by topic, then sum each group up.',
    legs: [{ instruction: 'Group it by topic.' }, { instruction: 'Sum each group up.' }],
    maxBudgetSol: 0.1,
    shipperPubkey: pubkey,
  });
  const posted = execution.handle?.taskId ?? 'no task';
  const task = await untilTask(service.current, posted, ({ status }) => status === 'listed');
  for (const legIndex of [0, 1]) {
    const agent = await service.current.party();
    await claim(agent, task, legIndex);
    await handIn(agent, task, legIndex);
  }
  await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({
    isError: false,
    structuredContent: { id: task.id, status: 'completed', legs: [{ result: 'result 0' }, { result: 'result 1' }] },
  });
  await session.close();
  await client.close();
});
