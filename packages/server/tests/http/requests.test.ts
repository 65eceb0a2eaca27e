import { createUuid, operations } from '@legwork/protocol/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withTestDatabase } from '../support/database.js';
import { agentBody, packageView, registerAgent, SHIPPER } from './fixtures.js';
import { JSON_TYPE, post as postTo, rawRequest } from './rawRequest.js';
import { refusal as refusalOf, type Refusal } from './refusals.js';
import { migrateDatabase, startService, type TestService } from './service.js';

const database = withTestDatabase(migrateDatabase);
let service: TestService;

beforeAll(async () => {
  service = await startService(database.connectionString, {
    registerAgent,
    listPackages: async (_context, { limit, cursor }) => ({
      answer: [packageView()],
      nextCursor: limit === 1 && cursor === undefined ? 'a+b/c=' : undefined,
    }),
    buildConfirmTx: async (_context, { legId }) => ({
      answer: {
        legId,
        legIndex: 0,
        isFinal: true,
        recipientPubkey: SHIPPER,
        transaction: 'AAAA',
        blockhash: 'hash',
        lastValidBlockHeight: 1,
      },
    }),
  });
});
afterAll(() => service.close());

const post = (path: string, body: string | Uint8Array, headers?: Record<string, string>) =>
  postTo(service.port, path, body, headers);
const refusal = (send: () => ReturnType<typeof rawRequest>) => refusalOf(service, send);

/** A refusal with this status and code. */
async function refused(send: () => ReturnType<typeof rawRequest>, status: number, code: string): Promise<Refusal> {
  const answer = await refusal(send);
  expect(answer).toMatchObject({ status, code });
  return answer;
}

const get = (path: string) => rawRequest(service.port, { path });

test('[S-76] requests have 30 seconds to arrive, headers and body', () => {
  const { requestTimeout, headersTimeout } = service.app.server;
  expect([requestTimeout, headersTimeout]).toEqual([30_000, 30_000]);
});

