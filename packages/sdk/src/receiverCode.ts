import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, getBase58Encoder } from '@solana/kit';
import type { KeyPairSigner } from '@solana/kit';
import type { LegworkClient } from './client.js';
import { TransactionRefusedError } from './errors.js';
import { signAffordably } from './feePayer.js';
import type { LedgerSigner } from './signer.js';
import { buildMove } from './turns/buildMove.js';
import type { Move, MoveOptions } from './turns/buildMove.js';
import { submitMove } from './turns/makeMove.js';
import type { MadeMove } from './turns/makeMove.js';

/** A key for one parcel's receiver. */
export interface ReceiverCode {
  /** For `terms.receiverPubkey` of the package. */
  readonly pubkey: string;
  /**
   * For the receiver's eyes, as a QR code: `legwork-receiver:` and the 32 secret bytes in base58. Anyone with it
   * can sign that the parcel arrived, so a photographed code delivers: inspect the parcel, then show the code.
   */
  readonly code: string;
}

const PREFIX = 'legwork-receiver:';
const SECRET_BYTES = 32;

/** Makes a one-time key for the receiver of a package. It is kept nowhere: pass the code on before the package is listed. */
export async function receiverCode(): Promise<ReceiverCode> {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const { address } = await createKeyPairSignerFromPrivateKeyBytes(secret);
  return { pubkey: address, code: PREFIX + getBase58Decoder().decode(secret) };
}

/** The number of words in a receiver's link: 66 bits of chance, of the 2,048 words of BIP-39. */
export const RECEIVER_WORDS = 6;
/** So that a guess at the words costs about half a second of a processor. */
const ITERATIONS = 600_000;

/**
 * The key that a receiver's six words stand for: made for one package, they are in the link that its shipper
 * sends, and can be read out at the door. Anyone who knows them can sign that the parcel arrived. Rule A-140.
 *
 * @param words in any case, with spaces, points or hyphens between them
 * @param shipper the same words are another key for another shipper
 * @throws {TypeError} when there are not six
 */
export async function receiverOfWords(words: string, shipper: string): Promise<KeyPairSigner> {
  const said = words
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter((word) => word !== '');
  if (said.length !== RECEIVER_WORDS) {
    throw new TypeError(`a receiver has ${RECEIVER_WORDS} words, and these are ${said.length}`);
  }
  const utf8 = new TextEncoder();
  const known = await crypto.subtle.importKey('raw', utf8.encode(said.join(' ')), 'PBKDF2', false, ['deriveBits']);
  const salt = utf8.encode(`legwork-receiver:${shipper}`);
  const how = { name: 'PBKDF2', hash: 'SHA-512', salt, iterations: ITERATIONS };
  return createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(await crypto.subtle.deriveBits(how, known, 256)));
}

/**
 * Signs, with the code that the receiver shows, that the parcel arrived,
 * which pays the courier of the last leg. The courier pays the fee.
 *
 * @param code as {@link receiverCode} made it
 * @throws {TypeError} when it is no such code
 * @throws {LegworkApiError} `not_your_turn` when the package has another receiver, and others of `makeMove`
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export async function confirmWithCode(
  client: LegworkClient,
  courier: LedgerSigner,
  legId: string,
  code: string,
  {
    packageId,
    evenBeforePickup,
    rpc,
  }: Pick<MoveOptions, 'rpc'> & Pick<Move, 'evenBeforePickup'> & { readonly packageId?: string } = {},
): Promise<MadeMove> {
  const receiver = await receiverOf(code);
  const options = { rpc, payerPubkey: courier.address };
  const move = { legId, packageId, action: 'confirm', evenBeforePickup } as const;
  const built = await buildMove(client, receiver.address, move, options);
  if (built.leg.terms.receiver !== receiver.address) {
    throw new TransactionRefusedError(
      `the receiver of this package is ${built.leg.terms.receiver}, and the code is not its`,
    );
  }
  const payment = { client, rpc, transaction: built.transaction };
  return submitMove(client, built, await signAffordably(payment, [courier, receiver]), { rpc });
}

/** @throws {TypeError} when it is no code of a receiver */
async function receiverOf(code: string): Promise<KeyPairSigner> {
  const secret = secretOf(code.trim());
  if (secret?.length !== SECRET_BYTES) throw new TypeError('this is not the code of a receiver');
  return createKeyPairSignerFromPrivateKeyBytes(secret);
}

function secretOf(code: string) {
  if (!code.startsWith(PREFIX)) return undefined;
  try {
    return getBase58Encoder().encode(code.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}
