import { createUuid, operations } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signatureHeaders } from '../mcp/toolCalls.js';
import { goal, postedTask } from '../operations/digitalTasks/scene.js';
import { type Party, withService } from '../support/service.js';
import { changesBetween, snapshot, untilQuiet, untilTakenBack } from '../support/snapshot.js';
import { type Answered, call, detailsOf, posting, postRaw } from './scene.js';

const service = withService();

/** The refusal of a call, which must leave every table and account as it was. */
async function refused(ask: () => Promise<Answered>) {
  await untilTakenBack(service.current);
  await untilQuiet(service.current);
  const before = await snapshot(service.current);
  const answered = await ask();
  expect(changesBetween(before, await snapshot(service.current))).toEqual([]);
  expect(answered.result).toBeUndefined();
  return { ...detailsOf(answered), message: answered.error?.message };
}

const send = (params: unknown, given: Parameters<typeof call>[3] = {}) =>
  refused(() => call(service.current, 'SendMessage', params, given));
const postedBy = ({ pubkey }: Party) => ({ shipperPubkey: pubkey, maxBudgetSol: 0.02 });

/** What came back for bytes that are no request. */
async function answerTo(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await postRaw(service.current, body, headers);
  return { status: response.status, ...((await response.json()) as { id: unknown; error: { code: number } }) };
}

describe('what is no request of A2A 1.0', () => {
  test.each([
    ['not JSON', '{', -32_700],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), -32_700],
    ['nothing', '', -32_700],
    ['more values than any operation takes', `[${'1,'.repeat(10_001)}1]`, -32_700],
    ['a list of requests', '[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]', -32_600],
    ['null', 'null', -32_600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32_600],
    ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":{}}', -32_600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32_600],
    ['a method of 0.3', '{"jsonrpc":"2.0","id":1,"method":"message/send"}', -32_601],
    ['a method that objects have', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32_601],
    ['a method by its prototype', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32_601],
  ])('is answered as JSON-RPC says it: %s (S-284)', async (_, body, code) => {
    const answered = await answerTo(body);
    expect([answered.status, answered.error.code]).toEqual([200, code]);
  });

  test('another type than JSON is refused, so that no page can send one without being asked for it (S-284)', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } });
    expect((await answerTo(body, { 'content-type': 'text/plain' })).error.code).toBe(-32_005);
    expect((await postRaw(service.current, body, { origin: 'https://elsewhere.example' })).status).toBe(403);
  });

  test('a body has as many bytes as a posting over REST (S-284)', async () => {
    const { bodyLimit } = operations.postSponsoredDigitalTask;
    expect((await postRaw(service.current, `"${'x'.repeat(bodyLimit)}"`)).status).toBe(413);
  });

  test('another version than 1.0 is refused, and none means 0.3; its patch does not matter (S-284)', async () => {
    for (const version of ['', '0.3', '1.1', '11.0', '1.0-rc', 'x'.repeat(1000)]) {
      const answered = await call(service.current, 'GetTask', { id: 'x' }, { headers: { 'a2a-version': version } });
      expect([version.slice(0, 9), detailsOf(answered)]).toEqual([
        version.slice(0, 9),
        { code: -32_009, reason: 'VERSION_NOT_SUPPORTED', fields: [] },
      ]);
    }
    for (const version of ['1.0', '1.0.1']) {
      const answered = await call(service.current, 'GetTask', { id: 'x' }, { headers: { 'a2a-version': version } });
      expect([version, detailsOf(answered).reason]).toEqual([version, 'TASK_NOT_FOUND']);
    }
  });
});

