import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  lamports,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  signTransactionMessageWithSigners,
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  type Instruction,
  type KeyPairSigner,
  type Signature,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { afterAll, onTestFinished } from 'vitest';
import { startLedger, type Ledger, type LedgerOptions } from '@legwork/ledger';

export const SOL = 1_000_000_000n;
export const FEE = 5_000n;

/** A folder that is removed after the tests that asked for it. */
export function temporaryFolder(scope: 'file' | 'test' = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-ledger-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (scope === 'file') afterAll(remove);
  else onTestFinished(remove);
  return folder;
}

/** A ledger on free ports in a fresh folder, closed after the tests that asked for it. */
export async function freshLedger<Name extends string = never>(
  options: Partial<LedgerOptions<Name>> = {},
  scope: 'file' | 'test' = 'test',
): Promise<Ledger<Name>> {
  const dataDir = options.dataDir ?? temporaryFolder(scope);
  const ledger = await startLedger({ port: 0, testing: true, ...options, dataDir });
  if (scope === 'file') afterAll(() => ledger.close());
  else onTestFinished(() => ledger.close());
  return ledger;
}

export function clientOf(ledger: Pick<Ledger, 'rpcUrl' | 'wsUrl'>) {
  return {
    rpc: createSolanaRpc(ledger.rpcUrl),
    rpcSubscriptions: createSolanaRpcSubscriptions(ledger.wsUrl),
  };
}

export type Client = ReturnType<typeof clientOf>;

/** A new wallet with this many lamports. */
export async function fundedSigner(client: Client, amount: bigint = 10n * SOL): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner();
  await client.rpc.requestAirdrop(signer.address, lamports(amount)).send();
  return signer;
}

export type SignedTransaction = {
  readonly signature: Signature;
  readonly wire: Base64EncodedWireTransaction;
  readonly signed: Awaited<ReturnType<typeof signTransactionMessageWithSigners>>;
};

type Lifetime = { readonly blockhash: Blockhash; readonly lastValidBlockHeight: bigint };

export async function latestLifetime(client: Client): Promise<Lifetime> {
  return (await client.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value;
}

export async function signTransaction(
  client: Client,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  options: { readonly version?: 'legacy' | 0 | 1; readonly lifetime?: Lifetime } = {},
): Promise<SignedTransaction> {
  const lifetime = options.lifetime ?? (await latestLifetime(client));
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: options.version ?? 0 }),
      // Without limits a transaction of version 1 has none of either.
      (message) => (message.version === 1 ? setTransactionMessageComputeUnitLimit(10_000, message) : message),
      (message) =>
        message.version === 1 ? setTransactionMessageLoadedAccountsDataSizeLimit(65_536, message) : message,
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
  return { signature: getSignatureFromTransaction(signed), wire: getBase64EncodedWireTransaction(signed), signed };
}

export function transfer(source: KeyPairSigner, destination: Address, amount: bigint): Instruction {
  return getTransferSolInstruction({ source, destination, amount });
}

export async function signTransfer(
  client: Client,
  source: KeyPairSigner,
  destination: Address,
  amount: bigint,
  options: { readonly version?: 'legacy' | 0 | 1; readonly lifetime?: Lifetime } = {},
): Promise<SignedTransaction> {
  return signTransaction(client, source, [transfer(source, destination, amount)], options);
}

export async function send(
  client: Client,
  transaction: Pick<SignedTransaction, 'wire'>,
  options: { readonly skipPreflight?: boolean } = {},
): Promise<Signature> {
  return client.rpc
    .sendTransaction(transaction.wire, { encoding: 'base64', preflightCommitment: 'confirmed', ...options })
    .send();
}

export async function balanceOf(client: Client, account: Address): Promise<bigint> {
  return (await client.rpc.getBalance(account, { commitment: 'confirmed' }).send()).value;
}

export async function newAddress(): Promise<Address> {
  return (await generateKeyPairSigner()).address;
}

export type RawAnswer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** A JSON-RPC call without a client's help, for what a client would not let through. */
export async function rawCall(ledger: Pick<Ledger, 'rpcUrl'>, method: string, params: readonly unknown[]) {
  return (await rawPost(ledger, { jsonrpc: '2.0', id: 1, method, params })) as RawAnswer;
}

export async function rawPost(ledger: Pick<Ledger, 'rpcUrl'>, body: unknown): Promise<unknown> {
  const response = await fetch(ledger.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return response.json();
}

/** Moves the ledger's time. */
export async function advanceTime(
  ledger: Pick<Ledger, 'rpcUrl'>,
  by: { readonly seconds: number } | { readonly slots: number },
): Promise<{ readonly slot: number; readonly unixTimestamp: number }> {
  const { result, error } = await rawCall(ledger, 'relay_advanceTime', [by]);
  if (error !== undefined) throw new Error(error.message);
  return result as { readonly slot: number; readonly unixTimestamp: number };
}

export const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
