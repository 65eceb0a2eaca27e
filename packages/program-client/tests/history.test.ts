import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { decodeRelayInstruction } from '@legwork/program-client';
import { createLedgerRpc, findLanded, type ReadLedger } from '@legwork/program-client/history';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { confirmLegFixture, programAddress } from './fixtures.js';

/** What the node says of a transaction: what it gives, or the code of its refusal. */
type Word = { result: unknown } | { error: { code: number; message: string } };
type Call = { id: unknown; method: string; params: [unknown, { maxSupportedTransactionVersion?: number }] };

const SIGNATURES = [1, 2].map((byte) => getBase58Decoder().decode(new Uint8Array(64).fill(byte)));
const [FIRST = '', SECOND = ''] = SIGNATURES;
const UNSUPPORTED = { error: { code: -32015, message: 'Transaction version (2) is not supported' } };
const UNREADABLE = { kind: 'unreadable', reason: expect.any(String) };

/** A node that says whatever it is told to. */
let node: Server;
let ledger: ReadLedger;
const words = new Map<string, Word>();
let asked: Call['params'][1][] = [];

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { id, method, params } = (await json(incoming)) as Call;
  asked.push(params[1]);
  const listed = SIGNATURES.map((signature) => ({ signature, slot: 7, err: null, confirmationStatus: 'confirmed' }));
  const word = method === 'getSignaturesForAddress' ? { result: listed } : words.get(String(params[0]));
  outgoing.setHeader('content-type', 'application/json');
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...(word ?? { result: null }) }));
}

beforeAll(async () => {
  node = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  const { port } = node.address() as AddressInfo;
  ledger = { rpc: createLedgerRpc(`http://127.0.0.1:${port}`), programAddress };
});
afterAll(() => node.close());
beforeEach(() => {
  words.clear();
  asked = [];
});

/** A confirm_leg as a node shows the transaction with it. */
async function shown(version: unknown = 0) {
  const { instruction } = await confirmLegFixture();
  const accounts = instruction.accounts.map(({ address }) => address);
  const keys = [...new Set([...accounts, programAddress])];
  const compiled = {
    programIdIndex: keys.indexOf(programAddress),
    accounts: accounts.map((account) => keys.indexOf(account)),
    data: getBase58Decoder().decode(instruction.data),
    stackHeight: 1,
  };
  const message = { accountKeys: keys, instructions: [compiled], header: {}, recentBlockhash: FIRST };
  return {
    slot: 7,
    blockTime: null,
    version,
    meta: { err: null as unknown, innerInstructions: [] as unknown, loadedAddresses: { writable: [], readonly: [] } },
    transaction: { message, signatures: [FIRST] },
  };
}

describe('a transaction (S-101)', () => {
  test.each(['legacy', 0, 1])('of version %s is read, with its slot', async (version) => {
    words.set(FIRST, { result: await shown(version) });
    const { instruction } = await confirmLegFixture();
    const plain = decodeRelayInstruction(programAddress, instruction);
    const found = await findLanded(ledger, FIRST);
    if (found?.kind !== 'landed') throw new Error('it is readable');
    expect(found).toMatchObject({ slot: 7n, error: null });
    expect(found.instructions.map(({ name, data }) => ({ name, data }))).toEqual([
      { name: 'confirmLeg', data: plain?.data },
    ]);
    expect(asked).toMatchObject([{ maxSupportedTransactionVersion: 1 }]);
  });

  test('that failed did nothing, and one that the ledger does not show is undefined', async () => {
    const failed = await shown();
    failed.meta.err = { InstructionError: [0, { Custom: 6001 }] };
    words.set(FIRST, { result: failed });
    expect(await findLanded(ledger, FIRST)).toMatchObject({ kind: 'landed', slot: 7n, instructions: [] });
    expect(await findLanded(ledger, SECOND)).toBeUndefined();
  });

  test('of a version that the node refuses to show is unreadable', async () => {
    words.set(FIRST, UNSUPPORTED);
    expect(await findLanded(ledger, FIRST)).toEqual({ kind: 'unreadable', reason: 'its version is above 1' });
  });

  test('of which the node cannot say anything at present is not unreadable: it is asked for again', async () => {
    words.set(FIRST, { error: { code: -32005, message: 'Node is behind' } });
    await expect(findLanded(ledger, FIRST)).rejects.toMatchObject({ code: 'ledger_unavailable' });
  });

  test('in a form that is not known is unreadable, never empty or failed', async () => {
    const good = await shown();
    const { message } = good.transaction;
    const [instruction] = message.instructions;
    const withMessage = (changes: object) => ({ ...good, transaction: { message: { ...message, ...changes } } });
    const withInstruction = (changes: object) => withMessage({ instructions: [{ ...instruction, ...changes }] });
    const bad: Record<string, unknown> = {
      'no message': { ...good, transaction: {} },
      bytes: { ...good, transaction: ['AA==', 'base64'] },
      'a newer version all the same': { ...good, version: 2 },
      'no version': { ...good, version: undefined },
      'no slot': { ...good, slot: undefined },
      'no outcome': { ...good, meta: null },
      'half an outcome': { ...good, meta: { ...good.meta, err: undefined } },
      'no accounts': withMessage({ accountKeys: undefined }),
      'too few accounts': withMessage({ accountKeys: message.accountKeys.slice(-1) }),
      'another program index': withInstruction({ programIdIndex: 99 }),
      'an account index beyond the end': withInstruction({ accounts: [99] }),
      'data in another encoding': withInstruction({ data: '0OIl' }),
      'no data': withInstruction({ data: undefined }),
      text: 'gone',
      number: 7,
    };
    for (const [what, result] of Object.entries(bad)) {
      words.set(FIRST, { result });
      expect([what, await findLanded(ledger, FIRST)]).toEqual([what, UNREADABLE]);
    }
  });

  test('is unreadable if the node gives any other JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (result) => {
        words.set(FIRST, { result });
        expect(await findLanded(ledger, FIRST)).toEqual(result === null ? undefined : UNREADABLE);
      }),
      { numRuns: 100 },
    );
  });
});
