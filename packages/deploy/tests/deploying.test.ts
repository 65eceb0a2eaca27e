import { readFileSync } from 'node:fs';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { configAddress } from '@legwork/program-client';
import { DeployError, deployProgram, initializeRelay } from '@legwork/deploy';
import { balanceOf, clientOf, freshLedger, fundedSigner, rawCall, SOL } from '../../ledger/tests/support/ledger.js';
import { relaySoPath } from './support/relaySoPath.js';

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const so = readFileSync(relaySoPath);

async function countOf(): Promise<bigint> {
  return client.rpc.getTransactionCount({ commitment: 'confirmed' }).send();
}

/** How many buffers are left on the ledger: each holds somebody's money. */
async function bufferCount(): Promise<number> {
  const { result } = await rawCall(ledger, 'getProgramAccounts', [
    'BPFLoaderUpgradeab1e11111111111111111111111',
    { commitment: 'confirmed', dataSlice: { offset: 0, length: 0 }, filters: [{ memcmp: { offset: 0, bytes: '2' } }] },
  ]);
  return (result as unknown[]).length;
}

describe('deploying a program', () => {
  test('[L-26] takes the loader transactions of any cluster, and the program runs in the next slot', async () => {
    const authority = await fundedSigner(client);
    const coordinator = await generateKeyPairSigner();
    const programKeypair = await generateKeyPairSigner();
    const { rpcUrl } = ledger;
    const options = { rpcUrl, payer: authority, programKeypair, so, upgradeAuthority: authority };
    const { programAddress, outcome } = await deployProgram(options);
    expect(outcome).toBe('deployed');
    const relay = {
      rpcUrl,
      programAddress,
      upgradeAuthority: authority,
      authority: authority.address,
      coordinator: coordinator.address,
    };
    expect(await initializeRelay(relay)).toMatchObject({ outcome: 'initialized' });
    const config = await configAddress(programAddress);
    const owner = (await client.rpc.getAccountInfo(config, { commitment: 'confirmed', encoding: 'base64' }).send())
      .value?.owner;
    expect(owner).toBe(programAddress);
    const count = await countOf();
    expect(await deployProgram(options)).toMatchObject({ outcome: 'unchanged', programAddress });
    expect(await initializeRelay(relay)).toMatchObject({ outcome: 'unchanged', coordinator: coordinator.address });
    expect(await countOf()).toBe(count);
  });

  test('[L-26] goes on where it was interrupted and pays for the buffer once', async () => {
    const payer = await fundedSigner(client);
    const programKeypair = await generateKeyPairSigner();
    const options = { rpcUrl: ledger.rpcUrl, programKeypair, so, payer, upgradeAuthority: payer };
    const log = (line: string): void => {
      if (line.startsWith('deploying')) throw new Error('interrupted');
    };
    await expect(deployProgram({ ...options, log })).rejects.toThrow('interrupted');
    expect(await bufferCount()).toBe(1);
    const count = await countOf();
    expect(await deployProgram(options)).toMatchObject({ outcome: 'deployed' });
    expect((await countOf()) - count).toBe(1n);
    expect(await bufferCount()).toBe(0);
  });

  test('[L-26] begins nothing that the payer cannot pay to the end, and says how much is missing', async () => {
    const poor = await fundedSigner(client, SOL / 2n);
    const options = { rpcUrl: ledger.rpcUrl, payer: poor, programKeypair: await generateKeyPairSigner(), so };
    const said = await deployProgram({ ...options, upgradeAuthority: poor }).then(
      () => 'nothing',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    const [, takes, more] =
      /has 0\.5000 SOL, and the program takes (\d\.\d{4}); send it (\d\.\d{4}) more/.exec(said) ?? [];
    expect(Number(takes) - 0.5).toBeCloseTo(Number(more), 4);
    expect(await balanceOf(client, poor.address)).toBe(SOL / 2n);
    expect(await bufferCount()).toBe(0);
  });

  test('[L-26] upgrades other bytes in place and gives the buffer back', async () => {
    const payer = await fundedSigner(client);
    const programKeypair = await generateKeyPairSigner();
    const options = { rpcUrl: ledger.rpcUrl, payer, programKeypair, upgradeAuthority: payer };
    await deployProgram({ ...options, so });
    const before = await balanceOf(client, payer.address);
    // Bytes after the ELF's end do not change what it does.
    const longer = Buffer.concat([so, Buffer.from([1, 2, 3])]);
    const { outcome, programDataAddress } = await deployProgram({ ...options, so: longer });
    expect(outcome).toBe('upgraded');
    const data = await client.rpc
      .getAccountInfo(programDataAddress, { commitment: 'confirmed', encoding: 'base64' })
      .send();
    const bytes = Buffer.from(data.value?.data[0] ?? '', 'base64').subarray(45, 45 + longer.length);
    expect(bytes.equals(longer)).toBe(true);
    expect(before - (await balanceOf(client, payer.address))).toBeLessThan(SOL / 1000n);
    expect(await bufferCount()).toBe(0);
  });

  test('[L-26] refuses what is not an ELF file, a foreign address, another authority', async () => {
    const payer = await fundedSigner(client);
    const stranger = await fundedSigner(client);
    const programKeypair = await generateKeyPairSigner();
    const options = { rpcUrl: ledger.rpcUrl, payer, programKeypair, so, upgradeAuthority: payer };
    await expect(deployProgram({ ...options, so: Buffer.from('no program') })).rejects.toBeInstanceOf(DeployError);
    await expect(deployProgram({ ...options, programKeypair: stranger })).rejects.toThrow('in use by an account of');
    await deployProgram(options);
    const other = Buffer.concat([so, Buffer.from([1])]);
    await expect(deployProgram({ ...options, so: other, upgradeAuthority: stranger })).rejects.toThrow(
      'may be upgraded by',
    );
  });

  test('[L-26] makes room for a program that has outgrown its own', async () => {
    const payer = await fundedSigner(client);
    const programKeypair = await generateKeyPairSigner();
    const options = { rpcUrl: ledger.rpcUrl, payer, programKeypair, so, upgradeAuthority: payer };
    await deployProgram(options);
    // Bytes behind an ELF file's own belong to no section.
    const large = Buffer.concat([so, Buffer.alloc(so.length + 1, 1)]);
    expect(await deployProgram({ ...options, so: large })).toMatchObject({ outcome: 'upgraded' });
    expect(await deployProgram({ ...options, so: large })).toMatchObject({ outcome: 'unchanged' });
  });

  test('[L-26] refuses one key for both roles', async () => {
    const authority = await fundedSigner(client);
    const relay = {
      rpcUrl: ledger.rpcUrl,
      programAddress: authority.address,
      upgradeAuthority: authority,
      authority: authority.address,
      coordinator: authority.address,
    };
    await expect(initializeRelay(relay)).rejects.toThrow('same key');
  });
});
