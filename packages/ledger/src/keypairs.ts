import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { KeypairFileError, parseKeypairFile } from '@legwork/protocol/contract';
import {
  createKeyPairSignerFromBytes,
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressEncoder,
  type KeyPairSigner,
} from '@solana/kit';
import { MalformedKeypairFile } from './errors.js';

/**
 * Reads a keypair file as solana-keygen writes it: a JSON array of 64 numbers, the secret key and then the public key.
 *
 * @throws MalformedKeypairFile, or the system's error when the file cannot be read
 */
export async function readKeypairFile(path: string): Promise<KeyPairSigner> {
  const text = readFileSync(path, 'utf8');
  try {
    return await createKeyPairSignerFromBytes(parseKeypairFile(text));
  } catch (error) {
    if (!(error instanceof KeypairFileError)) throw error;
    throw new MalformedKeypairFile(path, error.message);
  }
}

/**
 * Reads a keypair file, or makes a new keypair and stores it there, readable by its owner only (mode 0600). The file appears
 * whole or not at all; of several processes that start at once, all get the same keypair.
 *
 * @throws MalformedKeypairFile
 */
export async function loadOrCreateKeypair(path: string): Promise<KeyPairSigner> {
  try {
    return await readKeypairFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = randomBytes(32);
  const signer = await createKeyPairSignerFromPrivateKeyBytes(secret);
  const bytes = [...secret, ...getAddressEncoder().encode(signer.address)];
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(bytes)}\n`, { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link never replaces a keypair that another process has just made.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKeypairFile(path);
}
