import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSolanaRpc, generateKeyPairSigner, type Signature } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { landsWithin } from '../src/landed.js';
import { ledgerRpc, LegworkNetworkError } from '../src/index.js';

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

test('[S-166] whether a transaction landed is not waited for any longer than was said, whoever made the RPC', async () => {
  expect(await landsWithin(createSolanaRpc(url), '1'.repeat(64) as Signature, 100)).toBe(false);
});
