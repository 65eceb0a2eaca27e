import { readTransaction } from '@legwork/sdk';
import { getBase64EncodedWireTransaction } from '@solana/kit';
import { type Read, transactionDiffers, type Wanted } from '../checks/signing.js';
import { service } from '../data/service.js';
import { shell } from '../data/shell.js';
import type { Session } from './session.js';
import { signTransaction } from './signer.js';

/** A transaction that the account has signed. */
export interface Signed {
  /** Base64. */
  readonly transaction: string;
  /** Who has to sign it still. */
  readonly missing: readonly string[];
}

/**
 * Lets the account sign a transaction, once this page has read it and found that it says what is wanted and nothing else.
 *
 * @param base64 the transaction, as the service or somebody else gave it
 * @param further what else may differ, in words
 * @throws Error what differs, or what the wallet refused
 */
export async function signChecked<N extends Wanted['name']>(
  { wallet, account }: Session,
  base64: string,
  wanted: Wanted & { readonly name: N },
  further: (read: Read<N>) => string | undefined = () => undefined,
): Promise<Signed> {
  const { programId } = shell?.config ?? (await service.getConfig());
  const read = readTransaction(base64, { programId, name: wanted.name });
  const difference = transactionDiffers(read, wanted) ?? further(read);
  if (difference !== undefined) {
    throw new Error(`Not signed: the transaction is another one than this page asked for. ${difference}`);
  }
  const signed = await signTransaction(wallet, account, read.transaction);
  const missing = Object.entries(signed.signatures).flatMap(([key, signature]) => (signature === null ? [key] : []));
  return { transaction: getBase64EncodedWireTransaction(signed), missing };
}
