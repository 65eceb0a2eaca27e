import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLegworkClient } from '@legwork/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createContext } from '../../src/createContext.js';
import { buildHttp, drainHttp } from '../../src/http/httpServer.js';
import { runs } from '../../src/operations/index.js';
import { pino } from 'pino';
import { call, posting } from '../a2a/scene.js';
import { connectClient, post, rpc, signatureHeaders, toolsCall } from '../mcp/toolCalls.js';
import { postSponsored } from '../operations/sponsoring/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { Receiver } from '../webhooks/receiver.js';
import { Collector, newTrace, type Span } from './collector.js';

let collector: Collector;
let service: TestService;
const settings = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
  WEBHOOK_TARGETS: 'any',
});

beforeAll(async () => {
  collector = await Collector.start();
  service = await TestService.start({ lying: true, settings: (usual) => ({ ...usual, ...settings() }) });
});
beforeEach(() => void collector.spans.splice(0));
afterAll(async () => {
  await service.close();
  await collector.close();
});

/** The span of this name in the trace, once it has arrived; which it does when it has ended. */
const spanOf = (traceId: string, name: string): Promise<Span> =>
  until(`the span ${name}`, async () => collector.of(traceId).find((span) => span.name === name));

/** Posts a package at the coordinator's expense, on a client's trace. */
async function posted(traceparent: string, to: TestService = service, changes: Parameters<typeof draft>[0] = {}) {
  const shipper = await service.party(0);
  const { status, body } = await postSponsored(to, shipper.pubkey, changes, { traceparent });
  expect(status).toBe(201);
  return { shipper, packageId: body.id ?? '' };
}

