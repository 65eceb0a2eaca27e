import { getBase58Decoder, getBase58Encoder, type Address, type Signature } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  advanceTime,
  clientOf,
  FEE,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
} from './support/ledger.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const confirmed = { commitment: 'confirmed' } as const;

describe('a landed transaction', () => {
  test('[L-16] is given with its content, balances, fee and logs', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const transaction = await signTransfer(client, payer, recipient, SOL, { version: 'legacy' });
    await send(client, transaction);
    const found = await client.rpc
      .getTransaction(transaction.signature, { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: 0 })
      .send();
    expect(found).toMatchObject({
      version: 'legacy',
      slot: expect.any(BigInt),
      blockTime: expect.any(BigInt),
      meta: {
        err: null,
        fee: FEE,
        preBalances: [10n * SOL, 0n, 1n],
        postBalances: [9n * SOL - FEE, SOL, 1n],
        innerInstructions: [],
        computeUnitsConsumed: 150n,
        loadedAddresses: { readonly: [], writable: [] },
        logMessages: [`Program ${SYSTEM_PROGRAM} invoke [1]`, `Program ${SYSTEM_PROGRAM} success`],
        status: { Ok: null },
      },
      transaction: {
        signatures: [transaction.signature],
        message: { accountKeys: [payer.address, recipient, SYSTEM_PROGRAM] },
      },
    });
  });

  test('[L-20] comes in base64 and base58 as the very bytes that were sent', async () => {
    const payer = await fundedSigner(client);
    const transaction = await signTransfer(client, payer, await newAddress(), SOL);
    await send(client, transaction);
    const config = { ...confirmed, maxSupportedTransactionVersion: 0 } as const;
    const base64 = await client.rpc.getTransaction(transaction.signature, { ...config, encoding: 'base64' }).send();
    expect(base64?.transaction).toEqual([transaction.wire, 'base64']);
    const base58 = await client.rpc.getTransaction(transaction.signature, { ...config, encoding: 'base58' }).send();
    const bytes = getBase58Encoder().encode(base58?.transaction[0] ?? '');
    expect(Buffer.from(bytes).toString('base64')).toBe(transaction.wire);
  });

  test('of version 0 is given only to a client that says it can read it', async () => {
    const payer = await fundedSigner(client);
    const { signature, wire } = await signTransfer(client, payer, await newAddress(), SOL, { version: 0 });
    await send(client, { wire });
    expect((await rawCall(ledger, 'getTransaction', [signature, confirmed])).error?.code).toBe(-32015);
  });

  test('[L-15] is not there yet at finalized, and null when unknown', async () => {
    const payer = await fundedSigner(client);
    const { signature, wire } = await signTransfer(client, payer, await newAddress(), SOL, { version: 'legacy' });
    await send(client, { wire });
    const finalized = async (): Promise<unknown> => (await rawCall(ledger, 'getTransaction', [signature])).result;
    expect(await finalized()).toBeNull();
    await advanceTime(ledger, { slots: 32 });
    expect(await finalized()).not.toBeNull();
    expect((await rawCall(ledger, 'getTransaction', [signature, { commitment: 'processed' }])).error?.code).toBe(
      -32602,
    );
  });

  test('[L-8] is looked up beyond the last 300 slots only when asked to', async () => {
    const payer = await fundedSigner(client);
    const { signature, wire } = await signTransfer(client, payer, await newAddress(), SOL);
    await send(client, { wire });
    await advanceTime(ledger, { slots: 400 });
    const recent = await client.rpc.getSignatureStatuses([signature]).send();
    expect(recent.value).toEqual([null]);
    const all = await client.rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
    expect(all.value[0]).toMatchObject({ confirmationStatus: 'finalized', confirmations: null, err: null });
  });
});

describe("an address' signatures", () => {
  let watched: Address;
  let sent: Signature[];

  beforeAll(async () => {
    watched = await newAddress();
    const payer = await fundedSigner(client);
    const all = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => signTransfer(client, payer, watched, SOL / 10n + BigInt(index))),
    );
    sent = [];
    for (const one of all.slice(0, 6)) sent.push(await send(client, one));
    await advanceTime(ledger, { slots: 2 });
    for (const one of all.slice(6)) sent.push(await send(client, one));
  });

  async function list(config: object): Promise<string[]> {
    const { result } = await rawCall(ledger, 'getSignaturesForAddress', [watched, { ...confirmed, ...config }]);
    return (result as { signature: string }[]).map((one) => one.signature);
  }

  test('[L-16] come latest first, in the order in which they landed', async () => {
    expect(await list({})).toEqual(sent.toReversed());
    const { result } = await rawCall(ledger, 'getSignaturesForAddress', [watched, confirmed]);
    const places = (result as { slot: number; transactionIndex: number }[]).map((one) => [
      one.slot,
      one.transactionIndex,
    ]);
    const sorted = places.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => c - a || d - b);
    expect(places).toEqual(sorted);
    expect(new Set(places.map(String)).size).toBe(12);
  });

  test('[L-16] come in pages without gap or repetition, whatever the page size', async () => {
    for (const limit of [1, 5, 7, 12]) {
      const pages: string[] = [];
      for (let before: string | undefined; ; before = pages.at(-1)) {
        const page = await list({ limit, before });
        pages.push(...page);
        if (page.length < limit) break;
      }
      expect(pages).toEqual(sent.toReversed());
    }
  });

  test('[L-16] end before the one that was named as known', async () => {
    expect(await list({ until: sent[8] })).toEqual(sent.slice(9).toReversed());
    expect(await list({ before: sent[10], until: sent[8] })).toEqual([sent[9]]);
  });

  test.each(['before', 'until'])(
    '[L-16] are refused when the ledger does not know the one named as %s',
    async (bound) => {
      const unknown = getBase58Decoder().decode(new Uint8Array(64).fill(9));
      const { error } = await rawCall(ledger, 'getSignaturesForAddress', [watched, { ...confirmed, [bound]: unknown }]);
      expect(error).toMatchObject({ code: -32020, message: `Transaction ${unknown} not found` });
    },
  );

  test('[L-15] are only final ones when nothing else is asked for', async () => {
    const fresh = await newAddress();
    const payer = await fundedSigner(client);
    const { signature } = await signTransfer(client, payer, fresh, SOL).then(async (one) => {
      await send(client, one);
      return one;
    });
    const read = async (): Promise<unknown> => (await rawCall(ledger, 'getSignaturesForAddress', [fresh])).result;
    expect(await read()).toEqual([]);
    await advanceTime(ledger, { slots: 32 });
    expect(await read()).toMatchObject([{ signature, confirmationStatus: 'finalized', err: null, memo: null }]);
  });

  test.each([{ limit: 0 }, { limit: 1001 }, { before: 'abc' }, { until: 5 }])('[L-23] refuses %j', async (config) => {
    expect((await rawCall(ledger, 'getSignaturesForAddress', [watched, config])).error?.code).toBe(-32602);
  });
});
