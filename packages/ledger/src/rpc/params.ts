import type { Commitment } from '../bank/commitment.js';
import { MAX_TRANSACTION_BYTES } from '../bank/wire.js';
import { MalformedTransactionError } from '../bank/wireReader.js';
import { MAX_V1_BYTES } from '../bank/wireV1.js';
import { DecodingError, decodeText } from './accountEncoding.js';
import { invalidParams } from './rpcError.js';
import { Float, floatText } from '../json.js';
import type { ParamList } from './paramLists.js';
import { quote, ShapeError, tuple } from './shapes.js';
import { TRANSACTION_ENCODINGS, type TransactionEncoding } from './transactionEncoding.js';

// The meaning of a call's parameters. The types of Agave's are right already: `readParams` has looked at them. Those of methods for
// tests are looked at here.

export type Params = readonly unknown[];
export type Config = Readonly<Record<string, unknown>>;

/** For methods that Agave does not have, whose parameters nobody else counts. @throws RpcError when there are fewer */
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

/** @throws RpcError in Agave's words: `Invalid` is another alphabet, `WrongSize` another number of bytes */
function base58Param(value: unknown, size: { bytes: number; maxLength: number }, prefix: string): Uint8Array {
  const text = stringParam(value, 'parameter');
  // Before decoding, which takes time quadratic in the length.
  if (text.length > size.maxLength) throw invalidParams(`${prefix}WrongSize`);
  const decoded = decodedOr(text, 'base58', () => `${prefix}Invalid`);
  if (decoded.length !== size.bytes) throw invalidParams(`${prefix}WrongSize`);
  return decoded;
}

const INVALID = 'Invalid param: ';
const ADDRESS = { bytes: 32, maxLength: 44 };
const SIGNATURE = { bytes: 64, maxLength: 88 };

export function addressParam(value: unknown): Uint8Array {
  return base58Param(value, ADDRESS, INVALID);
}

export function signatureParam(value: unknown): Uint8Array {
  return base58Param(value, SIGNATURE, INVALID);
}

/** @param prefix the words before the reason, in the one method where they differ */
export function blockhashParam(value: unknown, prefix = INVALID): Uint8Array {
  return base58Param(value, ADDRESS, prefix);
}

/** A list with at most so many items. */
export function arrayParam(value: unknown, max = Infinity): readonly unknown[] {
  const list = value as readonly unknown[];
  if (list.length > max) throw invalidParams(`Too many inputs provided; max ${max}`);
  return list;
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

/** A non-negative integer as a number: exact up to 2^53, and beyond any size or slot that exists above. */
export function sizeParam(value: unknown, name: string): number {
  return Number(u64Param(value, name));
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

/** The commitment that a call asks for; `finalized` when it names none that we know, as on a cluster. Rule L-15. */
export function commitmentParam(config: Config, name: string = 'commitment'): Commitment {
  return COMMITMENTS.find((one) => one === config[name]) ?? 'finalized';
}

/** How a call encodes its transaction. @throws RpcError for an encoding that only answers may have */
export function wireEncodingParam(config: Config): 'base58' | 'base64' {
  const encoding = stringParam(config['encoding'] ?? 'base58', 'encoding');
  // `binary` is base58 for old clients.
  if (encoding === 'base58' || encoding === 'binary') return 'base58';
  if (encoding === 'base64') return 'base64';
  throw invalidParams(`unsupported encoding: ${encoding}. Supported encodings: base58, base64`);
}

/** Decodes base64 or base58. @throws RpcError */
function encodedBytes(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  return decodedOr(text, encoding, (fault) => `invalid ${encoding} encoding: ${fault}`);
}

function decodedOr(text: string, encoding: 'base58' | 'base64', message: (fault: string) => string): Uint8Array {
  try {
    return decodeText(text, encoding);
  } catch (error) {
    if (error instanceof DecodingError) throw invalidParams(message(error.message));
    throw error;
  }
}

/** The longest encoding of so many bytes. */
const MAX_ENCODED = { base58: 1683, base64: 1644 } as const;
/** How a base64 text of version 1, which may be longer, begins. */
const V1_BASE64 = /^g[Q-T]/;
const MAX_V1_BASE64 = 5464;

/** Agave's names of what a call may encode. */
const TYPES: Readonly<Record<string, string>> = {
  transaction: 'solana_transaction::versioned::VersionedTransaction',
  message: 'solana_message::versions::VersionedMessage',
};

/** A transaction or message in a call. `parse` reads the bytes. */
export function wireParam<T>(
  value: unknown,
  name: string,
  encoding: 'base58' | 'base64',
  parse: (bytes: Uint8Array) => T,
): T {
  const text = stringParam(value, name);
  const type = TYPES[name] ?? name;
  const isV1 = encoding === 'base64' && V1_BASE64.test(text);
  const [longest, largest] = isV1 ? [MAX_V1_BASE64, MAX_V1_BYTES] : [MAX_ENCODED[encoding], MAX_TRANSACTION_BYTES];
  if (text.length > longest) {
    const limits = `encoded/raw ${longest}/${largest}`;
    throw invalidParams(`${encoding} encoded ${type} too large: ${text.length} bytes (max: ${limits})`);
  }
  const bytes = encodedBytes(text, encoding);
  if (bytes.length > largest) {
    throw invalidParams(`decoded ${type} too large: ${bytes.length} bytes (max: ${largest} bytes)`);
  }
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof MalformedTransactionError) throw invalidParams(error.message);
    throw error;
  }
}

