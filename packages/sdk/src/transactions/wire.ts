import { getBase64Encoder, getSignatureFromTransaction, getTransactionDecoder } from '@solana/kit';
import type { Signature, Transaction } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';

/** Reads a wire transaction. @throws {TransactionRefusedError} when the text is not one in base64 */
export function decodeWire(base64: string): Transaction {
  try {
    return getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  } catch (cause) {
    throw new TransactionRefusedError('this is not a transaction in base64', { cause });
  }
}

/** The signature by which the ledger knows a signed wire transaction. */
export function signatureOf(base64: string): Signature {
  return getSignatureFromTransaction(decodeWire(base64));
}
