import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import type { McpUiHostCapabilities, McpUiHostContext, McpUiResourceCsp } from '@modelcontextprotocol/ext-apps';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claim, postedTask } from '../operations/digitalTasks/scene.js';
import { at, formedWithTerms, listedWithTerms, move } from '../operations/turns/scene.js';
import { withVisitors } from '../pages/acting.js';
import { sdkBundle } from '../pages/sdkBundle.js';
import { barriers, overhang, type Visit } from '../pages/visit.js';
import { withService } from '../support/service.js';
import { until } from '../support/until.js';
import { callOverMcp, connectClient, type Revision, rpc } from './toolCalls.js';

const service = withService();
const { visitor } = withVisitors(service);
const CARD = 'ui://legwork/listing';
const url = () => service.current.server.url;

const SHOWS = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } };

/** A client whose host declares these extensions. */
async function hostOf(revision: Revision, extensions: Record<string, object>): Promise<Client> {
  const mode = revision === '2026' ? ({ pin: '2026-07-28' } as const) : ('legacy' as const);
  const options = { versionNegotiation: { mode }, capabilities: { extensions } };
  const client = new Client({ name: 'chat', version: '1' }, options as ConstructorParameters<typeof Client>[1]);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url()}/mcp`)));
  return client;
}

/** What a host is listed. */
async function listed(client: Client) {
  const [{ tools }, { resources }] = [await client.listTools(), await client.listResources()];
  await client.close();
  return { tools, resources };
}

describe('a host that shows cards', () => {
  test.for(['2026', '2025'] as const)(
    'declares it, and is told which tools have one, at %s (S-274)',
    async (revision) => {
      const { tools, resources } = await listed(await hostOf(revision, SHOWS));
      const cards = tools.flatMap(({ name, _meta }) => (_meta ? [[name, _meta]] : []));
      const meta = { ui: { resourceUri: CARD } };
      expect(cards).toEqual([
        ['svc_get_package', meta],
        ['svc_get_digital_task', meta],
      ]);
      expect(resources).toEqual([
        expect.objectContaining({ uri: CARD, mimeType: RESOURCE_MIME_TYPE, _meta: { ui: expect.anything() } }),
      ]);
      const without = tools.map(({ _meta, ...tool }) => tool);
      expect(without).toEqual((await (await fetch(`${url()}/mcp/tools`)).json()).tools);
      expect(JSON.stringify(tools).length).toBeLessThanOrEqual(27_000);
    },
  );

  test.for([
    ['2026', {}],
    ['2025', {}],
    ['2026', { [EXTENSION_ID]: { mimeTypes: ['text/html'] } }],
    ['2025', { [EXTENSION_ID]: { mimeTypes: ['text/html'] } }],
    ['2025', { [EXTENSION_ID]: {} }],
  ] as const)(
    'and one of %s that declares %j sees what it saw before, byte for byte (S-274)',
    async ([revision, extensions]) => {
      const shown = await listed(await hostOf(revision, extensions));
      expect(JSON.stringify(shown)).toBe(JSON.stringify(await listed(await connectClient(url(), revision))));
      const { tools } = await (await fetch(`${url()}/mcp/tools`)).json();
      expect(shown).toEqual({ tools, resources: [] });
    },
  );

  test('of an earlier revision says so by a session in which nothing is kept (S-274)', async () => {
    const begin = (capabilities: unknown) => {
      const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'chat', version: '1' } };
      return rpc(url(), { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    };
    const { headers } = await begin({ extensions: SHOWS });
    expect(headers.get('mcp-session-id')).toMatch(/^cards-[\da-f-]{36}$/);
    expect((await begin({})).headers.get('mcp-session-id')).toBeNull();
    for (const method of ['GET', 'DELETE']) expect((await fetch(`${url()}/mcp`, { method })).status).toBe(405);
    for (const id of ['cards-', 'something', 'x'.repeat(4_000)]) {
      const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
      const { status, body } = await rpc(url(), list, { 'mcp-session-id': id });
      expect([status, JSON.stringify(body).includes(CARD)]).toEqual([200, id === 'cards-']);
    }
  });
});

let [client, bundle]: [Client | undefined, string] = [undefined, ''];
beforeAll(async () => {
  client = await hostOf('2026', SHOWS);
  bundle = await sdkBundle(join(import.meta.dirname, 'chatHost.js'));
});
afterAll(() => client?.close());

/** The client of the chat's host. */
function host(): Client {
  if (client === undefined) throw new Error('The host is there only while tests run.');
  return client;
}

/** What the service hands a host to show. */
async function card(): Promise<{ html: string; csp: McpUiResourceCsp }> {
  const { contents } = await host().readResource({ uri: CARD });
  expect(contents).toEqual([expect.objectContaining({ uri: CARD, mimeType: RESOURCE_MIME_TYPE })]);
  const [one] = contents;
  if (one === undefined || !('text' in one)) throw new Error('the card is no text');
  const { ui } = one._meta as { ui: { csp: McpUiResourceCsp } };
  return { html: one.text, csp: ui.csp };
}

test('the card is one page of at most 40 KB, which asks no host for anything (S-274)', async () => {
  const { html, csp } = await card();
  expect(gzipSync(html).length).toBeLessThanOrEqual(40 * 1024);
  expect(csp).toEqual({ connectDomains: [], resourceDomains: [] });
  expect(html).toContain(`data-service="${url()}"`);
  expect(html).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon/);
});

/** The policy that the specification has hosts make of the metadata. */
const policyOf = ({ connectDomains = [], resourceDomains = [] }: McpUiResourceCsp) => {
  const own = ["'self'", ...resourceDomains].join(' ');
  return (
    `default-src 'none'; script-src 'unsafe-inline' ${own}; style-src 'unsafe-inline' ${own}; img-src data: ${own}; ` +
    `connect-src ${connectDomains.join(' ') || "'none'"}; frame-src 'none'; object-src 'none'; base-uri 'self'`
  );
};

const [CHAT, SANDBOX] = ['http://chat.example/', 'http://sandbox.example/card'];
const ALL: McpUiHostCapabilities = { serverTools: {}, openLinks: {} };

interface Shown extends Visit {
  readonly frame: Frame;
  readonly opened: string[];
}

/** A chat that has had a tool called, and shows its card. @param result in place of the service's; null: the call was cancelled */
async function chat(
  [name, args]: readonly [string, Record<string, unknown>],
  {
    width = 640,
    context = {},
    capabilities = ALL,
    opens = true,
    ...given
  }: {
    width?: number;
    context?: McpUiHostContext;
    capabilities?: McpUiHostCapabilities;
    opens?: boolean;
    result?: CallToolResult | null;
  } = {},
): Promise<Shown> {
  const { html, csp } = await card();
  const one = await visitor([], undefined, { width });
  const { page } = one;
  const opened: string[] = [];
  const [body, headers] = ['<body style="margin: 0">', { 'content-type': 'text/html; charset=utf-8' }];
  const shell = `<!doctype html>${body}<iframe sandbox="allow-scripts" style="border: 0; width: 100%"></iframe>`;
  await page.route(CHAT, (route) => route.fulfill({ headers, body: shell }));
  const policy = { 'content-security-policy': policyOf(csp) };
  await page.route(SANDBOX, (route) => route.fulfill({ headers: { ...headers, ...policy }, body: html }));
  await page.exposeFunction('callTool', (params: Parameters<Client['callTool']>[0]) => host().callTool(params));
  await page.exposeFunction('openLink', (address: string) => {
    opened.push(address);
    return { isError: !opens };
  });
  await page.goto(CHAT);
  await page.addScriptTag({ content: bundle, type: 'module' });
  await page.waitForFunction('globalThis.showCard');
  const result = 'result' in given ? given.result : await host().callTool({ name, arguments: args });
  const what = JSON.stringify({ address: SANDBOX, capabilities, context, called: args, result });
  await page.evaluate(`showCard(${what})`);
  await expect.poll(() => page.frames().find((frame) => frame.url() === SANDBOX)).toBeDefined();
  const frame = page.frames().find((shown) => shown.url() === SANDBOX);
  if (frame === undefined) throw new Error('the chat shows no card');
  return { ...one, frame, opened };
}

const get = (packageId: string) => ['svc_get_package', { packageId }] as const;

test('the card of a package shows its way, whose turn it is, until when and what is in escrow, and reads again through the host (S-274)', async () => {
  const cast = await formedWithTerms(service.current);
  const shown = await chat(get(cast.parcel.id), { width: 320, context: { theme: 'dark' } });
  const { frame, page, complaints, hosts, opened } = shown;
  const courier = at(cast.couriers, 0);
  const key = `${courier.pubkey.slice(0, 4)}…${courier.pubkey.slice(-5)}`;
  await frame.getByRole('heading', { name: 'a box of books' }).waitFor();
  await frame.getByRole('img', { name: '0 of 3 legs are done' }).waitFor();
  await frame.getByText(`${key} must accept leg 1 with a stake of`).waitFor();
  await frame.getByText(`Courier ${key}`, { exact: true }).waitFor();
  await frame.getByText('Until', { exact: true }).waitFor();
  expect(await frame.locator('dt', { hasText: 'In escrow' }).locator('+ dd').innerText()).toBe('0.5 SOL');
  expect(await frame.getByRole('listitem').count()).toBe(3);
  expect(await frame.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');

  await move(service.current, cast, 0, courier, 'accept');
  await frame.getByRole('button', { name: 'Read again' }).click();
  await frame.getByText(`${key} has accepted leg 1 and must pick it up.`).waitFor();
  await frame.getByText(/^0\.5 SOL, and 0\.\d+ SOL of stakes$/u).waitFor();
  await frame.getByRole('button', { name: 'Check on the ledger' }).click();
  await expect.poll(() => opened).toEqual([`${url()}/p/${cast.parcel.id}#check`]);

  // Nothing of the card stands beside what the host shows, and the host gives it the room that it asks for.
  await expect
    .poll(() => frame.evaluate('document.documentElement.scrollHeight - document.documentElement.clientHeight'))
    .toBe(0);
  expect([await overhang(frame), await overhang(page), complaints]).toEqual([0, 0, []]);
  expect([...hosts].toSorted()).toEqual([CHAT, SANDBOX].map((address) => new URL(address).host));
});

