import { describe, expect, test } from 'vitest';
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
} from './support/ledger.js';
import { rawSocket } from './support/webSocket.js';

// Slots as long as the tests want: time moves only when they say so.
const ledger = await freshLedger({ slotMs: 60_000 }, 'file');
const client = clientOf(ledger);
const confirmed = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;

type Told = {
  readonly context: { readonly slot: number };
  readonly value: {
    readonly slot: number;
    readonly err: unknown;
    readonly block: { readonly signatures?: readonly string[]; readonly transactions?: readonly unknown[] } | null;
  };
};

type Socket = Awaited<ReturnType<typeof rawSocket>>;

async function subscribed(method: string, params: readonly unknown[]): Promise<Socket> {
  const socket = await rawSocket(ledger.wsUrl);
  expect((await socket.call(`${method}Subscribe`, params)).result).toEqual(expect.any(Number));
  return socket;
}

async function next<T>({ take }: Socket, method: string): Promise<T> {
  const frame = await take((one) => one.method === `${method}Notification`);
  return (frame.params as { readonly result: T }).result;
}

async function currentSlot(): Promise<number> {
  return (await rawCall(ledger, 'getSlot', [{ commitment: 'confirmed' }])).result as number;
}

describe('blockSubscribe', () => {
  test('[L-53] tells of every block as getBlock shows it, in order, once it has ended', async () => {
    const slot = await currentSlot();
    const socket = await subscribed('block', ['all', { ...confirmed, encoding: 'jsonParsed' }]);
    const payer = await fundedSigner(client);
    await send(client, await signTransfer(client, payer, await newAddress(), SOL));
    await advanceTime(ledger, { slots: 3 });
    for (const wanted of [slot, slot + 1, slot + 2]) {
      const told = await next<Told>(socket, 'block');
      const { result: block } = await rawCall(ledger, 'getBlock', [wanted, { ...confirmed, encoding: 'jsonParsed' }]);
      expect(told).toEqual({ context: { slot: wanted }, value: { block, err: null, slot: wanted } });
    }
  });

  test('[L-53] tells by default of final blocks, in base64', async () => {
    const payer = await fundedSigner(client);
    const slot = await currentSlot();
    const { wire } = await signTransfer(client, payer, await newAddress(), SOL, { version: 'legacy' });
    await send(client, { wire });
    await advanceTime(ledger, { slots: 31 });
    const socket = await subscribed('block', ['all']);
    await advanceTime(ledger, { slots: 1 });
    const { value } = await next<Told>(socket, 'block');
    expect(value).toMatchObject({ slot, err: null });
    expect(value.block?.transactions).toContainEqual(expect.objectContaining({ transaction: [wire, 'base64'] }));
  });

  test('[L-53] tells of an address only the blocks and transactions that name it', async () => {
    const watched = await newAddress();
    const payer = await fundedSigner(client);
    const filter = { mentionsAccountOrProgram: watched };
    const socket = await subscribed('block', [filter, { ...confirmed, transactionDetails: 'signatures' }]);
    await advanceTime(ledger, { slots: 1 });
    await send(client, await signTransfer(client, payer, await newAddress(), SOL));
    const { signature, wire } = await signTransfer(client, payer, watched, SOL);
    await send(client, { wire });
    await advanceTime(ledger, { slots: 1 });
    expect((await next<Told>(socket, 'block')).value.block?.signatures).toEqual([signature]);
  });

  test('[L-53] says so when a client cannot read a block, and goes on with the next', async () => {
    const payer = await fundedSigner(client);
    await advanceTime(ledger, { slots: 1 });
    const slot = await currentSlot();
    const socket = await subscribed('block', ['all', { commitment: 'confirmed' }]);
    await send(client, await signTransfer(client, payer, await newAddress(), SOL, { version: 0 }));
    await advanceTime(ledger, { slots: 2 });
    const err = { UnsupportedTransactionVersion: 0 };
    expect((await next<Told>(socket, 'block')).value).toEqual({ block: null, err, slot });
    expect((await next<Told>(socket, 'block')).value).toMatchObject({ err: null, slot: slot + 1 });
  });

  test.each([
    [[]],
    [['some']],
    [[{ mentionsAccountOrProgram: 'abc' }]],
    [['all', { commitment: 'processed' }]],
    [['all', { transactionDetails: 'most' }]],
  ])('[L-23] refuses %j', async (params) => {
    const { call } = await rawSocket(ledger.wsUrl);
    expect((await call('blockSubscribe', params)).error?.code).toBe(-32602);
  });
});

describe('slotsUpdatesSubscribe', () => {
  test('[L-53] tells how a slot goes from created to final', async () => {
    const payer = await fundedSigner(client, SOL);
    await advanceTime(ledger, { slots: 1 });
    const slot = await currentSlot();
    const socket = await subscribed('slotsUpdates', []);
    await send(client, await signTransfer(client, payer, await newAddress(), SOL / 10n));
    const failing = await signTransfer(client, payer, await newAddress(), 5n * SOL);
    await send(client, failing, { skipPreflight: true });
    await advanceTime(ledger, { slots: 1 });
    const timestamp = expect.any(Number) as number;
    const stats = {
      maxTransactionsPerEntry: 1,
      numFailedTransactions: 1,
      numSuccessfulTransactions: 1,
      numTransactionEntries: 2,
    };
    expect(await next(socket, 'slotsUpdates')).toEqual({ slot, stats, timestamp, type: 'frozen' });
    expect(await next(socket, 'slotsUpdates')).toEqual({ slot, timestamp, type: 'completed' });
    expect(await next(socket, 'slotsUpdates')).toEqual({
      parent: slot,
      slot: slot + 1,
      timestamp,
      type: 'createdBank',
    });
    expect(await next(socket, 'slotsUpdates')).toEqual({ slot, timestamp, type: 'optimisticConfirmation' });
    expect(await next(socket, 'slotsUpdates')).toEqual({ slot: slot + 1 - 32, timestamp, type: 'root' });
    const { error } = await socket.call('slotsUpdatesUnsubscribe', [999_999]);
    expect(error?.message).toBe('Invalid subscription id.');
  });
});