describe('answers', () => {
  test('[S-1] are the wire form: lamports as integers, instants as ISO 8601 text', async () => {
    const response = await fetch(`${service.url}/packages`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const [first] = (await response.json()) as Record<string, unknown>[];
    expect(first).toMatchObject({ maxBudgetLamports: 250_000_000, deadline: '2030-01-02T03:04:05.678Z' });
  });

  test('[S-1] come with the status of the contract', async () => {
    const answer = await post('/agents', agentBody());
    expect(answer.status).toBe(operations.registerAgent.status);
    expect(answer.body).toMatchObject({ registered: true });
  });

  test('[S-1] of HEAD are those of GET without the body', async () => {
    const answer = await fetch(`${service.url}/packages`, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('[S-20] of a list name the next page, which keeps the other parameters', async () => {
    const response = await fetch(`${service.url}/packages?status=listed&limit=1`);
    const link = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
    const next = new URL(link, response.url);
    expect(Object.fromEntries(next.searchParams)).toEqual({ status: 'listed', limit: '1', cursor: 'a+b/c=' });
    const last = await fetch(next);
    expect([last.status, last.headers.get('link')]).toEqual([200, null]);
  });
});

describe('input that an operation does not take', () => {
  test('[S-3] every wrong field is named, with what would be right', async () => {
    const body = JSON.stringify({ agentPubkey: 'me', displayName: '', colour: 'red' });
    const { errors, detail } = await refused(() => post('/agents', body), 400, 'invalid_input');
    expect(errors.map(({ field }) => field).sort()).toEqual(['agentPubkey', 'colour', 'displayName']);
    expect(errors.find(({ field }) => field === 'colour')?.message).toBe(
      'is not a field here; there is agentPubkey, displayName, capabilities',
    );
    expect(errors.find(({ field }) => field === 'agentPubkey')?.message).toContain('base58');
    expect(detail).toContain('agentPubkey: ');
  });

  test('[S-3] a missing field is called required', async () => {
    const { errors } = await refused(() => post('/agents', '{}'), 400, 'invalid_input');
    expect(errors).toEqual([{ field: 'agentPubkey', message: 'is required, and must be a string' }]);
  });

  test('[S-3] a value of another type is called what it is, once', async () => {
    const body = JSON.stringify({ packageId: 7, transaction: '?' });
    const { errors } = await refused(() => post('/packages', body), 400, 'invalid_input');
    expect(errors).toEqual([
      { field: 'transaction', message: 'must be a transaction in base64' },
      { field: 'packageId', message: 'must be a UUID' },
    ]);
    const listed = await refused(() => post('/agents', agentBody({ capabilities: 'delivery' })), 400, 'invalid_input');
    expect(listed.errors).toEqual([{ field: 'capabilities', message: 'must be a list, not a string' }]);
    const whole = await refused(() => post('/agents', '[]'), 400, 'invalid_input');
    expect(whole.errors).toEqual([{ field: '', message: 'must be an object, not a list' }]);
  });

  test('[S-3] fields of lists have dotted paths', async () => {
    const { errors } = await refused(
      () => post('/agents', agentBody({ capabilities: ['ok', 7] })),
      400,
      'invalid_input',
    );
    expect(errors.map(({ field }) => field)).toEqual(['capabilities.1']);
  });

  test('[S-3] control characters, NUL among them, never reach the database', async () => {
    const inBody = await refused(() => post('/agents', agentBody({ displayName: 'a\u0000b' })), 400, 'invalid_input');
    expect(inBody.errors.map(({ field }) => field)).toEqual(['displayName']);
    const inQuery = await refused(() => get('/packages?cursor=%00'), 400, 'invalid_input');
    expect(inQuery.errors.map(({ field }) => field)).toEqual(['cursor']);
    const inPath = await refused(() => get('/packages/%00'), 400, 'invalid_input');
    expect(inPath.errors.map(({ field }) => field)).toEqual(['packageId']);
  });

  test('[S-3] an id in the path that is none is named', async () => {
    const { errors } = await refused(() => get('/packages/42'), 400, 'invalid_input');
    expect(errors).toEqual([{ field: 'packageId', message: 'must be a UUID' }]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e400', 'limit'],
    ['status=draught', 'status'],
    ['shipper=me', 'shipper'],
    ['colour=red', 'colour'],
    ['limit=1&limit=2', 'limit'],
    ['status=listed&status=listed', 'status'],
    ['status=%ZZ', 'status'],
    ['__proto__=1', '__proto__'],
  ])('[S-4] a query of ?%s names %s', async (query, field) => {
    const { errors } = await refused(() => get(`/packages?${query}`), 400, 'invalid_input');
    expect(errors.map((error) => error.field)).toEqual([field]);
  });

  test.each([
    ['limit=0', 'must be at least 1'],
    ['limit=201', 'must be at most 200'],
    ['limit=ten', 'must be a whole number, in digits'],
    ['limit=1.5', 'must be a whole number, in digits'],
    ['near=52.5,13.4&radiusKm=0', 'must be above 0'],
    ['near=52.5,13.4&radiusKm=30000', 'must be at most 20040'],
    ['near=52.5,13.4&radiusKm=1e3', 'must be kilometres in digits'],
    ['status=draught', 'must be one of listed, swarm_forming, in_transit, delivered, failed'],
  ])('[S-4] a query of ?%s is told what would be right', async (query, message) => {
    const { errors } = await refused(() => get(`/packages?${query}`), 400, 'invalid_input');
    expect(errors.map((error) => error.message)).toEqual([message]);
  });

  test('[S-4] a repeated parameter is told to be given once', async () => {
    const { errors } = await refused(() => get('/packages?limit=1&limit=2'), 400, 'invalid_input');
    expect(errors[0]?.message).toBe('was given more than once; give it once');
  });

  test('[S-3] at most twenty wrong fields are listed, and the detail says how many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`field${index}`, 1]));
    const { errors, detail } = await refused(() => post('/agents', agentBody(many)), 400, 'invalid_input');
    expect(errors).toHaveLength(20);
    expect(detail).toContain('and 1997 more');
  });
});

describe('a body', () => {
  test('[S-6] that is not JSON is malformed', async () => {
    expect(await refusal(() => post('/agents', '{"agentPubkey":'))).toMatchObject({
      status: 400,
      code: 'malformed_body',
    });
  });

  test('[S-6] that is not UTF-8 is malformed', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(await refusal(() => post('/agents', bytes))).toMatchObject({ status: 400, code: 'malformed_body' });
  });

  test.each(['{"__proto__":{"admin":true}}', '{"a":{"constructor":{"prototype":{"x":1}}}}'])(
    '[S-6] that reaches for a prototype is malformed: %s',
    async (body) => {
      expect(await refusal(() => post('/agents', body))).toMatchObject({ status: 400, code: 'malformed_body' });
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    },
  );

  test.each(['[]', '"text"', '7', 'null', 'true'])('[S-6] that is not an object is refused: %s', async (body) => {
    const { errors } = await refused(() => post('/agents', body), 400, 'invalid_input');
    expect(errors.map(({ field }) => field)).toEqual(['']);
  });

  test('[S-6] nested thousands deep is refused like any other', async () => {
    expect(await refusal(() => post('/agents', `${'['.repeat(9_000)}${']'.repeat(9_000)}`))).toMatchObject({
      status: 400,
      code: 'invalid_input',
    });
    const deep = `{"displayName":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
    expect(await refusal(() => post('/agents', deep))).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  test('[S-6] holds at most 10,000 values; more are refused before they are parsed', async () => {
    const list = (values: number) => `[${Array.from({ length: values - 1 }, () => '0').join(',')}]`;
    const most = await refused(() => post('/agents', list(10_000)), 400, 'invalid_input');
    expect(most.detail).toBe('must be an object, not a list');
    // Cut short, so that parsing it would tell something else.
    const over = await refused(() => post('/agents', list(10_001).slice(0, -1)), 400, 'invalid_input');
    expect(over.errors).toEqual([{ field: '', message: 'must hold at most 10000 values, lists and objects included' }]);
    const inText = agentBody({ capabilities: ['\\",[{'.repeat(8)], displayName: '"'.repeat(80) });
    expect((await post('/agents', inText)).status).toBe(200);
    const text = JSON.stringify({ colour: ',[{"\\'.repeat(7_000) });
    const { errors } = await refused(() => post('/agents', text), 400, 'invalid_input');
    expect(errors.map(({ field }) => field)).toEqual(['agentPubkey', 'colour']);
  });

  test('[S-6] is required where the operation has one', async () => {
    const bare = await refused(
      () => rawRequest(service.port, { method: 'POST', path: '/agents' }),
      400,
      'invalid_input',
    );
    expect(bare.detail).toBe('a JSON body is required, with agentPubkey, displayName, capabilities');
    expect(await refusal(() => post('/agents', ''))).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  test('[S-6] may be absent or empty where the operation has none', async () => {
    const path = `/swarms/legs/${createUuid()}/build-confirm-tx`;
    expect((await rawRequest(service.port, { method: 'POST', path })).status).toBe(200);
    expect((await post(path, '')).status).toBe(200);
    expect((await post(path, '{}')).status).toBe(200);
    const { errors } = await refused(() => post(path, '{"signature":"x"}'), 400, 'invalid_input');
    expect(errors).toEqual([{ field: 'signature', message: 'is not a field here; there is none' }]);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'])(
    '[S-6] of type %s is not taken',
    async (type) => {
      expect(await refusal(() => post('/agents', '{}', { 'content-type': type }))).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
      });
    },
  );

  test('[S-6] without a content type is not taken', async () => {
    expect(await refusal(() => post('/agents', '{}', {}))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
  });

  test('[S-6] of 64 KiB is taken, one byte more is not', async () => {
    const filled = (bytes: number) => {
      const start = agentBody();
      return `${start}${' '.repeat(bytes - start.length)}`;
    };
    expect((await post('/agents', filled(65_536))).status).toBe(200);
    expect(await refusal(() => post('/agents', filled(65_537)))).toMatchObject({ status: 413, code: 'body_too_large' });
    const chunked = () =>
      rawRequest(service.port, { method: 'POST', path: '/agents', headers: JSON_TYPE, body: filled(65_537) });
    expect(await refusal(chunked)).toMatchObject({ status: 413, code: 'body_too_large' });
  });
});
