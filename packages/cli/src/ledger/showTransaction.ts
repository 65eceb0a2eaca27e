import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getAddressDecoder, isAddress, type Address, type Signature } from '@solana/kit';
import { ledgerFolder } from '../paths.js';
import { print } from '../screen.js';
import { findInstance } from '../start/instanceFile.js';
import { paintFor } from './layout.js';
import { readTransaction } from './transaction.js';
import { transactionPage } from './transactionPage.js';

export interface ShowTransactionOptions {
  /** JSON-RPC to ask; undefined: of the instance that runs in the data folder, or a ledger on the usual port. */
  readonly url?: string;
  readonly data: string;
  /** The relay program; undefined: that of the instance, or of the ledger in the data folder. */
  readonly program?: string;
}

const USUAL_URL = 'http://127.0.0.1:8899';

/** Prints a transaction. @throws UserError when there is none */
export async function showTransaction(signature: Signature, options: ShowTransactionOptions): Promise<void> {
  const dataDir = resolve(options.data);
  const instance = await findInstance(dataDir);
  const transaction = await readTransaction(options.url ?? instance?.rpcUrl ?? USUAL_URL, signature);
  const program = options.program ?? instance?.programId;
  const relay = program !== undefined && isAddress(program) ? program : await programOf(dataDir);
  await print(transactionPage(transaction, { signature, relay, paint: paintFor(process.stdout, process.env) }));
}

/** The address of the program on the ledger that is kept in a data folder. */
async function programOf(dataDir: string): Promise<Address | undefined> {
  try {
    const bytes: unknown = JSON.parse(await readFile(join(ledgerFolder(dataDir), 'program-keypair.json'), 'utf8'));
    return getAddressDecoder().decode(Uint8Array.from((bytes as number[]).slice(32)));
  } catch {
    return undefined;
  }
}
