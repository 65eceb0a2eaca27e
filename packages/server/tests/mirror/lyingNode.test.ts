import { getTransferSolInstruction } from '@solana-program/system';
import { createLedgerRpc, type LedgerRpc } from '@legwork/program-client/history';
import {
  appendTransactionMessageInstruction,
  type Base64EncodedWireTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type Signature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import WebSocket from 'ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startTestLedger, type TestLedger } from '../support/ledger.js';
import { LyingNode } from '../support/lyingNode.js';

const SOL = 1_000_000_000n;

let ledger: TestLedger;
let node: LyingNode;
/** The ledger itself, and its node's account of it. */
let truth: LedgerRpc;
let heard: LedgerRpc;
let payer: KeyPairSigner;
let payee: KeyPairSigner;

beforeAll(async () => {
  ledger = await startTestLedger('delayed');
  node = await LyingNode.start(ledger.ledger.rpcUrl);
  [truth, heard] = [createLedgerRpc(ledger.ledger.rpcUrl), createLedgerRpc(node.url)];
});
beforeEach(async () => {
  [payer, payee] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  await truth.requestAirdrop(payer.address, lamports(SOL)).send();
});
afterEach(() => node.mend());
afterAll(async () => {
  await ledger.close();
  await node.close();
});

interface Sent {
  signature: Signature;
  wire: Base64EncodedWireTransaction;
}

/** A transfer, signed with the newest blockhash. */
async function transfer(amount = SOL / 10n): Promise<Sent> {
  const { value: lifetime } = await truth.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) =>
      appendTransactionMessageInstruction(
        getTransferSolInstruction({ source: payer, destination: payee.address, amount }),
        timed,
      ),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  return { signature: getSignatureFromTransaction(transaction), wire: getBase64EncodedWireTransaction(transaction) };
}

async function send(rpc: LedgerRpc, { wire }: Pick<Sent, 'wire'>): Promise<Signature> {
  return rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
}

async function pay(rpc: LedgerRpc, amount?: bigint): Promise<Sent> {
  const sent = await transfer(amount);
  await send(rpc, sent);
  return sent;
}

const got = async (rpc: LedgerRpc) => (await rpc.getBalance(payee.address, { commitment: 'confirmed' }).send()).value;

async function statusOf(rpc: LedgerRpc, { signature }: Sent): Promise<string | undefined> {
  const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
  return value[0]?.confirmationStatus ?? undefined;
}

const listed = async (rpc: LedgerRpc) =>
  (await rpc.getSignaturesForAddress(payee.address, { commitment: 'confirmed' }).send()).map(
    ({ signature }) => signature,
  );

