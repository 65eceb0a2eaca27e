import { X509Certificate } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { checkServerIdentity } from 'node:tls';
import { createLegworkClient, followEvents, listPackage } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import { lanAddresses } from '../../src/http/certificate.js';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';

const folder = mkdtempSync(join(inject('scratch'), 'https-'));
const service = withService({
  settings: (usual) => ({
    ...usual,
    HOST: '0.0.0.0',
    HTTPS_DIR: folder,
    LIMIT_AIRDROPS: '2',
    SOLANA_CLUSTER: 'embedded',
  }),
});
const pem = () => readFile(join(folder, 'certificate.pem'), 'utf8');
const port = () => Number(new URL(service.current.server.url).port);
/** Another machine reaches this one there. A machine without a network has none. */
const LAN = lanAddresses()[0] ?? '';

interface Sent {
  readonly host?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

interface Got {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** Asks as a client does that trusts nothing but the certificate. */
async function ask(
  { host = '127.0.0.1', method = 'GET', path = '/config', headers = {}, body }: Sent,
  isPlain = false,
): Promise<Got> {
  const ca = await pem();
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const options = { host, port: port(), method, path, headers: { ...json, ...headers }, agent: false };
  return new Promise((resolve, reject) => {
    const sent = isPlain
      ? plainRequest(options)
      : request({ ...options, ca, checkServerIdentity: (_, shown) => checkServerIdentity(host, shown) });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 7, method, params });

/** The ledger's answer to somebody on the network. */
async function rpc(body: unknown, headers?: Record<string, string>) {
  const { status, text } = await ask({ method: 'POST', path: '/rpc', body, ...(headers && { headers }) });
  const answer: unknown = JSON.parse(text);
  return { status, answer };
}

test('[S-230] tells where it is and what it shows', async () => {
  const { secure, url } = service.current.server;
  expect(url).toBe(`http://127.0.0.1:${port()}`);
  expect(secure).toEqual({
    url: `https://${LAN || 'localhost'}:${port()}`,
    fingerprint: new X509Certificate(await pem()).fingerprint256,
  });
  const config: unknown = JSON.parse((await ask({})).text);
  expect(config).toMatchObject({ publicUrl: secure?.url, mcpUrl: `${secure?.url}/mcp` });
});

describe('[S-231] one port', () => {
  test('speaks plain http to programs of this machine, which sign, write and follow as ever', async () => {
    const shipper = await service.current.party(2);
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    for await (const event of followEvents({ url: service.current.server.url, since: 0 })) {
      if ('packageId' in event && event.packageId === id) break;
    }
    expect((await ask({ path: `/packages/${id}` }, true)).status).toBe(200);
  });

  test.skipIf(LAN === '')('sends whoever else comes by plain http to https, at the same address', async () => {
    const { secure } = service.current.server;
    const sent = await ask({ host: LAN, path: '/packages?limit=1', headers: { host: 'evil.example' } }, true);
    expect(sent).toMatchObject({ status: 308, headers: { location: `${secure?.url}/packages?limit=1` } });
    const written = await ask({ host: LAN, method: 'POST', path: '/packages', body: {} }, true);
    expect(written).toMatchObject({ status: 400, text: expect.stringContaining('put https:// before the address') });
    expect(written.headers['location']).toBeUndefined();
    const odd = await ask({ host: LAN, path: '//evil.example/' }, true);
    expect(odd.headers['location']).toBe(`${secure?.url}//evil.example/`);
  });

  test.skipIf(LAN === '')('gives the events by TLS, and no plain WebSocket to another machine', async () => {
    const opened = new WebSocket(`wss://${LAN}:${port()}/ws`, { ca: await pem() });
    await new Promise((resolve, reject) => opened.once('open', resolve).once('error', reject));
    opened.terminate();
    const refused = new WebSocket(`ws://${LAN}:${port()}/ws`);
    const error = await new Promise<Error>((resolve) =>
      refused.once('error', resolve).once('open', () => resolve(new Error('open'))),
    );
    expect(error.message).toContain('400');
  });

  test('answers what is neither, and goes on', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port(), '127.0.0.1', () => socket.write('\u0000\u0001hello\r\n\r\n'));
      let text = '';
      socket
        .on('data', (part) => (text += part.toString()))
        .on('close', () => resolve(text))
        .on('error', reject);
    });
    expect(answer).toContain('400');
    const broken = connect(port(), '127.0.0.1', () => broken.end(Buffer.from([0x16, 0x03, 0x01, 0xff, 0xff, 0x00])));
    await new Promise((resolve) => broken.on('close', resolve).on('error', resolve).resume());
    const silent = connect(port(), '127.0.0.1');
    await new Promise((resolve) => silent.on('connect', resolve));
    silent.destroy();
    expect((await ask({})).status).toBe(200);
  });
});

