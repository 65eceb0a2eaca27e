import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.js';
import type { Runs } from '../../src/operations/index.js';
import { withTestDatabase } from '../support/database.js';
import { bidBody, packageView, submitBid } from './fixtures.js';
import { post, rawRequest } from './rawRequest.js';
import { headersFor, migrateDatabase, newSigner, startService, type TestService } from './service.js';

const database = withTestDatabase(migrateDatabase);
const HOST = 'api.example';
const TOOLS_HOST = 'tools.example';
const PUBLIC = { publicUrl: `https://${HOST}/relay`, mcpPublicUrl: `https://${TOOLS_HOST}/mcp` };
const started: TestService[] = [];
const proxies: Server[] = [];

const runs: Partial<Runs> = {
  submitBid,
  listPackages: async (_context, _input, { ip }) => ({
    answer: [{ ...packageView(), description: ip }],
    nextCursor: 'next',
  }),
};

async function start(departures: Partial<Config>): Promise<TestService> {
  const service = await startService(database.connectionString, runs, departures);
  started.push(service);
  return service;
}

afterAll(async () => {
  for (const proxy of proxies) proxy.close();
  await Promise.all(started.map((service) => service.close()));
});

/** A reverse proxy in front of the service; it answers with its port. */
async function proxyTo(
  service: TestService,
  change: (sent: { path: string; headers: Record<string, string> }) => {
    path: string;
    headers: Record<string, string>;
  },
): Promise<number> {
  const proxy = createServer((incoming, outgoing) => {
    const { path, headers } = change({
      path: incoming.url ?? '',
      headers: incoming.headers as Record<string, string>,
    });
    const onward = request(
      { host: '127.0.0.1', port: service.port, method: incoming.method, path, headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return (proxy.address() as AddressInfo).port;
}

/** A bid sent to a public address, signed for what its client sees. */
async function bidAt(service: TestService, port: number, host: string, path: string) {
  const signer = newSigner();
  const body = JSON.stringify(bidBody(signer.pubkey));
  const headers = await headersFor(service, { signer, host, path, body });
  return post(port, path, body, { 'content-type': 'application/json', host, ...headers });
}

const addressSeen = async (service: TestService, headers: Record<string, string>) => {
  const { body } = await rawRequest(service.port, { path: '/packages', headers });
  return (body as unknown as { description: string }[])[0]?.description;
};

describe('the address of a client', () => {
  test('[S-19] is that of its connection, whatever it claims', async () => {
    const service = await start({});
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=203.0.113.9',
    };
    expect(await addressSeen(service, headers)).toBe('127.0.0.1');
    expect(service.logged.join('')).not.toContain('203.0.113.9');
  });

  test('[S-19] is what a trusted proxy says, up to the first that is not trusted', async () => {
    const service = await start({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] });
    expect(await addressSeen(service, { 'x-forwarded-for': '203.0.113.9' })).toBe('203.0.113.9');
    expect(await addressSeen(service, { 'x-forwarded-for': '198.51.100.1, 203.0.113.9, 10.1.2.3' })).toBe(
      '203.0.113.9',
    );
    expect(service.logged.join('')).toContain('"ip":"203.0.113.9"');
  });

  test('[S-19] is that of the connection when only others are trusted', async () => {
    const service = await start({ trustProxy: ['10.0.0.0/8'] });
    expect(await addressSeen(service, { 'x-forwarded-for': '203.0.113.9' })).toBe('127.0.0.1');
  });
});

describe('a public address with a prefix', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await start(PUBLIC);
  });

  test.each(['/relay/packages', '/packages', '/mcp/packages'])('[S-26] answers at %s', async (path) => {
    expect((await rawRequest(service.port, { path })).status).toBe(200);
  });

  test.each(['/mcp/tools', '/relay/mcp/tools', '/mcp/mcp/tools'])(
    '[S-26] that begins like a path of the service hides nothing: %s',
    async (path) => {
      expect((await rawRequest(service.port, { path })).status).toBe(200);
    },
  );

  test.each(['/relaypackages', '/relay/relay/packages', '/other/packages'])(
    '[S-26] is one prefix, exactly: %s',
    async (path) => {
      expect((await rawRequest(service.port, { path })).status).toBe(404);
    },
  );

  test('[S-26] takes what was signed for it through a proxy that keeps the prefix', async () => {
    const port = await proxyTo(service, (sent) => sent);
    expect((await bidAt(service, port, HOST, '/relay/bids')).status).toBe(201);
  });

  test('[S-26] takes what was signed for it through a proxy that takes the prefix off', async () => {
    const port = await proxyTo(service, ({ path, headers }) => ({ path: path.replace('/relay', ''), headers }));
    expect((await bidAt(service, port, HOST, '/relay/bids')).status).toBe(201);
  });

  test('[S-26] is either of the two, each with its own prefix', async () => {
    const port = await proxyTo(service, ({ path, headers }) => ({ path: path.replace('/mcp', ''), headers }));
    expect((await bidAt(service, port, TOOLS_HOST, '/mcp/bids')).status).toBe(201);
    const { status, body } = await bidAt(service, port, HOST, '/mcp/bids');
    expect([status, body['code']]).toEqual([401, 'bad_signature']);
  });

  test('[S-26] still takes what was signed for the port itself', async () => {
    expect((await bidAt(service, service.port, `127.0.0.1:${service.port}`, '/bids')).status).toBe(201);
  });

  test('[S-41] its page of the API finds its parts there', async () => {
    const port = await proxyTo(service, ({ path, headers }) => ({ path: path.replace('/relay', ''), headers }));
    const page = await fetch(`http://127.0.0.1:${port}/relay/docs`);
    const parts = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      const { pathname } = new URL(part, page.url);
      expect(pathname).toMatch(/^\/relay\/docs\//);
      const answer = await fetch(`http://127.0.0.1:${port}${pathname}`);
      // Read to its end: what nobody reads keeps the connection under way.
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    }
  });

  test('[S-20] its lists link to their next page in a way that holds behind either proxy', async () => {
    const port = await proxyTo(service, ({ path, headers }) => ({ path: path.replace('/relay', ''), headers }));
    const response = await fetch(`http://127.0.0.1:${port}/relay/packages?limit=1`);
    const link = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
    expect(new URL(link, response.url).href).toBe(`http://127.0.0.1:${port}/relay/packages?limit=1&cursor=next`);
  });
});

describe('a proxy that changes the Host header', () => {
  const change = ({ path, headers }: { path: string; headers: Record<string, string> }) => ({
    path,
    headers: { ...headers, host: 'upstream.internal', 'x-forwarded-host': headers['host'] ?? '' },
  });

  test('[S-11] is believed about the host when it is trusted', async () => {
    const service = await start({ ...PUBLIC, trustProxy: ['127.0.0.1'] });
    const port = await proxyTo(service, change);
    expect((await bidAt(service, port, HOST, '/relay/bids')).status).toBe(201);
  });

  test('[S-11] is not believed when nobody trusts it', async () => {
    const service = await start(PUBLIC);
    const port = await proxyTo(service, change);
    const { status, body } = await bidAt(service, port, HOST, '/relay/bids');
    expect([status, body['code']]).toEqual([401, 'unknown_host']);
  });
});
