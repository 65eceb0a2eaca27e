import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { createSolanaRpc } from '@solana/kit';
import { expect, onTestFinished, test } from 'vitest';
import { startCluster } from './support/cluster.js';
import { runProgram } from './support/programs.js';

test('the demo brings the program to a cluster, plays there, and accounts for every lamport', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'legwork-cluster-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const rpcUrl = await startCluster(join(folder, 'cluster'));
  const keys = join(folder, 'keys');

  const demo = runProgram('demo/packages/main.js', ['--rpc-url', rpcUrl, '--keys', keys]);
  await demo.succeeds();
  expect(demo.output()).toMatch(/^Program \S+ \(deployed\)$/m);
  expect(demo.output()).toContain('won by a chain of 3: Ada, Chiara, Emre');
  expect(demo.output()).toContain('Every lamport is accounted for.');

  const genesisHash = await createSolanaRpc(rpcUrl).getGenesisHash().send();
  const kept = join(keys, `cluster-${genesisHash.slice(0, 8)}`);
  for (const name of ['payer', 'program', 'coordinator']) {
    expect((await stat(join(kept, `${name}.json`))).mode & 0o777).toBe(0o600);
  }
  expect((await stat(kept)).mode & 0o777).toBe(0o700);
  // The service it started for the cluster is gone.
  expect(await readdir(join(kept, 'data'))).not.toContain('instance.json');
}, 360_000);

test('the demo says what is wrong with a cluster', async () => {
  const nobody = runProgram('demo/packages/main.js', ['--rpc-url', 'http://127.0.0.1:1']);
  expect(await nobody.ended).toBe(1);
  expect(nobody.output()).toContain('http://127.0.0.1:1 does not answer as the JSON-RPC of a Solana cluster');
  const both = runProgram('demo/packages/main.js', ['--rpc-url', 'http://127.0.0.1:1', '--url', 'http://127.0.0.1:2']);
  expect(await both.ended).toBe(1);
  expect(both.output()).toContain('give one of them');
}, 360_000);
