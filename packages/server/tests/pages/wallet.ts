import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
import type { Page } from 'playwright-core';

export const WALLET = 'Test Wallet';

/** The reaction of a wallet that is asked to sign. */
export type Signing = (
  signer: KeyPairSigner,
  message: Uint8Array,
) => Promise<{ signature: Uint8Array; signed: Uint8Array }>;

export const signs: Signing = async (signer, message) => ({
  signature: await signBytes(signer.keyPair.privateKey, message),
  signed: message,
});

export const refuses: Signing = () => Promise.reject(new Error('The user said no.'));

/** Signs the message with something before it, as hardware wallets do. */
export const wraps: Signing = (signer, message) => signs(signer, new Uint8Array([255, ...message]));

/** The reaction of a wallet that is asked to sign a transaction: the bytes that it gives back. */
export type SigningTransaction = (signer: KeyPairSigner, transaction: Uint8Array) => Promise<Uint8Array>;

const signsTransactions: SigningTransaction = async ({ keyPair }, transaction) => {
  const signed = await partiallySignTransaction([keyPair], getTransactionDecoder().decode(transaction));
  return Uint8Array.from(getTransactionEncoder().encode(signed));
};

/** Signs the transaction with these instructions behind what was asked for, as wallets add theirs. */
export const adds =
  (...added: readonly Instruction[]): SigningTransaction =>
  (signer, transaction) => {
    const asked = getCompiledTransactionMessageDecoder().decode(
      getTransactionDecoder().decode(transaction).messageBytes,
    );
    const more = appendTransactionMessageInstructions(added, decompileTransactionMessage(asked));
    return signsTransactions(signer, Uint8Array.from(getTransactionEncoder().encode(compileTransaction(more))));
  };

export const refusesTransactions: SigningTransaction = () => Promise.reject(new Error('The user said no.'));

/** Puts a wallet with these keys into the browser, before a page of it opens. */
export async function installWallet(
  page: Page,
  keys: readonly KeyPairSigner[],
  {
    sign = signs,
    signTransaction = signsTransactions,
    isSilent = false,
  }: { sign?: Signing; signTransaction?: SigningTransaction; isSilent?: boolean } = {},
): Promise<void> {
  const signerOf = (address: string) => {
    const signer = keys.find((key) => key.address === address);
    if (signer === undefined) throw new Error(`this wallet does not have ${address}`);
    return signer;
  };
  await page.exposeFunction('testWalletSign', async (address: string, message: number[]) => {
    const { signature, signed } = await sign(signerOf(address), new Uint8Array(message));
    return [[...signature], [...signed]];
  });
  await page.exposeFunction('testWalletSignTransaction', async (address: string, transaction: number[]) => [
    ...(await signTransaction(signerOf(address), new Uint8Array(transaction))),
  ]);
  const wallet = { name: WALLET, addresses: keys.map(({ address }) => address), isSilent };
  const code = await readFile(join(import.meta.dirname, 'testWallet.js'), 'utf8');
  await page.addInitScript({ content: `globalThis.testWallet = ${JSON.stringify(wallet)};\n${code}` });
}
