import { join } from 'node:path';
import { open } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { UnsupportedDataFolderError } from '@legwork/ledger';
import { asFormat1, withoutCost } from './support/format1.js';
import {
  balanceOf,
  clientOf,
  freshLedger,
  fundedSigner,
  newAddress,
  rawCall,
  send,
  signTransfer,
  SOL,
  temporaryFolder,
} from './support/ledger.js';
import type { Ledger } from '@legwork/ledger';

const CONFIRMED = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };

/** Everything that a ledger says of an address and its transactions. */
async function historyOf(ledger: Ledger, address: string): Promise<unknown[]> {
  const { result } = await rawCall(ledger, 'getSignaturesForAddress', [address, CONFIRMED]);
  const listed = result as { readonly signature: string }[];
  const found = listed.map(
    async ({ signature }) => (await rawCall(ledger, 'getTransaction', [signature, CONFIRMED])).result,
  );
  return [listed, ...(await Promise.all(found))];
}

describe('a folder of an earlier version', () => {
  test('[L-72] [L-83] goes on with its accounts, its history, without costs, and what it refuses as known', async () => {
    const dataDir = temporaryFolder();
    const recipient = await newAddress();
    const before = await freshLedger({ dataDir, finality: 'immediate' });
    const client = clientOf(before);
    const payer = await fundedSigner(client);
    const sent = await Promise.all([1n, 2n, 3n].map((amount) => signTransfer(client, payer, recipient, amount * SOL)));
    for (const one of sent) await send(client, one);
    const failing = await signTransfer(client, payer, recipient, 1_000n * SOL);
    await send(client, failing, { skipPreflight: true });
    const histories = await Promise.all([payer.address, recipient].map((one) => historyOf(before, one)));
    expect(histories.map((history) => history.length)).toEqual([6, 5]);
    await before.close();
    await asFormat1(dataDir);

    const ledger = await freshLedger({ dataDir, finality: 'immediate' });
    expect(ledger.genesisHash).toBe(before.genesisHash);
    const earlier = JSON.parse(withoutCost(JSON.stringify(histories))) as unknown;
    expect(earlier).not.toEqual(histories);
    expect(await Promise.all([payer.address, recipient].map((one) => historyOf(ledger, one)))).toEqual(earlier);
    const again = clientOf(ledger);
    for (const { wire } of sent) {
      const params = [wire, { encoding: 'base64', preflightCommitment: 'confirmed' }];
      const { error } = await rawCall(ledger, 'sendTransaction', params);
      expect(error).toMatchObject({ data: { err: 'AlreadyProcessed' } });
    }
    expect(await balanceOf(again, recipient)).toBe(6n * SOL);
    expect((await rawCall(ledger, 'getTransactionCount', [])).result).toBe(5);
    await send(again, await signTransfer(again, payer, recipient, SOL));
    expect(await balanceOf(again, recipient)).toBe(7n * SOL);
  });

  test('[L-72] of a later version is refused', async () => {
    const dataDir = temporaryFolder();
    await (await freshLedger({ dataDir })).close();
    const root = open({ path: join(dataDir, 'ledger.lmdb'), noSubdir: true, maxDbs: 8, encoding: 'json' });
    const meta = root.openDB<unknown, string>('meta', { encoding: 'json' });
    await meta.put('identity', { ...(meta.get('identity') as object), format: 3 });
    await root.close();
    await expect(freshLedger({ dataDir })).rejects.toBeInstanceOf(UnsupportedDataFolderError);
  });
});
