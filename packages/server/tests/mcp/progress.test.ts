import type { Progress } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { goal, legIdOf, postedTask } from '../operations/digitalTasks/scene.js';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { connectClient, post, type Revision, toolsCall } from './toolCalls.js';

type Json = Record<string, unknown>;

const service = withService();
const url = () => service.current.server.url;

/** Calls a tool with the official client, which gives a token, and answers what it was told on the way. */
async function toldOf(revision: Revision, name: string, given: Json): Promise<Progress[]> {
  const client = await connectClient(url(), revision);
  const told: Progress[] = [];
  const { isError } = await client.callTool({ name, arguments: given }, { onprogress: (one) => told.push(one) });
  await client.close();
  expect(isError).toBe(false);
  return told;
}

/** The steps as they are told, in order and counted. */
const steps = (...messages: (string | RegExp)[]) =>
  messages.map((message, index) => ({ progress: index + 1, message: expect.stringMatching(message) }));

describe('a call with a token for its progress', () => {
  test.for(['2026', '2025'] as const)(
    'is told by tools that post what is done while they wait for the ledger, at %s (S-291)',
    async (revision) => {
      const { pubkey: shipperPubkey } = await service.current.party(0);
      expect(await toldOf(revision, 'svc_post_task', { ...draft(), shipperPubkey })).toEqual(
        steps(/^The package is posted as [\da-f-]{36}; the ledger is to confirm it\.$/, /^The ledger has confirmed/),
      );
      const given = { ...goal(), maxBudgetSol: 0.1, shipperPubkey };
      expect(await toldOf(revision, 'svc_post_digital_task', given)).toEqual(
        steps(/^The digital task is posted as/, /^The ledger has confirmed/),
      );
    },
  );

  test.for(['2026', '2025'] as const)('is told by a claim and by a result, at %s (S-291)', async (revision) => {
    const [{ pubkey: agentPubkey }, { task }] = [await service.current.party(0), await postedTask(service.current)];
    const leg = { taskId: task.id, legId: legIdOf(task, 0), agentPubkey };
    expect(await toldOf(revision, 'svc_bid_digital_leg', { ...leg, bidSol: 0.01 })).toEqual(steps(/^The leg is yours/));
    expect(await toldOf(revision, 'svc_complete_digital_leg', { ...leg, result: 'late (2)' })).toEqual(
      steps(/^The result is kept/),
    );
  });

  test('is told nothing where nothing waits (S-291)', async () => {
    expect(await toldOf('2026', 'svc_economy_stats', {})).toEqual([]);
  });

  test('is told in the stream of the call, with its own token (S-291)', async () => {
    const { pubkey: shipperPubkey } = await service.current.party(0);
    const { params, ...message } = toolsCall('svc_post_task', { ...draft(), shipperPubkey });
    const body = { ...message, params: { ...params, _meta: { progressToken: 'mine' } } };
    const ask = async (accept: string) => {
      const answer = await post(url(), body, { accept, 'mcp-protocol-version': '2025-06-18' }, '/mcp');
      return { type: answer.headers.get('content-type'), text: await answer.text() };
    };
    const streamed = await ask('application/json, text/event-stream');
    const messages = [...streamed.text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json);
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 1 } },
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 2 } },
      { id: 1, result: { isError: false } },
    ]);
    // Who takes no stream gets the answer and nothing beside it.
    const plain = await ask('application/json');
    expect([plain.type, JSON.parse(plain.text)]).toMatchObject([
      'application/json',
      { id: 1, result: { isError: false } },
    ]);
  });

  test('goes on when its client hangs up (S-291)', async () => {
    const { pubkey: shipperPubkey } = await service.current.party(0);
    const { params, ...message } = toolsCall('svc_post_task', { ...draft(), shipperPubkey });
    const body = { ...message, params: { ...params, _meta: { progressToken: 7 } } };
    const accept = 'application/json, text/event-stream';
    const hangingUp = new AbortController();
    const answer = await fetch(`${url()}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, 'mcp-protocol-version': '2025-06-18' },
      body: JSON.stringify(body),
      signal: hangingUp.signal,
    });
    const first = await answer.body?.getReader().read();
    hangingUp.abort();
    const [id = ''] = /[\da-f]{8}-[\da-f-]{27}/.exec(Buffer.from(first?.value ?? []).toString()) ?? [];
    await expect.poll(async () => (await fetch(`${url()}/packages/${id}`)).status).toBe(200);
  });
});
