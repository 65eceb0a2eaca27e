import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readTrace } from '@legwork/program-client/history';
import { expect, onTestFinished, test } from 'vitest';

/** What comes of the answer of a node. */
async function traceOf(answer: string) {
  const server = createServer((_, response) => response.end(answer));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return readTrace(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'x');
}

const resultOf = (result: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result });

test('[L-91] tells fields of data that the node reads, bytes of the others, and leaves out what changed in lamports alone', async () => {
  const account = { owner: 'O', executable: false, space: 4, data: null };
  const parsed = (amount: string, delegate?: string) => ({
    ...account,
    data: {
      program: 'spl-token',
      parsed: { type: 'account', info: { tokenAmount: { amount }, ...(delegate && { delegate }) } },
    },
  });
  const dataChanges = [{ offset: 2, length: 300, before: '', after: '/wA=' }];
  const trace = await traceOf(
    resultOf({
      accounts: [
        { pubkey: 'A', before: parsed('5'), after: parsed('3', 'D'), dataChanges },
        { pubkey: 'B', before: null, after: account, dataChanges },
        { pubkey: 'C', before: account, after: { ...account, lamports: 5 }, dataChanges: [] },
      ],
      replay: null,
    }),
  );
  expect(trace).toEqual({
    changes: [
      {
        account: 'A',
        fields: [
          { name: 'tokenAmount.amount', before: '5', after: '3' },
          { name: 'delegate', before: undefined, after: 'D' },
        ],
        bytes: [],
      },
      {
        account: 'B',
        fields: [
          { name: 'owner', before: undefined, after: 'O' },
          { name: 'space', before: undefined, after: '4' },
        ],
        bytes: [{ offset: 2, length: 300, before: '', after: 'ff00' }],
      },
    ],
    replay: undefined,
  });
});

test('[L-91] is empty where the ledger no longer knows', async () => {
  expect(await traceOf(resultOf({ accounts: null, replay: null }))).toEqual({ changes: undefined, replay: undefined });
});

test.each([
  '{"error":{"code":-32601}}',
  'nonsense',
  resultOf(null),
  resultOf({ accounts: [{ dataChanges: [{ before: '*' }] }] }),
])('[L-91] a node that answers %s does not tell', async (answer) => {
  expect(await traceOf(answer)).toBeUndefined();
});
