import { webcrypto } from 'node:crypto';
import type { KeyPairSigner } from '@solana/kit';
import { SYSTEM_PROGRAM } from '../bank/account.js';
import type { Bank } from '../bank/bank.js';
import { bytesOfKey, fromBase58, keyOf, toBase58 } from '../bank/keys.js';
import { describeTransactionError } from '../bank/transactionError.js';
import { parseTransaction } from '../bank/wire.js';

/** `refused` says why nothing arrived: the transaction did not land, or it failed. */
export type AirdropOutcome = { readonly signature: string; readonly refused: string | undefined };

/** Gives out lamports, by ordinary transfers from an account that the genesis makes. Rule L-21. */
export class Faucet {
  readonly #bank: Bank;
  readonly #signer: KeyPairSigner;
  #last: Promise<unknown> = Promise.resolve();

  constructor(bank: Bank, signer: KeyPairSigner) {
    this.#bank = bank;
    this.#signer = signer;
  }

  /**
   * One after the other: on one blockhash, the same airdrop twice would be one transaction.
   *
   * @param recent the blockhash to name; by default the latest
   */
  async airdrop(recipient: Uint8Array, lamports: bigint, recent?: Uint8Array): Promise<AirdropOutcome> {
    const own = this.#last.then(() => this.#send(recipient, lamports, recent));
    this.#last = own.catch(() => undefined);
    return own;
  }

  async #send(recipient: Uint8Array, lamports: bigint, recent: Uint8Array | undefined): Promise<AirdropOutcome> {
    const blockhash = recent ?? fromBase58(this.#bank.latestBlockhash('confirmed').blockhash);
    const { signature, wire } = await this.sign(recipient, lamports, blockhash);
    // Without a preflight, as on a cluster: who asked for what cannot be finds the reason by the signature.
    const refusal = await this.#bank.submit(parseTransaction(wire), undefined);
    const why = refusal?.err ?? this.#bank.recentStatus(signature)?.err ?? null;
    return { signature: toBase58(signature), refused: why === null ? undefined : describeTransactionError(why) };
  }

  /** An airdrop's transaction, signed and not sent. */
  async sign(
    recipient: Uint8Array,
    lamports: bigint,
    blockhash: Uint8Array,
  ): Promise<{ readonly signature: Uint8Array; readonly wire: Uint8Array }> {
    const message = transferMessage(fromBase58(this.#signer.address), recipient, lamports, blockhash);
    const { privateKey } = this.#signer.keyPair;
    const signature = new Uint8Array(await webcrypto.subtle.sign('Ed25519', privateKey, message));
    return { signature, wire: Buffer.concat([Uint8Array.of(1), signature, message]) };
  }
}

/** The number of the system program's instruction `Transfer`. */
const TRANSFER = 2;

/** The legacy message of a transfer from its payer, by hand: kit is not worth its loading time here. */
function transferMessage(
  payer: Uint8Array,
  recipient: Uint8Array,
  lamports: bigint,
  blockhash: Uint8Array,
): Uint8Array {
  // The recipient may be one of the others.
  const names = [...new Set([payer, recipient, SYSTEM_PROGRAM].map(keyOf))];
  const indexOf = (address: Uint8Array): number => names.indexOf(keyOf(address));
  const data = Buffer.alloc(12);
  data.writeUInt32LE(TRANSFER, 0);
  data.writeBigUInt64LE(lamports, 4);
  const header = Uint8Array.of(1, 0, 1, names.length);
  const instruction = Uint8Array.of(1, indexOf(SYSTEM_PROGRAM), 2, indexOf(payer), indexOf(recipient), data.length);
  return Buffer.concat([header, ...names.map(bytesOfKey), blockhash, instruction, data]);
}
