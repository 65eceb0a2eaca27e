import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLegworkClient, ensureReputation, followEvents, followTurns, listDigitalTask } from '@legwork/sdk';
import { createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startOwnInstance } from '../src/demo/instance.js';
import type { OwnInstance } from '../src/demo/instance.js';
import { loadOrCreateKeypair } from '../src/keypairs.js';
import { runProgram } from './support/programs.js';

const AIRDROP = 1_000_000_000n;

let instance: OwnInstance;
let keys: string;

beforeAll(async () => {
  keys = await mkdtemp(join(tmpdir(), 'legwork-examples-'));
  instance = await startOwnInstance();
}, 360_000);

afterAll(async () => {
  await instance?.stop();
  await rm(keys, { recursive: true, force: true });
}, 360_000);

async function walletOf(key: string) {
  const { address } = await loadOrCreateKeypair(join(keys, key));
  const client = createLegworkClient({ url: instance.url });
  const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
  const balance = async () => (await rpc.getBalance(address, { commitment: 'confirmed' }).send()).value;
  return { address, balance };
}

describe('the example worker', () => {
  test('does one leg of a task and leaves the other to another, and each is paid its share', async () => {
    const workers = ['worker-1', 'worker-2'].map((key) =>
      runProgram('worker.js', ['--url', instance.url, '--key', join(keys, key)]),
    );
    await Promise.all(workers.map((worker) => worker.shows('looks for work')));
    const poster = await generateKeyPairSigner();
    const client = createLegworkClient({ url: instance.url, signer: poster });
    await client.registerAgent({ agentPubkey: poster.address });
    const { id } = await listDigitalTask(client, poster, {
      title: 'words',
      description: 'This has four words.',
      maxBudgetSol: 0.02,
      legs: [{ instruction: 'Count the words.' }, { instruction: 'Count the words of what came out.' }],
      terms: 'plain',
    });
    for await (const { taskId } of followEvents({ url: instance.url, since: 0, topics: ['TASK_COMPLETED'] })) {
      if (taskId === id) break;
    }
    const { legs } = await client.getDigitalTask({ taskId: id });
    expect(legs.map(({ result }) => result)).toEqual(['4 words', '2 words']);
    const wallets = await Promise.all(['worker-1', 'worker-2'].map(walletOf));
    expect(new Set(legs.map(({ agentPubkey }) => agentPubkey))).toEqual(new Set(wallets.map(({ address }) => address)));
    for (const { balance } of wallets) expect(await balance()).toBe(AIRDROP + 10_000_000n);
  }, 360_000);

  test('leaves legs alone that it cannot do', async () => {
    const worker = runProgram('worker.js', ['--url', instance.url, '--key', join(keys, 'worker-1')]);
    await worker.shows('looks for work');
    const poster = await generateKeyPairSigner();
    const client = createLegworkClient({ url: instance.url, signer: poster });
    await client.registerAgent({ agentPubkey: poster.address });
    const goal = (title: string, instruction: string) => ({
      title,
      description: 'Three words here.',
      maxBudgetSol: 0.02,
      legs: [{ instruction }],
      terms: 'plain' as const,
    });
    const { id } = await listDigitalTask(client, poster, goal('a poem', 'Write a poem.'));
    // A leg that it can do, listed later, shows that it has seen the other one.
    await listDigitalTask(client, poster, goal('words', 'Count the words.'));
    await worker.shows('handed in "3 words": paid 0.02 SOL');
    expect((await client.getDigitalTask({ taskId: id })).status).toBe('listed');
  }, 360_000);
});

describe('the example verifier', () => {
  test('confirms what the example worker counted, and disputes what is wrong', async () => {
    const url = ['--url', instance.url];
    const worker = runProgram('worker.js', [...url, '--key', join(keys, 'worker-3')]);
    const verifier = runProgram('verifier.js', [...url, '--key', join(keys, 'verifier')]);
    await Promise.all([worker.shows('looks for work'), verifier.shows('waits for claims')]);
    const [poster, cheat] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
    const client = createLegworkClient({ url: instance.url, signer: poster });
    const cheating = createLegworkClient({ url: instance.url, signer: cheat });
    await client.registerAgent({ agentPubkey: poster.address });
    await cheating.registerAgent({ agentPubkey: cheat.address });
    const receiverPubkey = (await walletOf('verifier')).address;
    const goal = (instruction: string) => ({
      title: 'words',
      description: 'This has four words.',
      maxBudgetSol: 0.02,
      legs: [{ instruction }],
      terms: { preset: 'standard', receiverPubkey } as const,
    });
    const { id } = await listDigitalTask(client, poster, goal('Count the words.'));
    for await (const { taskId } of followEvents({ url: instance.url, since: 0, topics: ['TASK_COMPLETED'] })) {
      if (taskId === id) break;
    }
    await verifier.shows(`confirmed leg 1 of task ${id}`);

    const { id: otherId } = await listDigitalTask(client, poster, goal('Say how many words there are.'));
    const other = await client.getDigitalTask({ taskId: otherId });
    const rpc = createSolanaRpc((await client.getConfig()).rpcUrl);
    await ensureReputation(cheating, rpc, cheat);
    const [leg] = other.legs;
    const legId = leg?.id ?? '';
    const claimed = { taskId: other.id, legId, agentPubkey: cheat.address, bid: String(other.paymentPerLeg) };
    await cheating.bidDigitalLeg(claimed);
    const stopping = new AbortController();
    void followTurns(cheating, cheat, { result: () => 'a thousand words' }, { signal: stopping.signal, everyMs: 500 });
    onTestFinished(() => stopping.abort());
    await verifier.shows(`disputed leg 1 of task ${other.id}`);
    expect((await client.getDigitalTask({ taskId: other.id })).legs[0]).toMatchObject({ stage: 'disputed' });
  }, 360_000);
});