describe('a message that posts nothing', () => {
  test('names each wrong field, of the message and of the task (S-281, S-284)', async () => {
    expect(await send({})).toMatchObject({ code: -32_602, reason: 'INVALID_INPUT', fields: ['message'] });
    expect(await send(posting({}, { messageId: 'two words', role: 'ROLE_AGENT', parts: [] }))).toMatchObject({
      code: -32_602,
      fields: ['message.messageId', 'message.role', 'message.parts'],
    });
    expect(await send(posting({ maxBudgetSol: -1, colour: 'red', claimTimeoutSec: 1 }))).toMatchObject({
      code: -32_602,
      reason: 'INVALID_INPUT',
      fields: expect.arrayContaining(['shipperPubkey', 'maxBudgetSol', 'colour', 'claimTimeoutSec']) as unknown,
    });
    const many = Array.from({ length: 21 }, () => ({ text: 'x' }));
    expect(await send(posting(undefined, { parts: many }))).toMatchObject({ code: -32_602, fields: ['message.parts'] });
  });

  test('holds text and one object, and no files (S-281)', async () => {
    const { pubkey } = await service.current.party(0);
    const data = { shipperPubkey: pubkey, maxBudgetSol: 0.02 };
    for (const part of [
      { raw: 'AA==' },
      { url: 'http://169.254.169.254/' },
      { text: 'x', mediaType: 'image/png' },
      { text: '{}', mediaType: 'application/json' },
    ])
      expect(await send(posting(data, { parts: [part, { data }] }))).toMatchObject({
        code: -32_005,
        reason: 'CONTENT_TYPE_NOT_SUPPORTED',
      });
    for (const part of [{}, { data: null }, { data: [] }, { data: 'x' }])
      expect(await send(posting(data, { parts: [part] }))).toMatchObject({
        code: -32_602,
        fields: ['message.parts.0'],
      });
    expect(await send(posting(data, { parts: [{ data }, { data }] }))).toMatchObject({
      code: -32_602,
      fields: ['message.parts.1'],
    });
  });

  test('without data is answered with a message that says what is lacking (S-281)', async () => {
    const poster = await service.current.party(0);
    await untilQuiet(service.current);
    const before = await snapshot(service.current);
    const { result } = await call(service.current, 'SendMessage', posting(undefined));
    const signed = await call(service.current, 'SendMessage', posting(undefined), { by: poster });
    expect(changesBetween(before, await snapshot(service.current))).toEqual([]);
    expect(result).toMatchObject({
      message: { role: 'ROLE_AGENT', parts: [{ text: expect.stringContaining('shipperPubkey') as string }, {}] },
    });
    expect(signed.result).toMatchObject({
      message: {
        contextId: poster.pubkey,
        parts: [{ text: expect.not.stringContaining('shipperPubkey') as string }, {}],
      },
    });
  });

  test('has a title as long as titles are, whatever the first line of its text is (S-281)', async () => {
    const poster = await service.current.party(0);
    const text = `${'x'.repeat(199)}${'\u{1F4E6}'.repeat(100)}\nand more`;
    const { result } = await call(
      service.current,
      'SendMessage',
      posting(undefined, { parts: [{ text }, { data: postedBy(poster) }] }),
    );
    const { items } = await poster.client.listDigitalTasks({ shipper: poster.pubkey });
    expect(items).toMatchObject([{ title: 'x'.repeat(199), description: text }]);
    expect(result).toMatchObject({ task: { id: items[0]?.id, metadata: { title: 'x'.repeat(199) } } });
  });

  test('keeps the caps of REST, with the words of REST (S-281)', async () => {
    const poster = await service.current.party(0);
    const refusal = await send(posting({ ...postedBy(poster), maxBudgetSol: 900 }));
    expect(refusal).toMatchObject({ code: -32_602, reason: 'SPONSORSHIP_CAP', fields: ['maxBudgetSol'] });
    expect(refusal.message).toMatch(/fund the digital task from your own wallet/);
  });

  test("has its task told to no address of the service's own network, nor to the service (S-287)", async () => {
    const poster = await service.current.party(0);
    const { task } = await postedTask(service.current);
    for (const url of [
      'http://127.0.0.1:1/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest/meta-data/',
      'https://10.0.0.1/',
      'https://0x7f000001/',
      'https://agent.example:8443/',
      'https://user:secret@agent.example/',
      'http://agent.example/',
      service.current.server.url,
    ]) {
      const params = posting({ maxBudgetSol: 0.02 }, {}, { taskPushNotificationConfig: { url } });
      expect([url, await send(params, { by: poster })]).toMatchObject([
        url,
        { code: -32_602, fields: ['configuration.taskPushNotificationConfig.url'] },
      ]);
      const create = () =>
        call(service.current, 'CreateTaskPushNotificationConfig', { taskId: task.id, url }, { by: poster });
      expect([url, await refused(create)]).toMatchObject([url, { code: -32_602, fields: ['url'] }]);
    }
  });

  test('is of the context of its poster, also after an answer whose context was made up (S-281)', async () => {
    const [poster, other] = await Promise.all([service.current.party(0), service.current.party(0)]);
    const contexts = [];
    for (let asked = 0; asked < 2; asked += 1) {
      const { result } = await call(service.current, 'SendMessage', posting(undefined));
      contexts.push((result['message'] as { contextId: string }).contextId);
    }
    expect(new Set(contexts).size).toBe(2);
    const [contextId] = contexts;
    const { result } = await call(service.current, 'SendMessage', posting(postedBy(poster), { contextId }));
    expect(result).toMatchObject({ task: { contextId: poster.pubkey } });
    expect((await call(service.current, 'ListTasks', { contextId })).result).toMatchObject({ tasks: [] });
    expect(await send(posting(postedBy(poster), { contextId: other.pubkey }))).toMatchObject({
      code: -32_602,
      fields: ['message.contextId'],
    });
  });
});

