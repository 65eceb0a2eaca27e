import { webcrypto } from 'node:crypto';
import type { KeyPairSigner } from '@solana/kit';
import { SYSTEM_PROGRAM } from '../bank/account.js';
import type { Bank } from '../bank/bank.js';
import { bytesOfKey, fromBase58, keyOf, toBase58 } from '../bank/keys.js';
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
    const { blockhash } = this.#bank.latestBlockhash('confirmed');
    const message = transferMessage(fromBase58(this.#signer.address), recipient, lamports, fromBase58(blockhash));
    const signature = await webcrypto.subtle.sign('Ed25519', this.#signer.keyPair.privateKey, message);
    const wire = Buffer.concat([Uint8Array.of(1), new Uint8Array(signature), message]);
    const refusal = await this.#bank.submit(parseTransaction(wire), 'confirmed');
    if (refusal === undefined) return { kind: 'sent', signature: toBase58(new Uint8Array(signature)) };
    return { kind: 'refused', why: refusal.err === null ? 'unknown' : describeTransactionError(refusal.err) };
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
