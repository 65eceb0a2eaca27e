import { ask, createLedgerRpc, readTrace } from '@legwork/program-client/history';
import {
  MAX_SUPPORTED_TRANSACTION_VERSION,
  type Signature,
  getAddressDecoder,
  isAddress,
  type Address,
} from '@solana/kit';
import { z } from 'zod';
import { printDone, UserError } from '../screen.js';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ledgerFolder } from '../paths.js';
import { findInstance } from '../start/instanceFile.js';
import { paintFor } from './layout.js';
import { transactionPage } from './transactionPage.js';

const integer = z.union([z.bigint(), z.int()]).transform(BigInt);
const index = integer.transform(Number);

const account = z.object({
  pubkey: z.string(),
  signer: z.boolean(),
  writable: z.boolean(),
  source: z.string().optional(),
});

/** `parsed` by a node that knows the program; otherwise with accounts and data (base58) as they are. */
const instruction = z.object({
  programId: z.string(),
  parsed: z.unknown().optional(),
  accounts: z.array(z.string()).optional(),
  data: z.string().optional(),
  stackHeight: index.nullish(),
});

const tokenBalance = z.object({
  accountIndex: index,
  mint: z.string(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d{1,20}$/), decimals: index }),
});

const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? []);

const shown = z.object({
  slot: integer,
  blockTime: integer.nullish(),
  version: z.union([z.literal('legacy'), index]).optional(),
  meta: z.object({
    err: z.unknown(),
    fee: integer,
    computeUnitsConsumed: integer.nullish(),
    preBalances: z.array(integer),
    postBalances: z.array(integer),
    preTokenBalances: listOf(tokenBalance),
    postTokenBalances: listOf(tokenBalance),
    logMessages: listOf(z.string()),
    innerInstructions: listOf(z.object({ index, instructions: z.array(instruction) })),
  }),
  transaction: z.object({
    message: z.object({ accountKeys: z.array(account), instructions: z.array(instruction) }),
  }),
});

/** A transaction as a node shows it in `jsonParsed`. */
export type ShownTransaction = z.output<typeof shown>;
export type ShownInstruction = z.output<typeof instruction>;

/**
 * Reads a confirmed transaction from any node.
 *
 * @throws UserError when the node has none, or shows it in another form
 */
export async function readTransaction(rpcUrl: string, signature: Signature): Promise<ShownTransaction> {
  const found = await ask(
    createLedgerRpc(rpcUrl).getTransaction(signature, {
      commitment: 'confirmed',
      encoding: 'jsonParsed',
      maxSupportedTransactionVersion: MAX_SUPPORTED_TRANSACTION_VERSION,
    }),
  );
  if (found === null) {
    throw new UserError(
      `${new URL(rpcUrl).host} has no such transaction: it never landed, or is older than what is kept.`,
    );
  }
  const read = shown.safeParse(found);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UserError(`The node shows it in an unknown form: ${issue?.path.join('.')}: ${issue?.message}`);
}

export interface ShowTransactionOptions {
  /** JSON-RPC to ask; undefined: of the instance that runs in the data folder, or a ledger on the usual port. */
  readonly url?: string;
  readonly data: string;
  /** The relay program; undefined: that of the instance, or of the ledger in the data folder. */
  readonly program?: string;
  readonly json: boolean;
}

const USUAL_URL = 'http://127.0.0.1:8899';

/** Prints a transaction. @throws UserError when there is none */
export async function showTransaction(signature: Signature, options: ShowTransactionOptions): Promise<void> {
  const dataDir = resolve(options.data);
  const instance = await findInstance(dataDir);
  const url = options.url ?? instance?.rpcUrl ?? USUAL_URL;
  const transaction = await readTransaction(url, signature);
  const trace = await readTrace(url, signature);
  const program = options.program ?? instance?.programId;
  const relay = program !== undefined && isAddress(program) ? program : await programOf(dataDir);
  const page = transactionPage(transaction, {
    signature,
    relay,
    trace,
    paint: paintFor(process.stdout, process.env),
  });
  await printDone(options.json, { signature, ...transaction, ...(trace && { trace }) }, page);
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
