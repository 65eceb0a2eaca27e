import { getBase64EncodedWireTransaction, partiallySignTransactionWithSigners } from '@solana/kit';
import type { TransactionPartialSigner } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import { readTransaction } from './readTransaction.js';
import type { ExpectedInstruction } from './readTransaction.js';

/**
 * Signs a transaction that the service built, after making sure that it is the expected one and that this wallet alone
 * pays and signs.
 *
 * @param base64 the unsigned wire transaction
 * @param expected the one instruction it has to hold
 * @returns the signed wire transaction in base64
 * @throws {TransactionRefusedError} when it is not that transaction, or wants another wallet's signature
 */
export async function signTransaction(
  base64: string,
  signer: TransactionPartialSigner,
  expected: ExpectedInstruction,
): Promise<string> {
  const { transaction, feePayer, signers } = readTransaction(base64, expected);
  if (feePayer !== signer.address) {
    throw new TransactionRefusedError(`the fee of this transaction is paid by ${feePayer}, not by ${signer.address}`);
  }
  const other = signers.find((address) => address !== signer.address);
  if (other !== undefined) {
    throw new TransactionRefusedError(`this transaction needs the signature of ${other} beside ${signer.address}`);
  }
  return getBase64EncodedWireTransaction(await partiallySignTransactionWithSigners([signer], transaction));
}
