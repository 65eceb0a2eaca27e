import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { configAddress, fetchConfig } from '@legwork/program-client';
import type { Signature } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { relayGenesis } from '@legwork/deploy';
import { childLedger, kill, spawnLedger } from '../../ledger/tests/support/childLedger.js';
import { balanceOf, clientOf, freshLedger, rawCall, SOL, temporaryFolder } from '../../ledger/tests/support/ledger.js';
import { relaySoPath } from './support/relaySoPath.js';

const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const child = new URL('./support/child.mjs', import.meta.url);
const genesis = relayGenesis(relaySoPath);
const confirmed = { commitment: 'confirmed' } as const;
const ledger = await freshLedger({ genesis }, 'file');
const client = clientOf(ledger);
const programAddress = ledger.keypairs.program.signer.address;

describe('the program', () => {
  test('[L-3] is deployed, upgradeable by the authority, and initialised', async () => {
    const { value } = await client.rpc.getAccountInfo(programAddress, { ...confirmed, encoding: 'base64' }).send();
    expect(value).toMatchObject({ executable: true, owner: LOADER });
    const config = await fetchConfig(client.rpc, await configAddress(programAddress), confirmed);
    const { authority, coordinator } = ledger.keypairs;
    expect(config.data).toMatchObject({
      authority: authority.signer.address,
      coordinator: coordinator.signer.address,
    });
    expect(await balanceOf(client, coordinator.signer.address)).toBe(1_000n * SOL);
  });

  test('[L-16] calls another: its inner instructions are shown', async () => {
    const { result } = await rawCall(ledger, 'getSignaturesForAddress', [programAddress, confirmed]);
    // The newest is the last; the first that used the program deployed it, the next initialised it.
    const initialize = (result as { signature: Signature }[]).at(-2);
    const found = await client.rpc
      .getTransaction(initialize?.signature ?? ('' as Signature), {
        ...confirmed,
        encoding: 'json',
        maxSupportedTransactionVersion: 0,
      })
      .send();
    expect(found?.meta?.err).toBeNull();
    expect(found?.meta?.innerInstructions?.[0]?.instructions.length).toBeGreaterThan(0);
  });

  test('[L-3] is there after a restart, with its accounts by owner and its history', async () => {
    const dataDir = temporaryFolder();
    const before = await freshLedger({ dataDir, genesis });
    const program = before.keypairs.program.signer.address;
    const read = async (rpcUrl: string): Promise<unknown[]> => [
      (await rawCall({ rpcUrl }, 'getProgramAccounts', [program, { encoding: 'base64' }])).result,
      (await rawCall({ rpcUrl }, 'getSignaturesForAddress', [program])).result,
      (await rawCall({ rpcUrl }, 'getTransactionCount', [])).result,
    ];
    const state = await read(before.rpcUrl);
    await before.close();
    const after = await freshLedger({ dataDir, genesis });
    expect(await read(after.rpcUrl)).toEqual(state);
    expect(after.keypairs.program.signer.address).toBe(program);
  });
});

describe('a genesis', () => {
  test('[L-3] that is killed begins again or goes on, and ends with one program that works', async () => {
    const dataDir = temporaryFolder();
    for (const delay of [150, 350, 600, 900]) {
      const spawned = spawnLedger({ dataDir }, child);
      await new Promise((resolve) => {
        setTimeout(resolve, delay);
      });
      await kill(spawned);
    }
    const { kill: end, ...survivor } = await childLedger({ dataDir }, child);
    const loaded = async ({ rpcUrl }: { rpcUrl: string }): Promise<unknown[]> => {
      const config = { encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
      return (await rawCall({ rpcUrl }, 'getProgramAccounts', [LOADER, config])).result as unknown[];
    };
    const others = await loaded(await freshLedger({ genesis: relayGenesis(undefined) }));
    // The program and its data; no buffer with money in it is left behind.
    expect(await loaded(survivor)).toHaveLength(others.length + 2);
    await end();
  });

  test('[L-4] makes five keypairs in its folder', async () => {
    const dataDir = temporaryFolder();
    await freshLedger({ dataDir, genesis });
    const names = readdirSync(dataDir).filter((name) => name.endsWith('-keypair.json'));
    expect(names.sort()).toEqual(
      ['authority', 'coordinator', 'faucet', 'program', 'usdc'].map((name) => `${name}-keypair.json`),
    );
    for (const name of names) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  });

  test('[L-3] without the program gives the funds alone, and a later start deploys', async () => {
    const dataDir = temporaryFolder();
    const empty = await freshLedger({ dataDir, genesis: relayGenesis(undefined) });
    const { program, coordinator } = empty.keypairs;
    expect(await balanceOf(clientOf(empty), coordinator.signer.address)).toBe(1_000n * SOL);
    expect(await balanceOf(clientOf(empty), program.signer.address)).toBe(0n);
    await empty.close();
    const later = await freshLedger({ dataDir, genesis });
    expect(await balanceOf(clientOf(later), program.signer.address)).toBeGreaterThan(0n);
  });
});
