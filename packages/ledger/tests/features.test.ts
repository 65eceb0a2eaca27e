import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { address as addressOf, getBase58Decoder } from '@solana/kit';
import { FeatureSet } from 'litesvm/dist/internal.js';
import { open } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { FeaturesError, type Ledger } from '@legwork/ledger';
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
  temporaryFolder,
} from './support/ledger.js';

const FEATURE_PROGRAM = 'Feature111111111111111111111111111111111111';
const TRANSACTION_V1 = 'txv1aq4pp281K9um3tnPgkfX8UqtFT6wcVW3hNezGLL';
const ALPENGLOW = 'a1penGLz8Vm2QHYB3JPefBiU4BY3Z6JkW2k3Scw5GWP';
const SYSCALL_STRINGS = '16FMCmgLzCNNz6eTwGanbyN2ZxvTBSLuQ6DZhgeMshg';
const UNKNOWN = 'NotAFeature11111111111111111111111111111111';

type Listed = { readonly pubkey: string; readonly account: { readonly lamports: number; readonly data: unknown } };

async function featuresOf(ledger: Ledger): Promise<Listed[]> {
  const config = { encoding: 'base64', commitment: 'confirmed' };
  return (await rawCall(ledger, 'getProgramAccounts', [FEATURE_PROGRAM, config])).result as Listed[];
}

async function addressesOf(ledger: Ledger): Promise<string[]> {
  return (await featuresOf(ledger)).map(({ pubkey }) => pubkey);
}