const HOSTILE = '<img src=x onerror="parent.postMessage(1)"><script>alert(1)</script> [a](javascript:alert(1))';

test('texts of others stay texts in the card, of a package and of a task (S-274)', async () => {
  const { parcel } = await listedWithTerms(service.current, {}, { description: HOSTILE });
  const { task } = await postedTask(service.current, { title: HOSTILE, legs: [{ instruction: HOSTILE }] });
  for (const asked of [get(parcel.id), ['svc_get_digital_task', { taskId: task.id }] as const]) {
    const { frame, complaints } = await chat(asked, { width: 320 });
    await frame.getByRole('heading', { name: HOSTILE }).waitFor();
    expect(await frame.locator('img, a, script:not([type=module])').count()).toBe(0);
    expect(await overhang(frame)).toBe(0);
    expect(complaints).toEqual([]);
  }
});

test('the card of a task shows its legs, and what the agent is to do until when, in the language of the host (S-274)', async () => {
  const { task } = await postedTask(service.current);
  const agent = await service.current.party(1);
  await claim(agent, task, 0);
  await until('the leg is in progress', async () => {
    const { legs } = await agent.client.getDigitalTask({ taskId: task.id });
    return legs[0]?.status === 'in_progress';
  });
  const asked = ['svc_get_digital_task', { taskId: task.id }] as const;
  const key = `${agent.pubkey.slice(0, 4)}…${agent.pubkey.slice(-5)}`;
  const english = await chat(asked, { context: { theme: 'light', locale: 'en-GB' } });
  await english.frame.getByText(`${key} works on leg 1, whose result pays 0.05 SOL.`).waitFor();
  await english.frame.getByText('Group it by topic.').waitFor();
  expect(await english.frame.locator('dt', { hasText: 'In escrow' }).locator('+ dd').innerText()).toBe(
    '0.100000001 SOL',
  );
  const german = await chat(asked, { width: 320, context: { theme: 'dark', locale: 'de-AT' } });
  await german.frame.getByText(`${key} arbeitet an Etappe 1, deren Ergebnis 0,05 SOL zahlt.`).waitFor();
  await german.frame.getByRole('button', { name: 'Auf dem Ledger prüfen' }).waitFor();
  await german.frame.getByText('Am Zug', { exact: true }).waitFor();
  await german.frame.getByText(/Wenn nichts geschieht|Geschieht nichts/u).waitFor();
  for (const { frame } of [english, german]) expect([await barriers(frame), await overhang(frame)]).toEqual([[], 0]);
});

