import { chmod, mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseKeypairFile } from '@legwork/sdk';
import { createKeyPairSignerFromBytes, generateKeyPairSigner, writeKeyPairSigner } from '@solana/kit';
import type { KeyPairSigner } from '@solana/kit';

/** A key file that is not used: what is wrong with it, and what to do. The message never holds what is in it. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/** What others than the owner may do with a file. */
const OTHERS = 0o077;

/**
 * The key in a file as solana-keygen writes it. Nobody but the owner may read the file. Rule A-1.
 *
 * @returns a signer whose secret bytes cannot be read back from it
 * @throws {KeyFileError} when it is missing, open to others, or not a key
 */
export async function readKeyFile(file: string): Promise<KeyPairSigner> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (!isMissing(error)) throw new KeyFileError(`The key file ${file} cannot be read: ${messageOf(error)}.`);
    throw new KeyFileError(`There is no key file ${file}. Make one: legwork key new ${file}`);
  });
  if (process.platform !== 'win32' && ((await stat(file)).mode & OTHERS) !== 0) {
    throw new KeyFileError(`Others may read the key file ${file}. Close it to them: chmod 600 ${file}`);
  }
  try {
    return await createKeyPairSignerFromBytes(parseKeypairFile(text));
  } catch (error) {
    throw new KeyFileError(
      `${file} is not a key file (${messageOf(error)}). It should be a JSON array of 64 numbers, as solana-keygen writes it. ` +
        'Give another file, or make a key: legwork key new FILE',
    );
  }
}

/**
 * Makes a key in a new file that only its owner may read; missing folders are made for the owner only.
 *
 * @throws {KeyFileError} when the file exists: a key is never overwritten
 */
export async function createKeyFile(file: string): Promise<KeyPairSigner> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Taken first, so that of two at once only one writes.
  const taken = await open(file, 'wx', 0o600).catch((error: unknown) => {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new KeyFileError(exists ? `${file} exists already; a key is never overwritten.` : messageOf(error));
  });
  await taken.close();
  const signer = await generateKeyPairSigner(true);
  await writeKeyPairSigner(signer, file, { unsafelyOverwriteExistingKeyPair: true });
  await chmod(file, 0o600);
  return readKeyFile(file);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
