import { randomInt } from 'node:crypto';
import {
  AccountRole,
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
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { Bank } from '../bank/bank.js';
import { toBase58 } from '../bank/keys.js';
import { describeTransactionError } from '../bank/transactionError.js';
import { parseTransaction } from '../bank/wire.js';

/** `refused` says why the transaction did not land. */
export type AirdropOutcome = { readonly signature: string; readonly refused: string | undefined };

const COMPUTE_BUDGET = address('ComputeBudget111111111111111111111111111111');
/** The programs that an airdrop invokes. */
const INVOKED = new Set<string>([COMPUTE_BUDGET, SYSTEM_PROGRAM_ADDRESS]);
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

  /** @param recent the blockhash to name; by default the latest */
  async airdrop(recipient: Uint8Array, lamports: bigint, recent?: Uint8Array): Promise<AirdropOutcome> {
    const slot = this.#bank.slotAt('confirmed');
    const named = recent === undefined ? this.#bank.blockhashAt(slot) : toBase58(recent);
    const lifetime = { blockhash: blockhash(named), lastValidBlockHeight: BigInt(slot) };
    const transfer = this.#transfer(address(toBase58(recipient)), lamports);
    const signed = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(this.#signer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
        (message) => appendTransactionMessageInstructions([this.#nextLimit(), transfer], message),
      ),
    );
    const wire = parseTransaction(Uint8Array.from(getTransactionEncoder().encode(signed)));
    const refusal = this.#bank.submit(wire, true);
    const why = refusal?.err ?? null;
    return {
      signature: getSignatureFromTransaction(signed),
      refused: why === null ? undefined : describeTransactionError(why),
    };
  }

  #transfer(destination: Address, amount: bigint): Instruction {
    const { accounts, ...rest } = getTransferSolInstruction({ source: this.#signer, destination, amount });
    if (!INVOKED.has(destination)) return { accounts, ...rest };
    // A program that the transaction invokes is never writable: the transfer fails, as on a cluster.
    return { accounts: [accounts[0], { ...accounts[1], role: AccountRole.READONLY }], ...rest };
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
