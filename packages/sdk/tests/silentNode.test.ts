import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createSolanaRpc, generateKeyPairSigner, type Signature } from '@solana/kit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { landedOn, landsWithin } from '../src/landed.js';
import { ledgerRpc, LegworkNetworkError, sendTransaction, signTransaction } from '../src/index.js';
import { confirmInstruction, PROGRAM, wire } from './support/transactions.js';

/** Takes every question and never answers. */
const silent = createServer(() => undefined);
let url: string;
beforeAll(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

// Without an end of their own, these calls would last for five minutes.
test('[S-166] a node that takes questions and is silent is unreachable, and the error does not tell the key in its address', async () => {
  const { address } = await generateKeyPairSigner();
  const asked = ledgerRpc(`${url}/?api-key=secret`).getBalance(address).send();
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LegworkNetworkError);
  expect(String(error)).toMatch(/127\.0\.0\.1:\d+ did not answer within 20 seconds/);
  expect(String(error)).not.toContain('secret');
});

test('[S-166] a caller still ends its question itself', async () => {
  const { address } = await generateKeyPairSigner();
  const ending = new AbortController();
  const asked = ledgerRpc(url).getBalance(address).send({ abortSignal: ending.signal });
  ending.abort(new Error('no longer wanted'));
  await expect(asked).rejects.toThrow('no longer wanted');
});

test('[S-166] the wait for a transaction to land ends on time though the node is silent, with any RPC', async () => {
  expect(await landsWithin(createSolanaRpc(url), '1'.repeat(64) as Signature, 100)).toBe(false);
});

/** A node that answers so. @param leaves - what it does with other questions */
async function nodeThatKnows(answers: Record<string, unknown>, leaves: (response: ServerResponse) => void) {
  const taken: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, method } = (await json(request)) as { id: string; method: string };
    taken.push(method);
    if (method in answers) response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }));
    else leaves(response);
  };
  const node = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(node, 'listening');
  onTestFinished(() => {
    node.closeAllConnections();
    node.close();
  });
  return { taken, rpc: ledgerRpc(`http://127.0.0.1:${(node.address() as AddressInfo).port}`) };
}

test.each([
  [
    'nothing listens',
    'http://127.0.0.1:2',
    /127\.0\.0\.1:2 did not answer: nothing listens at 127\.0\.0\.1:2.*ECONNREFUSED/,
  ],
  ['it hangs up', (response: ServerResponse) => response.destroy(), /did not answer: .*try again/],
  [
    'it is overloaded',
    (response: ServerResponse) => response.writeHead(503).end(),
    /did not answer: HTTP error \(503\)/,
  ],
])('[S-166] a node is unreachable where %s', async (_, node, words) => {
  const { address } = await generateKeyPairSigner();
  const rpc = typeof node === 'string' ? ledgerRpc(node) : (await nodeThatKnows({}, node)).rpc;
  const error = await rpc
    .getBalance(address)
    .send()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LegworkNetworkError);
  expect(String(error)).toMatch(words);
});

test('[S-166] a node that refuses a caller has answered', async () => {
  const { address } = await generateKeyPairSigner();
  const { rpc } = await nodeThatKnows({}, (response) => response.writeHead(401).end());
  const error = await rpc
    .getBalance(address)
    .send()
    .catch((thrown: unknown) => thrown);
  expect(error).not.toBeInstanceOf(LegworkNetworkError);
  expect(String(error)).toContain('401');
});

test.each([
  ['is silent', () => undefined],
  ['hangs up', (response: ServerResponse) => response.destroy()],
  ['answers in a gateway’s words', (response: ServerResponse) => response.writeHead(502).end('<h1>Bad gateway</h1>')],
])('[S-166] a transaction that a node took which %s is told as landed', async (_, leaves) => {
  const value = [{ slot: 1, err: null, confirmationStatus: 'confirmed' }];
  const answers = { getBlockHeight: 1, getSignatureStatuses: { context: { slot: 1 }, value } };
  const { taken, rpc } = await nodeThatKnows(answers, leaves);
  const wallet = await generateKeyPairSigner();
  const unsigned = wire(wallet.address, [confirmInstruction(wallet.address)]);
  const signed = await signTransaction(unsigned, wallet, { programId: PROGRAM, name: 'confirmLeg' });
  expect(await sendTransaction(rpc, signed, 100)).toMatch(/^\w{80,}$/);
  expect(taken[0]).toBe('sendTransaction');
});

test('[S-166] a node that hangs up when it is asked for a transaction of a history is unreachable too', async () => {
  const { rpc } = await nodeThatKnows(
    { getSignaturesForAddress: [{ signature: '1'.repeat(64), slot: 1, err: null }] },
    (response) => response.destroy(),
  );
  const reading = landedOn(rpc, PROGRAM, PROGRAM).next();
  await expect(reading).rejects.toThrow(LegworkNetworkError);
});
