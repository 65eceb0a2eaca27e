import { access, chmod, mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseKeypairFile } from '@legwork/sdk';
import { createKeyPairSignerFromBytes, generateKeyPairSigner, writeKeyPairSigner } from '@solana/kit';
import type { KeyPairSigner } from '@solana/kit';
import { programName, shellWord } from './commandLine.js';
import { parsePolicy } from './policy/readPolicy.js';
import { SETTINGS_FILE } from './settings.js';

/** A key file that is not used: what is wrong with it, and what to do. The message never holds what is in it. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/** The permissions of others than the owner on a file. */
const OTHERS = 0o077;

/**
 * The key in a file as solana-keygen writes it. Nobody but the owner may read the file. Rule A-1.
 *
 * @returns a signer whose secret bytes cannot be read back from it
 * @throws {KeyFileError} when it is missing, open to others, or not a key
 */
export async function readKeyFile(file: string): Promise<KeyPairSigner> {
  const text = await readFile(file, 'utf8').catch(async (error: unknown) => {
    if (!isMissing(error)) throw new KeyFileError(`The key file ${file} cannot be read: ${messageOf(error)}.`);
    throw new KeyFileError(
      `There is no key file ${file}. ${(await keysNamedHere()) ?? `Make one: ${programName()} key new ${shellWord(file)}`}`,
    );
  });
  if (process.platform !== 'win32' && ((await stat(file)).mode & OTHERS) !== 0) {
    throw new KeyFileError(`Others may read the key file ${file}. Close it to them: chmod 600 ${shellWord(file)}`);
  }
  try {
    return await createKeyPairSignerFromBytes(parseKeypairFile(text));
  } catch (error) {
    throw new KeyFileError(
      `${file} is not a key file (${messageOf(error)}). It should be a JSON array of 64 numbers, as solana-keygen writes it. ` +
        `Give another file, or make a key: ${programName()} key new FILE`,
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

/** Files of the current folder that may be a policy. */
const MOST_FILES = 20;

/** The advice where a policy of the current folder names a key: nobody who has one needs another one. */
async function keysNamedHere(): Promise<string | undefined> {
  const names = (await readdir('.').catch(() => [])).filter((name) => /\.ya?ml$/.test(name)).sort();
  for (const name of names.slice(0, MOST_FILES)) {
    const read = parsePolicy(name, await readFile(name, 'utf8').catch(() => ''));
    if (!('policy' in read) || !(await isThere(read.policy.key))) continue;
    const named = `${name} of this folder names the key ${read.policy.key}`;
    return name === SETTINGS_FILE
      ? `${named}: it is used without --key and LEGWORK_KEY`
      : `${named}: add --policy ${name}, or call that file ${SETTINGS_FILE}`;
  }
  return undefined;
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