const shows = async (rpc: LedgerRpc, { signature }: Sent) =>
  (await rpc
    .getTransaction(signature, { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send()) !== null;

/** All that a node says of a transfer. */
const said = async (rpc: LedgerRpc, sent: Sent) => [
  await statusOf(rpc, sent),
  await shows(rpc, sent),
  (await listed(rpc)).includes(sent.signature),
  await got(rpc),
];

const CONFIRMED = ['confirmed', true, true, lamports(SOL / 10n)];
const UNKNOWN = [undefined, false, false, lamports(0n)];

async function pass(slots: number): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_advanceTime', params: [{ slots }] });
  await fetch(ledger.ledger.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

test('a node without a lie says what the ledger says', async () => {
  const sent = await pay(heard);
  expect(await said(heard, sent)).toEqual(CONFIRMED);
  expect(await said(truth, sent)).toEqual(CONFIRMED);
});

test('a forked node confirms what it then forgets, and the same bytes land afterwards', async () => {
  const fork = await ledger.fork();
  onTestFinished(() => fork.close());
  const lie = await node.begin({ kind: 'forked', rpcUrl: fork.ledger.rpcUrl });
  const sent = await pay(heard);
  expect(await said(heard, sent)).toEqual(CONFIRMED);
  expect(await said(truth, sent)).toEqual(UNKNOWN);
  await lie.end();
  expect(await said(heard, sent)).toEqual(UNKNOWN);
  expect(await send(heard, sent)).toBe(sent.signature);
  expect(await said(heard, sent)).toEqual(CONFIRMED);
});

test('what others pay for reaches the ledger beside the fork', async () => {
  const fork = await ledger.fork();
  onTestFinished(() => fork.close());
  await node.begin({ kind: 'forked', rpcUrl: fork.ledger.rpcUrl, payer: payee.address });
  const sent = await pay(heard);
  expect(await said(heard, sent)).toEqual(CONFIRMED);
  expect(await said(truth, sent)).toEqual(CONFIRMED);
});

test('what is swallowed is answered with its signature and goes nowhere', async () => {
  const lie = await node.begin({ kind: 'swallowed' });
  const sent = await transfer();
  expect(await send(heard, sent)).toBe(sent.signature);
  expect(lie.hits).toBe(1);
  expect(await said(heard, sent)).toEqual(UNKNOWN);
});

test('a node that repeats lists twice what happened once', async () => {
  await node.begin({ kind: 'repeated' });
  const sent = await transfer();
  // Answered when it has been sent twice; the ledger took it once.
  expect(await send(heard, sent)).toBe(sent.signature);
  expect(await listed(heard)).toEqual([sent.signature, sent.signature]);
  expect(await got(truth)).toBe(SOL / 10n);
});

test('a node that reorders lists the same, slot by slot', async () => {
  const sent = [await pay(truth, 1_000_000n + SOL / 100n), await pay(truth, SOL / 100n), await pay(truth, SOL / 50n)];
  const slots = async (rpc: LedgerRpc) =>
    (await rpc.getSignaturesForAddress(payee.address, { commitment: 'confirmed' }).send()).map(({ slot }) => slot);
  let draw = 0;
  await node.begin({ kind: 'reordered', random: () => (draw += 1) });
  expect((await listed(heard)).toSorted()).toEqual(sent.map(({ signature }) => signature).toSorted());
  expect(await slots(heard)).toEqual(await slots(truth));
});

test('a node from behind shows what it says later', async () => {
  const slotOf = (rpc: LedgerRpc, commitment: 'confirmed' | 'finalized') => rpc.getSlot({ commitment }).send();
  const sent = await pay(truth);
  await node.begin({ kind: 'behind' });
  expect(await said(heard, sent)).toEqual(UNKNOWN);
  expect(await slotOf(heard, 'confirmed')).toBeLessThanOrEqual(await slotOf(truth, 'finalized'));
  expect(await slotOf(heard, 'finalized')).toBeLessThan(await slotOf(truth, 'finalized'));
  await pass(32);
  expect(await said(heard, sent)).toEqual(CONFIRMED);
  expect(await statusOf(truth, sent)).toBe('finalized');
  await pass(32);
  expect(await statusOf(heard, sent)).toBe('finalized');
});

test('a pruned node knows the accounts, and no history below its first block', async () => {
  const sent = await pay(truth);
  const below = Number(await truth.getSlot({ commitment: 'confirmed' }).send()) + 1;
  await node.begin({ kind: 'pruned', below });
  expect(await said(heard, sent)).toEqual([undefined, false, false, SOL / 10n]);
  expect(await heard.getFirstAvailableBlock().send()).toBe(BigInt(below));
  await pass(2);
  expect(await said(heard, await pay(heard))).toEqual(['confirmed', true, true, SOL / 5n]);
});

test('of what it cannot show, a node shows the status alone', async () => {
  const [readable, unreadable] = [await pay(truth, SOL / 50n), await pay(truth, SOL / 100n)];
  await node.begin({ kind: 'unreadable', signatures: new Set([unreadable.signature]) });
  expect(await shows(heard, readable)).toBe(true);
  await expect(shows(heard, unreadable)).rejects.toMatchObject({ context: { __code: -32_015 } });
  expect(await statusOf(heard, unreadable)).toBe('confirmed');
});

test('an answer that is lost leaves what was done', async () => {
  await node.begin({ kind: 'unanswered' });
  const sent = await transfer();
  await expect(send(heard, sent)).rejects.toThrow(/fetch failed/);
  await expect(statusOf(heard, sent)).rejects.toThrow(/fetch failed/);
  expect(await said(truth, sent)).toEqual(CONFIRMED);
});

describe('lies go together', () => {
  test('each on the methods it is about, and end one by one', async () => {
    const fork = await ledger.fork();
    onTestFinished(() => fork.close());
    const forked = await node.begin({ kind: 'forked', rpcUrl: fork.ledger.rpcUrl });
    const repeated = await node.begin({ kind: 'repeated' }, ['getSignaturesForAddress']);
    const failing = await node.begin({ kind: 'http', status: 502 }, ['getBalance']);
    const sent = await pay(heard);
    expect(await listed(heard)).toEqual([sent.signature, sent.signature]);
    await expect(got(heard)).rejects.toThrow(/502/);
    await failing.end();
    expect(await got(heard)).toBe(SOL / 10n);
    await forked.end();
    expect(await listed(heard)).toEqual([]);
    expect([failing.hits, repeated.hits]).toEqual([1, 2]);
  });

  test('and nobody listens until the last that says so has ended', async () => {
    const [first, second] = [await node.begin({ kind: 'refused' }), await node.begin({ kind: 'refused' })];
    await first.end();
    await expect(got(heard)).rejects.toThrow(/fetch failed/);
    await second.end();
    expect(await got(heard)).toBe(0n);
  });
});

describe('hints', () => {
  /** Counts what the node says about a wallet over the WebSocket. */
  async function listen() {
    const socket = new WebSocket(node.wsUrl);
    onTestFinished(() => socket.close());
    const messages: string[] = [];
    await new Promise((resolve) => socket.once('open', resolve));
    socket.on('message', (data: Buffer) => messages.push(data.toString()));
    const params = [{ mentions: [payee.address] }, { commitment: 'confirmed' }];
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params }));
    await expect.poll(() => messages).toHaveLength(1);
    return { socket, messages };
  }

  test('come through', async () => {
    const { messages } = await listen();
    await pay(truth);
    await expect.poll(() => messages).toHaveLength(2);
  });

  test('do not come while the node keeps them back, and the connection ends with the lie', async () => {
    const { socket, messages } = await listen();
    const lie = await node.begin({ kind: 'unhinted' });
    const sent = await pay(truth);
    expect(await statusOf(heard, sent)).toBe('confirmed');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await lie.end();
    await closed;
    expect(messages).toHaveLength(1);
  });
});

test('an older copy of the ledger in its place: the same ports, and nothing of what came later', async () => {
  const [before, memory] = [await pay(truth), await ledger.remember()];
  const after = await pay(truth, SOL / 50n);
  await ledger.goBackTo(memory);
  expect(await said(truth, before)).toEqual(CONFIRMED);
  expect((await said(truth, after)).slice(0, 3)).toEqual([undefined, false, false]);
});
