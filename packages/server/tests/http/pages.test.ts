import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderHomePage } from '../../src/http/homePage.js';
import { withTestDatabase } from '../support/database.js';
import { deliverOneLeg } from './marketRows.js';
import { migrateDatabase, startService, type TestService } from './service.js';

const database = withTestDatabase(migrateDatabase);
let service: TestService;

beforeAll(async () => {
  service = await startService(database.connectionString, {});
});
afterAll(() => service.close());

async function page(path: string): Promise<{ response: Response; text: string }> {
  const response = await fetch(`${service.url}${path}`);
  return { response, text: await response.text() };
}

describe('the page at /', () => {
  test('[S-41] says what this is, where things are and how to try it', async () => {
    const { response, text } = await page('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const { programId, rpcUrl } = service.context.config;
    const coordinator = service.context.ledger.coordinator.address;
    for (const shown of [
      programId,
      rpcUrl,
      coordinator,
      '/docs',
      '/openapi.json',
      '/config',
      service.context.mcpUrl,
      'wss://relay.example/ws',
      'curl ',
    ]) {
      expect(text).toContain(shown);
    }
  });

  test('[S-41] counts what the database holds, and what was paid to the lamport', async () => {
    const tile = (text: string, label: string) => new RegExp(`<b>([^<]*)</b>${label}</li>`).exec(text)?.[1];
    const before = (await page('/')).text;
    expect([tile(before, 'in transit'), tile(before, 'SOL paid to agents')]).toEqual(['0', '0']);
    await deliverOneLeg(service.context.db);
    await expect.poll(async () => tile((await page('/')).text, 'in transit'), { timeout: 10_000 }).toBe('1');
    const { text } = await page('/');
    expect(['in transit', 'swarms', 'bids', 'delivered'].map((label) => tile(text, label))).toEqual([
      '1',
      '1',
      '2',
      '0',
    ]);
    expect(tile(text, 'SOL paid to agents')).toBe('1.500000001');
  });

  test('[S-41] needs nothing from another host and no script', async () => {
    const { response, text } = await page('/');
    expect(text).not.toMatch(/<script|src=|@import|url\(/);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('[S-41] escapes what it shows, and counts digital tasks by status', () => {
    const counts = {
      packages: { listed: 0, swarm_forming: 0, in_transit: 0, delivered: 0, failed: 0 },
      digitalTasks: { listed: 11, in_progress: 12, completed: 13, failed: 14 },
      swarms: 0,
      bids: 0,
      agents: 0,
      paidLamports: 0n,
    };
    const evil = `"><script>alert('x')</script>&`;
    const about = { publicUrl: evil, mcpUrl: evil, cluster: evil, rpcUrl: evil, programId: evil, coordinator: evil };
    const html = renderHomePage({ ...about, counts });
    for (const tile of [
      '11</b>digital tasks listed',
      '12</b>in progress',
      '13</b>completed',
      '14</b>digital tasks failed',
    ]) {
      expect(html).toContain(tile);
    }
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('"">');
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;');
  });
});

describe('the documentation', () => {
  test('[S-40] is served as OpenAPI', async () => {
    const { response, text } = await page('/openapi.json');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://relay.example' }] });
  });

  test('[S-41] is shown at /docs with files of this service only', async () => {
    const { response, text } = await page('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => new URL(file, response.url));
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file.origin).toBe(service.url);
      const answer = await fetch(file);
      expect([file.pathname, answer.status]).toEqual([file.pathname, 200]);
      await answer.arrayBuffer();
    }
    expect(text).not.toMatch(/<script>|<style>/);
    const described = JSON.parse((await page('/docs/json')).text) as object;
    const document = JSON.parse((await page('/openapi.json')).text) as object;
    expect(described).toEqual({ ...document, servers: [{ url: '/' }] });
  });

  test('[S-41] asks no validator on the internet', async () => {
    const { text } = await page('/docs/static/swagger-initializer.js');
    expect(text).toContain('"validatorUrl":null');
  });

  test('[S-5] what is not there is not found, as a problem', async () => {
    const { response, text } = await page('/docs/static/nothing.js');
    expect([response.status, JSON.parse(text)]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });
});
