import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dispatcher } from '../src/rpc/dispatcher.js';
import { createRpcServer } from '../src/rpc/httpServer.js';
import { freshLedger, newAddress, rawCall, rawPost, type RawAnswer } from './support/ledger.js';

const ledger = await freshLedger({ testing: false }, 'file');

async function post(body: string | Buffer<ArrayBuffer>, type = 'application/json'): Promise<Response> {
  return fetch(ledger.rpcUrl, { method: 'POST', headers: { 'content-type': type }, body });
}

describe('JSON-RPC over HTTP', () => {
  test('[L-60] answers a batch in its order, an error beside results, nothing for notifications', async () => {
    const answers = (await rawPost(ledger, [
      { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
      { jsonrpc: '2.0', id: 2, method: 'nope' },
      { jsonrpc: '2.0', method: 'getSlot' },
      { jsonrpc: '2.0', id: 3, method: 'getGenesisHash', params: [] },
    ])) as (RawAnswer & { id: unknown })[];
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'a', result: 'ok' },
      { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 3, result: ledger.genesisHash },
    ]);
  });

  test.each([
    ['{"jsonrpc":', -32700],
    ['', -32700],
    ['5', -32700],
    ['[5]', -32700],
    ['[{},5]', -32700],
    ['{"jsonrpc":"2.0","id":1.0,"method":"getSlot"}', -32700],
    ['{"jsonrpc":"2.0","id":-1,"method":"getSlot"}', -32700],
    ['{"jsonrpc":"2.0","id":{},"method":"getSlot"}', -32700],
    ['{"jsonrpc":"2.0","id":18446744073709551616,"method":"getSlot"}', -32700],
    [`{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[1e400]}`, -32700],
    [`{"jsonrpc":"2.0","id":1,"method":"getHealth","params":${'['.repeat(200)}${']'.repeat(200)}}`, -32700],
    ['{}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"getSlot"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot","params":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot","extra":1}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"relay_advanceTime","params":[{"seconds":1}]}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor","params":[]}', -32601],
  ])('[L-60] answers %s with %i', async (body, code) => {
    expect(((await rawPost(ledger, body)) as RawAnswer).error?.code).toBe(code);
  });

  test('[L-60] an invalid request keeps its id, and has none in its answer when it names no version', async () => {
    const invalid = { code: -32600, message: 'Invalid request' };
    expect(await rawPost(ledger, [{ id: 3 }, {}])).toEqual([
      { jsonrpc: '2.0', error: invalid, id: 3 },
      { jsonrpc: '2.0', error: invalid, id: null },
    ]);
    expect(await rawPost(ledger, { id: 'a', method: 'getHealth' })).toEqual({
      error: { code: -32600, message: 'Unsupported JSON-RPC protocol version' },
      id: 'a',
    });
    expect(await rawPost(ledger, { jsonrpc: '2.0', id: null, method: 'getHealth', params: null })).toEqual({
      jsonrpc: '2.0',
      result: 'ok',
      id: null,
    });
  });

  test('[L-60] a field that is there twice makes a request invalid, alone and in a batch', async () => {
    const twice = '{"jsonrpc":"2.0","id":1,"method":"getSlot","method":"getHealth"}';
    const good = '{"jsonrpc":"2.0","id":2,"method":"getHealth","params":[]}';
    const refused = { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' }, id: 1 };
    const answered = { jsonrpc: '2.0', result: 'ok', id: 2 };
    expect(await rawPost(ledger, twice)).toEqual(refused);
    expect(await rawPost(ledger, ` [ ${good}, ${twice}, ${good} ]`)).toEqual([answered, refused, answered]);
    // Colons in texts and deeper inside are no fields.
    const id = 'a:b"\\:"';
    const nested = JSON.stringify({ jsonrpc: '2.0', id, method: 'getSlot', params: [{ a: 1, b: { c: 2 } }] });
    expect(await rawPost(ledger, nested)).toMatchObject({ id, result: expect.any(Number) });
  });

  test('[L-60] half a character is no text', async () => {
    const body = (id: string): string => `{"jsonrpc":"2.0","id":"${id}","method":"getHealth"}`;
    for (const id of ['\\ude00', '\\ud83d', '\\ud83dx\\ude00']) {
      expect(((await rawPost(ledger, body(id))) as RawAnswer).error?.code).toBe(-32700);
    }
    for (const id of ['\\ud83d\\ude00', '\\\\ude00']) {
      expect(await rawPost(ledger, body(id))).toMatchObject({ result: 'ok', id: JSON.parse(`"${id}"`) });
    }
  });

  test.each(['[]', '{"jsonrpc":"2.0","method":"getHealth"}', '[{"jsonrpc":"2.0","method":"nope"}]'])(
    '[L-60] answers %s with nothing',
    async (body) => {
      const response = await post(body);
      expect([response.status, await response.text()]).toEqual([200, '']);
    },
  );

  test('[L-60] a notification runs nothing', async () => {
    const recipient = await newAddress();
    await post(JSON.stringify({ jsonrpc: '2.0', method: 'requestAirdrop', params: [recipient, 1_000_000] }));
    const { result } = await rawCall(ledger, 'getBalance', [recipient, { commitment: 'processed' }]);
    expect(result).toMatchObject({ value: 0 });
  });

  test.each([
    ['getBalance', []],
    ['getBalance', [5]],
    ['getBalance', ['abc']],
    ['getBalance', ['0'.repeat(44)]],
    ['getBalance', ['1'.repeat(40_000)]],
    ['getBalance', ['11111111111111111111111111111111', 'confirmed']],
    ['getBalance', ['11111111111111111111111111111111', { minContextSlot: -1 }]],
    ['getAccountInfo', ['11111111111111111111111111111111', { encoding: 'hex' }]],
    ['getAccountInfo', ['11111111111111111111111111111111', { dataSlice: { offset: 0 } }]],
    ['getMultipleAccounts', [['11111111111111111111111111111111', 'x']]],
    ['getMultipleAccounts', [Array.from({ length: 101 }, () => '11111111111111111111111111111111')]],
    ['getSignatureStatuses', [['abc']]],
    ['getTransaction', ['abc']],
    ['getBlockTime', [1.5]],
    ['getFeeForMessage', ['AAAA']],
    ['isBlockhashValid', ['abc']],
    ['requestAirdrop', ['11111111111111111111111111111111']],
    ['requestAirdrop', ['11111111111111111111111111111111', -5]],
    ['requestAirdrop', ['11111111111111111111111111111111', 1e30]],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }]],
    ['sendTransaction', ['!!!!', { encoding: 'base64' }]],
    ['sendTransaction', ['0OIl']],
    ['sendTransaction', [Buffer.alloc(1233).toString('base64'), { encoding: 'base64' }]],
    ['simulateTransaction', ['AAAA', { encoding: 'base64' }]],
    ['getMinimumBalanceForRentExemption', ['x']],
  ] as const)('[L-62] refuses %s %j with -32602 and the reason', async (method, params) => {
    const { error } = await rawCall(ledger, method, params);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toMatch(/^\S/);
  });

  test('[L-19] reads and repeats integers beyond 2^53 digit by digit', async () => {
    const response = await post('{"jsonrpc":"2.0","id":18446744073709551615,"method":"getHealth"}');
    expect(await response.text()).toBe('{"jsonrpc":"2.0","result":"ok","id":18446744073709551615}\n');
  });

  test.each([
    [{ origin: 'https://evil.test' }, true],
    [{ origin: 'http://localhost.evil.test' }, true],
    [{ origin: 'http://127.0.0.1.evil.test:8080' }, true],
    [{ origin: 'null' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, true],
    [{ origin: 'http://localhost:5173' }, false],
    [{ origin: 'http://127.0.0.1:8080' }, false],
    [{ origin: 'http://[::1]:8080' }, false],
    [{}, false],
  ])('[L-85] refuses to change anything without a signature for a page of %j: %s', async (headers, isRefused) => {
    const address = await newAddress();
    const airdrop = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [address, 1_000_000_000] };
    const reading = { jsonrpc: '2.0', id: 2, method: 'getHealth' };
    const answer = await fetch(ledger.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify([airdrop, reading]),
    });
    const [given, read] = (await answer.json()) as RawAnswer[];
    expect(read).toMatchObject({ result: 'ok' });
    const refusal = /no page of this machine/.test(given?.error?.message ?? '') ? given?.error?.code : given?.error;
    expect(refusal).toBe(isRefused ? -32600 : undefined);
    const { result } = await rawCall(ledger, 'getBalance', [address, { commitment: 'confirmed' }]);
    expect(result).toMatchObject({ value: isRefused ? 0 : 1_000_000_000 });
  });

  test('[L-61] lets pages of any origin call, with the header that kit sends', async () => {
    const response = await fetch(ledger.rpcUrl, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://dashboard.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,solana-client',
      },
    });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      accept: 'application/json',
      'access-control-allow-headers': 'content-type, solana-client',
      'access-control-allow-methods': 'OPTIONS, POST',
      'access-control-allow-origin': 'http://dashboard.test',
      'access-control-max-age': '86400',
      allow: 'OPTIONS, POST',
      vary: 'origin',
    });
  });

  test('[L-61] an idle connection stays longer than clients keep one', async () => {
    const { headers } = await post('{}');
    expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['keep-alive', 'timeout=900']);
  });

  test('[L-61] idle connections make way when there are too many', async () => {
    const limits = { bodyBytes: 1_000, connections: 3 };
    const server = createRpcServer({ answer: async () => '' } as unknown as Dispatcher, () => undefined, limits);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => server.closeAllConnections());
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    /** Over a connection of its own, which stays. */
    const isHealthy = () =>
      new Promise<boolean>((resolve) => {
        const asked = get({ port, host: '127.0.0.1', path: '/health', agent: new Agent({ keepAlive: true }) });
        asked.on('response', (response) => response.resume().on('end', () => resolve(true)));
        asked.on('error', () => resolve(false));
      });
    for (let one = 0; one < limits.connections; one += 1) expect(await isHealthy()).toBe(true);
    expect(await isHealthy()).toBe(false);
    expect(await isHealthy()).toBe(true);
  });

  test('[L-61] refuses other methods and other content', async () => {
    expect((await fetch(ledger.rpcUrl)).status).toBe(405);
    const refused = await post('{}', 'application/json; charset=latin1');
    expect(refused.status).toBe(415);
    expect(await refused.text()).toBe(
      'Supplied content type is not allowed. Content-Type: application/json is required\n',
    );
    for (const type of ['application/json;charset=UTF-8', 'APPLICATION/JSON']) {
      expect((await post('{}', type)).status).toBe(200);
    }
    const wsPort = ledger.wsUrl.replace('ws:', 'http:');
    expect((await fetch(wsPort)).status).toBe(426);
  });

  test('[L-61] any path takes calls; /health says ok to any method', async () => {
    const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect(await (await fetch(`${ledger.rpcUrl}/some/path`, call)).text()).toContain('Invalid request');
    for (const method of ['GET', 'PUT']) {
      expect(await (await fetch(`${ledger.rpcUrl}/health`, { method })).text()).toBe('ok');
    }
  });

  test('[L-61] a body has at most 50 KiB, of UTF-8', async () => {
    const ofLength = (length: number): string => {
      const empty = '{"jsonrpc":"2.0","id":"","method":"getHealth"}';
      return empty.replace('""', `"${'x'.repeat(length - empty.length)}"`);
    };
    expect((await post(ofLength(51_200))).status).toBe(200);
    const large = await post(ofLength(51_201));
    expect([large.status, await large.text()]).toEqual([413, 'request body size exceeds allowed maximum']);
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":"\xff","method":"getHealth"}', 'latin1');
    const strange = await post(bytes);
    expect([strange.status, await strange.text()]).toEqual([400, 'utf-8 encoding error at byte 23 in request body']);
  });

  test('a new address has no lamports', async () => {
    const { result } = await rawCall(ledger, 'getBalance', [await newAddress()]);
    expect(result).toMatchObject({ value: 0 });
  });
});
