import {
  address,
  appendTransactionMessageInstruction,
  blockhash,
  createTransactionMessage,
  getSignatureFromTransaction,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type KeyPairSigner,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { Bank } from '../bank/bank.js';
import { toBase58 } from '../bank/keys.js';
import { describeTransactionError } from '../bank/transactionError.js';
import { parseTransaction } from '../bank/wire.js';

export type AirdropOutcome =
  | { readonly kind: 'sent'; readonly signature: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Gives out lamports, by ordinary transfers from an account that the genesis makes. Rule L-21. */
export class Faucet {
  readonly #bank: Bank;
  readonly #signer: KeyPairSigner;
  #last: Promise<unknown> = Promise.resolve();

  constructor(bank: Bank, signer: KeyPairSigner) {
    this.#bank = bank;
    this.#signer = signer;
  }

  /** One after the other: on one blockhash, the same airdrop twice would be one transaction. */
  async airdrop(recipient: Uint8Array, lamports: bigint): Promise<AirdropOutcome> {
    const own = this.#last.then(() => this.#send(recipient, lamports));
    this.#last = own.catch(() => undefined);
    return own;
  }

  async #send(recipient: Uint8Array, lamports: bigint): Promise<AirdropOutcome> {
    const latest = this.#bank.latestBlockhash('confirmed');
    const lifetime = {
      blockhash: blockhash(latest.blockhash),
      lastValidBlockHeight: BigInt(latest.lastValidBlockHeight),
    };
    const transfer = getTransferSolInstruction({
      source: this.#signer,
      destination: address(toBase58(recipient)),
      amount: lamports,
    });
    const signed = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(this.#signer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
        (message) => appendTransactionMessageInstruction(transfer, message),
      ),
    );
    const wire = parseTransaction(Uint8Array.from(getTransactionEncoder().encode(signed)));
    const refusal = this.#bank.submit(wire, 'confirmed');
    if (refusal === undefined) return { kind: 'sent', signature: getSignatureFromTransaction(signed) };
    return { kind: 'refused', why: refusal.err === null ? 'unknown' : describeTransactionError(refusal.err) };
  }
}
