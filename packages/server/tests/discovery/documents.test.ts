import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { loadConfig } from '../../src/config.js';
import { DOCUMENTS } from '../../src/discovery/documents.js';
import { runs } from '../../src/operations/index.js';
import { withTestDatabase } from '../support/database.js';
import { migrateDatabase, startService, type TestService } from '../http/service.js';

const BASE = 'https://relay.example/market';
const database = withTestDatabase(migrateDatabase);
let service: TestService;

beforeAll(async () => {
  const departures = { publicUrl: BASE, securityContact: 'mailto:security@relay.example' };
  service = await startService(database.connectionString, runs, departures);
});
afterAll(() => service.close());

const get = (path: string, init: RequestInit = {}) => fetch(`${service.url}${path}`, init);
const textOf = async (path: string) => (await get(path)).text();
const jsonOf = async (path: string) => JSON.parse(await textOf(path)) as Record<string, unknown>;

/** The path at this service of an address that a document names. */
function pathOf(address: string): string {
  if (address !== BASE && !address.startsWith(`${BASE}/`)) throw new Error(`${address} is not of this service`);
  return address.slice(BASE.length) || '/';
}

const schema = (name: string) =>
  JSON.parse(readFileSync(new URL(`schemas/${name}`, import.meta.url), 'utf8')) as Record<string, unknown>;

