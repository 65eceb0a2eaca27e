import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withTestDatabase } from '../support/database.js';
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

describe('the documentation', () => {
  test('[S-40] is served as OpenAPI', async () => {
    const { response, text } = await page('/openapi.json');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://relay.example' }] });
  });

  test.each(['/docs', '/docs/'])('[S-41] is shown at %s with files of this service only', async (path) => {
    const { response, text } = await page(path);
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