function fileOf(content: unknown): string {
  const path = join(temporaryFolder(), 'features.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Sends a transaction of version 1, and answers the error of its preflight. */
async function sendVersion1(ledger: Ledger): Promise<unknown> {
  const client = clientOf(ledger);
  const { wire } = await signTransfer(client, await fundedSigner(client), await newAddress(), 1_000_000n, {
    version: 1,
  });
  const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
  const simulated = await rawCall(ledger, 'simulateTransaction', [
    wire,
    { encoding: 'base64', commitment: 'confirmed' },
  ]);
  const { err } = (simulated.result as { value: { err: unknown } }).value;
  const { error } = await rawCall(ledger, 'sendTransaction', [wire, options]);
  expect(error === undefined ? null : (error.data as { err: unknown }).err).toEqual(err);
  return err;
}

describe('features', () => {
  test('[L-86] are those of a test validator of Agave 4.2 by default, active since slot 0', async () => {
    const ledger = await freshLedger();
    const listed = await featuresOf(ledger);
    expect(listed).toHaveLength(284);
    for (const { account } of listed)
      expect(account).toMatchObject({ lamports: 953_520, data: ['AQAAAAAAAAAA', 'base64'] });
    const all = FeatureSet.allEnabled().getActiveFeatures();
    const known = all.toSorted((one, other) => Buffer.compare(one, other));
    const addresses = known.map((id) => getBase58Decoder().decode(id)).filter((id) => id !== ALPENGLOW);
    expect(listed.map(({ pubkey }) => pubkey).toSorted()).toEqual(addresses.toSorted());
    // A node's number is a hash of what its software knows.
    const hash = createHash('sha256').update(Buffer.concat(known)).digest().readUInt32LE(0);
    expect((await rawCall(ledger, 'getVersion', [])).result).toMatchObject({ 'feature-set': hash });
    expect(await sendVersion1(ledger)).toBeNull();
  });

  test('[L-86] of mainnet-beta are fewer, decide what runs, and stay with the folder', async () => {
    const dataDir = temporaryFolder();
    const first = await freshLedger({ dataDir, features: 'mainnet-beta' });
    const addresses = await addressesOf(first);
    expect(addresses).toHaveLength(242);
    expect(addresses).not.toContain(TRANSACTION_V1);
    expect(await sendVersion1(first)).toBe('UnsupportedVersion');
    await first.close();

    await expect(freshLedger({ dataDir, features: 'agave-4.2' })).rejects.toBeInstanceOf(FeaturesError);
    const second = await freshLedger({ dataDir });
    expect(await addressesOf(second)).toEqual(addresses);
    expect(await sendVersion1(second)).toBe('UnsupportedVersion');
    await second.close();
    expect(await addressesOf(await freshLedger({ dataDir, features: 'mainnet-beta' }))).toEqual(addresses);
  });

  test('[L-86] without version 1, such a transaction is dropped without preflight, and pays nothing', async () => {
    const ledger = await freshLedger({ features: 'mainnet-beta' });
    const client = clientOf(ledger);
    const payer = await fundedSigner(client);
    const { wire, signature } = await signTransfer(client, payer, await newAddress(), 1_000_000n, { version: 1 });
    expect(await send(client, { wire }, { skipPreflight: true })).toBe(signature);
    await advanceTime(ledger, { slots: 1 });
    expect((await client.rpc.getSignatureStatuses([signature]).send()).value).toEqual([null]);
    expect((await client.rpc.getBalance(payer.address, { commitment: 'confirmed' }).send()).value).toBe(
      10_000_000_000n,
    );
  });

  test.each([
    ['a list', [SYSCALL_STRINGS, UNKNOWN]],
    [
      'what the command prints',
      {
        features: [
          { id: SYSCALL_STRINGS, description: 'one', status: 'active', sinceSlot: 5 },
          { id: UNKNOWN, description: 'of a later version', status: 'active', sinceSlot: 5 },
          { id: TRANSACTION_V1, description: 'another', status: 'inactive', sinceSlot: null },
        ],
        featureActivationAllowed: false,
      },
    ],
  ])('[L-86] of a file with %s are those that the engine knows', async (_, content) => {
    expect(await addressesOf(await freshLedger({ features: fileOf(content) }))).toEqual([SYSCALL_STRINGS]);
  });

  test.each(['', '{}', '[]', '[1]', '["x"]', 'null', '{"features":[{}]}', '{"features":5}'])(
    '[L-86] of a file with %s stop the start and leave no ledger behind',
    async (content) => {
      const dataDir = temporaryFolder();
      await expect(freshLedger({ dataDir, features: fileOf(content) })).rejects.toBeInstanceOf(FeaturesError);
      expect(await addressesOf(await freshLedger({ dataDir, features: 'mainnet-beta' }))).toHaveLength(242);
    },
  );

  test('[L-72] [L-86] a folder of an earlier version, which names none, goes on with the default', async () => {
    const dataDir = temporaryFolder();
    const before = await freshLedger({ dataDir });
    const address = await newAddress();
    await rawCall(before, 'requestAirdrop', [address, 5_000_000]);
    await before.close();
    const root = open({ path: join(dataDir, 'ledger.lmdb'), noSubdir: true, maxDbs: 8, encoding: 'json' });
    const meta = root.openDB<unknown, string>('meta', { encoding: 'json' });
    const { features, ...identity } = meta.get('identity') as { readonly features: readonly string[] };
    await meta.put('identity', identity);
    await root.close();

    const after = await freshLedger({ dataDir });
    expect((await addressesOf(after)).toSorted()).toEqual(features.toSorted());
    expect((await rawCall(after, 'getBalance', [address, { commitment: 'confirmed' }])).result).toMatchObject({
      value: 5_000_000,
    });
    await after.close();
    await expect(freshLedger({ dataDir, features: 'mainnet-beta' })).rejects.toThrow('keeps the features');
  });
});

describe('programs of the cluster', () => {
  test('[L-84] are the builds of the genesis of Agave 4.2, to the byte', async () => {
    const ledger = await freshLedger();
    const hashes = {
      Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: '9b097bd59cc2b02b0d78e8d1cdb2b5f92292b9507a4fd3c1b436c61c1931c63b',
      MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'f520eaf096361abbb9639ea4dc3e5388a87b9330e121f476607b87c46ef67954',
      ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'e5e7aed11ad3969eea2aa76c8b4d2e73ea25be7e6b5cce989b7710cf5452496e',
      AddressLookupTab1e1111111111111111111111111: 'e264e1537c5ee1252aae1fa476c25000b641357bc6af4efab65f314160a99570',
      Config1111111111111111111111111111111111111: '06dd0ed33dda54b37fbbb9df5e08d28a71aa817dbc57d7b0a57e348d2f4e34fa',
      Feature111111111111111111111111111111111111: '4889655084aa7b8a58cb44f56a8396881a7329a1e3b91cebd9763cdf9ad04e88',
      Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH: '0c92063c6838d9ad8af50aaefea9a166b5bb41a2bfa2bc6327d7db320849bc78',
      Stake11111111111111111111111111111111111111: '3d2d39c596ce8be2d47816b4ee5db9fc759d80fde54b08c930ad0b6daed64c2c',
      TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: '8190d3f7ceb6cb7a7a8d8924bff89f9f611e15ce1f806f2b6237f3311a98f697',
      TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'a794161408080f690dac00832f45b3c3e2b71f1339586667ad1f979cf91d5b68',
    };
    const dataOf = async (address: string): Promise<Buffer> => {
      const params = [address, { encoding: 'base64', commitment: 'confirmed' }];
      const { result } = await rawCall(ledger, 'getAccountInfo', params);
      return Buffer.from((result as { value: { data: [string] } }).value.data[0], 'base64');
    };
    for (const [address, hash] of Object.entries(hashes)) {
      const data = await dataOf(address);
      const code = data.length === 36 ? (await dataOf(getBase58Decoder().decode(data.subarray(4)))).subarray(45) : data;
      expect([address, createHash('sha256').update(code).digest('hex')]).toEqual([address, hash]);
    }
  });

  test('[L-84] all memo programs run, with the units and log of that genesis', async () => {
    const ledger = await freshLedger();
    const client = clientOf(ledger);
    const payer = await fundedSigner(client);
    const units = async (program: string): Promise<unknown> => {
      const memo = { programAddress: addressOf(program), data: Buffer.from('hello') };
      const { wire } = await signTransaction(client, payer, [memo]);
      const options = { encoding: 'base64', commitment: 'confirmed' };
      return ((await rawCall(ledger, 'simulateTransaction', [wire, options])).result as { value: unknown }).value;
    };
    const hello = expect.arrayContaining(['Program log: Memo (len 5): "hello"']) as unknown;
    const [old, current] = [
      'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
    ];
    expect(await units(old)).toMatchObject({ err: null, logs: hello, unitsConsumed: 3_225 });
    expect(await units(current)).toMatchObject({ err: null, unitsConsumed: 274 });
  });
});
