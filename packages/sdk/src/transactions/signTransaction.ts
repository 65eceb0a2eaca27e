import { getBase64EncodedWireTransaction, partiallySignTransactionWithSigners } from '@solana/kit';
import type { Transaction } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import type { LedgerSigner } from '../signer.js';
import { requireAsAsked } from './asAsked.js';
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
  signer: LedgerSigner,
  expected: ExpectedInstruction,
): Promise<string> {
  return getBase64EncodedWireTransaction(await signWith([signer], requireOwn(base64, signer, expected)));
}

/** The transaction, if it is the expected one and this wallet alone pays and signs. @throws as {@link signTransaction} */
export function requireOwn(
  base64: string,
  signer: Pick<LedgerSigner, 'address'>,
  expected: ExpectedInstruction,
): Transaction {
  const { transaction, feePayer, signers } = readTransaction(base64, expected);
  if (feePayer !== signer.address) {
    throw new TransactionRefusedError(`the fee of this transaction is paid by ${feePayer}, not by ${signer.address}`);
  }
  const other = signers.find((address) => address !== signer.address);
  if (other !== undefined) {
    throw new TransactionRefusedError(`this transaction needs the signature of ${other} beside ${signer.address}`);
  }
  return transaction;
}

/**
 * The transaction with these signatures. A wallet that adds to what it signs is held to what it may add.
 *
 * @throws {TransactionRefusedError} when a wallet signed anything else
 */
export async function signWith(signers: readonly LedgerSigner[], transaction: Transaction): Promise<Transaction> {
  let signed = transaction;
  for (const signer of signers) {
    const { address, signTransactions, modifyAndSignTransactions } = signer;
    if (modifyAndSignTransactions === undefined) {
      // Bound, and without what kit would mistake for another kind of signer.
      const partial = { address, signTransactions: signTransactions.bind(signer) };
      signed = await partiallySignTransactionWithSigners([partial], signed);
      continue;
    }
    const [answer] = await modifyAndSignTransactions.call(signer, [signed as never]);
    if (answer === undefined) throw new TransactionRefusedError(`the signer of ${address} gave no transaction`);
    requireAsAsked(signed, answer);
    // Wallets give the signatures of others back, or not.
    const given = Object.entries(signed.signatures).filter(([, signature]) => signature !== null);
    signed = { ...answer, signatures: { ...answer.signatures, ...Object.fromEntries(given) } };
  }
  return signed;
}
