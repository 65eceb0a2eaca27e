import { createUuid } from '@legwork/protocol/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withTestDatabase } from '../support/database.js';
import { agentBody, packageView, registerAgent } from './fixtures.js';
import { JSON_TYPE, post as postTo, rawBytes, rawRequest } from './rawRequest.js';
import { refusal as refusalOf } from './refusals.js';
import { migrateDatabase, startService, type TestService } from './service.js';

const database = withTestDatabase(migrateDatabase);
let service: TestService;

beforeAll(async () => {
  service = await startService(database.connectionString, {
    registerAgent,
    listPackages: async (_context, { status }) => {
      if (status === 'failed') throw new Error('password=hunter2');
      return { answer: [{ ...packageView(), maxBudgetLamports: -1n as never }] };
    },
  });
});
afterAll(() => service.close());

const post = (path: string, body: string | Uint8Array, headers?: Record<string, string>) =>
  postTo(service.port, path, body, headers);
const refusal = (send: () => ReturnType<typeof rawRequest>) => refusalOf(service, send);

const get = (path: string) => rawRequest(service.port, { path });

describe('an address', () => {
  test.each([
    '/nothing',
    '/config/',
    '/packages/',
    '/agents/',
    '/swarms/legs//confirm',
    '/Packages',
    '/packages/a/b',
    '//',
    '/.env',
    '/docs/../config2',
  ])('[S-5] with nothing behind it is not found: %s', async (path) => {
    expect(await refusal(() => get(path))).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('[S-5] with nothing behind it is not found whatever is sent to it', async () => {
    expect(await refusal(() => post('/nothing', 'x', { 'content-type': 'text/plain' }))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    expect(await refusal(() => post('/nothing', '{'))).toMatchObject({ status: 404, code: 'not_found' });
  });

  test.each([
    ['DELETE', '/packages', 'GET, HEAD, POST'],
    ['POST', '/config', 'GET, HEAD'],
    ['GET', '/bids', 'POST'],
    ['HEAD', '/bids', 'POST'],
    ['GET', '/packages/build-tx', 'POST'],
    ['PUT', `/packages/${createUuid()}`, 'GET, HEAD'],
    ['PROPFIND', '/packages', 'GET, HEAD, POST'],
    ['TRACE', '/healthz', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/docs/', 'GET, HEAD'],
    ['PUT', '/docs/static/index.css', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
  ])('[S-5] answers %s %s with 405 and the methods it takes', async (method, path, allow) => {
    const answer = await rawRequest(service.port, { method, path });
    expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
    expect(answer.body['code']).toBe(method === 'HEAD' ? undefined : 'method_not_allowed');
  });

  test.each(['/packages/%', '/packages/%ZZ', '/%E0%A4%A', '/packages/%ff', '/packages?status=%E0%A4%A'])(
    '[S-4] with a broken percent-encoding is refused: %s',
    async (path) => {
      expect(await refusal(() => get(path))).toMatchObject({ status: 400, code: 'invalid_input' });
    },
  );

  test('[S-4] with an endless part is refused', async () => {
    expect(await refusal(() => get(`/packages/${'a'.repeat(5000)}`))).toMatchObject({
      status: 400,
      code: 'invalid_input',
    });
  });

  test('[S-4] bytes that are not HTTP are refused as a problem too', async () => {
    expect(await rawBytes(service.port, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_input"/s);
    const huge = `GET /config HTTP/1.1\r\nhost: x\r\nx-big: ${'a'.repeat(40_000)}\r\n\r\n`;
    expect(await rawBytes(service.port, huge)).toMatch(/^HTTP\/1.1 400 .*headers are larger/s);
  });

  test.each(['GET /config', 'POST /mcp'])('[S-11] two Host headers are refused: %s', async (target) => {
    const { host } = new URL(service.url);
    const head = `${target} HTTP/1.1\r\nhost: ${host}\r\nHost: elsewhere\r\nconnection: close\r\n\r\n`;
    expect(await rawBytes(service.port, head)).toMatch(/^HTTP\/1.1 400 .*Send one Host header/s);
  });

  test('[S-31] of the event stream says that it is a WebSocket', async () => {
    const detail = expect.stringContaining('WebSocket');
    expect(await refusal(() => get('/ws'))).toMatchObject({ status: 400, code: 'invalid_input', detail });
  });
});

describe('a failure of the service', () => {
  test('[S-7] says nothing of its cause to the caller and all of it to the log', async () => {
    const body = await refusal(() => get('/packages?status=failed'));
    expect(body).toMatchObject({ status: 500, code: 'internal_error' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(service.logged.join('')).toContain('hunter2');
  });

  test('[S-7] an answer that breaks its own contract is a failure, not an answer', async () => {
    expect(await refusal(() => get('/packages?status=delivered'))).toMatchObject({
      status: 500,
      code: 'internal_error',
    });
  });

  test('[S-7] without its database it says that it is not ready, and when to try again', async () => {
    const cut = await startService('postgresql://relay@127.0.0.1:1/none', { registerAgent });
    try {
      const answer = await rawRequest(cut.port, {
        method: 'POST',
        path: '/agents',
        headers: JSON_TYPE,
        body: agentBody(),
      });
      expect([answer.status, answer.body['code'], answer.headers['retry-after']]).toEqual([503, 'not_ready', '2']);
    } finally {
      await cut.close();
    }
  });

  test('[S-8] requests are logged without bodies and signatures', async () => {
    service.logged.length = 0;
    const headers = { ...JSON_TYPE, 'x-signature': 'secret-header', 'x-api-key': 'secret-key' };
    await post('/agents', agentBody({ displayName: 'secret-body' }), headers);
    const line = service.logged
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ url }) => url === '/agents');
    expect(line).toMatchObject({ method: 'POST', status: 401, msg: 'request' });
    expect(service.logged.join('')).not.toContain('secret');
  });
});