test('it asks for nothing that the host does not offer, and shows an address that the host does not open (S-274)', async () => {
  const { parcel } = await listedWithTerms(service.current);
  const plain = await chat(get(parcel.id), { capabilities: {} });
  await plain.frame.getByText('Couriers can bid.').waitFor();
  expect(await plain.frame.getByRole('button').count()).toBe(0);
  const closed = await chat(get(parcel.id), { opens: false });
  await closed.frame.getByRole('button', { name: 'Check on the ledger' }).click();
  await closed.frame.getByText(`${url()}/p/${parcel.id}#check`).waitFor();
});

test('it says what went wrong: a refusal in the words of the service, a call that was cancelled, an answer of something else (S-274)', async () => {
  const unknown = await chat(get(crypto.randomUUID()));
  const told = unknown.frame.getByRole('alert');
  await expect.poll(() => told.innerText()).toMatch(/^packageId: no package has this id/);
  const cancelled = await chat(get(crypto.randomUUID()), { result: null });
  await cancelled.frame.getByText('The call was cancelled.').waitFor();
  for (const structuredContent of [{ temperature: 22 }, { legs: 1, title: {} }, {}]) {
    const other = await chat(get(crypto.randomUUID()), { result: { content: [], structuredContent } });
    await other.frame.getByText('This is neither a package nor a task.').waitFor();
  }
});

test('it takes messages of its host alone, and shows what is left of an answer as text (S-274)', async () => {
  const { parcel } = await listedWithTerms(service.current);
  const { content } = await callOverMcp(service.current, '2026', ...get(parcel.id));
  const { frame } = await chat(get(parcel.id), { result: { content } });
  await frame.getByRole('heading', { name: 'a box of books' }).waitFor();
  const forged = { jsonrpc: '2.0', method: 'ui/notifications/tool-cancelled', params: {} };
  await frame.evaluate(`new Promise((done) => {
    addEventListener('message', () => setTimeout(done));
    postMessage(${JSON.stringify(forged)}, '*');
  })`);
  expect(await frame.getByText('The call was cancelled.').count()).toBe(0);
});
