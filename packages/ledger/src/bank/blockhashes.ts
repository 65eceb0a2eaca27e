import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { BLOCKHASH_AGE } from './commitment.js';
import { keyOf, type Key } from './keys.js';

/** The facts that a blockhash tells the ledger that gave it. */
export type BlockhashName = {
  /** The slot from which it ages. */
  readonly slot: number;
  /** Slots from then to when it was given; 0 for the blockhash of a slot's own block. */
  readonly after: number;
  /** Transactions that had landed in the slot in which it was given. */
  readonly landed: number;
};

const NAME_BYTES = 16;
const MOST_KNOWN = 1_000;

/** The genesis hash of the ledger with this salt: no two ledgers share one. Rule L-2. */
export function genesisHashOf(salt: Uint8Array): Uint8Array {
  return createHash('sha256').update(salt).update(new Uint8Array(8)).digest();
}

/**
 * The blockhashes of a ledger: 16 bytes that name a slot, encrypted, and 16 that prove it. Only who has the salt can make or read
 * one, so none is stored, and a restart forgets none. Each landed transaction brings a fresh one, so that the same transaction,
 * sent twice in a slot, is two. Rule L-6.
 */
export class Blockhashes {
  readonly #encryption: Buffer;
  readonly #proof: Buffer;
  /** Those read lately: many transactions name the same one, and reading one takes as long as running a transfer. */
  readonly #known = new Map<Key, BlockhashName>();

  constructor(salt: Uint8Array) {
    const keyFor = (use: string): Buffer => createHmac('sha256', salt).update(use).digest();
    this.#encryption = keyFor('blockhash');
    this.#proof = keyFor('blockhash proof');
  }

  write({ slot, after, landed }: BlockhashName): Uint8Array {
    const name = Buffer.alloc(NAME_BYTES);
    name.writeBigUInt64LE(BigInt(slot), 0);
    name.writeUInt32LE(after, 8);
    name.writeUInt32LE(landed, 12);
    const sealed = createCipheriv('aes-256-ecb', this.#encryption, null).setAutoPadding(false).update(name);
    return Buffer.concat([sealed, this.#proofOf(sealed)]);
  }

  /** The facts of a blockhash; undefined when this ledger never gave it. */
  read(blockhash: Uint8Array): BlockhashName | undefined {
    const key = keyOf(blockhash);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#decrypt(blockhash);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    if (name !== undefined) this.#known.set(key, name);
    return name;
  }

  /** The slot in which a blockhash was given. */
  givenIn(blockhash: Uint8Array): number | undefined {
    const name = this.read(blockhash);
    return name && name.slot + name.after;
  }

  #decrypt(blockhash: Uint8Array): BlockhashName | undefined {
    const sealed = blockhash.subarray(0, NAME_BYTES);
    if (Buffer.compare(this.#proofOf(sealed), blockhash.subarray(NAME_BYTES)) !== 0) return undefined;
    const name = createDecipheriv('aes-256-ecb', this.#encryption, null).setAutoPadding(false).update(sealed);
    return { slot: Number(name.readBigUInt64LE(0)), after: name.readUInt32LE(8), landed: name.readUInt32LE(12) };
  }

  #proofOf(sealed: Uint8Array): Buffer {
    return createHmac('sha256', this.#proof).update(sealed).digest().subarray(0, NAME_BYTES);
  }
}

/** The last block height at which a transaction may name a blockhash of this slot. */
export function lastHeightOf(slot: number): number {
  return slot + Number(BLOCKHASH_AGE);
}
