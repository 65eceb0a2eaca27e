import { describe, expect, test } from 'vitest';
import { freshLedger, newAddress, rawCall, rawPost, type RawAnswer } from './support/ledger.js';

const ledger = await freshLedger({ testing: false }, 'file');

describe('JSON-RPC over HTTP', () => {
  test('[L-23] answers a batch in its order, an error beside results, nothing for notifications', async () => {
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
    ['[]', -32600],
    ['5', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"getSlot"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"relay_advanceTime","params":[{"seconds":1}]}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor","params":[]}', -32601],
  ])('[L-23] answers %s with %i', async (body, code) => {
    expect(((await rawPost(ledger, body)) as RawAnswer).error?.code).toBe(code);
  });

  test.each([
    ['getBalance', []],
    ['getBalance', [5]],
    ['getBalance', ['abc']],
    ['getBalance', ['0'.repeat(44)]],
    ['getBalance', ['1'.repeat(100_000)]],
    ['getBalance', ['11111111111111111111111111111111', { commitment: 'soon' }]],
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
  ] as const)('[L-23] refuses %s %j with -32602 and the reason', async (method, params) => {
    const { error } = await rawCall(ledger, method, params);
    expect(error?.code).toBe(-32602);
    expect(error?.message.length).toBeGreaterThan(10);
  });

  test('[L-19] reads and repeats integers beyond 2^53 digit by digit', async () => {
    const body = '{"jsonrpc":"2.0","id":18446744073709551615,"method":"getHealth"}';
    const response = await fetch(ledger.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(await response.text()).toBe('{"jsonrpc":"2.0","result":"ok","id":18446744073709551615}');
  });

  test('[L-23] lets pages of any origin call, with the header that kit sends', async () => {
    const response = await fetch(ledger.rpcUrl, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://dashboard.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,solana-client',
      },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toContain('solana-client');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
  });

  test('[L-23] refuses other methods, other content and bodies above 2 MiB', async () => {
    expect((await fetch(ledger.rpcUrl)).status).toBe(405);
    expect((await fetch(`${ledger.rpcUrl}/health`)).status).toBe(200);
    expect((await fetch(ledger.rpcUrl, { method: 'POST', body: '{}' })).status).toBe(415);
    const headers = { 'content-type': 'application/json' };
    const large = await fetch(ledger.rpcUrl, { method: 'POST', headers, body: `"${'x'.repeat(2 * 1024 * 1024)}"` });
    expect(large.status).toBe(413);
    const wsPort = ledger.wsUrl.replace('ws:', 'http:');
    expect((await fetch(wsPort)).status).toBe(426);
  });

  test('a new address has no lamports', async () => {
    const { result } = await rawCall(ledger, 'getBalance', [await newAddress()]);
    expect(result).toMatchObject({ value: 0 });
  });
});
