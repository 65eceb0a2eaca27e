import { randomInt } from 'node:crypto';
import {
  address,
  appendTransactionMessageInstructions,
  blockhash,
  createTransactionMessage,
  getSignatureFromTransaction,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Instruction,
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

const COMPUTE_BUDGET = address('ComputeBudget111111111111111111111111111111');
const SMALLEST_LIMIT = 10_000;
const LARGEST_LIMIT = 1_400_000;

/** Gives out lamports, by ordinary transfers from an account that the genesis makes. Rule L-21. */
export class Faucet {
  readonly #bank: Bank;
  readonly #signer: KeyPairSigner;
  // Random: after a restart within a slot, counting from zero would repeat earlier transactions.
  #count = randomInt(LARGEST_LIMIT);

  constructor(bank: Bank, signer: KeyPairSigner) {
    this.#bank = bank;
    this.#signer = signer;
  }

  async airdrop(recipient: Uint8Array, lamports: bigint): Promise<AirdropOutcome> {
    const slot = this.#bank.slotAt('confirmed');
    const lifetime = { blockhash: blockhash(this.#bank.blockhashAt(slot)), lastValidBlockHeight: BigInt(slot) };
    const transfer = getTransferSolInstruction({
      source: this.#signer,
      destination: address(toBase58(recipient)),
      amount: lamports,
    });
    const signed = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 'legacy' }),
        (message) => setTransactionMessageFeePayerSigner(this.#signer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
        (message) => appendTransactionMessageInstructions([this.#nextLimit(), transfer], message),
      ),
    );
    const wire = parseTransaction(Uint8Array.from(getTransactionEncoder().encode(signed)));
    const refusal = this.#bank.submit(wire, true);
    if (refusal === undefined) return { kind: 'sent', signature: getSignatureFromTransaction(signed) };
    return { kind: 'refused', why: refusal.err === null ? 'unknown' : describeTransactionError(refusal.err) };
  }

  /** A compute limit that differs each time, so that the same airdrop twice in one slot is two transactions. */
  #nextLimit(): Instruction {
    const limit = SMALLEST_LIMIT + (this.#count % (LARGEST_LIMIT - SMALLEST_LIMIT));
    this.#count += 1;
    const data = Buffer.alloc(5);
    data.writeUInt8(2, 0);
    data.writeUInt32LE(limit, 1);
    return { programAddress: COMPUTE_BUDGET, data };
  }
}
