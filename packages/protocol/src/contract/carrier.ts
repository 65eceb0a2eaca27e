import { base58, base64 } from '@scure/base';
import { decodeBase58, PUBKEY_LENGTH } from './pubkey.js';

/**
 * The form in which a text is signed: its bytes as a message, or, by wallets that sign no
 * messages, a transaction whose one instruction is a memo of the text. Rules S-174, S-175.
 */
export type Carrier = 'message' | 'transaction';

/** A signature of a text. */
export interface CarriedSignature {
  /** 64 bytes. */
  readonly bytes: Uint8Array;
  readonly carrier: Carrier;
}

const SIGNATURE_LENGTH = 64;
const MAX_SIGNATURE_TEXT = 88;
/** No character of base58 or base64 is a colon. */
const TRANSACTION_PREFIX = 'tx:';

const MEMO_PROGRAM = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** All ones is the hash of no block: no ledger accepts the transaction. */
const NO_BLOCK = new Uint8Array(32).fill(255);
const LARGEST_TRANSACTION = 1232;

/** Reads a signature as it is written: base58, or base64 with padding, `tx:` before it if it is a transaction's. Undefined: it is none. */
export function readCarried(text: string): CarriedSignature | undefined {
  const isTransaction = text.startsWith(TRANSACTION_PREFIX);
  const bytes = decodeSignature(isTransaction ? text.slice(TRANSACTION_PREFIX.length) : text);
  return bytes && { bytes, carrier: isTransaction ? 'transaction' : 'message' };
}

/** The one text that a signature is kept and sent as, in base58. */
export function writeCarried({ bytes, carrier }: CarriedSignature): string {
  return (carrier === 'transaction' ? TRANSACTION_PREFIX : '') + base58.encode(bytes);
}

/**
 * The bytes that a key signs to sign a text. Those of the transaction follow from key and text alone, so nothing of a transaction is ever
 * read: another instruction, signer, blockhash or text makes other bytes, which this signature is not of.
 *
 * @returns undefined when no transaction holds so long a text
 */
export function bytesToSign(carrier: Carrier, key: Uint8Array, text: Uint8Array): Uint8Array | undefined {
  if (carrier === 'message') return text;
  if (key.length !== PUBKEY_LENGTH) return undefined;
  const { length } = text;
  // One signer, who may be written to; one program, which is read; lengths in seven bits each, the lowest first.
  const dataLength = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
  const message = [1, 0, 1, 2, ...key, ...MEMO_PROGRAM, ...NO_BLOCK, 1, 1, 0, ...dataLength];
  if (1 + SIGNATURE_LENGTH + message.length + length > LARGEST_TRANSACTION) return undefined;
  return new Uint8Array([...message, ...text]);
}

/** Base64 of 64 bytes always ends in padding, base58 never holds it: the two cannot be confused. */
function decodeSignature(text: string): Uint8Array | undefined {
  const bytes = text.endsWith('=') ? decodeBase64(text) : decodeBase58(text, MAX_SIGNATURE_TEXT);
  return bytes?.length === SIGNATURE_LENGTH ? bytes : undefined;
}

function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length !== MAX_SIGNATURE_TEXT) return undefined;
  try {
    return base64.decode(text);
  } catch {
    return undefined;
  }
}
