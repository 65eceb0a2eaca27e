import { type CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../../src/config.js';
import { sweepLimits } from '../../../src/api/limits.js';
import { packageView, registerAgent, agentBody } from '../../http/fixtures.js';
import { post, rawRequest } from '../../http/rawRequest.js';
import { refusal } from '../../http/refusals.js';
import { migrateDatabase, startService, type TestService, UNLIMITED } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import type { Runs } from '../../../src/operations/index.js';

const database = withTestDatabase(migrateDatabase);
const LIMITS = { ...UNLIMITED, writes: 2, reads: 3 };

const runs: Partial<Runs> = {
  registerAgent,
  listPackages: async () => ({ answer: [packageView()] }),
  getHealth: async () => ({ answer: { status: 'ok' } }),
};
const started: TestService[] = [];
let first: TestService;
let second: TestService;
/** Each test comes from an address of its own. */
let client = '';
let clients = 0;

async function start(departures: Partial<Config>, url = database.connectionString): Promise<TestService> {
  const service = await startService(url, runs, departures);
  started.push(service);
  return service;
}

function newClient(): string {
  clients += 1;
  return `192.0.2.${clients}`;
}

const get = (service: TestService, path: string, from = client) =>
  rawRequest(service.port, { path, headers: { 'x-forwarded-for': from } });

beforeAll(async () => {
  const departures = { limits: LIMITS, trustProxy: ['127.0.0.1'] };
  [first, second] = await Promise.all([start(departures), start(departures)]);
});
afterAll(() => Promise.all(started.map((service) => service.close())));

describe('the allowance of a client', () => {
  test('[S-18] is told with every answer, and ends in 429 with the time to wait', async () => {
    client = newClient();
    const answers = [];
    for (let sent = 0; sent < 3; sent += 1) answers.push(await get(first, '/packages'));
    expect(
      answers.map(({ status, headers }) => [status, headers['ratelimit-limit'], headers['ratelimit-remaining']]),
    ).toEqual([
      [200, '3', '2'],
      [200, '3', '1'],
      [200, '3', '0'],
    ]);
    const over = await get(first, '/packages');
    expect([over.status, over.body['code'], over.headers['ratelimit-remaining']]).toEqual([429, 'rate_limited', '0']);
    const wait = Number(over.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(over.headers['ratelimit-reset']).toBe(over.headers['retry-after']);
    expect(await refusal(first, () => get(first, '/packages'))).toMatchObject({
      detail: expect.stringMatching(/^3 reading requests a minute .* try again in \d+ s\.$/),
    });
  });

  test('[S-18] ends for a browser in a page that waits and tries again, and for a program in a problem document', async () => {
    client = newClient();
    for (let sent = 0; sent < 3; sent += 1) await get(first, '/packages');
    const over = (accept: string) =>
      fetch(`http://127.0.0.1:${first.port}/p`, { headers: { 'x-forwarded-for': client, accept } });
    const page = await over('text/html,application/xhtml+xml,*/*;q=0.8');
    const { headers } = page;
    expect([page.status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      429,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(headers.get('refresh')).toBe(headers.get('retry-after'));
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toMatch(/<h1>One moment<\/h1><p>3 reading requests a minute are taken here/);
    const program = await over('application/json');
    expect([program.status, program.headers.get('refresh'), await program.json()]).toMatchObject([
      429,
      null,
      { code: 'rate_limited' },
    ]);
  });

  test('[S-18] is one for all replicas of the service', async () => {
    client = newClient();
    const both = [first, second, first, second, first, second];
    const answers = await Promise.all(both.map((service) => get(service, '/packages')));
    const taken = answers.filter(({ status }) => status === 200);
    expect([taken.length, answers.filter(({ status }) => status === 429).length]).toEqual([3, 3]);
  });

  test('[S-18] is its own: others still have theirs', async () => {
    client = newClient();
    for (let sent = 0; sent < 4; sent += 1) await get(first, '/packages');
    expect((await get(first, '/packages')).status).toBe(429);
    expect((await get(first, '/packages', newClient())).status).toBe(200);
  });

  test('[S-18] is one for all addresses of a /64 of IPv6', async () => {
    const addresses = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:DB8:0:1:1:2:3:4'];
    for (const address of addresses) expect((await get(first, '/packages', address)).status).toBe(200);
    expect((await get(first, '/packages', '2001:db8:0:1:abcd::9')).status).toBe(429);
    expect((await get(first, '/packages', '2001:db8:0:2::1')).status).toBe(200);
  });

  test('[S-18] counts writing by itself, before the body is looked at', async () => {
    client = newClient();
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': client };
    const send = (body: string) => post(first.port, '/agents', body, headers);
    expect((await send(agentBody())).status).toBe(200);
    expect((await send('{')).status).toBe(400);
    const over = await refusal(first, () => send('{'));
    expect(over).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((await get(first, '/packages')).status).toBe(200);
  });

  test('[S-18] counts signed writing before a signature is verified, and past it from memory', async () => {
    client = newClient();
    const forged = { 'x-pubkey': 'nobody', 'x-nonce': '1', 'x-signature': '1' };
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': client, host: `127.0.0.1:${first.port}` };
    const send = () => post(first.port, '/reward-claims/preview', '{}', { ...headers, ...forged });
    const statuses = [];
    for (let sent = 0; sent < 5; sent += 1) statuses.push((await send()).status);
    expect(statuses).toEqual([401, 401, 429, 429, 429]);
    const { rows } = await sql`select points from rate_limits where key = ${`writes:${client}`}`.execute(
      first.context.db,
    );
    expect(rows).toEqual([{ points: LIMITS.writes }]);
  });

  test.each(['/nothing', '/openapi.json', '/', '/docs/static/index.css', '/bids'])(
    '[S-18] is used up by any address, those with nothing behind them too: %s',
    async (path) => {
      client = newClient();
      for (let sent = 0; sent < 3; sent += 1)
        expect((await fetch(first.url + path, from(client))).status).not.toBe(429);
      const over = await refusal(first, () => get(first, path));
      expect(over).toMatchObject({ status: 429, code: 'rate_limited' });
    },
  );

  test('[S-18] is not used up by probes', async () => {
    client = newClient();
    for (let sent = 0; sent < 8; sent += 1) {
      const { status, headers } = await get(first, '/healthz');
      expect([status, headers['ratelimit-limit']]).toEqual([200, undefined]);
    }
    expect((await get(first, '/packages')).headers['ratelimit-remaining']).toBe('2');
  });

  test('[S-18] is whole again after its minute', async () => {
    client = newClient();
    for (let sent = 0; sent < 4; sent += 1) await get(first, '/packages');
    await first.context.db.executeQuery(pastMinute(client));
    const { status, headers } = await get(second, '/packages');
    expect([status, headers['ratelimit-remaining']]).toEqual([200, '2']);
  });

  test('[S-18] without a limit nothing is counted', async () => {
    const open = await start({ trustProxy: ['127.0.0.1'] });
    client = newClient();
    for (let sent = 0; sent < 8; sent += 1) {
      const { status, headers } = await get(open, '/packages');
      expect([status, headers['ratelimit-limit']]).toEqual([200, undefined]);
    }
    expect(await countsOf(client)).toBe(0);
  });
});

describe('counting', () => {
  test('[S-18] that cannot be done is a fault of the service, and no refusal of the client', async () => {
    const cut = await start({ limits: LIMITS }, 'postgresql://relay@127.0.0.1:1/none');
    const answer = await rawRequest(cut.port, { path: '/openapi.json' });
    expect([answer.status, answer.body['code'], answer.headers['retry-after']]).toEqual([503, 'not_ready', '2']);
    expect((await rawRequest(cut.port, { path: '/healthz' })).status).toBe(200);
  });

  test('[S-18] leaves nothing behind for long', async () => {
    client = newClient();
    await get(first, '/packages');
    const other = newClient();
    await get(first, '/packages', other);
    await first.context.db.executeQuery(pastMinute(client));
    expect(await sweepLimits(first.context.db)).toBeGreaterThan(0);
    expect([await countsOf(client), await countsOf(other)]).toEqual([0, 1]);
  });
});

function from(address: string): RequestInit {
  return { headers: { 'x-forwarded-for': address } };
}

/** Moves the counts of a client an hour back. */
function pastMinute(address: string): CompiledQuery {
  return sql`update rate_limits set expire = expire - 3600000 where key like ${`%:${address}`}`.compile(
    first.context.db,
  );
}

async function countsOf(address: string): Promise<number> {
  const { rows } = await sql`select from rate_limits where key like ${`%:${address}`}`.execute(first.context.db);
  return rows.length;
}