/**
 * The parameters of a call as the list reads them, `undefined` for each that was left out: types and number
 * first, before anything else is looked at, as Agave does.
 *
 * @throws RpcError in Agave's words
 */
export function readParams({ required, trailing }: ParamList, params: unknown): readonly unknown[] {
  const given = params ?? [];
  const least = required.length;
  const most = least + trailing.length;
  if (most === 0) return readNone(given);
  if (trailing.length > 0) requireCount(given, least, most);
  const shapes = trailing.length === 0 ? required : [...required, ...trailing].slice(0, (given as unknown[]).length);
  // With no parameters at all, serde reads null.
  const value = params === undefined && trailing.length === 0 ? null : given;
  try {
    const read = tuple(shapes).read(value);
    return Array.from({ length: most }, (_, index) => read[index]);
  } catch (error) {
    if (error instanceof ShapeError) throw invalidParams(`Invalid params: ${error.message}.`);
    throw error;
  }
}

function readNone(given: unknown): readonly unknown[] {
  if (Array.isArray(given) && given.length === 0) return [];
  const shown = Array.isArray(given)
    ? `Array(${debug(given).slice('Array '.length)})`
    : `Map(${debug(given).slice('Object '.length)})`;
  throw invalidParams('Invalid parameters: No parameters were expected', shown);
}

function requireCount(given: unknown, least: number, most: number): void {
  if (!Array.isArray(given)) throw invalidParams('`params` should be an array');
  if (given.length < least) throw invalidParams(`\`params\` should have at least ${least} argument(s)`);
  if (given.length <= most) return;
  throw invalidParams(`Invalid parameters: Expected from ${least} to ${most} parameters.`, `"Got: ${given.length}"`);
}

/** A JSON value as Rust's debug format writes it, with the names of an object in order. */
function debug(value: unknown): string {
  if (value === null || value === undefined) return 'Null';
  if (typeof value === 'string') return `String(${quote(value)})`;
  if (typeof value === 'boolean') return `Bool(${value})`;
  if (typeof value === 'number' || typeof value === 'bigint') return `Number(${value})`;
  if (value instanceof Float) return `Number(${floatText(value.value)})`;
  if (Array.isArray(value)) return `Array [${value.map(debug).join(', ')}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `Object {${fields.map(([name, field]) => `${quote(name)}: ${debug(field)}`).join(', ')}}`;
}

/** The configuration of a call about history; old clients give the encoding alone. */
export function encodingConfigParam(value: unknown): Config {
  return typeof value === 'string' ? { encoding: value } : configParam(value);
}

export function encodingParam(config: Config, fallback: TransactionEncoding): TransactionEncoding {
  return oneOf(config['encoding'], 'encoding', TRANSACTION_ENCODINGS, fallback);
}

/** The newest version of transactions that the client can read; undefined: legacy only. */
export function maxVersionParam(config: Config): number | undefined {
  const value = config['maxSupportedTransactionVersion'];
  if (value === undefined || value === null) return undefined;
  return Number(value);
}

/** History consists of blocks, and a block is confirmed at least. */
export function historyCommitment(config: Config): 'confirmed' | 'finalized' {
  const commitment = commitmentParam(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}
