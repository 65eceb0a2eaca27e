import { type Signature } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  advanceTime,
  clientOf,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
} from './support/ledger.js';

// Slots as long as the tests want: time moves only when they say so.
const ledger = await freshLedger({ slotMs: 60_000 }, 'file');
const client = clientOf(ledger);
const confirmed = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;

async function result<T>(method: string, params: readonly unknown[]): Promise<T> {
  const answer = await rawCall(ledger, method, params);
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result as T;
}

async function currentSlot(): Promise<number> {
  return result('getSlot', [{ commitment: 'confirmed' }]);
}

type Block = {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly blockHeight: number;
  readonly blockTime: number;
  readonly rewards?: unknown;
  readonly signatures?: readonly string[];
  readonly transactions?: readonly {
    readonly meta: Record<string, unknown>;
    readonly transaction: { readonly signatures: readonly string[]; readonly accountKeys?: unknown };
    readonly version?: unknown;
  }[];
};

describe('a block', () => {
  let slot: number;
  let sent: Signature[];

  beforeAll(async () => {
    const payer = await fundedSigner(client);
    await advanceTime(ledger, { slots: 1 });
    slot = await currentSlot();
    sent = [];
    for (const version of ['legacy', 0] as const) {
      const { signature, wire } = await signTransfer(client, payer, await newAddress(), SOL, { version });
      await send(client, { wire });
      sent.push(signature);
    }
    await advanceTime(ledger, { slots: 1 });
  });

  test('[L-51] holds the transactions of its slot in their order, with its place in the chain', async () => {
    const block = await result<Block>('getBlock', [slot, confirmed]);
    const before = await result<Block>('getBlock', [slot - 1, { ...confirmed, transactionDetails: 'none' }]);
    expect(block).toMatchObject({
      blockHeight: slot,
      blockTime: await result('getBlockTime', [slot]),
      parentSlot: slot - 1,
      previousBlockhash: before.blockhash,
      rewards: [],
    });
    expect(block.transactions?.map((one) => one.transaction.signatures[0])).toEqual(sent);
    expect(block.transactions?.map((one) => one.version)).toEqual(['legacy', 0]);
  });

  test('[L-51] shows each transaction as getTransaction does, in every encoding', async () => {
    for (const encoding of ['json', 'jsonParsed', 'base64', 'base58', 'binary']) {
      const block = await result<Block>('getBlock', [slot, { ...confirmed, encoding }]);
      for (const [index, shown] of (block.transactions ?? []).entries()) {
        const alone = await result<object>('getTransaction', [sent[index], { ...confirmed, encoding }]);
        expect(alone).toMatchObject(shown);
        expect(Object.keys(alone).sort()).toEqual(
          [...Object.keys(shown), 'blockTime', 'slot', 'transactionIndex'].sort(),
        );
      }
    }
  });

  test('[L-51] comes with accounts, signatures or nothing, and without rewards, when asked to', async () => {
    const ask = async (config: object): Promise<Block> =>
      result<Block>('getBlock', [slot, { ...confirmed, ...config }]);
    const accounts = await ask({ transactionDetails: 'accounts' });
    expect(accounts.transactions?.[0]?.transaction).toEqual({
      accountKeys: expect.arrayContaining([
        { pubkey: SYSTEM_PROGRAM, signer: false, source: 'transaction', writable: false },
      ]),
      signatures: [sent[0]],
    });
    expect(Object.keys(accounts.transactions?.[0]?.meta ?? {}).sort()).toEqual(
      [
        'err',
        'fee',
        'postBalances',
        'postTokenBalances',
        'preBalances',
        'preTokenBalances',
        'rewards',
        'status',
      ].sort(),
    );
    const signatures = await ask({ transactionDetails: 'signatures' });
    expect(signatures.signatures).toEqual(sent);
    expect(signatures).not.toHaveProperty('transactions');
    const none = await ask({ transactionDetails: 'none', rewards: false });
    expect(Object.keys(none).sort()).toEqual(
      ['blockHeight', 'blockTime', 'blockhash', 'parentSlot', 'previousBlockhash'].sort(),
    );
    const unrewarded = await ask({ rewards: false });
    expect(unrewarded.transactions?.[0]?.meta).toMatchObject({ rewards: null });
  });

  test('[L-51] with a transaction of version 0 is given only to a client that can read it', async () => {
    const { error } = await rawCall(ledger, 'getBlock', [slot, { commitment: 'confirmed' }]);
    expect(error).toMatchObject({ code: -32015, message: expect.stringContaining('Transaction version (0)') });
    const signatures = { commitment: 'confirmed', transactionDetails: 'signatures' };
    expect((await result<Block>('getBlock', [slot, signatures])).signatures).toEqual(sent);
  });

  test('[L-51] that is not final, or not there, is not available', async () => {
    const { error } = await rawCall(ledger, 'getBlock', [slot, { maxSupportedTransactionVersion: 0 }]);
    expect(error).toEqual({ code: -32004, message: `Block not available for slot ${slot}` });
    const { error: future } = await rawCall(ledger, 'getBlock', [10 ** 12, confirmed]);
    expect(future?.code).toBe(-32004);
    expect((await rawCall(ledger, 'getBlock', [slot, { commitment: 'processed' }])).error).toMatchObject({
      code: -32602,
      message: 'Method does not support commitment below `confirmed`',
    });
  });

  test('[L-51] of the running slot is given once the slot has ended, with all that came in', async () => {
    const payer = await fundedSigner(client);
    const running = await currentSlot();
    const asked = result<Block>('getBlock', [running, { ...confirmed, transactionDetails: 'signatures' }]);
    const { signature, wire } = await signTransfer(client, payer, await newAddress(), SOL);
    await send(client, { wire });
    await advanceTime(ledger, { slots: 1 });
    expect((await asked).signatures).toContain(signature);
  });

  test('[L-51] of the first slot is its own parent', async () => {
    const block = await result<Block>('getBlock', [0, { ...confirmed, transactionDetails: 'none' }]);
    expect(block).toMatchObject({ parentSlot: 0, previousBlockhash: block.blockhash });
  });
});

