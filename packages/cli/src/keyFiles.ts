import { resolve } from 'node:path';
import { loadOrCreateKeypair, readKeypairFile } from '@legwork/ledger';
import { type Address, isAddress, type KeyPairSigner } from '@solana/kit';
import { UserError } from './screen.js';

/** @throws UserError when there is no such file */
export function readKeyFile(file: string): Promise<KeyPairSigner> {
  return orNoSuchFile(file, readKeypairFile(file));
}

/** The address in an option's value, which is an address or a key file; a missing file is made. */
export async function addressOf(option: string): Promise<Address> {
  return isAddress(option) ? option : (await loadOrCreateKeypair(option)).address;
}

/** The key file in an option's value, for the screen. */
export function shownKeyFile(option: string): string {
  return isAddress(option) ? '<key file of the coordinator>' : resolve(option);
}

/** @throws UserError instead of the system's error when there is no such file */
export async function orNoSuchFile<T>(file: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new UserError(`There is no file ${resolve(file)}.`);
  }
}
