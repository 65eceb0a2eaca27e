import type { Account } from '../bank/account.js';
import { fromBase58 } from '../bank/keys.js';

const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;
/** Characters: nodes show 128 bytes at most in base58, and reading it takes time by the square of its length. */
const MAX_BASE58 = 200;
const MAX_U64 = 18_446_744_073_709_551_615n;

/** The fields of a JSON object; undefined for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/**
 * Reads an account as a node shows it in base64; undefined when it has another form.
 *
 * @param mayBeBase58 as files of former times have it
 */
export function readAccount(
  shown: Readonly<Record<string, unknown>>,
  mayBeBase58: boolean = false,
): Account | undefined {
  const lamports = readU64(shown['lamports']);
  const rentEpoch = readU64(shown['rentEpoch'] ?? MAX_U64);
  const owner = readAddress(shown['owner']);
  const data = readData(shown['data'], mayBeBase58);
  const executable = shown['executable'];
  if (lamports === undefined || rentEpoch === undefined || owner === undefined || data === undefined) return undefined;
  return typeof executable === 'boolean' ? { lamports, data, owner, executable, rentEpoch } : undefined;
}

function readU64(value: unknown): bigint | undefined {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return undefined;
  const integer = BigInt(value as bigint | number);
  return integer >= 0n && integer <= MAX_U64 ? integer : undefined;
}

function readAddress(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) return undefined;
  const bytes = fromBase58(value);
  return bytes.length === 32 ? bytes : undefined;
}

function readData(value: unknown, mayBeBase58: boolean): Uint8Array | undefined {
  const [text, encoding] = typeof value === 'string' ? [value, 'base58'] : Array.isArray(value) ? value : [];
  if (typeof text !== 'string') return undefined;
  if (encoding === 'base58' && mayBeBase58) {
    return text.length <= MAX_BASE58 && /^[1-9A-HJ-NP-Za-km-z]*$/.test(text) ? fromBase58(text) : undefined;
  }
  const bytes = Buffer.from(text, 'base64');
  const isWhole = encoding === 'base64' && bytes.toString('base64') === text;
  return isWhole && bytes.length <= MAX_ACCOUNT_BYTES ? bytes : undefined;
}
