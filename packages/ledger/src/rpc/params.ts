import type { Commitment } from '../bank/commitment.js';
import { fromBase58 } from '../bank/keys.js';
import { MAX_TRANSACTION_BYTES } from '../bank/wire.js';
import { MalformedTransactionError } from '../bank/wireReader.js';
import { MAX_V1_BYTES } from '../bank/wireV1.js';
import { invalidParams } from './rpcError.js';

export type Params = readonly unknown[];
export type Config = Readonly<Record<string, unknown>>;

/** @throws RpcError when there are fewer */
export function requireParams(params: Params, count: number): void {
  if (params.length < count) throw invalidParams(`\`params\` should have at least ${count} argument(s)`);
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return `string ${JSON.stringify(value.slice(0, 100))}`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return `${typeof value} \`${value}\``;
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}

export function stringParam(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidParams(`Invalid params: ${name} is ${show(value)}, expected a string.`);
  return value;
}

function base58Param(value: unknown, name: string, bytes: number, what: string): Uint8Array {
  const text = stringParam(value, name);
  const wrong = (why: string): Error =>
    invalidParams(`Invalid param: ${name} is not ${what}: ${why}, expected base58 text of ${bytes} bytes`);
  // 64 bytes have at most 88 characters; decoding takes time quadratic in the length.
  if (text.length > 88) throw wrong(`it has ${text.length} characters`);
  let decoded: Uint8Array;
  try {
    decoded = fromBase58(text);
  } catch {
    throw wrong('it has a character outside the base58 alphabet');
  }
  if (decoded.length !== bytes) throw wrong(`WrongSize, ${decoded.length} bytes`);
  return decoded;
}

export function addressParam(value: unknown, name = 'address'): Uint8Array {
  return base58Param(value, name, 32, 'an address');
}

export function signatureParam(value: unknown, name = 'signature'): Uint8Array {
  return base58Param(value, name, 64, 'a signature');
}

export function blockhashParam(value: unknown): Uint8Array {
  return base58Param(value, 'blockhash', 32, 'a blockhash');
}

export function arrayParam(value: unknown, name: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParams(`Invalid params: ${name} is ${show(value)}, expected an array.`);
  if (value.length > max) throw invalidParams(`Too many inputs provided; max ${max}`);
  return value;
}

/** The configuration object of a call; undefined and null count as empty. */
export function configParam(value: unknown, name = 'configuration'): Config {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidParams(`Invalid params: ${name} is ${show(value)}, expected an object.`);
  }
  return value as Config;
}

/** A non-negative integer of 64 bits. */
export function u64Param(value: unknown, name: string): bigint {
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  if (!isInteger || BigInt(value) < 0n || BigInt(value) > 18_446_744_073_709_551_615n) {
    throw invalidParams(`Invalid params: ${name} is ${show(value)}, expected an integer from 0 to 2^64 - 1.`);
  }
  return BigInt(value);
}

/** A non-negative integer small enough for a number. */
export function sizeParam(value: unknown, name: string): number {
  const size = u64Param(value, name);
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw invalidParams(`Invalid params: ${name} is ${size}, expected at most 2^53 - 1.`);
  }
  return Number(size);
}

export function booleanParam(value: unknown, name: string, fallback = false): boolean {
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'boolean') throw invalidParams(`Invalid params: ${name} is ${show(value)}, expected a boolean.`);
  return value;
}

export function oneOf<T extends string>(value: unknown, name: string, allowed: readonly T[], fallback: T): T {
  if (value === undefined || value === null) return fallback;
  const found = allowed.find((one) => one === value);
  if (found === undefined) {
    const list = allowed.map((one) => `\`${one}\``).join(', ');
    throw invalidParams(`Invalid params: ${name} is ${show(value)}, expected one of ${list}.`);
  }
  return found;
}

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;

/** The commitment that a call asks for; `finalized` by default, as on a cluster. Rule L-15. */
export function commitmentParam(config: Config, name: string = 'commitment'): Commitment {
  return oneOf(config[name], name, COMMITMENTS, 'finalized');
}

/** Decodes base64 or base58; strict, since a lenient decoder would change what was meant. */
export function encodedBytes(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  if (encoding === 'base58') {
    try {
      return fromBase58(text);
    } catch {
      throw invalidParams('invalid base58 encoding: a character is outside the base58 alphabet');
    }
  }
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw invalidParams('invalid base64 encoding');
  return bytes;
}

/** The longest encoding of so many bytes. */
const MAX_ENCODED = { base58: 1683, base64: 1644 } as const;
/** How a base64 text of version 1, which may be longer, begins. */
const V1_BASE64 = /^g[Q-T]/;
const MAX_V1_BASE64 = 5464;

/** A transaction or message in a call. `parse` reads the bytes. */
export function wireParam<T>(
  value: unknown,
  name: string,
  encoding: 'base58' | 'base64',
  parse: (bytes: Uint8Array) => T,
): T {
  const text = stringParam(value, name);
  const isV1 = encoding === 'base64' && V1_BASE64.test(text);
  const [longest, largest] = isV1 ? [MAX_V1_BASE64, MAX_V1_BYTES] : [MAX_ENCODED[encoding], MAX_TRANSACTION_BYTES];
  if (text.length > longest) {
    const most = `max: encoded/raw ${longest}/${largest}`;
    throw invalidParams(`${encoding} encoded ${name} too large: ${text.length} bytes (${most})`);
  }
  const bytes = encodedBytes(text, encoding);
  if (bytes.length > largest) {
    throw invalidParams(`decoded ${name} too large: ${bytes.length} bytes (max: ${largest} bytes)`);
  }
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof MalformedTransactionError) throw invalidParams(error.message);
    throw error;
  }
}
