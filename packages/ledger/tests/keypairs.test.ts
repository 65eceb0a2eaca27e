import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { loadOrCreateKeypair, MalformedKeypairFileError, readKeypairFile } from '@legwork/ledger';
import { freshLedger, temporaryFolder } from './support/ledger.js';

describe('a keypair file', () => {
  test('[L-4] is made once, readable by its owner only, in the form of solana-keygen', async () => {
    const path = join(temporaryFolder(), 'deep', 'keypair.json');
    const made = await loadOrCreateKeypair(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    expect(content).toHaveLength(64);
    expect((await loadOrCreateKeypair(path)).address).toBe(made.address);
    expect((await readKeypairFile(path)).address).toBe(made.address);
  });

  test('[L-4] is one and the same for all that start at once, and no draft stays behind', async () => {
    const folder = temporaryFolder();
    const all = await Promise.all(
      Array.from({ length: 8 }, async () => loadOrCreateKeypair(join(folder, 'keypair.json'))),
    );
    expect(new Set(all.map((one) => one.address)).size).toBe(1);
    expect(readdirSync(folder)).toEqual(['keypair.json']);
  });

  test('[L-4] signs as the keypair that it holds', async () => {
    const signer = await loadOrCreateKeypair(join(temporaryFolder(), 'keypair.json'));
    const [signatures] = await signer.signMessages([{ content: Uint8Array.from([1]), signatures: {} }]);
    expect(signatures?.[signer.address]).toHaveLength(64);
    expect((await generateKeyPairSigner()).address).not.toBe(signer.address);
  });

  test.each([
    ['nothing', '', 'not JSON'],
    ['text', '"abc"', 'not an array'],
    ['too few numbers', JSON.stringify(Array.from({ length: 32 }, () => 1)), '32 elements'],
    ['a number above 255', JSON.stringify(Array.from({ length: 64 }, () => 256)), 'from 0 to 255'],
    ['halves that do not belong together', JSON.stringify(Array.from({ length: 64 }, () => 7)), 'does not belong'],
  ])('[L-4] with %s is refused with its path and what would be right, and kept', async (_, content, why) => {
    const path = join(temporaryFolder(), 'keypair.json');
    writeFileSync(path, content);
    const failure = await loadOrCreateKeypair(path).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MalformedKeypairFileError);
    expect((failure as Error).message).toContain(path);
    expect((failure as Error).message).toContain(why);
    expect((failure as Error).message).toContain('array of 64 numbers');
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('[L-4] a ledger with a damaged one does not start, and lets go of its folder', async () => {
    const dataDir = temporaryFolder();
    const path = join(dataDir, 'faucet-keypair.json');
    writeFileSync(path, '[]');
    await expect(freshLedger({ dataDir })).rejects.toThrow(path);
    chmodSync(path, 0o600);
    writeFileSync(path, JSON.stringify(await newKeypairBytes()));
    await expect(freshLedger({ dataDir })).resolves.toMatchObject({ genesisHash: expect.any(String) });
  });
});

async function newKeypairBytes(): Promise<number[]> {
  const path = join(temporaryFolder(), 'other.json');
  await loadOrCreateKeypair(path);
  return JSON.parse(readFileSync(path, 'utf8')) as number[];
}
