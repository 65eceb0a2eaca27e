import { sendTransaction } from '@legwork/sdk';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';

/**
 * Makes a transaction of the instruction, which the wallet signs and pays for, and lands it: no service is asked.
 *
 * @throws LedgerRefusedError when the ledger refuses it or it expires
 */
export async function sendAlone(rpc: LedgerRpc, wallet: KeyPairSigner, instruction: Instruction): Promise<void> {
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(wallet, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstruction(instruction, timed),
  );
  const signed = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
  await sendTransaction(rpc, signed, Number(lifetime.lastValidBlockHeight));
}
