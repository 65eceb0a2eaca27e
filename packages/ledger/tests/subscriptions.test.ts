import { generateKeyPairSigner, type Address } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  advanceTime,
  clientOf,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransaction,
  signTransfer,
  SOL,
  SYSTEM_PROGRAM,
  transfer,
} from './support/ledger.js';
import { rawSocket } from './support/webSocket.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);

function abortSignal(): AbortSignal {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller.signal;
}

/** The first notification. To be called before its cause: kit keeps nothing for a reader that comes later. */
async function first<T>(notifications: AsyncIterable<T>): Promise<T> {
  for await (const one of notifications) return one;
  throw new Error('the subscription ended without a notification');
}

describe('subscriptions', () => {
  test('[L-22] a signature is told once, with its slot and error, and the subscription ends', async () => {
    const payer = await fundedSigner(client);
    const transaction = await signTransfer(client, payer, await newAddress(), SOL);
    const { call, take } = await rawSocket(ledger.wsUrl);
    const { result: id } = await call('signatureSubscribe', [transaction.signature, { commitment: 'confirmed' }]);
    await send(client, transaction);
    const told = await take((frame) => frame.method === 'signatureNotification');
    expect(told.params).toEqual({
      subscription: id,
      result: { context: { slot: expect.any(Number) }, value: { err: null } },
    });
    const { error } = await call('signatureUnsubscribe', [id]);
    expect(error).toEqual({ code: -32602, message: 'Invalid subscription id.' });
  });

  test('[L-22] a signature that landed before the subscription is told at once', async () => {
    const payer = await fundedSigner(client, SOL);
    const failing = await signTransfer(client, payer, await newAddress(), 5n * SOL);
    await send(client, failing, { skipPreflight: true });
    const { call, take } = await rawSocket(ledger.wsUrl);
    await call('signatureSubscribe', [failing.signature, { commitment: 'confirmed' }]);
    const told = await take((frame) => frame.method === 'signatureNotification');
    expect(told.params).toMatchObject({ result: { value: { err: { InstructionError: [0, { Custom: 1 }] } } } });
  });

  test('[L-8] a signature is final 32 slots later, not sooner', async () => {
    // Of slots that do not pass by themselves meanwhile.
    const slow = await freshLedger({ slotMs: 60_000 });
    const slowClient = clientOf(slow);
    const payer = await fundedSigner(slowClient);
    const transaction = await signTransfer(slowClient, payer, await newAddress(), SOL);
    const { call, take, frames } = await rawSocket(slow.wsUrl);
    await call('signatureSubscribe', [transaction.signature, { commitment: 'finalized' }]);
    await send(slowClient, transaction);
    await advanceTime(slow, { slots: 31 });
    await call('slotUnsubscribe', [-1]);
    expect(frames.filter((frame) => frame.method === 'signatureNotification')).toEqual([]);
    await advanceTime(slow, { slots: 1 });
    await take((frame) => frame.method === 'signatureNotification');
  });

  test('[L-22] an account is told with its new content', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const notifications = await client.rpcSubscriptions
      .accountNotifications(recipient, { commitment: 'confirmed', encoding: 'base64' })
      .subscribe({ abortSignal: abortSignal() });
    const told = first(notifications);
    await send(client, await signTransfer(client, payer, recipient, SOL));
    const { value } = await told;
    expect(value).toMatchObject({ lamports: SOL, owner: SYSTEM_PROGRAM, data: ['', 'base64'], executable: false });
  });

  test('[L-22] a closed account is told as empty', async () => {
    const payer = await fundedSigner(client);
    const leaving = await fundedSigner(client, SOL);
    const { call, take } = await rawSocket(ledger.wsUrl);
    await call('accountSubscribe', [leaving.address, { commitment: 'confirmed', encoding: 'base64' }]);
    await send(client, await signTransaction(client, payer, [transfer(leaving, payer.address, SOL)]));
    const told = await take((frame) => frame.method === 'accountNotification');
    expect(told.params).toMatchObject({ result: { value: { lamports: 0, data: ['', 'base64'] } } });
  });

  test('[L-22] a program is told of its accounts that pass the filters', async () => {
    const payer = await fundedSigner(client);
    const program = await newAddress();
    const notifications = await client.rpcSubscriptions
      .programNotifications(program, { commitment: 'confirmed', encoding: 'base64', filters: [{ dataSize: 7n }] })
      .subscribe({ abortSignal: abortSignal() });
    const create = async (space: number): Promise<Address> => {
      const account = await generateKeyPairSigner();
      const instruction = getCreateAccountInstruction({
        payer,
        newAccount: account,
        lamports: SOL,
        space,
        programAddress: program,
      });
      await send(client, await signTransaction(client, payer, [instruction]));
      return account.address;
    };
    const told = first(notifications);
    await create(8);
    const wanted = await create(7);
    const { value } = await told;
    expect(value.pubkey).toBe(wanted);
    expect(value.account.owner).toBe(program);
  });

  test('[L-22] logs are told of all transactions, or of those that mention an address', async () => {
    const payer = await fundedSigner(client);
    const mentioned = await newAddress();
    const logs = await client.rpcSubscriptions
      .logsNotifications({ mentions: [mentioned] }, { commitment: 'confirmed' })
      .subscribe({ abortSignal: abortSignal() });
    const { call, take } = await rawSocket(ledger.wsUrl);
    await call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
    const other = await signTransfer(client, payer, await newAddress(), SOL);
    const wanted = await signTransfer(client, payer, mentioned, SOL);
    const told = first(logs);
    await send(client, other);
    await send(client, wanted);
    const { value } = await told;
    expect(value).toEqual({
      signature: wanted.signature,
      err: null,
      logs: [`Program ${SYSTEM_PROGRAM} invoke [1]`, `Program ${SYSTEM_PROGRAM} success`],
    });
    await take((frame) => JSON.stringify(frame).includes(other.signature));
    await take((frame) => JSON.stringify(frame).includes(wanted.signature));
  });

  test('[L-22] slots are told in order, each with its parent and the root', async () => {
    const notifications = await client.rpcSubscriptions.slotNotifications().subscribe({ abortSignal: abortSignal() });
    const seen: bigint[] = [];
    for await (const { slot, parent, root } of notifications) {
      expect(parent).toBe(slot - 1n);
      expect(root).toBe(slot - 32n);
      seen.push(slot);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([seen[0], (seen[0] ?? 0n) + 1n, (seen[0] ?? 0n) + 2n]);
  });

  test('[L-22] roots are told as they become final', async () => {
    const { call, take } = await rawSocket(ledger.wsUrl);
    await call('rootSubscribe');
    const told = await take((frame) => frame.method === 'rootNotification');
    expect(told.params).toEqual({ subscription: expect.any(Number), result: expect.any(Number) });
  });

  test('[L-22] after unsubscribing nothing more is told', async () => {
    const payer = await fundedSigner(client);
    const recipient = await newAddress();
    const { call, frames } = await rawSocket(ledger.wsUrl);
    const { result: id } = await call('accountSubscribe', [recipient, { commitment: 'confirmed' }]);
    expect((await call('accountUnsubscribe', [id])).result).toBe(true);
    await send(client, await signTransfer(client, payer, recipient, SOL));
    await call('slotUnsubscribe', [-1]);
    expect(frames.filter((frame) => frame.method === 'accountNotification')).toEqual([]);
  });

  test('[L-22] a subscription belongs to its connection', async () => {
    const one = await rawSocket(ledger.wsUrl);
    const other = await rawSocket(ledger.wsUrl);
    const { result: id } = await one.call('slotSubscribe');
    expect((await other.call('slotUnsubscribe', [id])).error?.code).toBe(-32602);
    expect((await one.call('slotUnsubscribe', [id])).result).toBe(true);
  });

  test.each([
    ['nopeSubscribe', [], -32601],
    ['getSlot', [], -32601],
    ['accountSubscribe', ['abc'], -32602],
    ['signatureSubscribe', [], -32602],
    ['logsSubscribe', [{ mentions: [] }], -32602],
    ['logsSubscribe', ['some'], -32602],
  ] as const)('[L-23] WebSocket refuses %s %j with %i', async (method, params, code) => {
    const { call } = await rawSocket(ledger.wsUrl);
    expect((await call(method, params)).error?.code).toBe(code);
  });

  test('[L-23] WebSocket answers what is not JSON with -32700 and goes on', async () => {
    const { socket, take, call } = await rawSocket(ledger.wsUrl);
    socket.send('junk');
    expect((await take((frame) => frame.error !== undefined)).error?.code).toBe(-32700);
    expect((await call('slotSubscribe')).result).toEqual(expect.any(Number));
  });

  test('[L-23] a connection has at most 2,000 subscriptions', async () => {
    const { call } = await rawSocket(ledger.wsUrl);
    const address = await newAddress();
    for (let i = 0; i < 2_000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, async () => call('accountSubscribe', [address])));
    }
    expect((await call('accountSubscribe', [address])).error?.code).toBe(-32603);
    expect((await rawCall(ledger, 'getHealth', [])).result).toBe('ok');
  });
});