describe('a range of blocks', () => {
  test('[L-51] has one in each slot, up to the latest', async () => {
    await advanceTime(ledger, { slots: 40 });
    const latest = await currentSlot();
    const last = { commitment: 'confirmed' };
    expect(await result('getBlocks', [latest - 2, last])).toEqual([latest - 2, latest - 1, latest]);
    expect(await result('getBlocks', [latest - 2, null, last])).toEqual([latest - 2, latest - 1, latest]);
    expect(await result('getBlocks', [3, 5])).toEqual([3, 4, 5]);
    // Of two configurations the last counts.
    expect(await result('getBlocks', [latest, {}, last])).toEqual([latest]);
    expect(await result('getBlocks', [latest - 33])).toEqual([latest - 33, latest - 32]);
    expect(await result('getBlocks', [5, 3])).toEqual([]);
    expect(await result('getBlocks', [10 ** 12])).toEqual([]);
    expect(await result('getBlocksWithLimit', [2, 3])).toEqual([2, 3, 4]);
    expect(await result('getBlocksWithLimit', [latest - 1, 9, last])).toEqual([latest - 1, latest]);
    expect(await result('getBlocksWithLimit', [2, 0])).toEqual([]);
  });

  test('[L-51] has at most 500,000', async () => {
    await advanceTime(ledger, { slots: 500_100 });
    expect((await rawCall(ledger, 'getBlocks', [0, 500_001])).error).toMatchObject({
      code: -32602,
      message: 'Slot range too large; max 500000',
    });
    expect((await rawCall(ledger, 'getBlocksWithLimit', [0, 500_001])).error).toMatchObject({
      code: -32602,
      message: 'Limit too large; max 500000',
    });
    expect(await result<number[]>('getBlocks', [0])).toHaveLength(500_001);
  });

  test('[L-15] is refused below confirmed, and before its minimum slot', async () => {
    expect((await rawCall(ledger, 'getBlocks', [0, 2, { commitment: 'processed' }])).error?.code).toBe(-32602);
    expect((await rawCall(ledger, 'getBlocks', [0, 1, { minContextSlot: 10 ** 9 }])).error?.code).toBe(-32016);
    expect((await rawCall(ledger, 'getBlocksWithLimit', [0, 1, { commitment: 'processed' }])).error?.code).toBe(-32602);
  });
});
