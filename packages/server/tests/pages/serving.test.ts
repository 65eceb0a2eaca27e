import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderRewardsPage } from '../../src/http/rewardsPage.js';
import { migrateDatabase, startService, type TestService } from '../http/service.js';
import { withTestDatabase } from '../support/database.js';

const database = withTestDatabase(migrateDatabase);
let service: TestService;

beforeAll(async () => {
  service = await startService(database.connectionString, {});
});
afterAll(() => service.close());

test('(S-69) the browser is told to run no script but those of the service, and to load nothing from elsewhere', async () => {
  const response = await fetch(`${service.url}/rewards`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toContain('script-src');
  const scripts = [...(await response.text()).matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
  expect(scripts).toEqual(['<script type="module" src="rewards/rewards.js">']);
});

test('(M-68, S-69) the page says that a payout is a gift, neither escrow nor a contract', async () => {
  const text = await (await fetch(`${service.url}/rewards`)).text();
  expect(text.replaceAll(/\s+/g, ' ')).toContain('It is a voluntary gift: neither escrow nor a contract.');
});

test('(S-69) every module that the script imports is served as a script', async () => {
  const seen = new Set(['rewards.js']);
  for (const name of seen) {
    const response = await fetch(`${service.url}/rewards/${name}`);
    expect([name, response.status, response.headers.get('content-type')]).toEqual([
      name,
      200,
      'text/javascript; charset=utf-8',
    ]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    for (const [, imported] of (await response.text()).matchAll(/from '([^']+)'/g)) {
      expect(imported).toMatch(/^\.\/\w+\.js$/);
      seen.add(imported?.slice(2) ?? '');
    }
  }
  expect(seen.size).toBeGreaterThan(5);
});

test('(S-5) nothing but those modules is found there, and nothing is sent there', async () => {
  for (const name of ['nothing.js', '..%2Findex.js', '.tsbuildinfo', 'rewards.d.ts', 'constructor']) {
    const response = await fetch(`${service.url}/rewards/${name}`);
    expect([name, response.status, ((await response.json()) as { code: string }).code]).toEqual([
      name,
      404,
      'not_found',
    ]);
  }
  for (const path of ['/rewards', '/rewards/rewards.js']) {
    const response = await fetch(`${service.url}${path}`, { method: 'POST' });
    expect([path, response.status]).toEqual([path, 405]);
  }
});

test('(M-67, S-69) both ends of the window belong to it', () => {
  const claimWindow = { opensAt: new Date('2026-05-11T00:00:00.000Z'), closesAt: new Date('2026-05-17T23:59:59.999Z') };
  const stateAt = (now: string) => {
    const page = { publicUrl: 'https://relay.example', cluster: 'devnet', claimWindow, now: new Date(now) };
    return /<strong>([^<]+)/.exec(renderRewardsPage(page))?.[1];
  };
  expect(stateAt('2026-05-10T23:59:59.999Z')).toBe('Claims are not taken yet');
  expect(stateAt('2026-05-11T00:00:00.000Z')).toBe('Claims are taken now');
  expect(stateAt('2026-05-17T23:59:59.999Z')).toBe('Claims are taken now');
  expect(stateAt('2026-05-18T00:00:00.000Z')).toBe('Claims are not taken any more');
});

test('(S-69) after the window it says when that was, and what a claim showed', () => {
  const claimWindow = { opensAt: new Date('2026-05-11T00:00:00.000Z'), closesAt: new Date('2026-05-17T23:59:59.999Z') };
  const page = {
    publicUrl: 'https://relay.example',
    cluster: 'devnet',
    claimWindow,
    now: new Date('2026-11-22T00:00:00Z'),
  };
  const said = renderRewardsPage(page)
    .replaceAll(/<[^>]+>|\s+/g, ' ')
    .replaceAll(/\s+/g, ' ');
  expect(said).toContain('they were from 2026-05-11 00:00:00 UTC until 2026-05-17 23:59:59 UTC');
  expect(said).toContain('You can still see what a key earned and what its claim would have recorded');
});

test('(S-69) it names the ledger that pays, and where a page that may sign is', () => {
  const at = new Date(0);
  const pageOf = (publicUrl: string, cluster: string) =>
    renderRewardsPage({ publicUrl, cluster, claimWindow: { opensAt: at, closesAt: at }, now: at }).replaceAll(
      /\s+/g,
      ' ',
    );
  const own = pageOf('http://127.0.0.1:8080', 'embedded');
  expect(own).toContain('paid a key on the ledger of this service, the organiser');
  expect(own).toContain('Open it over https, or at localhost; or claim by a program');
  const devnet = pageOf('https://relay.example/market', 'devnet');
  expect(devnet).toContain('paid a key on devnet, the organiser');
  expect(devnet).toContain('Open it at <a href="https://relay.example/market/rewards">');
});

test('(S-69) what the operator configured is shown as text, whatever it holds', () => {
  const evil = `"><script>alert('x')</script>`;
  const at = new Date(0);
  const html = renderRewardsPage({
    publicUrl: evil,
    cluster: evil,
    claimWindow: { opensAt: at, closesAt: at },
    now: at,
  });
  expect(html).not.toContain('<script>');
});