test('whatever the parameters are, the caller is told what is wrong with them: nothing fails inside (S-284)', async () => {
  const id = createUuid();
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('', '\u0000', id, '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', 'x'.repeat(5000)),
  );
  const value = fc.oneof(text, fc.jsonValue(), fc.constant(Number.MAX_SAFE_INTEGER));
  const message = fc.record({
    messageId: fc.oneof(fc.constant('one'), value),
    role: fc.constant('ROLE_USER'),
    parts: fc.array(fc.record({ text, data: value }, { requiredKeys: [] }), { minLength: 1 }),
  });
  const token = fc.jsonValue().map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'));
  const list = { contextId: fc.constant('x') };
  // One thing is wrong at a time, or none: of several the first would hide the others.
  const asked = fc.oneof(
    fc.tuple(fc.constantFrom('GetTask', 'CancelTask', 'SubscribeToTask'), fc.oneof(value, fc.record({ id: text }))),
    fc.tuple(fc.constantFrom('SendMessage', 'SendStreamingMessage'), fc.oneof(value, fc.record({ message }))),
    fc.tuple(
      fc.constant('SendMessage'),
      fc.record({ message: fc.tuple(message, text).map(([one, taskId]) => ({ ...one, taskId })) }),
    ),
    fc.tuple(
      fc.constantFrom('Create', 'Get', 'Delete').map((verb) => `${verb}TaskPushNotificationConfig`),
      fc.record({ taskId: text, id: value, url: value, token: value, authentication: value }, { requiredKeys: [] }),
    ),
    fc.tuple(
      fc.constant('ListTasks'),
      fc.oneof(
        value,
        fc.record({ contextId: text }),
        fc.record({ ...list, pageToken: fc.oneof(text, token) }),
        fc.record({ ...list, statusTimestampAfter: text }),
        fc.record({ ...list, pageSize: value, historyLength: value, status: value }, { requiredKeys: ['contextId'] }),
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(asked, async ([method, params]) => {
      const response = await postRaw(service.current, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      expect([response.status, await response.text()]).toEqual([200, expect.not.stringContaining('-32603')]);
    }),
    { numRuns: 400 },
  );
});

describe('who sends', () => {
  test('signs rightly or not at all; what is signed is the body that comes (S-284)', async () => {
    const poster = await service.current.party(0);
    const other = await signatureHeaders(service.current, poster.signer, '{}', '/a2a');
    const refusal = { code: -32_000, reason: 'BAD_SIGNATURE' };
    expect(await send(posting({ maxBudgetSol: 0.02 }), { headers: other })).toMatchObject(refusal);
    expect(await refused(() => call(service.current, 'GetTask', { id: 'x' }, { headers: other }))).toMatchObject(
      refusal,
    );
  });

  test("uses up nobody else's signed allowance by a name: a posting in another name counts as unsigned, as over REST (S-281)", async () => {
    const [poster, other] = await Promise.all([service.current.party(0), service.current.party(0)]);
    for (const by of [other, poster])
      expect((await call(service.current, 'SendMessage', posting(postedBy(poster)), { by })).error).toBeUndefined();
    const counted = service.current.db
      .selectFrom('sponsorships')
      .select('signed')
      .where('poster_pubkey', '=', poster.pubkey);
    expect((await counted.orderBy('created_at').execute()).map(({ signed }) => signed)).toEqual([false, true]);
  });

  test('sends a signed message once; one that comes again by itself posts nothing twice (S-281)', async () => {
    const poster = await service.current.party(0);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: posting({ maxBudgetSol: 0.02 }),
    });
    const signed = await signatureHeaders(service.current, poster.signer, body, '/a2a');
    const first = (await (await postRaw(service.current, body, signed)).json()) as { result: { task: { id: string } } };
    expect(await answerTo(body, signed)).toMatchObject({ error: { code: -32_000 } });
    // Signed anew it is the same message: the task that there is.
    const fresh = await signatureHeaders(service.current, poster.signer, body, '/a2a');
    const again = (await (await postRaw(service.current, body, fresh)).json()) as typeof first;
    expect(again.result.task.id).toBe(first.result.task.id);
    expect((await poster.client.listDigitalTasks({ shipper: poster.pubkey })).items).toHaveLength(1);
  });

  test('may send a message several times at once: it is one task; other words under the same id are another (S-281)', async () => {
    const poster = await service.current.party(0);
    const params = posting(postedBy(poster), { messageId: 'one-and-the-same' });
    const answers = await Promise.all([1, 2, 3].map(() => call(service.current, 'SendMessage', params)));
    const told = answers.map((one) => (one.error ? detailsOf(one).reason : 'posted'));
    expect(told.filter((one) => one !== 'IDEMPOTENCY_IN_PROGRESS')).toContain('posted');
    await call(service.current, 'SendMessage', params);
    expect((await poster.client.listDigitalTasks({ shipper: poster.pubkey })).items).toHaveLength(1);
    await call(service.current, 'SendMessage', {
      ...params,
      message: { ...params.message, parts: [{ text: 'Another goal.' }, { data: postedBy(poster) }] },
    });
    expect((await poster.client.listDigitalTasks({ shipper: poster.pubkey })).items).toHaveLength(2);
  });

  test('is told nothing of drafts (S-282)', async () => {
    const { client, pubkey } = await service.current.party(1);
    const { taskId } = await client.buildListDigitalTaskTx({ ...goal(), shipperPubkey: pubkey });
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask'])
      expect([method, (await refused(() => call(service.current, method, { id: taskId }))).code]).toEqual([
        method,
        -32_001,
      ]);
    const { result } = await call(service.current, 'ListTasks', { contextId: pubkey });
    expect(result).toMatchObject({ tasks: [], totalSize: 0 });
  });
});
