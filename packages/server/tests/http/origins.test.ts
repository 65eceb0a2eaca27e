import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withTestDatabase } from '../support/database.js';
import { agentBody, packageView, registerAgent } from './fixtures.js';
import { JSON_TYPE, post, rawRequest } from './rawRequest.js';
import { refusal } from './refusals.js';
import { migrateDatabase, startService, type TestService } from './service.js';

const database = withTestDatabase(migrateDatabase);
const FRIEND = 'https://app.example';
const STRANGER = 'https://elsewhere.example';
let service: TestService;

beforeAll(async () => {
  const runs = { registerAgent, listPackages: async () => ({ answer: [packageView()] }) };
  service = await startService(database.connectionString, runs, { corsOrigins: [FRIEND] });
});
afterAll(() => service.close());

async function preflight(origin: string, method: string, path = '/agents') {
  const headers = { origin, 'access-control-request-method': method };
  const { status, headers: answered } = await rawRequest(service.port, { method: 'OPTIONS', path, headers });
  return {
    status,
    origin: answered['access-control-allow-origin'],
    methods: answered['access-control-allow-methods'],
    headers: String(answered['access-control-allow-headers']).toLowerCase().split(', '),
  };
}

const write = (origin: string) => post(service.port, '/agents', agentBody(), { ...JSON_TYPE, origin });

describe('a page of another origin', () => {
  test.each([FRIEND, STRANGER, 'null'])('[S-9] may read: %s', async (origin) => {
    const { status, headers } = await rawRequest(service.port, { path: '/packages', headers: { origin } });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(headers['access-control-expose-headers']).toBe(
      'Link, Mcp-Session-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Idempotency-Replayed',
    );
    expect(await preflight(origin, 'GET')).toMatchObject({ status: 204, origin: '*' });
  });

  test('[S-9] may read refusals too', async () => {
    const { status, headers } = await rawRequest(service.port, { path: '/nothing', headers: { origin: STRANGER } });
    expect([status, headers['access-control-allow-origin']]).toEqual([404, '*']);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('[S-9] may %s when the operator allows its origin', async (method) => {
    const { origin, methods } = await preflight(FRIEND, method);
    expect(origin).toBe(FRIEND);
    expect(methods).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('[S-9] is told before it sends that it may not %s', async (method) => {
    expect((await preflight(STRANGER, method)).methods).toBe('GET, HEAD');
  });

  test.each(['/mcp', '/mcp/call'])(
    '[S-9] may call tools only when the operator allows its origin: %s',
    async (path) => {
      expect((await preflight(STRANGER, 'POST', path)).methods).toBe('GET, HEAD');
      expect((await preflight(FRIEND, 'POST', path)).origin).toBe(FRIEND);
    },
  );

  test('[S-9] need not be named to learn what any page may send', async () => {
    const { status, headers } = await rawRequest(service.port, { method: 'OPTIONS', path: '/mcp' });
    expect([status, headers['access-control-allow-methods']]).toEqual([204, 'GET, HEAD']);
  });

  test('[S-9] may send the headers that requests are signed, named and admitted with', async () => {
    const { headers } = await preflight(FRIEND, 'POST');
    expect(headers).toEqual(
      expect.arrayContaining(['content-type', 'x-pubkey', 'x-nonce', 'x-signature', 'idempotency-key', 'x-api-key']),
    );
    expect(headers).toContain('mcp-protocol-version');
  });

  test('[S-9] that the operator allows writes, and reads the answer', async () => {
    const { status, headers } = await write(FRIEND);
    expect([status, headers['access-control-allow-origin']]).toEqual([200, FRIEND]);
    expect(headers['vary']).toMatch(/origin/i);
  });

  test.each([STRANGER, 'null', `${FRIEND}.evil.example`, 'http://app.example'])(
    '[S-9] that writes unasked is refused, and changes nothing: %s',
    async (origin) => {
      expect(await refusal(service, () => write(origin))).toMatchObject({ status: 403, code: 'foreign_origin' });
    },
  );
});

test("[S-9] the service's own pages may write", async () => {
  for (const origin of [service.url, `http://localhost:${service.port}`, 'https://relay.example']) {
    expect((await write(origin)).status).toBe(200);
  }
});
