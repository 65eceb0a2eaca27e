import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built on-chain program that is part of the product. */
export const PROGRAM_FILE = fileURLToPath(new URL('../../../program/dist/relay.so', import.meta.url));

/** The command itself, for starting a part of it as a process of its own. */
export const COMMAND_FILE = fileURLToPath(new URL('../bin/legwork.mjs', import.meta.url));

/** Where the ledger is kept in a data folder. */
export function ledgerFolder(dataDir: string): string {
  return join(dataDir, 'ledger');
}

/** A key file of the ledger that is kept in a data folder. */
export function ledgerKeyFile(dataDir: string, name: 'authority' | 'coordinator'): string {
  return join(ledgerFolder(dataDir), `${name}-keypair.json`);
}
