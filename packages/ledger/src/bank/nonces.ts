import { createHash } from 'node:crypto';
import { SYSTEM_PROGRAM, type Account } from './account.js';
import { keyOf } from './keys.js';
import { isWritableStatic, type WireMessage } from './wire.js';

/** A nonce account that is in use: who may advance it, and the hash that transactions name. */
export type Nonce = { readonly authority: Uint8Array; readonly hash: Uint8Array };

/** Version and state (4 bytes each), authority, hash, and the fee at that time (8 bytes). */
const NONCE_BYTES = 80;
const CURRENT_VERSION = 1;
const INITIALIZED = 1;
const AUTHORITY_AT = 8;
const HASH_AT = 40;
const FEE_AT = 72;

/** The number of the system program's instruction `AdvanceNonceAccount`. */
const ADVANCE_NONCE = 4;

/**
 * The hash that a nonce stores, from a fresh blockhash: not the blockhash itself, so that no transaction can name either. Nor what the
 * engine makes of the blockhash that a transaction names, with which it looks whether a nonce was advanced before.
 */
export function nonceHashOf(blockhash: Uint8Array): Uint8Array {
  return createHash('sha256').update('LEDGER_NONCE').update(blockhash).digest();
}

/** Reads a nonce account; undefined when it is none, or not in use. */
export function readNonce(account: Account | undefined): Nonce | undefined {
  if (account?.data.length !== NONCE_BYTES || Buffer.compare(account.owner, SYSTEM_PROGRAM) !== 0) return undefined;
  const data = Buffer.from(account.data);
  if (data.readUInt32LE(0) !== CURRENT_VERSION || data.readUInt32LE(4) !== INITIALIZED) return undefined;
  return { authority: data.subarray(AUTHORITY_AT, HASH_AT), hash: data.subarray(HASH_AT, FEE_AT) };
}

/** Reports whether a nonce was made or advanced. */
export function isRenewed(before: Account | undefined, after: Account | undefined): boolean {
  const [one, other] = [readNonce(before)?.hash, readNonce(after)?.hash];
  return other !== undefined && (one === undefined || Buffer.compare(one, other) !== 0);
}

/** The nonce account with another hash. */
export function withNonceHash(account: Account, hash: Uint8Array): Account {
  const data = Buffer.from(account.data);
  data.set(hash, HASH_AT);
  return { ...account, data };
}

/** A nonce with another hash; any other account as it is. */
export function renewNonce(account: Account, hash: Uint8Array): Account {
  return readNonce(account) === undefined ? account : withNonceHash(account, hash);
}

/**
 * The nonce account whose hash a message names instead of a blockhash: that of its first instruction, if it advances a nonce that
 * one of its signers has authority over. Rule L-27.
 */
export function nonceNamedBy(
  message: WireMessage,
  account: (address: Uint8Array) => Account | undefined,
): Uint8Array | undefined {
  const [first] = message.instructions;
  const index = first?.accounts[0];
  if (first === undefined || index === undefined || !isAdvance(message, first)) return undefined;
  const address = message.staticKeys[index];
  if (address === undefined || !isWritableStatic(message, index)) return undefined;
  const nonce = readNonce(account(address));
  if (nonce === undefined || Buffer.compare(nonce.hash, message.blockhash) !== 0) return undefined;
  const signers = [...first.accounts].filter((one) => one < message.numRequiredSignatures);
  const hasAuthority = signers.some((one) => keyOf(message.staticKeys[one] as Uint8Array) === keyOf(nonce.authority));
  return hasAuthority ? address : undefined;
}

function isAdvance(message: WireMessage, { programIndex, data }: WireMessage['instructions'][number]): boolean {
  const program = message.staticKeys[programIndex];
  return (
    program !== undefined &&
    Buffer.compare(program, SYSTEM_PROGRAM) === 0 &&
    data.length >= 4 &&
    Buffer.from(data).readUInt32LE(0) === ADVANCE_NONCE
  );
}
