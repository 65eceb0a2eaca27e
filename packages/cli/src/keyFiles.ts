import { resolve } from 'node:path';
import { loadOrCreateKeypair, readKeypairFile } from '@legwork/ledger';
import { type Address, isAddress, type KeyPairSigner } from '@solana/kit';
import { orNoSuchFile } from './paths.js';

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
