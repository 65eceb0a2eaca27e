import { readFile } from 'node:fs/promises';
import { parseKeypairFile } from '@legwork/sdk';
import { createKeyPairSignerFromBytes, generateKeyPairSigner, writeKeyPairSigner } from '@legwork/sdk/kit';
import type { KeyPairSigner } from '@legwork/sdk/kit';

/**
 * The keypair in a file of solana-keygen's format (a JSON array of 64 numbers). A missing file is made, for its owner's
 * eyes only.
 *
 * @throws {Error} when the file is not a keypair
 */
export async function loadOrCreateKeypair(path: string): Promise<KeyPairSigner> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined) return createKeyPairSignerFromBytes(parseKeypairFile(text));
  const signer = await generateKeyPairSigner(true);
  await writeKeyPairSigner(signer, path);
  return signer;
}
