import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { unsafeChoices } from '../../src/logging/unsafeChoices.js';

let folder: string;
let keypair: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-unsafe-'));
  keypair = join(folder, 'coordinator.json');
  await writeFile(keypair, '[]', { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The warnings about a service in production with these changes. */
function choicesWith(changes: Record<string, string>): Promise<string[]> {
  const config = loadConfig({
    HOST: '0.0.0.0',
    PUBLIC_URL: 'https://relay.example',
    DATABASE_URL: 'postgresql://relay:hunter2@db.example/relay',
    SOLANA_RPC_URL: 'https://rpc.example',
    SOLANA_CLUSTER: 'devnet',
    RELAY_PROGRAM_ID: '1'.repeat(32),
    COORDINATOR_KEYPAIR: keypair,
    API_KEYS: 'a key of hunter2',
    ...changes,
  });
  return unsafeChoices(config);
}

describe('[S-43] choices that are not safe in production', () => {
  test('are none in a sound configuration', async () => {
    expect(await choicesWith({})).toEqual([]);
    expect(await choicesWith({ SOLANA_CLUSTER: 'mainnet-beta', AIRDROP: 'off' })).toEqual([]);
  });

  test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])(
    'are none on %s alone, with a ledger for development',
    async (HOST) => {
      const local = { HOST, PUBLIC_URL: '', SOLANA_RPC_URL: 'http://127.0.0.1:8899' };
      expect(await choicesWith({ ...local, SOLANA_CLUSTER: 'embedded' })).toEqual([]);
    },
  );

  test('are none without a public address where TLS is spoken: it is the address of the machine', async () => {
    expect(await choicesWith({ PUBLIC_URL: '', HTTPS_DIR: '/var/lib/legwork/https' })).toEqual([]);
  });

  test.each([
    ['an embedded ledger open to the network', { SOLANA_CLUSTER: 'embedded' }, /HOST 0\.0\.0\.0 .*\(embedded\)/],
    ['a local validator open to the network', { HOST: '::', SOLANA_CLUSTER: 'localnet' }, /HOST :: .*\(localnet\)/],
    ['no public address', { HOST: '192.0.2.7', PUBLIC_URL: '' }, /HOST 192\.0\.2\.7 .*PUBLIC_URL is not set/],
    ['a public address without TLS', { PUBLIC_URL: 'http://relay.example' }, /PUBLIC_URL is http/],
    ['money for anybody who asks', { API_KEYS: '' }, /API_KEYS is not set/],
    ['airdrops on mainnet', { SOLANA_CLUSTER: 'mainnet-beta' }, /AIRDROP is on/],
    ['a key in the public RPC address', { SOLANA_RPC_URL: 'https://rpc.example/?api-key=hunter2' }, /GET \/config/],
    ['a password in it', { SOLANA_RPC_URL: 'https://me:hunter2@rpc.example' }, /GET \/config/],
    ['an RPC without TLS elsewhere', { SOLANA_RPC_URL: 'http://rpc.example' }, /SOLANA_RPC_URL is http/],
  ] as const)('name %s, and no secret', async (_, changes, sentence) => {
    const found = await choicesWith(changes);
    expect(found).toEqual([expect.stringMatching(sentence)]);
    expect(found.join('')).not.toContain('hunter2');
  });

  test('name a key file that others can read', async () => {
    await chmod(keypair, 0o644);
    expect(await choicesWith({})).toEqual([expect.stringMatching(/^COORDINATOR_KEYPAIR .*chmod 600/)]);
    await chmod(keypair, 0o600);
  });
});