describe('the documents for programs', () => {
  test('(S-169) are there at each of their paths with their type, kept for an hour, readable by every page', async () => {
    for (const { paths, type } of DOCUMENTS) {
      const first = await textOf(paths[0] ?? '');
      for (const path of paths) {
        const response = await get(path, { headers: { origin: 'https://elsewhere.example' } });
        expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, type]);
        expect(await response.text()).toBe(first);
        expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
        expect(response.headers.get('access-control-allow-origin')).toBe('*');
        const etag = response.headers.get('etag') ?? '';
        const again = await get(path, { headers: { 'if-none-match': etag } });
        expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
        const head = await get(path, { method: 'HEAD' });
        expect([path, head.status, head.headers.get('etag')]).toEqual([path, 200, etag]);
        expect((await get(path, { method: 'POST' })).status).toBe(405);
      }
    }
  });

  test('(S-169) name everything by the public address, and nothing that is not there', async () => {
    const named = new Set<string>();
    for (const { paths } of DOCUMENTS) {
      const text = await textOf(paths[0] ?? '');
      expect([paths[0], text.includes('127.0.0.1')]).toEqual([paths[0], false]);
      for (const [address] of text.matchAll(/https:\/\/relay\.example[^\s"`<>)';]*/g)) named.add(address);
    }
    // Those three are asked otherwise than by GET.
    const asked = [...named].filter((address) => !/\/(mcp(\/call)?|a2a)$/.test(address));
    expect(asked.length).toBeGreaterThan(15);
    for (const address of asked) {
      const { status } = await get(pathOf(address.replace(/[.,:]$/, '')));
      expect([address, status]).toEqual([address, 200]);
    }
  });

  test('(S-169) hold to the published schemas of the server card and of the registry', async () => {
    const card = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(card);
    card.addSchema(schema('server-card.schema.json'), 'card');
    const shown = await jsonOf('/mcp/server-card');
    expect([card.validate('card#/$defs/ServerCard', shown), card.errors]).toEqual([true, null]);
    const registry = new Ajv({ strict: false, allErrors: true });
    addFormats.default(registry);
    const published = registry.compile(schema('server.schema.json')).schema;
    const entry = await jsonOf('/server.json');
    expect([registry.validate(published, entry), registry.errors]).toEqual([true, null]);
    expect([shown['name'], shown['remotes']]).toEqual([
      'example.relay/legwork',
      [{ type: 'streamable-http', url: `${BASE}/mcp` }],
    ]);
    // The schemas are not so wide that anything fits.
    expect(registry.validate(published, { ...entry, description: 'x'.repeat(101) })).toBe(false);
    expect(card.validate('card#/$defs/ServerCard', { ...shown, name: 'legwork' })).toBe(false);
  });

  test('(S-169) lead from the catalogue of the host to the card, and from the catalogue of APIs to their descriptions', async () => {
    const { specVersion, entries } = await jsonOf('/.well-known/ai-catalog.json');
    expect([specVersion, entries]).toEqual([
      '1.0',
      [
        {
          identifier: 'urn:air:relay.example:mcp:legwork',
          type: 'application/mcp-server-card+json',
          url: `${BASE}/mcp/server-card`,
        },
        {
          identifier: 'urn:air:relay.example:a2a:legwork',
          type: 'application/a2a-agent-card+json',
          url: `${BASE}/.well-known/agent-card.json`,
        },
      ],
    ]);
    const { linkset } = (await jsonOf('/.well-known/api-catalog')) as {
      linkset: Record<string, string | { href: string; type: string }[]>[];
    };
    expect(linkset.map(({ anchor }) => anchor)).toEqual([BASE, `${BASE}/mcp`, `${BASE}/a2a`]);
    for (const { anchor: _, ...relations } of linkset) {
      for (const { href, type } of Object.values(relations).flat() as { href: string; type: string }[]) {
        const response = await get(pathOf(href), { headers: { accept: type } });
        expect([href, response.status, response.headers.get('content-type')]).toEqual([
          href,
          200,
          expect.stringContaining(type),
        ]);
      }
    }
  });

  test('(S-169) publish the skill with a header that its format takes, and with the digest of its bytes', async () => {
    const { skills } = (await jsonOf('/.well-known/agent-skills/index.json')) as { skills: Record<string, string>[] };
    const [skill] = skills;
    const text = await textOf(pathOf(skill?.['url'] ?? ''));
    expect(skill?.['digest']).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`);
    const [, header = ''] = text.split(/^---$/m);
    const { name, description } = parseYaml(header) as Record<string, string>;
    expect([name, description]).toEqual([skill?.['name'], skill?.['description']]);
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(description?.length).toBeLessThanOrEqual(1024);
    // Models pay by the word: a skill is to be read whole. Four letters are about a token.
    expect(text.length / 4).toBeLessThan(5000);
  });

  test('(S-169) say every tool, operation, event and error in llms-full.txt, and begin with llms.txt', async () => {
    const [brief, full] = [await textOf('/llms.txt'), await textOf('/llms-full.txt')];
    expect(brief).toMatch(/^# Legwork\n\n> \S.*\n/);
    expect(full.startsWith(brief.trimEnd())).toBe(true);
    const { tools } = (await jsonOf('/mcp/tools')) as { tools: { name: string }[] };
    for (const { name } of tools) expect(full).toContain(`\`${name}\``);
    const { paths } = (await jsonOf('/openapi.json')) as { paths: Record<string, Record<string, unknown>> };
    for (const path of Object.keys(paths)) expect(full).toContain(path.replaceAll(/\{(\w+)\}/g, ':$1'));
  });

  test('(S-170) stand in the head of every page, with what is shown with a link to it', async () => {
    const response = await get('/p/%22%3E%3Cb%3E?x="><b>', { headers: { accept: 'text/html' } });
    const html = await response.text();
    expect(response.headers.get('link')).toBe(`<${BASE}/.well-known/api-catalog>; rel="api-catalog"`);
    expect(html).not.toContain('"><b>');
    const at = `${BASE}/p/%22%3E%3Cb%3E`;
    for (const line of [
      `<link rel="canonical" href="${at}" />`,
      `<meta property="og:url" content="${at}" />`,
      `<link rel="service-desc" type="application/json" href="${BASE}/openapi.json" />`,
      `<link rel="alternate" type="text/markdown" title="Skill for agents" href="${BASE}/SKILL.md" />`,
    ]) {
      expect(html).toContain(line);
    }
    const [, picture = ''] = /property="og:image" content="([^"]+)"/.exec(html) ?? [];
    const { status, headers } = await get(pathOf(picture));
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test('(S-171) name whom to write to about a hole, for half a year, and nobody where nobody is named', async () => {
    const text = await textOf('/.well-known/security.txt');
    const fields = Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => line.split(/: (.*)/, 2)),
    );
    expect(fields).toMatchObject({
      Contact: 'mailto:security@relay.example',
      Canonical: `${BASE}/.well-known/security.txt`,
    });
    const days = (Date.parse(fields['Expires']) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(170);
    expect(days).toBeLessThan(365);
    const quiet = await startService(database.connectionString, {}, {});
    const { status } = await fetch(`${quiet.url}/.well-known/security.txt`);
    await quiet.close();
    expect(status).toBe(404);
    const usual = { SECURITY_CONTACT: 'security at example.org' };
    expect(() => loadConfig(usual)).toThrow(/SECURITY_CONTACT: must be an address such as mailto:/);
  });

  test('(S-169) what the page for models tells hosts to write is JSON, and leads here', async () => {
    const page = readFileSync(new URL('../../../../docs/agents/mcp.md', import.meta.url), 'utf8');
    const written = [...page.matchAll(/^```json\n(.*?)^```$|`(\{"(?:mcpServers|servers)".*?\})`/gms)].map(
      ([, block, inline]) => JSON.parse(block ?? inline ?? '') as Record<string, Record<string, unknown>>,
    );
    expect(written.length).toBeGreaterThanOrEqual(4);
    for (const settings of written) {
      const entry = Object.values(settings)[0]?.['legwork'] as Record<string, unknown>;
      const leads = entry['command'] === 'npx' || Object.values(entry).includes('http://127.0.0.1:8080/mcp');
      expect([settings, leads]).toEqual([settings, true]);
    }
  });
});