describe('[S-11] a key signs for', () => {
  test.each(['localhost', '127.0.0.1', ...(LAN === '' ? [] : [LAN])])(
    '%s, which the certificate names',
    async (host) => {
      const { pubkey, signer } = await service.current.party(0);
      const sent: { headers?: Record<string, string>; path?: string } = {};
      const fetching = async (url: string | URL | Request, init?: RequestInit) => {
        Object.assign(sent, {
          headers: Object.fromEntries(new Headers(init?.headers)),
          path: new URL(new Request(url).url).pathname,
        });
        return new Response('[]', { headers: { 'content-type': 'application/json' } });
      };
      const client = createLegworkClient({ url: `https://${host}:${port()}`, signer, fetch: fetching });
      await client.listWebhooks().catch(() => undefined);
      expect(pubkey).not.toBe('');
      expect(await ask({ host, ...sent })).toMatchObject({ status: 200, text: '[]' });
    },
  );
});

describe('[S-232] the ledger', () => {
  test('is told by the address that was asked at: over TLS beside the service, else where it is', async () => {
    const rpcUrlOf = async (sent: Sent, isPlain?: boolean) =>
      (JSON.parse((await ask(sent, isPlain)).text) as { rpcUrl: string }).rpcUrl;
    expect(await rpcUrlOf({ host: 'localhost' })).toBe(`https://localhost:${port()}/rpc`);
    const other = LAN || '127.0.0.1';
    expect(await rpcUrlOf({ host: other })).toBe(`https://${other}:${port()}/rpc`);
    expect(await rpcUrlOf({ headers: { host: 'evil.example' } })).toBe(`${service.current.server.secure?.url}/rpc`);
    expect(await rpcUrlOf({}, true)).toBe(service.current.ledger.rpcUrl);
    const page = await ask({ host: 'localhost', path: '/', headers: { accept: 'text/html' } });
    expect(page.headers['content-security-policy']).toContain(`connect-src 'self' https://localhost:${port()};`);
    expect(page.text).toContain(`"rpcUrl":"https://localhost:${port()}/rpc"`);
  });

  test('answers what pages ask', async () => {
    const { pubkey } = await service.current.party(1);
    expect(await rpc(call('getGenesisHash'))).toMatchObject({
      status: 200,
      answer: { id: 7, result: expect.any(String) },
    });
    expect(await rpc(call('getBalance', pubkey))).toMatchObject({ answer: { result: { value: 1_000_000_000 } } });
    expect(await rpc(call('getBalance', 'nobody'))).toMatchObject({ answer: { error: { code: -32602 } } });
  });

  test.each([
    ['what only tests call', 'relay_advanceTime', [{ seconds: 60 }]],
    ['what costs a node much', 'getProgramAccounts', ['11111111111111111111111111111111']],
    ['what there is not', 'x'.repeat(1000), []],
  ])('is not asked %s', async (_what, method, params) => {
    expect(await rpc(call(method, ...params))).toMatchObject({
      answer: { id: 7, error: { code: -32601, message: expect.stringContaining('is not passed on here') } },
    });
  });

  test('is not asked by lists, by what is no call, or by the page of another origin', async () => {
    expect((await rpc([call('getSlot')])).status).toBe(400);
    expect((await rpc({ id: 7 })).status).toBe(400);
    expect(await rpc(call('requestAirdrop', 'x', 1), { origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      answer: { code: 'foreign_origin' },
    });
  });

  test('gives 1 SOL at a time, as often a day as agents that register from an address get it', async () => {
    const { address } = await generateKeyPairSigner();
    const airdrop = (lamports: unknown) => rpc(call('requestAirdrop', address, lamports));
    for (const much of [1_000_000_001, 5e18, -1, 0.5, 'all', undefined, null]) {
      expect(await airdrop(much)).toMatchObject({
        answer: { error: { message: expect.stringContaining('1000000000 lamports') } },
      });
    }
    expect(await airdrop(1_000_000_000)).toMatchObject({ answer: { result: expect.any(String) } });
    expect(await airdrop(1)).toMatchObject({ answer: { result: expect.any(String) } });
    expect(await airdrop(1)).toMatchObject({
      answer: { error: { message: expect.stringContaining('2 airdrops a day are taken here') } },
    });
    const { value } = await service.current.rpc.getBalance(address, { commitment: 'processed' }).send();
    expect(value).toBe(1_000_000_001n);
  });
});
