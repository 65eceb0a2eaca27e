import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { decodeRelayInstruction } from '@legwork/program-client';
import { createLedgerRpc, findLanded, type ReadLedger } from '@legwork/program-client/history';
import {
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase58Decoder,
  getBase58Encoder,
  getBase64Decoder,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type SignatureBytes,
  type TransactionVersion,
} from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { confirmLegFixture, programAddress } from './fixtures.js';

/** The node's word on a transaction: its result, or the code of its refusal. */
type Word = { result: unknown } | { error: { code: number; message: string } };
type Call = { id: unknown; method: string; params: [unknown, { maxSupportedTransactionVersion?: number }] };

const SIGNATURES = [1, 2].map((byte) => getBase58Decoder().decode(new Uint8Array(64).fill(byte)));
const [FIRST = '', SECOND = ''] = SIGNATURES;
const LIFETIME = { blockhash: programAddress as string as Blockhash, lastValidBlockHeight: 0n };
/** Accounts in the bytes of a confirm_leg transaction: its own, the system program's, the program's. */
const STATIC_ACCOUNTS = 10;
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

/** The wire form of a transaction of this version with a confirm_leg, and the FIRST signature. */
async function wireOf(version: TransactionVersion, signature = FIRST): Promise<string> {
  const { instruction, accounts } = await confirmLegFixture();
  const transaction = compileTransaction(
    pipe(
      createTransactionMessage({ version }),
      (message) => setTransactionMessageFeePayer(accounts.recipient, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(LIFETIME, message),
      (message) => appendTransactionMessageInstructions([instruction], message),
    ),
  );
  const signatures = { [accounts.recipient]: getBase58Encoder().encode(signature) as SignatureBytes };
  return getBase64EncodedWireTransaction({ ...transaction, signatures });
}

/** A transaction as a node shows it. */
async function shown(version: TransactionVersion = 0) {
  return {
    slot: 7,
    blockTime: null,
    version,
    meta: { err: null as unknown, innerInstructions: [] as unknown, loadedAddresses: { writable: [], readonly: [] } },
    transaction: [await wireOf(version), 'base64'],
  };
}

describe('a transaction (S-101)', () => {
  test.each(['legacy', 0, 1] as const)('of version %s is read, with its slot and its bytes', async (version) => {
    const result = await shown(version);
    words.set(FIRST, { result });
    const { instruction } = await confirmLegFixture();
    const plain = decodeRelayInstruction(programAddress, instruction);
    const found = await findLanded(ledger, FIRST);
    if (found?.kind !== 'landed' || found.error !== null) throw new Error('it is readable');
    expect(found.slot).toBe(7n);
    expect(found.instructions.map(({ name, data }) => ({ name, data }))).toEqual([
      { name: 'confirmLeg', data: plain?.data },
    ]);
    expect(getBase64Decoder().decode(found.bytes)).toBe(result.transaction[0]);
    expect(asked).toMatchObject([{ maxSupportedTransactionVersion: 1 }]);
  });

  test('shows what its instructions called, in the order they ran', async () => {
    const { instruction } = await confirmLegFixture();
    const result = await shown();
    const inner = {
      programIdIndex: STATIC_ACCOUNTS,
      accounts: [0, 1, 2, 3, 4, 5, 6, 7, 8],
      data: getBase58Decoder().decode(instruction.data),
      stackHeight: 2,
    };
    const meta = {
      ...result.meta,
      loadedAddresses: { writable: [], readonly: [programAddress] },
      innerInstructions: [{ index: 0, instructions: [inner] }],
    };
    words.set(FIRST, { result: { ...result, meta } });
    const found = await findLanded(ledger, FIRST);
    expect(found).toMatchObject({ instructions: [{ name: 'confirmLeg' }, { name: 'confirmLeg' }] });
  });

  test('says when its block was made, and what each account gained', async () => {
    const result = await shown();
    words.set(FIRST, { result });
    expect(await findLanded(ledger, FIRST)).toMatchObject({ blockTime: null, gained: new Map() });
    const before = Array.from({ length: STATIC_ACCOUNTS }, () => 100);
    const after = before.with(0, 40).with(1, 160);
    const meta = { ...result.meta, preBalances: before, postBalances: after };
    words.set(FIRST, { result: { ...result, blockTime: 1_800_000_000, meta } });
    const found = await findLanded(ledger, FIRST);
    if (found?.kind !== 'landed' || found.error !== null) throw new Error('it is readable');
    expect(found.blockTime).toBe(1_800_000_000n);
    expect([...found.gained.values()].slice(0, 3)).toEqual([-60n, 60n, 0n]);
  });

  test('is of no time that is known when the node says one that is none', async () => {
    const result = await shown();
    for (const blockTime of ['soon', '1800000000', 1.5, -1, 253_402_300_800, 2 ** 63, true, {}, [1_800_000_000]]) {
      words.set(FIRST, { result: { ...result, blockTime } });
      expect(await findLanded(ledger, FIRST)).toMatchObject({ kind: 'landed', blockTime: null });
    }
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
    const [wire = ''] = good.transaction;
    const withInner = (changes: object) => {
      const inner = { programIdIndex: 0, accounts: [0], data: '', ...changes };
      return { ...good, meta: { ...good.meta, innerInstructions: [{ index: 0, instructions: [inner] }] } };
    };
    const bad: Record<string, unknown> = {
      'no bytes': { ...good, transaction: [] },
      'bytes of nothing': { ...good, transaction: ['AA==', 'base64'] },
      'half of the bytes': { ...good, transaction: [wire.slice(0, 400), 'base64'] },
      'the bytes of another one': { ...good, transaction: [await wireOf(0, SECOND), 'base64'] },
      'no base64': { ...good, transaction: ['?', 'base64'] },
      'another encoding': { ...good, transaction: [wire, 'base85'] },
      JSON: {
        ...good,
        transaction: { message: { instructions: [], header: {}, accountKeys: [] }, signatures: [FIRST] },
      },
      'a newer version all the same': { ...good, version: 2 },
      'no version': { ...good, version: undefined },
      'no slot': { ...good, slot: undefined },
      'no outcome': { ...good, meta: null },
      'half an outcome': { ...good, meta: { ...good.meta, err: undefined } },
      'another program index': withInner({ programIdIndex: 99 }),
      'an account index beyond the end': withInner({ accounts: [99] }),
      'data in another encoding': withInner({ data: '0OIl' }),
      'no data': withInner({ data: undefined }),
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
