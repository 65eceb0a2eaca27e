import { rm, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGES, pagePath } from '@legwork/protocol/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { renderFacts } from '../../src/http/facts.js';
import { withTestDatabase } from '../support/database.js';
import { migrateDatabase, startService, type TestService } from './service.js';

const database = withTestDatabase(migrateDatabase);
let service: TestService;

beforeAll(async () => {
  service = await startService(database.connectionString, {}, { publicUrl: 'https://relay.example/market' });
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers });

async function shellAt(path: string): Promise<string> {
  const response = await get(path, { accept: 'text/html' });
  expect([path, response.status, response.headers.get('content-type')]).toEqual([
    path,
    200,
    'text/html; charset=utf-8',
  ]);
  return response.text();
}

/** Sends the path as it is. */
function getRaw(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: service.port, path, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.on('error', reject);
      sent.end();
    },
  );
}

/** The Accept header of Chromium when somebody opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const KEY = '9BAZ6PJmsPqiFnUsBhyqaWHU2hTZo7bVrMoxH8ZVGEZ4';

describe('the pages', () => {
  test('(D-3) of a newer build are served without a restart', async () => {
    const later = fileURLToPath(import.meta.resolve('@legwork/dashboard/assets/later.svg'));
    const last = join(later, '../../exit.html');
    const statusOf = async () => (await get('/assets/later.svg')).status;
    expect(await statusOf()).toBe(404);
    onTestFinished(() => rm(later, { force: true }));
    await writeFile(later, '<svg xmlns="http://www.w3.org/2000/svg" />');
    expect(await statusOf()).toBe(404);
    // A build writes this file last.
    await utimes(last, new Date(), new Date());
    expect(await statusOf()).toBe(200);
  });
});

describe('the shell', () => {
  test('(D-1, S-5) is at the path of every page, and at no other', async () => {
    for (const path of Object.values(PAGES)) {
      expect(await shellAt(path.replace(/:\w+/, KEY))).toContain('<div id="root"></div>');
      const response = await fetch(`${service.url}${path.replace(/:\w+/, KEY)}`, { method: 'POST' });
      expect([path, response.status]).toEqual([path, 405]);
    }
    const nowhere = ['/nope', '/p/x/y', '/p/', '/P', '/index.html', '/assets', '/assets/', '/rewards/rewards.js'];
    for (const path of nowhere) {
      for (const accept of ['application/json', '*/*', 'application/json, text/html;q=0.9']) {
        const response = await get(path, { accept });
        const { code } = (await response.json()) as { code: string };
        expect([path, response.status, code]).toEqual([path, 404, 'not_found']);
        expect(response.headers.get('vary')).toContain('Accept');
      }
    }
    const api = await get('/packages', { accept: 'text/html' });
    expect(api.headers.get('content-type')).toContain('json');
  });

  test('(D-1, D-2, D-4) tells a browser at an address that leads nowhere so, as a page with status 404', async () => {
    const policy = (await get('/')).headers.get('content-security-policy');
    for (const [path, up] of [
      ['/nope', './'],
      ['/p/x/y', '../../'],
      ['/p/', '../'],
      ['/packages/', '../'],
      ['/assets/nothing.js', '../'],
      ['/market/nope?x=<script>', './'],
      ['//example.com/x', '../../'],
    ] as const) {
      const response = await get(path, { accept: BROWSER });
      const html = await response.text();
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ]);
      expect(html).toContain(`data-base="${up}"`);
      expect(html).toContain('No page has this address.');
      expect(html).toContain(`src="${up}assets/`);
      expect(html).not.toMatch(/example\.com|x=/);
      expect(response.headers.get('content-security-policy')).toBe(policy);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('vary')).toContain('Accept');
    }
    const posted = await fetch(`${service.url}/nope`, { method: 'POST', headers: { accept: BROWSER } });
    expect(posted.headers.get('content-type')).toContain('json');
    // As many steps up as an address has parts would make a small question a long answer.
    const deep = await get('/x'.repeat(2_000), { accept: BROWSER });
    expect([deep.status, (await deep.text()).length < 10_000]).toEqual([404, true]);
  });

  test('(D-1) gives a client that prefers JSON the addresses of the service', async () => {
    const response = await get('/', { accept: 'application/json' });
    expect(response.headers.get('vary')).toContain('Accept');
    expect(await response.json()).toEqual({
      name: 'Legwork',
      openapi: 'https://relay.example/market/openapi.json',
      config: 'https://relay.example/market/config',
      mcp: service.context.mcpUrl,
      ws: 'wss://relay.example/market/ws',
    });
    expect(response.headers.get('link')).toContain('rel="api-catalog"');
  });

  test('(D-1) says without script what the service is, where things are and how much there is', async () => {
    const html = await shellAt('/');
    const [, facts = ''] = /<noscript>([\s\S]*)<\/noscript>/.exec(html) ?? [];
    for (const shown of [service.context.config.programId, '/docs', 'packages listed', 'SOL paid to agents', 'curl ']) {
      expect(facts).toContain(shown);
    }
  });

  test('(D-1) shows what the operator configured as text, whatever it holds', () => {
    const evil = `"><script>alert('x')</script>&`;
    const none = { listed: 0, failed: 0 };
    const counts = {
      packages: { ...none, swarm_forming: 0, in_transit: 0, delivered: 0 },
      digitalTasks: { ...none, in_progress: 0, completed: 0 },
      swarms: 0,
      bids: 0,
      agents: 0,
      paidLamports: 0n,
    };
    const about = { publicUrl: evil, mcpUrl: evil, cluster: evil, rpcUrl: evil, programId: evil, coordinator: evil };
    const html = renderFacts({ ...about, counts } as never);
    expect(html).not.toContain('<script>');
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;');
  });

  test('(D-2) finds its assets and the service relative to itself, at any depth and behind any prefix', async () => {
    for (const [path, up] of [
      ['/', './'],
      ['/p', './'],
      [pagePath('package', KEY), '../'],
      [`/market${pagePath('transaction', KEY)}`, '../'],
    ] as const) {
      const html = await shellAt(path);
      expect(html).toContain(`data-base="${up}"`);
      for (const [, asset = ''] of html.matchAll(/(?:src|href)="([^"]*assets[^"]*)"/g)) {
        expect(asset.startsWith(`${up}assets/`)).toBe(true);
        expect((await get(new URL(asset, `http://host${path}`).pathname)).status).toBe(200);
      }
    }
    const { status, headers } = await getRaw('/market?x=1');
    expect([status, headers['location']]).toEqual([308, '/market/?x=1']);
  });

  test('(S-63) is kept until something changes', async () => {
    const first = await get('/p');
    await first.text();
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await get('/p', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  test('(D-4) lets a page run no script but ours, and speak to no host but the service and the ledger', async () => {
    const response = await get('/');
    const html = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    const { origin } = new URL(service.context.config.rpcUrl);
    expect(policy.split(';').sort()).toEqual(
      [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        `connect-src 'self' ${origin}`,
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].sort(),
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    // A link that only names something loads nothing.
    const loading = html.replaceAll(
      /<link rel="(canonical|alternate|service-desc|service-doc|api-catalog)"[^>]*>/g,
      '',
    );
    expect(loading).not.toMatch(/<style|style="|\son\w+="|<(script|link)[^>]+="(https?:)?\/\//);
    expect([...html.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>/g)].map(([, attributes]) => attributes?.trim())).toEqual([
      'type="application/json" id="service"',
    ]);
  });
});

describe('an asset', () => {
  async function entry(): Promise<string> {
    return `/assets/${/assets\/(index-[\w-]+\.js)/.exec(await shellAt('/'))?.[1]}`;
  }

  test('(D-3) is kept for ever, and sent compressed to whom takes that', async () => {
    const path = await entry();
    const sizes: number[] = [];
    for (const encoding of ['identity', 'gzip', 'br']) {
      const { headers } = await getRaw(path, { 'accept-encoding': encoding });
      expect(headers['content-encoding'] ?? 'identity').toBe(encoding);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['content-type']).toMatch(/^(text|application)\/javascript; charset=utf-8$/);
      sizes.push(Number(headers['content-length']));
    }
    const [plain = 0, small = 0, smaller = 0] = sizes;
    expect(small).toBeLessThan(plain / 2);
    expect(smaller).toBeLessThan(small);
  });

  test('(D-3, S-5) is one of the build: no other file can be named', async () => {
    for (const name of [
      'nothing.js',
      '..%2findex.html',
      '%2e%2e/index.html',
      '../index.html',
      '..%5cindex.html',
      'constructor',
      '%00',
      '.',
    ]) {
      const { status, text } = await getRaw(`/assets/${name}`);
      expect([name, status, (JSON.parse(text) as { code: string }).code]).toEqual([name, 404, 'not_found']);
    }
  });
});