describe('a trace', () => {
  test('goes from the client of a REST call over its decision and intent to the node (S-271)', async () => {
    const { traceId, parentId, traceparent } = newTrace();
    const { packageId } = await posted(traceparent);

    const intent = await spanOf(traceId, 'intent list_package');
    const operation = await spanOf(traceId, 'operation postSponsored');
    const sent = await spanOf(traceId, 'rpc sendTransaction');
    const decision = await spanOf(traceId, 'decision list_package');
    expect(operation).toMatchObject({ parentSpanId: parentId, isFault: false });
    expect(operation.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/packages/sponsored',
      'http.response.status_code': 201,
    });
    expect(collector.above(decision)).toEqual(['transaction', 'operation postSponsored']);
    expect(collector.above(intent)).toEqual(['decision list_package', ...collector.above(decision)]);
    expect(collector.above(sent)[0]).toBe('intent list_package');
    expect(intent.attributes).toMatchObject({
      'legwork.intent.kind': 'list_package',
      'legwork.subject': `package:${packageId}`,
      'legwork.signature': (await service.party(0).then(({ client }) => client.getPackage({ packageId })))
        .listSignature,
    });
    const heard = service.node.traced.find(({ traceparent: one }) => one === `00-${traceId}-${sent.spanId}-01`);
    expect(heard?.method).toBe('sendTransaction');
    expect(collector.headers['x-collector-key']).toBe('a key');
  });

  test('goes from the call whose bid was the last over the evaluation to the swarm that lands (S-271)', async () => {
    const { packageId } = await posted(newTrace().traceparent);
    const { traceId, traceparent } = newTrace();
    const courier = await service.party(1);
    const fetchTraced: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('traceparent', traceparent);
      return fetch(input, { ...init, headers });
    };
    const client = createLegworkClient({ url: service.server.url, signer: courier.signer, fetch: fetchTraced });
    await client.submitBid(bidInput(courier, packageId, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service, packageId, ({ status }) => status === 'in_transit');

    const intent = await spanOf(traceId, 'intent form_swarm');
    const evaluation = await spanOf(traceId, 'evaluation');
    expect(collector.above(intent)).toContain('evaluation');
    expect(evaluation.attributes).toEqual({
      'legwork.subject': `package:${packageId}`,
      'legwork.evaluation': 'formed',
    });
    expect(collector.above(evaluation).at(-1)).toBe('operation submitBid');
  });

  test.for(['2026', '2025'] as const)(
    'goes on from the _meta of an MCP message of %s, before the headers of its request (S-271)',
    async (revision) => {
      const [inMessage, inHeader] = [newTrace(), newTrace()];
      const client = await connectClient(service.server.url, revision, { traceparent: inHeader.traceparent });
      const shipper = await service.party(0);
      await client.callTool({
        name: 'svc_post_task',
        arguments: { ...draft(), shipperPubkey: shipper.pubkey },
        _meta: { traceparent: inMessage.traceparent, tracestate: 'vendor=1' },
      });
      await client.close();
      const sent = await spanOf(inMessage.traceId, 'rpc sendTransaction');
      const tool = await spanOf(inMessage.traceId, 'tool svc_post_task');
      expect(tool).toMatchObject({
        parentSpanId: inMessage.parentId,
        attributes: { 'legwork.tool': 'svc_post_task' },
        isFault: false,
      });
      expect(collector.above(sent)).toEqual([
        'intent list_package',
        'decision list_package',
        'transaction',
        'tool svc_post_task',
      ]);
      expect(collector.of(inHeader.traceId).filter(({ name }) => name === 'tool svc_post_task')).toEqual([]);
    },
  );

  test('goes on from the headers of a plain tool call, and tells the code of a refusal (S-271)', async () => {
    const { traceId, parentId, traceparent } = newTrace();
    const call = { tool: 'svc_get_package', arguments: { packageId: '019c2f7e-0000-7000-8000-000000000000' } };
    await post(service.server.url, call, { traceparent });
    expect(await spanOf(traceId, 'tool svc_get_package')).toMatchObject({
      parentSpanId: parentId,
      attributes: { 'legwork.tool': 'svc_get_package', 'error.type': 'not_found' },
      // It is no fault of the service.
      isFault: false,
    });
  });

  test('goes on from the headers of a call over A2A, and tells the reason of a refusal (S-271)', async () => {
    const { traceId, parentId, traceparent } = newTrace();
    const { pubkey } = await service.party(0);
    const data = { shipperPubkey: pubkey, maxBudgetSol: 0.02, legs: [{ instruction: 'Sum it up.' }] };
    const { result } = await call(service, 'SendMessage', posting(data), { headers: { traceparent } });
    const { id } = result['task'] as { id: string };
    expect(await spanOf(traceId, 'a2a SendMessage')).toMatchObject({ parentSpanId: parentId, isFault: false });
    const intent = await spanOf(traceId, 'intent list_task');
    expect(intent.attributes).toMatchObject({ 'legwork.subject': `task:${id}` });
    await call(service, 'CancelTask', { id }, { headers: { traceparent } });
    const refused = await spanOf(traceId, 'a2a CancelTask');
    expect([refused.attributes, refused.isFault]).toEqual([{ 'error.type': 'task_not_cancelable' }, false]);
  });

  test('is one where another replica carries what the first decided (S-271)', async () => {
    const config = loadConfig({ ...service.environment(), LOG_LEVEL: 'silent', ...settings() });
    // It answers, and nothing works in it without being asked.
    const first = await createContext(config, service.server.url, pino({ level: 'silent' }));
    const app = await buildHttp(first, runs);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const { traceId, traceparent } = newTrace();
      const shipper = await service.party(0);
      const asked = { ...draft(), shipperPubkey: shipper.pubkey };
      expect((await post(url, asked, { traceparent }, '/packages/sponsored')).status).toBe(201);
      const [intent, operation] = [
        await spanOf(traceId, 'intent list_package'),
        await spanOf(traceId, 'operation postSponsored'),
      ];
      expect(collector.above(intent).at(-1)).toBe('operation postSponsored');
      expect(new Set([intent.instance, operation.instance]).size).toBe(2);
    } finally {
      await drainHttp(app);
      await Promise.all([first.db.destroy(), first.tracing?.close()]);
    }
  });

  test('reaches the webhook that is told what came of the call (S-271)', async () => {
    const receiver = await Receiver.start();
    try {
      const owner = await service.party(0);
      const { url, secret } = receiver;
      await owner.client.registerWebhook({ url, secret, filter: { topics: 'PACKAGE_LISTED' } });
      const { traceId, traceparent } = newTrace();
      const { packageId } = await posted(traceparent);
      const told = await until('the event', async () =>
        receiver.taken.find(({ data }) => data.packageId === packageId),
      );
      const span = await spanOf(traceId, 'webhook');
      expect(told.headers['traceparent']).toBe(`00-${traceId}-${span.spanId}-01`);
      expect(collector.above(span)).toContain('intent list_package');
      expect(span.attributes).toEqual({ 'http.response.status_code': 204 });
    } finally {
      receiver.stop();
    }
  });
});

