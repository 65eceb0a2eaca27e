import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, startLedger } from '@legwork/ledger';
import { createLedgerRpc, type ReadLedger } from '@legwork/program-client/history';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LyingNode } from '../../server/tests/support/lyingNode.js';
import { listHistory, readHistory } from '../src/history.js';

let ledger: Ledger;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-history-'));
  ledger = await startLedger({ dataDir: folder, port: 0 });
});

afterAll(async () => {
  await ledger.close();
  await rm(folder, { recursive: true, force: true });
});

async function airdrop(to: Address): Promise<string> {
  const body = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [to, 1_000_000] };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(ledger.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  const { result } = (await answer.json()) as { result: string };
  return result;
}

/** A wallet stands for the program: its history is made of airdrops, one after the other, or `atOnce` together. */
async function walletWith(
  drops: number,
  atOnce = 1,
): Promise<{ audited: ReadLedger; signatures: string[]; address: Address }> {
  const { address } = await generateKeyPairSigner();
  const signatures: string[] = [];
  while (signatures.length < drops) {
    const some = Math.min(atOnce, drops - signatures.length);
    signatures.push(...(await Promise.all(Array.from({ length: some }, () => airdrop(address)))));
  }
  return { audited: { rpc: createLedgerRpc(ledger.rpcUrl), programAddress: address }, signatures, address };
}

test('a history of more than one page is read whole, oldest first, each transaction once', async () => {
  const { audited, signatures, address } = await walletWith(1010, 50);
  const last = [await airdrop(address), await airdrop(address)];
  const { succeeded, newest } = await listHistory(audited, undefined);
  expect(succeeded.toSorted()).toEqual([...signatures, ...last].toSorted());
  // Which of those sent together came first is the ledger's to say.
  expect(signatures.slice(0, 50)).toContain(succeeded[0]);
  expect(succeeded.slice(-2)).toEqual(last);
  expect(newest).toBe(last[1]);
});

test('a later reading goes on after the newest transaction of the one before', async () => {
  const { audited, signatures } = await walletWith(20);
  const { succeeded, newest } = await listHistory(audited, signatures[2]);
  expect(succeeded).toEqual(signatures.slice(3));
  expect(await listHistory(audited, newest)).toEqual({ succeeded: [], newest: undefined });
  const read: string[] = [];
  for await (const { signature } of readHistory(audited, signatures)) read.push(signature);
  expect(read).toEqual(signatures);
});

test('a transaction that the node lists and does not show is told, not skipped', async () => {
  const { audited, signatures } = await walletWith(1);
  const unknown = signatures[0]?.replace(/.{4}$/, '2222') ?? '';
  const reading = readHistory(audited, [unknown]);
  await expect(reading.next()).rejects.toThrow(`The ledger lists transaction ${unknown} and does not show it`);
});

test('a node that refuses for a moment is asked again', async () => {
  const { audited, signatures } = await walletWith(3);
  const node = await LyingNode.start(ledger.rpcUrl);
  try {
    const refusing = await node.begin({ kind: 'http', status: 429 });
    const listing = listHistory({ ...audited, rpc: createLedgerRpc(node.url) }, undefined);
    while (refusing.hits < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    await node.mend();
    expect((await listing).succeeded).toEqual(signatures);
  } finally {
    await node.close();
  }
});
