import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './screen.js';

/** The built on-chain program; a link to it in a clone. */
export const PROGRAM_FILE = fileURLToPath(new URL('../relay.so', import.meta.url));

/** True if this runs in a clone of the repository: only there are the sources. */
export const IS_CLONE = existsSync(new URL('../src', import.meta.url));

/** The templates of the projects of `legwork init`. */
export const TEMPLATES = fileURLToPath(new URL('../templates', import.meta.url));

/** The command's own package.json. */
export const MANIFEST_FILE = fileURLToPath(new URL('../package.json', import.meta.url));

/** The command itself, to start a part of it as a process of its own. */
export const COMMAND_FILE = fileURLToPath(new URL('../bin/legwork.mjs', import.meta.url));

/** The ledger's folder in a data folder. */
export function ledgerFolder(dataDir: string): string {
  return join(dataDir, 'ledger');
}

/** A key file of the ledger in a data folder. */
export function ledgerKeyFile(dataDir: string, name: 'authority' | 'coordinator'): string {
  return join(ledgerFolder(dataDir), `${name}-keypair.json`);
}

/** The keys in a data folder of private addresses. */
export function personalDataKeysFolder(dataDir: string): string {
  return join(dataDir, 'personal-data-keys');
}

/** The key in a data folder that rules disputes. The service is told its address alone. */
export function arbiterKeyFile(dataDir: string): string {
  return join(dataDir, 'arbiter-keypair.json');
}

/** @throws UsageError instead of the system's error when there is no such file */
export async function orNoSuchFile<T>(file: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new UsageError(`There is no file ${resolve(file)}.`);
  }
}