describe('what is no traceparent', () => {
  const { traceId, parentId } = newTrace();
  const wrong = [
    '',
    'x',
    `00-${traceId}-${parentId}`,
    `ff-${traceId}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase().replace(/\d/g, 'G')}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
    'a-'.repeat(5_000),
    '{"$ne":1}',
  ];

  test.for(wrong)('%j is passed over: the call is answered, in a trace of its own (S-271)', async (traceparent) => {
    const answer = await fetch(`${service.server.url}/stats`, { headers: { traceparent } });
    expect(answer.status).toBe(200);
    const span = await until('its span', async () => collector.spans.find(({ name }) => name === 'operation getStats'));
    expect([span.parentSpanId, span.traceId === traceId]).toEqual([undefined, false]);
  });

  test.for([1, null, {}, ['a'], 'a'.repeat(10_000)])('neither is one in _meta: %j (S-271)', async (traceparent) => {
    const { params, ...message } = toolsCall('svc_economy_stats');
    const _meta = { traceparent, tracestate: 7 };
    const { body } = await rpc(service.server.url, { ...message, params: { ...params, _meta } });
    expect(body).toMatchObject({ result: { isError: false } });
    const span = await until('its span', async () =>
      collector.spans.find(({ name }) => name === 'tool svc_economy_stats'),
    );
    expect(span.parentSpanId).toBeUndefined();
  });

  test('a client that says its trace is not recorded has none here (S-271)', async () => {
    const unrecorded = newTrace();
    await fetch(`${service.server.url}/stats`, {
      headers: { traceparent: unrecorded.traceparent.replace(/01$/, '00') },
    });
    const { traceId, traceparent } = newTrace();
    await fetch(`${service.server.url}/stats`, { headers: { traceparent } });
    await spanOf(traceId, 'operation getStats');
    expect(collector.of(unrecorded.traceId)).toEqual([]);
  });
});

describe('a span', () => {
  test('has the attributes that are written down, and nothing that somebody wrote, no key and no secret (S-272)', async () => {
    const description = 'a cello for Ingeborg';
    const [first, second] = [newTrace(), newTrace()];
    const { shipper, packageId } = await posted(first.traceparent, service, { description });
    const courier = await service.party(1);
    const bid = bidInput(courier, packageId, 'zoo', 'ostkreuz', 0.1);
    const body = JSON.stringify(bid);
    const signed = await signatureHeaders(service, courier.signer, body, '/bids');
    const apiKey = 'an-api-key-of-somebody';
    const headers = { ...signed, traceparent: second.traceparent, 'x-api-key': apiKey, 'idempotency-key': 'idem-4711' };
    expect((await post(service.server.url, body, headers, '/bids')).status).toBe(201);
    await post(service.server.url, body, { ...headers, 'x-signature': 'AAAA' }, `/bids?q=${apiKey}`);
    await spanOf(second.traceId, 'intent form_swarm');
    await spanOf(first.traceId, 'intent list_package');

    const page = await readFile(join(import.meta.dirname, '../../../../docs/operators/tracing.md'), 'utf8');
    const written = new Set([...page.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, name = '']) => name));
    const said = collector.spans.flatMap(({ attributes }) => Object.entries(attributes));
    expect(said.length).toBeGreaterThan(20);
    expect([...new Set(said.map(([name]) => name))].filter((name) => !written.has(name))).toEqual([]);
    const all = JSON.stringify(collector.spans);
    const secrets = [description, 'Ingeborg', apiKey, 'idem-4711', shipper.pubkey, courier.pubkey];
    secrets.push(...Object.values(signed), '52.5', '127.0.0.1');
    for (const secret of secrets) expect(all).not.toContain(secret);
  });
});
